import { hash } from 'node:crypto';

/** Returns the first `bytes` bytes of a string's SHA-256 hash in lower-case hexadecimal digits. */
export function shortDigest(text: string, bytes: number): string {
  return hash('sha256', text, 'hex').slice(0, bytes * 2);
}
