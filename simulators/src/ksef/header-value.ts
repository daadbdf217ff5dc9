import { z } from 'zod';

/**
 * A value that the simulated KSeF sends in a response header. Node.js cannot send line breaks or characters outside
 * Latin-1 in a header.
 */
export const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be a single line of Latin-1 characters, because it is a header value');
