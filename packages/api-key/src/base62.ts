import { randomBytes } from 'node:crypto';

/** The 62 digits of base62, in the order of their values. API keys are written in base62. */
export const BASE62_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The largest multiple of 62 that fits in a byte. Random bytes at or above this value are skipped, because they would
 * make the first digits more frequent.
 */
const FAIR_BYTES = 248;

/** Returns random base62 digits for API keys, tokens and secrets. 43 digits hold 256 random bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < FAIR_BYTES && text.length < length) text += BASE62_ALPHABET.charAt(byte % BASE62_ALPHABET.length);
    }
  }
  return text;
}
