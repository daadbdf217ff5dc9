import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARACTERS = 26;

/** Returns an id such as `sub_` with 26 lower-case characters, in the format of the payment provider. */
export function newId(prefix: string): string {
  const text = [...randomBytes(CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${prefix}_${text}`;
}

/**
 * Returns a function that returns the current time in the format of `occurred_at` in payment notifications, with six
 * decimals of the second. Each returned time is later than the previous one.
 */
export function instantSource(now: () => number = Date.now): () => string {
  let last = 0;
  return () => {
    last = Math.max(now() * 1_000, last + 1);
    const seconds = new Date(Math.floor(last / 1_000)).toISOString().slice(0, 19);
    return `${seconds}.${String(last % 1_000_000).padStart(6, '0')}Z`;
  };
}
