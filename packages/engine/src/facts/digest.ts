import { hash } from 'node:crypto';

/** Returns the first `bytes` bytes of the SHA-256 of a text in lower-case hex. */
export function shortDigest(text: string, bytes: number): string {
  return hash('sha256', text, 'hex').slice(0, bytes * 2);
}
