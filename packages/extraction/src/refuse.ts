import type { FailureReason, ReadingFailure } from './reading.js';

/** Creates the failure for a document that cannot be read. The message states what the sender can change. */
export function refuse(reason: FailureReason, message: string): { readonly failure: ReadingFailure } {
  return { failure: { reason, message, missingFields: [], reading: null } };
}
