import { faultOfLine } from './readable-text.js';

export const EMAIL_LENGTH_MAX = 254;

/**
 * Matches exactly one e-mail address, without spaces and without characters that separate, quote or comment in address
 * lists.
 */
const EMAIL = /^[^\s@<>()[\],;:"\\\p{Cc}\p{Cf}]+@[^\s@<>()[\],;:"\\\p{Cc}\p{Cf}]+$/u;

/** Checks whether a trimmed text is an e-mail address. Only its format is checked, not whether it exists. */
export function isEmailAddress(text: string): boolean {
  return text.length <= EMAIL_LENGTH_MAX && EMAIL.test(text) && faultOfLine(text) === undefined;
}
