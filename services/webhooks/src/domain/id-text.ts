const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** Number of bytes that an id is made of. */
export const ID_BYTES = 26;

/** A character of base32 for each of the first 26 bytes, by its low five bits. Stored ids depend on it. */
export function idText(bytes: Uint8Array): string {
  return [...bytes.subarray(0, ID_BYTES)].map((byte) => ALPHABET[byte & 31]).join('');
}
