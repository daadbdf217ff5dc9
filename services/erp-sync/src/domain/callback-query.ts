import { DomainError } from '@invoicecontrol/errors';

/** One refusal for every state that cannot be trusted: what is wrong with it helps only somebody who forges one. */
export function untrustworthyState(): DomainError {
  return new DomainError(
    'invalid',
    'state: is missing, was changed, has expired, was already used or belongs to another provider. Connect the ERP again from the beginning.',
    { details: [{ path: 'state', message: 'Connect the ERP again from the beginning.' }] },
  );
}

/**
 * The parameters of a callback, each once (RFC 6749, section 3.1).
 * @throws DomainError invalid for a repeated one
 */
export function readCallbackQuery(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (parameters.has(name)) {
      throw new DomainError('invalid', 'A parameter of the query is repeated. Send each one once.');
    }
    parameters.set(name, value);
  }
  return parameters;
}
