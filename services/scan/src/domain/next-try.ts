import { DomainError, isTemporary } from '@invoicecontrol/errors';

/** Faults in a row with which a scan gives up its organization's turn (ADR 0016). */
export const FAULTS_MAX = 3;

/** Until analysis answers again. */
const OUTAGE_PAUSE_MS = 10_000;
/** After the first fault; twice as long after each further one, so that the turn is given up within half a minute. */
const FAULT_PAUSE_MS = 5_000;
/** A scan without its turn waits for a corrected release. */
const SET_ASIDE_PAUSE_MS = 15 * 60_000;
/** A scan of an organization that was deleted meanwhile waits for the day on which it is restored. */
const DELETED_PAUSE_MS = 5 * 60_000;

/** Why a try failed. A fault is ours, and the same rows fail again until it is corrected. */
export type FailureReason = 'OUTAGE' | 'DELETED' | 'FAULT';

/** What becomes of a scan after a try that came to nothing. */
export interface NextTry {
  readonly reason: FailureReason;
  /** How many tries in a row ended in a fault; outages between them neither count nor end the row. */
  readonly faults: number;
  readonly pauseMs: number;
  /** Whether other scans of the organization wait for it. Without its turn it is set aside. */
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
