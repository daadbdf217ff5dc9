import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A token that authorizes one PUT without a key; with so many random bytes it cannot be guessed. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the hash of a token, which is stored in its place. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
