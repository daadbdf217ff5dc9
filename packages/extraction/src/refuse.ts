import type { FailureReason, ReadingFailure } from './reading.js';

/** A document that cannot be read; the message says what the sender can change. */
export function refuse(reason: FailureReason, message: string): { readonly failure: ReadingFailure } {
  return { failure: { reason, message, missingFields: [], reading: null } };
}
