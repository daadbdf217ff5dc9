import { invalidField } from '@invoicecontrol/errors';
import { isEmailAddress } from '@invoicecontrol/values/email-address';
import { faultOfLine } from '@invoicecontrol/values/readable-text';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';

const NAME_CHARACTERS_MAX = 200;

/**
 * Reads the name of an organization, company or person from a request and trims it. The name must be one line without
 * invisible characters.
 */
export function readName(path: string, value: string): string {
  const name = value.trim();
  if (!hasVisibleText(name)) throw invalidField(path, 'must not be blank or invisible.');
  if (isLongerThan(name, NAME_CHARACTERS_MAX))
    throw invalidField(path, `must have at most ${NAME_CHARACTERS_MAX} characters.`);
  const fault = faultOfLine(name);
  if (fault !== undefined) throw invalidField(path, fault);
  return name;
}

/** Reads an e-mail address and trims it. Only the format is checked, not whether the address exists. */
export function readEmail(path: string, value: string): string {
  const email = value.trim();
  if (!isEmailAddress(email)) throw invalidField(path, 'must be an e-mail address such as accounts@example.com.');
  return email;
}
