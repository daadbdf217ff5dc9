import { DomainError, isTemporary } from '@invoicecontrol/errors';

/**
 * Number of consecutive failures because of a bug after which a history scan no longer blocks other history scans of
 * its organization (ADR 0016).
 */
export const FAULTS_MAX = 3;

/** Delay of the next attempt to complete a history scan after an outage of the analysis service. */
const OUTAGE_PAUSE_MS = 10_000;
/**
 * Delay before the first retry of a history scan that failed. The delay doubles with each further failure. In total, a
 * failing scan blocks the other scans of its organization for at most half a minute.
 */
const FAULT_PAUSE_MS = 5_000;
/** Delay of a history scan that was set aside, because it can only succeed with a corrected release of the product. */
const SET_ASIDE_PAUSE_MS = 15 * 60_000;
/** Delay of a history scan whose organization was deleted and may be restored. */
const DELETED_PAUSE_MS = 5 * 60_000;

/**
 * Reason why an attempt to complete a history scan failed. The reason FAULT means a bug of the product, so the same
 * rows fail again until the bug is corrected.
 */
export type FailureReason = 'OUTAGE' | 'DELETED' | 'FAULT';

/** Decision about the next attempt to complete a history scan, after an attempt has failed. */
export interface NextTry {
  readonly reason: FailureReason;
  /**
   * Number of consecutive attempts to complete a history scan that failed because of a bug. Outages in between are
   * ignored.
   */
  readonly faults: number;
  readonly pauseMs: number;
  /**
   * True if other history scans of the organization wait until this one is completed. Otherwise the history scan is set
   * aside.
   */
  readonly keepsTurn: boolean;
}

/**
 * Decides when a failed history scan is retried.
 * @param faultsBefore number of consecutive failures because of a bug before this attempt
 */
export function nextTry(error: unknown, faultsBefore: number): NextTry {
  const reason = reasonOf(error);
  const faults = reason === 'FAULT' ? faultsBefore + 1 : faultsBefore;
  // A history scan that was set aside never blocks other history scans again.
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
