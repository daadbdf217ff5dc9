/** Members whose values nobody needs to see to find a fault: secrets, and the bank accounts and addresses of people. */
const MASKED =
  /token|secret|password|authorization|pepper|hash|^key$|apikey$|iban|account_?number|sort_?code|e?mail|^ip$/i;
/** Keys, tokens and signing secrets are recognisable by their first letters, wherever they stand. */
const SECRET_TEXT = /\b(ick_(?:live|test)_|whsec_|rec_|inv_|chk_)[0-9A-Za-z_]+/g;
const MASK = '[masked]';

/** A text without the secrets that its writer may have put into it. */
export function maskText(text: string): string {
  return text.replaceAll(SECRET_TEXT, `$1${MASK}`);
}

/**
 * JSON as people may read it: the same members, without the values of those that could be a secret.
 * @param json where it is not JSON, only its length is told
 */
export function maskSecrets(json: string): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return JSON.stringify(`not JSON, ${json.length} characters`);
  }
  return JSON.stringify(value, (name, member: unknown) => {
    if (typeof member === 'string') return MASKED.test(name) ? MASK : maskText(member);
    return MASKED.test(name) && typeof member === 'number' ? MASK : member;
  });
}
