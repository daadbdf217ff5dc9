import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { Decision } from '@invoicecontrol/engine/scoring/decision';
import type { RowsReference } from './row-store.js';

/** Outcome of the rows of a scan. */
export interface RowsOutcome {
  readonly invoicesAnalyzed: number;
  readonly decisionCounts: Readonly<Record<Decision, number>>;
  /** Number of findings by type, including findings about the scan as a whole. */
  readonly findingCounts: Readonly<Record<string, number>>;
  /** Sum of the gross amounts that have a rate, in the base currency, six decimals. */
  readonly convertedTotal: DecimalAmount;
  readonly unconvertedInvoices: number;
}

/** The analysis of a scan's rows as a whole: what a repeat must do as the first call did. */
export interface ScanRun {
  readonly receivedAtMs: number;
  /** Nothing of the organization was scanned before. */
  readonly isFirstScan: boolean;
  /** Set when everything that follows from it is stored. */
  readonly outcome?: RowsOutcome;
}

/** The operations of use cases on the runs. */
export interface ScanRunStore {
  /**
   * Begins a run, or takes up one that was begun.
   * @param now when this call begins
   * @returns the run, and whether an earlier call began it
   */
  begin(of: RowsReference, receivedAt: Date, now: Date): Promise<{ readonly run: ScanRun; readonly isRepeat: boolean }>;
  /** Others have decided without seeing the rows: these count as received later. */
  receiveLater(of: RowsReference, receivedAtMs: number): Promise<void>;
  finish(of: RowsReference, outcome: RowsOutcome): Promise<void>;
  /** Those of these scans whose rows may not have been counted everywhere yet. */
  unfinalized(organizationId: string, scanIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of these scans that have no result yet, and when a call for each last began. */
  begunWithoutResult(organizationId: string, scanIds: readonly string[]): Promise<ReadonlyMap<string, Date>>;
}
