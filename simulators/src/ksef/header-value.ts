import { z } from 'zod';

/**
 * A value of KSeF that Node.js can send in a response header, without line breaks and without characters outside
 * Latin-1.
 */
export const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be a single line of Latin-1 characters, because it is a header value');
