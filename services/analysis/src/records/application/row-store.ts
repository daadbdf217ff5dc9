import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { AnalysisFacts } from '../domain/analysis.js';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { MatchPart, NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { ReimportedRow } from '../domain/reimport.js';
import type { FindingSubject } from './finding-store.js';
import type { DecidedAnalysis } from './invoice-store.js';

/** A row of a scan before it is decided. */
export interface NewRow {
  readonly invoiceId: string;
  readonly invoice: CanonicalInvoice;
  readonly match: MatchPart;
}

/** A row with its decision. */
export interface DecidedRow {
  readonly subject: Pick<NormalisedInvoice, keyof FindingSubject | 'amountMinor' | 'currency'>;
  readonly analysis: DecidedAnalysis;
  /** Facts of the analysis; absent when another worker has stored it. */
  readonly facts?: AnalysisFacts;
  /** When it counts as received, which is later than it was if concurrent invoices were decided before the scan. */
  readonly receivedAtMs: number;
  readonly base: ConvertedAmount | null;
  /** The row that it repeats. */
  readonly reimportOf?: ReimportedRow;
}

/** The decision of an earlier call, or of a faster worker, on a row. */
export type RowDecision = Pick<DecidedRow, 'analysis' | 'base'>;

/** The records of one scan. */
export interface RowsReference {
  readonly organizationId: string;
  readonly scanId: string;
  readonly companyId: string;
}

/** The operations of use cases on the rows of a scan, many at a time. */
export interface RowStore {
  /** Stores rows as RECEIVED; those that are there already stay. */
  receive(of: RowsReference, rows: readonly NewRow[], receivedAt: Date): Promise<void>;
  /** Tells whether the organization has any invoice. */
  hasHistory(organizationId: string): Promise<boolean>;
  /** Records that have one of the keys, rows of the scan left out; of a hot key the newest. */
  candidates(of: RowsReference, keys: readonly string[]): Promise<readonly MatchPart[]>;
  /** Records of the organization that count as received since then, rows of the scan left out. */
  arrivedSince(of: RowsReference, since: Date): Promise<readonly MatchPart[]>;
  /** The first analyses of these invoices, of those that have one, by invoice. */
  decided(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlyMap<string, RowDecision>>;
  /**
   * Stores the first analysis of each row with its facts, which commits the row.
   * @returns ids of invoices that already had one and keep it
   */
  decide(organizationId: string, rows: readonly DecidedRow[]): Promise<ReadonlySet<string>>;
  /** Stores the consequences of committed decisions: invoices carry them, findings become records. Repeatable. */
  finalize(organizationId: string, rows: readonly DecidedRow[]): Promise<void>;
}
