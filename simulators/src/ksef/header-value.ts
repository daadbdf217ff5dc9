import { z } from 'zod';

/** What Node.js can send as the value of a header: no line breaks, and no characters beyond Latin-1. */
export const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of Latin-1, as the value of a header is');
