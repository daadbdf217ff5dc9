import { DomainError } from '@invoicecontrol/errors';

/**
 * Refuses a repeated request that has the Idempotency-Key of the first request but another body.
 * @param stored fingerprint of the first request, absent if it had no key
 * @param resourceName name of the created resource for the message, such as `note`
 * @throws DomainError idempotency_mismatch if the key was used with another body
 */
export function requireSameRequest(fingerprint: string, stored: string | undefined, resourceName: string): void {
  if (stored === undefined || stored === fingerprint) return;
  throw new DomainError(
    'idempotency_mismatch',
    `This Idempotency-Key was used with another ${resourceName}. Send the same body again, or use a new key.`,
  );
}

/** Returns the refusal of a repeated request while the first request with the same Idempotency-Key is in progress. */
export function firstInProgress(): DomainError {
  return new DomainError(
    'in_progress',
    'The first request with this Idempotency-Key is still in progress. Retry in a second.',
    { retryAfterSeconds: 1 },
  );
}
