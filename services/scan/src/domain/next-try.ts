import { DomainError, isTemporary } from '@invoicecontrol/errors';

/** Faults in a row with which a scan gives up its organization's turn (ADR 0016). */
export const FAULTS_MAX = 3;

/** Pause until analysis may be available again. */
const OUTAGE_PAUSE_MS = 10_000;
/** Pause after the first fault; twice as long after each further one, so that the turn is given up within half a minute. */
const FAULT_PAUSE_MS = 5_000;
/** A scan without its turn waits for a corrected release. */
const SET_ASIDE_PAUSE_MS = 15 * 60_000;
/** A scan of an organization that was deleted in the meantime waits for the day on which it is restored. */
const DELETED_PAUSE_MS = 5 * 60_000;

/** Reason of a failed attempt. A fault is a bug of the product, and the same rows fail again until it is corrected. */
export type FailureReason = 'OUTAGE' | 'DELETED' | 'FAULT';

/** The next attempt of a scan after a failed one. */
export interface NextTry {
  readonly reason: FailureReason;
  /** Number of consecutive attempts that ended in a fault; outages between them neither count nor end the row. */
  readonly faults: number;
  readonly pauseMs: number;
  /** True when other scans of the organization wait for it. A scan without its turn is set aside. */
  readonly keepsTurn: boolean;
}

/** @param faultsBefore faults in a row before this try */
export function nextTry(error: unknown, faultsBefore: number): NextTry {
  const reason = reasonOf(error);
  const faults = reason === 'FAULT' ? faultsBefore + 1 : faultsBefore;
  // A scan that was set aside once never blocks other scans again.
  const keepsTurn = reason !== 'DELETED' && faults < FAULTS_MAX;
  return { reason, faults, pauseMs: pauseAfter(reason, faults), keepsTurn };
}

function reasonOf(error: unknown): FailureReason {
  if (isTemporary(error)) return 'OUTAGE';
  return error instanceof DomainError && error.kind === 'not_found' ? 'DELETED' : 'FAULT';
}

function pauseAfter(reason: FailureReason, faults: number): number {
  if (reason === 'OUTAGE') return OUTAGE_PAUSE_MS;
  if (reason === 'DELETED') return DELETED_PAUSE_MS;
  return faults < FAULTS_MAX ? FAULT_PAUSE_MS * 2 ** (faults - 1) : SET_ASIDE_PAUSE_MS;
}
