import { DomainError, isTemporary } from '@invoicecontrol/errors';

/** Number of consecutive faults after which a history scan no longer blocks others of its organization (ADR 0016). */
export const FAULTS_MAX = 3;

/** Delay of the next attempt to complete a history scan after an outage of the analysis service. */
const OUTAGE_PAUSE_MS = 10_000;
/**
 * Delay before the first retry of a history scan that failed. It doubles with each further failure, so that a failing
 * scan blocks others for at most half a minute.
 */
const FAULT_PAUSE_MS = 5_000;
/** Delay of a history scan that was set aside, which waits for a corrected release. */
const SET_ASIDE_PAUSE_MS = 15 * 60_000;
/** Delay of a history scan whose organization was deleted and may be restored. */
const DELETED_PAUSE_MS = 5 * 60_000;

/**
 * Reason why an attempt to complete a history scan failed. A fault is a bug of the product, so the same rows fail again
 * until it is corrected.
 */
export type FailureReason = 'OUTAGE' | 'DELETED' | 'FAULT';

/** The next attempt of a history scan after a failed one. */
export interface NextTry {
  readonly reason: FailureReason;
  /**
   * Number of consecutive attempts to complete a history scan that ended in a fault. Outages in between are ignored.
   */
  readonly faults: number;
  readonly pauseMs: number;
  /** True if other history scans of the organization wait for it. Otherwise the history scan is set aside. */
  readonly keepsTurn: boolean;
}

/**
 * Decides when a failed history scan is retried.
 * @param faultsBefore number of consecutive faults before this attempt
 */
export function nextTry(error: unknown, faultsBefore: number): NextTry {
  const reason = reasonOf(error);
  const faults = reason === 'FAULT' ? faultsBefore + 1 : faultsBefore;
  // A history scan that was set aside never blocks others again.
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
