import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { Decision } from '@invoicecontrol/engine/scoring/decision';
import type { RowsReference } from './row-store.js';

/** Result of analyzing the rows of a history scan. */
export interface RowsOutcome {
  readonly invoicesAnalyzed: number;
  readonly decisionCounts: Readonly<Record<Decision, number>>;
  /** Number of findings by type, including findings about the history scan as a whole. */
  readonly findingCounts: Readonly<Record<string, number>>;
  /**
   * Sum of the gross amounts of history scan rows for which an exchange rate exists, in the base currency with six
   * decimals.
   */
  readonly convertedTotal: DecimalAmount;
  readonly unconvertedInvoices: number;
}

/**
 * Analysis of all rows of a history scan. The record stores the values that a repeated call must take over from the
 * first call.
 */
export interface ScanRun {
  readonly receivedAtMs: number;
  /** True if the organization had no earlier history scan. */
  readonly isFirstScan: boolean;
  /** Result of the history scan. Present once everything that follows from the scan is stored. */
  readonly outcome?: RowsOutcome;
}

/** Operations of the history scan runs collection that use cases need. */
export interface ScanRunStore {
  /**
   * Begins the analysis of the rows of a history scan, or continues an analysis that an earlier call began.
   * @param now time at which this call begins
   * @returns the run, with a flag that is true if an earlier call began it
   */
  begin(of: RowsReference, receivedAt: Date, now: Date): Promise<{ readonly run: ScanRun; readonly isRepeat: boolean }>;
  /**
   * Sets a later time of receipt for all rows of a history scan, because other invoices were decided without finding
   * these rows.
   */
  receiveLater(of: RowsReference, receivedAtMs: number): Promise<void>;
  finish(of: RowsReference, outcome: RowsOutcome): Promise<void>;
  /** Returns which of the history scans have rows that may not be counted in all records yet. */
  unfinalized(organizationId: string, scanIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Returns the history scans among the given ones that have no result yet, with the time at which the last call for
   * each scan began.
   */
  begunWithoutResult(organizationId: string, scanIds: readonly string[]): Promise<ReadonlyMap<string, Date>>;
}
