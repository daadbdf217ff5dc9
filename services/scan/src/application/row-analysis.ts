import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { ScanReference } from './scan-store.js';

export interface RowsToAnalyze extends ScanReference {
  readonly companyId: string;
  readonly baseCurrency: string;
  /** Time when the history scan was accepted, which is the same in every repeated call. */
  readonly receivedAt: Date;
  readonly rows: readonly Row[];
}

export interface RowOutcome {
  readonly invoicesAnalyzed: number;
  readonly decisionCounts: Readonly<Record<string, number>>;
  readonly findingCounts: Readonly<Record<string, number>>;
  /** Sum of the gross amounts of a history scan in the base currency, not rounded. */
  readonly convertedTotal: string;
  readonly unconvertedInvoices: number;
}

/** The worker that requests the analysis of the rows of a history scan. */
export interface Worker {
  readonly context: RequestContext;
  /**
   * Signal that is aborted when another worker has, or may have, taken over the history scan, because only one worker
   * may request the analysis.
   */
  readonly signal: AbortSignal;
}

/** Requests decisions on history scan rows from the analysis service. */
export interface RowAnalysis {
  /**
   * Analyzes the rows of a history scan. The call can be repeated with the same rows after the previous call has ended.
   */
  analyze(rows: RowsToAnalyze, worker: Worker): Promise<RowOutcome>;
}
