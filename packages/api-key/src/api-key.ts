import { crc32 } from 'node:zlib';

/** `live` keys act on real data, `test` keys on installations for trials; the grammar is the same. */
export type ApiKeyKind = 'live' | 'test';

/** The parts of a key. The id is public and finds the record; the secret proves the right to act. */
export interface ApiKeyParts {
  readonly kind: ApiKeyKind;
  /** {@link API_KEY_ID_LENGTH} characters of base62. */
  readonly id: string;
  /** {@link API_KEY_SECRET_LENGTH} characters of base62, which hold 256 random bits. */
  readonly secret: string;
}

export const API_KEY_ID_LENGTH = 16;
export const API_KEY_SECRET_LENGTH = 43;
/** Six base62 digits hold every CRC-32: 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;

/** The digits of base62, in the order of their values. */
export const BASE62_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const GRAMMAR = /^ick_(live|test)_([0-9A-Za-z]{16})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/**
 * Reads `ick_<kind>_<id>_<secret><checksum>` (HTTP and security reference, section 8).
 * @returns undefined for anything that was never issued: another shape, or a checksum that does not fit, so that a
 *   typing error costs no query
 */
export function parseApiKey(text: string): ApiKeyParts | undefined {
  const [, kind, id, secret, checksum] = GRAMMAR.exec(text) ?? [];
  if (kind === undefined || id === undefined || secret === undefined) return undefined;
  if (checksum !== checksumOf(text.slice(0, -CHECKSUM_LENGTH))) return undefined;
  return { kind: kind as ApiKeyKind, id, secret };
}

/** Writes a key from its parts. Throws a RangeError when id or secret do not have their length in base62. */
export function formatApiKey(kind: ApiKeyKind, id: string, secret: string): string {
  const body = `ick_${kind}_${id}_${secret}`;
  const key = `${body}${checksumOf(body)}`;
  if (!GRAMMAR.test(key)) {
    throw new RangeError(
      `A key is made of ${API_KEY_ID_LENGTH} and ${API_KEY_SECRET_LENGTH} characters of 0-9, A-Z and a-z.`,
    );
  }
  return key;
}

/** CRC-32 of everything before it, as base62 with leading zeros. Guards against typing errors, not against forgery. */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62_ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
