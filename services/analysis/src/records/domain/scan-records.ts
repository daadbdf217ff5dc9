import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { Decision } from '@invoicecontrol/engine/scoring/decision';
import type { SummarizedFinding } from './finding-summary.js';

/** Fields of a finding that the report about its history scan uses. */
export interface ScanFinding extends SummarizedFinding {
  readonly relatedInvoiceIds: readonly string[];
  readonly supplierId?: string;
  readonly supplierName?: string;
}

/** Fields of a decided invoice that the report about its history scan uses. */
export interface ScanInvoice {
  readonly invoiceId: string;
  readonly decision: Decision;
  /** Number of the day on which the invoice was issued. */
  readonly issueDay: number;
  /** Gross amount in the base currency at the time of the scan. Null if no exchange rate was known. */
  readonly base: ConvertedAmount | null;
}
