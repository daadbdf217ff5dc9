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
/** The gateway refuses a request without the necessary rights itself, so an intact gateway never causes this refusal. */
const NOT_PERMITTED = 'The caller of the request does not have the rights that this call requires.';

const sentences: Partial<Record<ProofFault, string>> = {
  grant_expired: EXPIRED,
  grant_role: NOT_PERMITTED,
  grant_scope: NOT_PERMITTED,
};

/** Refusal of a call whose caller has not proved for whom it acts, or that this caller may have it made. */
export class ProofRefused extends DomainError {
  readonly reason: ProofFault;

  constructor(reason: ProofFault, cause?: unknown) {
    const options = cause === undefined ? {} : { cause };
    super(reason === 'grant_expired' ? 'unavailable' : 'forbidden', sentences[reason] ?? NOT_PROVED, options);
    this.reason = reason;
  }
}
