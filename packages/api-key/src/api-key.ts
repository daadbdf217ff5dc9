import { crc32 } from 'node:zlib';
import { BASE62_ALPHABET } from './base62.js';

/**
 * Kinds of API keys. A `live` key acts on the data of its organization, and a `test` key on the separate test
 * organization. Both have the same format.
 */
export type ApiKeyKind = 'live' | 'test';

/**
 * The parts of an API key. The id is public and identifies the record of the key, and the secret proves that the caller
 * may use the key.
 */
export interface ApiKeyParts {
  readonly kind: ApiKeyKind;
  /** Public id of an API key: {@link API_KEY_ID_LENGTH} base62 characters. */
  readonly id: string;
  /** Secret of {@link API_KEY_SECRET_LENGTH} base62 characters, which hold 256 random bits. */
  readonly secret: string;
}

export const API_KEY_ID_LENGTH = 16;
export const API_KEY_SECRET_LENGTH = 43;
/**
 * Number of base62 digits of the checksum in an API key. Six digits can hold every CRC-32, because 62^6 is more than
 * 2^32.
 */
const CHECKSUM_LENGTH = 6;

const GRAMMAR = /^ick_(live|test)_([0-9A-Za-z]{16})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * Reads `ick_<kind>_<id>_<secret><checksum>` (HTTP and security reference, section 8).
 * @returns undefined for a wrong format or checksum, so that a mistyped key causes no database query
 */
export function parseApiKey(text: string): ApiKeyParts | undefined {
  const [, kind, id, secret, checksum] = GRAMMAR.exec(text) ?? [];
  if (kind === undefined || id === undefined || secret === undefined) return undefined;
  if (checksum !== computeChecksum(text.slice(0, -CHECKSUM_LENGTH))) return undefined;
  return { kind: kind as ApiKeyKind, id, secret };
}

/**
 * Writes an API key from its parts.
 * @throws RangeError if the id or the secret of the key has a wrong length or other characters
 */
export function formatApiKey(kind: ApiKeyKind, id: string, secret: string): string {
  const body = `ick_${kind}_${id}_${secret}`;
  const key = `${body}${computeChecksum(body)}`;
  if (!GRAMMAR.test(key)) {
    throw new RangeError(
      `An API key consists of an id of ${API_KEY_ID_LENGTH} characters and a secret of ${API_KEY_SECRET_LENGTH} characters, each 0-9, A-Z or a-z.`,
    );
  }
  return key;
}

/**
 * Returns the CRC-32 of the API key up to the checksum, as base62 with leading zeros. The checksum detects typing
 * errors, not forged keys.
 */
function computeChecksum(body: string): string {
  let remainder = crc32(body);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = BASE62_ALPHABET.charAt(remainder % 62) + digits;
    remainder = Math.floor(remainder / 62);
  }
  return digits;
}
