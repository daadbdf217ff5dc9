import { createHash, randomBytes } from 'node:crypto';
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
  return { token, hash: hashRecoveryToken(token) };
}

export function isRecoveryToken(text: string): boolean {
  return RECOVERY_TOKEN.test(text);
}

/** Plain SHA-256: the token holds 256 random bits, so its hash leads nobody back to it. */
export function hashRecoveryToken(token: string): string {
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
