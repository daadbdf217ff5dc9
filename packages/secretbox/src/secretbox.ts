import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing, SealingKey } from './key-ring.js';

const VERSION = 'e1';
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The place of a sealed value, which is authenticated with the value: a value that was copied to another organization,
 * record or field cannot be opened. For a value in an array, `recordId` is the id of its element.
 */
export interface SecretPlace {
  readonly organizationId: string;
  readonly collection: string;
  readonly recordId: string;
  readonly field: string;
}

/**
 * Error that is thrown if a sealed value cannot be opened. The message names the sealing key and the place, but no part
 * of the value.
 */
export class SealedValueError extends Error {
  constructor(reason: string, { collection, recordId, field }: SecretPlace) {
    super(`The sealed ${field} of ${recordId} in ${collection} cannot be opened: ${reason}.`);
    this.name = 'SealedValueError';
  }
}

/** Seals and opens the secrets of customers (reference http-and-security, section 9). */
export interface Secretbox {
  /** Id of the sealing key that seals new secrets. */
  readonly keyId: string;
  /**
   * Encrypts a secret for one field of one record.
   * @returns `e1.<key id>.<wrapped data key>.<iv, ciphertext, tag>`, with the last two parts in base64url
   */
  seal(value: string, place: SecretPlace): string;
  /**
   * Decrypts a sealed secret of one field of one record.
   * @throws SealedValueError if the value was changed, belongs to another place, or its key is not in the ring
   */
  open(sealed: string, place: SecretPlace): string;
  /**
   * Encrypts the data key of a sealed secret with the newest key of the ring. The ciphertext of the secret does not
   * change.
   */
  rewrap(sealed: string, place: SecretPlace): string;
}

/**
 * Each secret has its own data key, which a key of the key ring encrypts. Rotating a key therefore changes only the
 * encrypted data keys.
 */
export function secretbox(ring: KeyRing): Secretbox {
  const [newest] = ring;
  return {
    keyId: newest.id,
    seal(value, place) {
      const dataKey = randomBytes(KEY_BYTES);
      const plaintext = Buffer.from(value, 'utf8');
      try {
        const body = encrypt(dataKey, plaintext, authenticated(place));
        return [VERSION, newest.id, wrap(newest, dataKey, place), body.toString('base64url')].join('.');
      } finally {
        dataKey.fill(0);
        plaintext.fill(0);
      }
    },
    open(sealed, place) {
      const { key, wrapped, body } = parse(ring, sealed, place);
      const dataKey = unwrap(key, wrapped, place);
      try {
        const plaintext = decrypt(dataKey, body, authenticated(place), place);
        try {
          return plaintext.toString('utf8');
        } finally {
          plaintext.fill(0);
        }
      } finally {
        dataKey.fill(0);
      }
    },
    rewrap(sealed, place) {
      const { key, wrapped, body } = parse(ring, sealed, place);
      if (key.id === newest.id) return sealed;
      const dataKey = unwrap(key, wrapped, place);
      try {
        return [VERSION, newest.id, wrap(newest, dataKey, place), body.toString('base64url')].join('.');
      } finally {
        dataKey.fill(0);
      }
    },
  };
}

/** Returns the id of the sealing key that sealed a value, or undefined for a string that is not a sealed value. */
export function keyIdOf(sealed: string): string | undefined {
  const [version, keyId, ...rest] = sealed.split('.');
  return version === VERSION && rest.length === 2 ? keyId : undefined;
}

function parse(
  ring: KeyRing,
  sealed: string,
  place: SecretPlace,
): { readonly key: SealingKey; readonly wrapped: Buffer; readonly body: Buffer } {
  const keyId = keyIdOf(sealed);
  const [, , wrapped = '', body = ''] = sealed.split('.');
  if (keyId === undefined) throw new SealedValueError('it does not have the form of a sealed value', place);
  const key = ring.find(({ id }) => id === keyId);
  if (key === undefined) throw new SealedValueError(`its key ${keyId} is not in SECRETBOX_KEYS`, place);
  return { key, wrapped: Buffer.from(wrapped, 'base64url'), body: Buffer.from(body, 'base64url') };
}

function wrap(key: SealingKey, dataKey: Buffer, place: SecretPlace): string {
  return encrypt(key.bytes, dataKey, authenticated(place, key.id)).toString('base64url');
}

function unwrap(key: SealingKey, wrapped: Buffer, place: SecretPlace): Buffer {
  return decrypt(key.bytes, wrapped, authenticated(place, key.id), place);
}

/**
 * The parts of the place of a sealed value are encoded as JSON, so that a delimiter in a part cannot make two places
 * equal.
 */
function authenticated({ organizationId, collection, recordId, field }: SecretPlace, ...more: string[]): Buffer {
  return Buffer.from(JSON.stringify([organizationId, collection, recordId, field, ...more]), 'utf8');
}

function encrypt(key: Buffer, plaintext: Buffer, additional: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(additional);
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, additional: Buffer, place: SecretPlace): Buffer {
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new SealedValueError('it is too short', place);
  const iv = sealed.subarray(0, IV_BYTES);
  const tag = sealed.subarray(-TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
    .setAAD(additional)
    .setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    // The cause of a failed decryption is omitted, because no error may contain parts of a secret.
    throw new SealedValueError('it was changed, or belongs to another place or key', place);
  }
}
