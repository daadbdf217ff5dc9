const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** Number of bytes from which an id of the webhooks service is made. */
export const ID_BYTES = 26;

/**
 * Returns the text of a webhook event id: one base32 character for each of the first 26 bytes, made from the lowest
 * five bits of the byte. Stored ids depend on this function.
 */
export function idText(bytes: Uint8Array): string {
  return [...bytes.subarray(0, ID_BYTES)].map((byte) => ALPHABET[byte & 31]).join('');
}
