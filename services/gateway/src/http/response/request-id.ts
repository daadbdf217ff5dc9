import { randomFillSync } from 'node:crypto';

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;
/**
 * Alphabet of request ids, Crockford's base32, in which no letter can be mistaken for a digit when an id is read aloud.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_LENGTH = 26;
/**
 * Random bytes are generated for many request ids at once, because a system call for each request would cost more than
 * the rest of the id.
 */
const pool = Buffer.alloc(RANDOM_LENGTH * 128);
let used = pool.length;

/**
 * Returns the request id that the caller sent if it is short and harmless, and otherwise a new one. The id is returned
 * as `X-Request-Id`, is part of every error and log line, and is sent to every service (HTTP and security reference,
 * section 2).
 */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTED.test(header) ? header : newRequestId();
}

/** Returns a new request id: `req_` and 26 random characters (130 bits). */
export function newRequestId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let id = 'req_';
  for (const byte of pool.subarray(used, used + RANDOM_LENGTH)) id += ALPHABET.charAt(byte % ALPHABET.length);
  used += RANDOM_LENGTH;
  return id;
}
