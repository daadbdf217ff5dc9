import { invalidField } from '@invoicecontrol/errors';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';

const NAME_CHARACTERS_MAX = 200;
const EMAIL_CHARACTERS_MAX = 254;

/** A name as people write it, trimmed. */
export function readName(path: string, value: string): string {
  const name = value.trim();
  if (!hasVisibleText(name)) throw invalidField(path, 'must not be blank or invisible.');
  if (isLongerThan(name, NAME_CHARACTERS_MAX))
    throw invalidField(path, `must have at most ${NAME_CHARACTERS_MAX} characters.`);
  return name;
}

/** Exactly one address: no blanks and no characters that separate, quote or comment in address lists. */
const EMAIL = /^[^\s@<>()[\],;:"\\\p{Cc}\p{Cf}]+@[^\s@<>()[\],;:"\\\p{Cc}\p{Cf}]+$/u;

/** An e-mail address, trimmed. Only its format is checked, not whether it exists. */
export function readEmail(path: string, value: string): string {
  const email = value.trim();
  if (email.length > EMAIL_CHARACTERS_MAX || !EMAIL.test(email)) {
    throw invalidField(path, 'must be an e-mail address such as accounts@example.com.');
  }
  return email;
}
