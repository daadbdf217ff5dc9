import { DomainError } from '@invoicecontrol/errors';

/** Returns the same refusal for every invalid OAuth state parameter, because details would help only an attacker. */
export function untrustworthyState(): DomainError {
  return new DomainError(
    'invalid',
    'state: is missing, was changed, has expired, was already used or belongs to another provider. Connect the ERP again from the beginning.',
    {
      details: [
        {
          path: 'state',
          message: 'The consent to connect the ERP is no longer valid. Connect the ERP again from the beginning.',
        },
      ],
    },
  );
}

/**
 * Returns the parameters of an OAuth callback, each of which must occur once (RFC 6749, section 3.1).
 * @throws DomainError invalid for a repeated parameter
 */
export function readCallbackQuery(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (parameters.has(name)) {
      throw new DomainError(
        'invalid',
        'A parameter in the query of the redirect from the ERP is repeated. Send each parameter once.',
      );
    }
    parameters.set(name, value);
  }
  return parameters;
}
