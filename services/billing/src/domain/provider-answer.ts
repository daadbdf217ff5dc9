/**
 * Meaning of a response from the payment provider's API (billing reference, section 9). `UNAVAILABLE` means any
 * response that is not conclusive, including unknown responses. The call is then retried, and nobody is told to change
 * anything.
 */
export type AnswerMeaning = 'DONE' | 'NOT_FOUND' | 'KEY_REFUSED' | 'UNAVAILABLE';

/**
 * Error codes of the payment provider that recur until the operator uses another API key or changes the rights of the
 * current key.
 */
const KEY_CODES: ReadonlySet<string> = new Set([
  'authentication_missing',
  'authentication_malformed',
  'invalid_token',
  'forbidden',
  'paddle_billing_not_enabled',
]);

/**
 * Returns the meaning of a response from the payment provider.
 * @param code code in the provider's error object; undefined if the body has none, as in a proxy's response
 */
export function readMeaning(status: number, code: string | undefined): AnswerMeaning {
  if (status >= 200 && status < 300) return 'DONE';
  if (status === 404 && code === 'not_found') return 'NOT_FOUND';
  if ((status === 401 || status === 403) && code !== undefined && KEY_CODES.has(code)) return 'KEY_REFUSED';
  return 'UNAVAILABLE';
}
