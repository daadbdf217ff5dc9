/**
 * Meaning of a response of the provider's API (billing reference, section 9). `UNAVAILABLE` is every response that proves nothing, also
 * unknown ones: the call is retried, and nobody is advised to change anything for it.
 */
export type AnswerMeaning = 'DONE' | 'NOT_FOUND' | 'KEY_REFUSED' | 'UNAVAILABLE';

/** Codes of a refusal that only another key, or another right of it, can change. */
const KEY_CODES: ReadonlySet<string> = new Set([
  'authentication_missing',
  'authentication_malformed',
  'invalid_token',
  'forbidden',
  'paddle_billing_not_enabled',
]);

/** @param code of the error object of the provider; undefined when the body has none, as that of a proxy */
export function readMeaning(status: number, code: string | undefined): AnswerMeaning {
  if (status >= 200 && status < 300) return 'DONE';
  if (status === 404 && code === 'not_found') return 'NOT_FOUND';
  if ((status === 401 || status === 403) && code !== undefined && KEY_CODES.has(code)) return 'KEY_REFUSED';
  return 'UNAVAILABLE';
}
