import { createHash, createHmac, randomBytes } from 'node:crypto';
import { API_KEY_ID_LENGTH, API_KEY_SECRET_LENGTH, BASE62_ALPHABET, formatApiKey } from '@invoicecontrol/api-key';
import type { Pepper } from '../domain/api-key.js';
import { hashKey } from '../domain/api-key.js';

/** A key that was just made, with what is stored of it. */
export interface NewKey {
  readonly id: string;
  /** Shown once. */
  readonly key: string;
  readonly hash: string;
  readonly pepperId: string;
}

export function newKey(pepper: Pepper): NewKey {
  const id = randomBase62(API_KEY_ID_LENGTH);
  const key = formatApiKey('live', id, randomBase62(API_KEY_SECRET_LENGTH));
  return { id, key, hash: hashKey(key, pepper), pepperId: pepper.id };
}

const RECOVERY_TOKEN = /^rec_[0-9A-Za-z]{43}$/;

/** A token that restores an organization, with the hash that is stored of it. Shown once. */
export function newRecoveryToken(): { token: string; hash: string } {
  const token = `rec_${randomBase62(43)}`;
  return { token, hash: hashToken(token) };
}

export function isRecoveryToken(text: string): boolean {
  return RECOVERY_TOKEN.test(text);
}

const INVITATION_TOKEN = /^inv_[0-9a-f]{64}$/;

/**
 * The token of an invitation. It is made anew for every try to send it, because it must not be stored for the time until
 * it is sent: without the pepper nobody makes it, and with it everybody makes the same one.
 */
export function invitationToken(userId: string, pepper: Pepper): string {
  return `inv_${createHmac('sha256', pepper.secret).update(`invitation|${userId}`).digest('hex')}`;
}

export function isInvitationToken(text: string): boolean {
  return INVITATION_TOKEN.test(text);
}

/** Plain SHA-256: the tokens hold 256 bits that nobody can guess, so a hash leads nobody back to one. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The largest multiple of 62 in a byte; bytes from there on are drawn again, or the first digits would come up more often. */
const FAIR_BYTES = 248;

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < FAIR_BYTES && text.length < length) text += BASE62_ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}
