/**
 * Names of members of JSON text that are masked in log lines: secrets, bank accounts, and addresses of people. Their
 * values are not needed to find a fault.
 */
const MASKED =
  /token|secret|password|authorization|pepper|hash|^key$|apikey$|iban|account_?number|sort_?code|e?mail|^ip$/i;
/** Pattern of API keys, tokens and signing secrets, which are recognizable by their prefixes. */
const SECRET_TEXT = /\b(ick_(?:live|test)_|whsec_|rec_|inv_|chk_)[0-9A-Za-z_]+/g;
const MASK = '[masked]';

/** Replaces tokens, passwords and other secrets in a text by a mask. */
export function maskText(text: string): string {
  return text.replaceAll(SECRET_TEXT, `$1${MASK}`);
}

/**
 * Masks for log lines the members of JSON text whose values may be secret.
 * @param json text that is replaced by its length if it is not JSON
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
