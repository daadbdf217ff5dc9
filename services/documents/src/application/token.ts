import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/**
 * Creates an upload token that authorizes one PUT request without an API key. The token has so many random bytes that
 * nobody can guess it.
 */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the hash of an upload token. Only the hash is stored. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
