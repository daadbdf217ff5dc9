import { createHash, createHmac } from 'node:crypto';
import type { ApiKeyKind } from '@invoicecontrol/api-key';
import { API_KEY_ID_LENGTH, API_KEY_SECRET_LENGTH, formatApiKey } from '@invoicecontrol/api-key';
import { randomBase62 } from '@invoicecontrol/api-key/base62';
import { newSessionToken } from '@invoicecontrol/api-key/session-token';
import type { Pepper } from '../domain/api-key.js';
import { hashKey } from '../domain/api-key.js';

/** A new API key and the parts of it that are stored. */
export interface GeneratedKey {
  readonly id: string;
  /** The complete API key, which only the response to its creation shows. */
  readonly key: string;
  readonly hash: string;
  readonly pepperId: string;
}

export function generateKey(kind: ApiKeyKind, pepper: Pepper): GeneratedKey {
  const id = randomBase62(API_KEY_ID_LENGTH);
  const key = formatApiKey(kind, id, randomBase62(API_KEY_SECRET_LENGTH));
  return { id, key, hash: hashKey(key, pepper), pepperId: pepper.id };
}

const RECOVERY_TOKEN = /^rec_[0-9A-Za-z]{43}$/;

/** Creates a token that restores an organization. The token is shown once, and its hash is stored. */
export function generateRecoveryToken(): { token: string; hash: string } {
  const token = `rec_${randomBase62(43)}`;
  return { token, hash: hashToken(token) };
}

export function isRecoveryToken(text: string): boolean {
  return RECOVERY_TOKEN.test(text);
}

const INVITATION_TOKEN = /^inv_[0-9a-f]{64}$/;

/**
 * Derives the token of an invitation from the user id and the pepper. The invitation token must not be stored while its
 * mail waits, so every attempt to send the mail derives the token again.
 */
export function deriveInvitationToken(userId: string, pepper: Pepper): string {
  return `inv_${createHmac('sha256', pepper.bytes).update(`invitation|${userId}`).digest('hex')}`;
}

export function isInvitationToken(text: string): boolean {
  return INVITATION_TOKEN.test(text);
}

/**
 * Returns the SHA-256 of an invitation or recovery token. A plain hash is sufficient, because nobody can guess a token
 * of 256 random bits.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Creates the token of a session of the app with 256 random bits. The token is shown once, and its HMAC is stored. */
export function generateSessionToken(pepper: Pepper): { token: string; hash: string } {
  const token = newSessionToken();
  return { token, hash: hashKey(token, pepper) };
}
