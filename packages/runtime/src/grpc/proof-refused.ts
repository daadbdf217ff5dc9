import { DomainError } from '@invoicecontrol/errors';
import type { proofFaults } from '../telemetry/schema.js';

/** Reason for which the proof of a call is refused. The metric of refused calls has the same values. */
export type ProofFault = (typeof proofFaults)[number];

const NOT_PROVED = 'The calling service has not proved that it acts for this organization.';
/**
 * The grant of an ordinary caller may not be valid at this moment, for example because it has just expired. A repeated
 * request then gets a new grant. Every other refusal means that the calling service is faulty or is controlled by an
 * attacker.
 */
const EXPIRED = 'The proof of the caller is not valid at this moment. Retry the request in a moment.';

/** Refusal of a call whose caller has not proved for whom it acts. */
export class ProofRefused extends DomainError {
  readonly reason: ProofFault;

  constructor(reason: ProofFault, cause?: unknown) {
    const isExpired = reason === 'grant_expired';
    const options = cause === undefined ? {} : { cause };
    super(isExpired ? 'unavailable' : 'forbidden', isExpired ? EXPIRED : NOT_PROVED, options);
    this.reason = reason;
  }
}
