import { DomainError } from '@invoicecontrol/errors';

/**
 * @param stored what the first request was, absent when it had no key
 * @param resourceName what the request creates, for the sentence: `note`
 * @throws DomainError idempotency_mismatch when the key was used with another body
 */
export function requireSameRequest(fingerprint: string, stored: string | undefined, resourceName: string): void {
  if (stored === undefined || stored === fingerprint) return;
  throw new DomainError(
    'idempotency_mismatch',
    `This Idempotency-Key was used with another ${resourceName}. Send the same body again, or use a new key.`,
  );
}

/** The refusal of a repeat while the first request with its key is being worked on. */
export function firstInProgress(): DomainError {
  return new DomainError(
    'in_progress',
    'The first request with this Idempotency-Key is still in progress. Retry in a second.',
    { retryAfterSeconds: 1 },
  );
}
