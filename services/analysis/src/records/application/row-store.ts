import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { AnalysisFacts } from '../domain/analysis.js';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { MatchPart, NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import type { ReimportedRow } from '../domain/reimport.js';
import type { FindingSubject } from './finding-store.js';
import type { DecidedAnalysis } from './invoice-store.js';

/** A row of a history scan that is not decided yet. */
export interface NewRow {
  readonly invoiceId: string;
  readonly invoice: CanonicalInvoice;
  readonly match: MatchPart;
}

/** Row of a history scan with its decision. */
export interface DecidedRow {
  readonly subject: Pick<NormalisedInvoice, keyof FindingSubject | 'amountMinor' | 'currency'>;
  readonly analysis: DecidedAnalysis;
  /** Facts of the analysis of a history scan row. Absent if an earlier call has decided the row. */
  readonly facts?: AnalysisFacts;
  /**
   * Time at which the history scan row counts as received. It is later than the real time if concurrent invoices were
   * decided before the history scan.
   */
  readonly receivedAtMs: number;
  readonly base: ConvertedAmount | null;
  /** The row of an earlier history scan that has the same content as this scan row. Absent if there is none. */
  readonly reimportOf?: ReimportedRow;
}

/** Decision on a history scan row that an earlier call or a faster worker made. */
export type RowDecision = Pick<DecidedRow, 'analysis' | 'base'>;

/** The ids by which the rows of one history scan are found. */
export interface RowsReference {
  readonly organizationId: string;
  readonly scanId: string;
  readonly companyId: string;
}

/** Operations on the rows of a history scan that use cases need. Each operation handles many rows. */
export interface RowStore {
  /** Stores history scan rows as RECEIVED. Rows that already exist stay unchanged. */
  receive(of: RowsReference, rows: readonly NewRow[], receivedAt: Date): Promise<void>;
  /** Checks whether the organization has any invoices. */
  hasHistory(organizationId: string): Promise<boolean>;
  /**
   * Finds invoices and ERP bills that have one of the keys. Rows of the history scan that is being analyzed are left
   * out. If a key has very many records, the newest are returned.
   */
  candidates(of: RowsReference, keys: readonly string[]): Promise<readonly MatchPart[]>;
  /**
   * Finds the invoices of an organization that count as received from a given time on. Rows of the history scan that is
   * being analyzed are left out.
   */
  arrivedSince(of: RowsReference, since: Date): Promise<readonly MatchPart[]>;
  /** Returns the first analysis of each invoice, keyed by invoice id. Invoices without an analysis are left out. */
  decided(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlyMap<string, RowDecision>>;
  /**
   * Commits the decisions on history scan rows: each invoice gets its first analysis with the facts and the events.
   * @returns ids of invoices that another worker has decided, which keep their decision
   */
  decide(organizationId: string, rows: readonly DecidedRow[]): Promise<ReadonlySet<string>>;
  /** Creates the finding records for committed decisions on history scan rows. The call may be repeated. */
  finalize(organizationId: string, rows: readonly DecidedRow[]): Promise<void>;
}
