import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { ScanReference } from './scan-store.js';

export interface RowsToAnalyze extends ScanReference {
  readonly companyId: string;
  readonly baseCurrency: string;
  /** Time when the scan was accepted; the same in every repeat. */
  readonly receivedAt: Date;
  readonly rows: readonly Row[];
}

export interface RowOutcome {
  readonly invoicesAnalyzed: number;
  readonly decisionCounts: Readonly<Record<string, number>>;
  readonly findingCounts: Readonly<Record<string, number>>;
  /** Sum of the gross amounts in the base currency, not rounded. */
  readonly convertedTotal: string;
  readonly unconvertedInvoices: number;
}

/** The worker that has the rows analyzed. */
export interface Worker {
  readonly context: RequestContext;
  /** Aborted when another worker has the scan, or may have it: analysis must not be asked by both. */
  readonly signal: AbortSignal;
}

/** Decides rows; the analysis service does. */
export interface RowAnalysis {
  /** May be repeated with the same rows, once the call before has ended. */
  analyze(rows: RowsToAnalyze, worker: Worker): Promise<RowOutcome>;
}
