import type { CountedTime } from '@invoicecontrol/metering/usage-reconciliation';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { SaveOptions } from '@invoicecontrol/runtime/mongo/aggregate';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import type { AnalysisDifference } from '../domain/differences.js';
import type { ScanInvoice } from '../domain/scan-records.js';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { Candidate, InvoiceSource, MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { AmountAtRisk } from '../domain/amount-at-risk.js';
import type { Analysis, AnalysisFinding } from '../domain/analysis.js';
import type { ReimportedRow } from '../domain/reimport.js';
import type { BillOrigin } from './bill-origin.js';
import type { RecordSearch } from './record-search.js';

/** A stored engine finding. Its id is derived from the invoice and the evidence. */
export interface StoredFinding extends AnalysisFinding {
  readonly findingId: string;
  /**
   * Amount at risk of a finding. Absent if there was no exchange rate into the base currency, or if the finding was
   * stored before findings had amounts.
   */
  readonly amountAtRisk?: AmountAtRisk;
  /**
   * The routing rule that assigned the finding when it was raised, and the assignee. Both are stored with the decision,
   * so that a repeated call has the same result.
   */
  readonly assignment?: { readonly ruleId: string; readonly assigneeUserId: string };
}

/** A decision that is stored with its invoice. */
export interface DecidedAnalysis extends Omit<Analysis, 'findings'> {
  readonly analysisId: string;
  /** Number of an analysis, 1 for the first analysis of the invoice. */
  readonly number: number;
  /**
   * Number of the analysis whose history this analysis uses: the first analysis after the last correction of the
   * invoice. Absent, which means 1, if the invoice was never corrected.
   */
  readonly basis?: number;
  /** Supplier to which the decision assigned the invoice. */
  readonly supplierId: string;
  readonly findings: readonly StoredFinding[];
  /** For a repeated analysis, the previous analysis of the invoice and the differences between the two. */
  readonly previous?: { readonly analysisId: string; readonly differences: readonly AnalysisDifference[] };
  readonly createdAt: Date;
}

interface StoredInvoice {
  readonly invoiceId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly source: InvoiceSource;
  readonly createdAt: Date;
  readonly invoice: CanonicalInvoice;
  readonly match: MatchPart;
  /** Id of the upload from which the invoice was read. */
  readonly documentId: string | undefined;
  /** Channel, such as KSeF, that delivered the document of the invoice. */
  readonly channel: ChannelOrigin | undefined;
  readonly fingerprint: string | undefined;
  /** Month in which the invoice counts as an analysis. Undefined if the invoice does not count as an analysis. */
  readonly usageMonth: string | undefined;
  /** Origin of an invoice that was imported as a bill from an ERP. */
  readonly erp: BillOrigin | undefined;
}

/** Stored invoice without a decision. ERP bills are never decided, so their status remains RECEIVED. */
export interface UndecidedInvoice extends StoredInvoice {
  readonly status: 'RECEIVED';
  /** True if the invoice may have been stored but not counted towards the quota, because a process crashed. */
  readonly isCountUnsure: boolean;
  readonly analysis?: undefined;
  readonly verdict?: undefined;
  readonly reimportOf?: undefined;
}

export interface DecidedInvoice extends StoredInvoice {
  readonly status: 'ANALYZED';
  /** The analysis of the invoice with its original decision, which is never changed. */
  readonly analysis: DecidedAnalysis;
  /** The current decision on the invoice: the decision of the analysis after all reviews of its findings. */
  readonly verdict: RiskDecision;
  /**
   * The row of an earlier history scan that contains the same invoice. The invoice was counted when that row was
   * imported.
   */
  readonly reimportOf: ReimportedRow | undefined;
}

export type InvoiceRecord = UndecidedInvoice | DecidedInvoice;

/** A review that changed the decision of an invoice. */
export interface DecisionChange {
  readonly at: Date;
  readonly findingId: string;
  readonly from: RiskDecision['decision'];
  readonly to: RiskDecision['decision'];
}

/** The ids by which an invoice of a tenant is found. */
export interface InvoiceReference {
  readonly organizationId: string;
  readonly invoiceId: string;
}

/** Invoice with the time of its receipt. */
export interface TimedInvoice {
  readonly invoiceId: string;
  readonly createdAt: Date;
}

export interface InvoiceQuery extends PageRequest {
  readonly companyId?: string | undefined;
  /** Sources of the invoices in the list. Undefined if invoices from all sources but ERP are listed. */
  readonly sources?: readonly InvoiceSource[] | undefined;
  readonly decisions?: readonly Analysis['decision'][] | undefined;
  readonly statuses?: readonly InvoiceRecord['status'][] | undefined;
  readonly supplierId?: string | undefined;
  readonly scanId?: string | undefined;
  readonly minRiskScore?: number | undefined;
  /** First day on which the invoices were issued. */
  readonly issuedFrom?: CalendarDate | undefined;
  /** Last day on which the invoices were issued. */
  readonly issuedTo?: CalendarDate | undefined;
  readonly search?: RecordSearch | undefined;
}

/**
 * Values that reviews and the ERP store with a decided invoice and that matter when other invoices are compared with
 * it.
 */
export type MatchNotes = Pick<MatchPart, 'confirmedAs' | 'suspectedAs' | 'bookedInvoiceId'>;

/** Current decision on another invoice, with the records that its findings name. */
export interface InvoiceOutcome {
  readonly invoiceId: string;
  readonly isDecided: boolean;
  readonly receivedAtMs: number;
  readonly named: ReadonlySet<string>;
}

export interface NewInvoice extends InvoiceReference {
  readonly companyId: string;
  readonly source: InvoiceSource;
  readonly createdAt: Date;
  readonly invoice: CanonicalInvoice;
  readonly match: MatchPart;
  readonly documentId?: string;
  readonly channel?: ChannelOrigin;
  readonly fingerprint?: string;
  /**
   * Month in which the invoice counts as an analysis. Absent for scan rows and ERP bills, which do not count as
   * analyses.
   */
  readonly usageMonth?: string;
  /** True if the invoice is stored before it is counted towards the quota, so that a crash may leave it uncounted. */
  readonly isCountUnsure?: true;
  /** Time in milliseconds during which only the first worker may decide the invoice. */
  readonly leaseMs: number;
}

/** Operations on the collection of invoices that use cases need. */
/** An invoice that has been unfinished for too long, as reported to the operator. */
export interface StuckInvoice extends InvoiceReference {
  readonly isDecided: boolean;
  readonly since: Date;
}

export interface InvoiceStore {
  /** Stores an invoice as RECEIVED. Returns false if its id already exists. */
  insert(invoice: NewInvoice): Promise<boolean>;
  find(organizationId: string, invoiceId: string): Promise<InvoiceRecord | undefined>;
  /** Claims an undecided invoice whose worker has stopped. */
  takeOver(organizationId: string, invoiceId: string, leaseMs: number): Promise<UndecidedInvoice | undefined>;
  /**
   * Stores the decision on an invoice with its findings, facts and events in one write, if the invoice still has the
   * version that was read.
   */
  commit(
    at: InvoiceReference & { version: number },
    decided: {
      /**
       * Fields by which the stored invoice is compared with other invoices. Only the fields that change are written.
       */
      matchBefore: MatchPart;
      match: MatchPart;
      /** The invoice with its corrections. Present only if a person corrected it. */
      invoice?: CanonicalInvoice;
      /**
       * Gross amount in the base currency. Absent if the invoice already had a decision, because the amount stored with
       * its first decision is kept.
       */
      base?: ConvertedAmount | null;
      analysis: DecidedAnalysis;
      facts: Buffer;
    },
    options: SaveOptions,
  ): Promise<void>;
  /**
   * Stores the decision on an invoice after reviews.
   * @throws VersionConflict if the invoice has changed since `at.version`
   */
  recompute(
    at: InvoiceReference & { version: number },
    outcome: {
      verdict: RiskDecision;
      confirmedAs: MatchPart['confirmedAs'];
      suspectedAs: MatchPart['suspectedAs'];
      change: DecisionChange | undefined;
    },
  ): Promise<void>;
  /** Returns the newest changes of the decision on an invoice, oldest first. */
  decisionChanges(organizationId: string, invoiceId: string): Promise<readonly DecisionChange[]>;
  /**
   * Finds invoices and ERP bills that share one of the keys. If a key has very many records, the newest are returned.
   * @param before an invoice that is analyzed again; invoices that arrived later are left out
   */
  candidates(organizationId: string, keys: readonly string[], before?: Candidate): Promise<MatchPart[]>;
  /**
   * Returns the values that reviews and the ERP have stored with the given invoices. Invoices without such values are
   * left out.
   */
  notes(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlyMap<string, MatchNotes>>;
  outcomes(organizationId: string, invoiceIds: readonly string[]): Promise<InvoiceOutcome[]>;
  /**
   * Returns the gross amounts of the newest invoices in the base currency. Invoices without an exchange rate are left
   * out.
   */
  newestBaseAmounts(organizationId: string, limit: number): Promise<readonly ConvertedAmount[]>;
  /** Returns those of the given invoices that exist and were billed to the company, with their times of receipt. */
  newestOf(organizationId: string, companyId: string, invoiceIds: readonly string[]): Promise<readonly TimedInvoice[]>;
  /** Counts the invoices that count as analyses in a month, `YYYY-MM`. */
  analysesOf(organizationId: string, month: string, time: CountedTime): Promise<number>;
  /** Returns the current decisions on the given invoices. Invoices without a decision are left out. */
  verdicts(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlyMap<string, RiskDecision>>;
  /** Returns the decided invoices of a history scan for the report about it, in no particular order. */
  ofScan(organizationId: string, scanId: string): Promise<readonly ScanInvoice[]>;
  /** Lists invoices, newest first. ERP bills are not included, because they have a separate list. */
  list(organizationId: string, query: InvoiceQuery): Promise<Page<InvoiceRecord>>;
  /** Returns undecided invoices whose worker has stopped, from all tenants, for the recovery sweep. */
  undecided(): Promise<InvoiceReference[]>;
  /**
   * Returns a limited number of invoices from any tenant that were received before a time and have no decision or are
   * not finalized.
   */
  unfinishedSince(before: Date): Promise<readonly StuckInvoice[]>;
  /**
   * Returns decided invoices whose findings or other derived records may be missing, for the recovery sweep. They come
   * from all tenants, one page at a time, ordered by id.
   */
  pending(decidedBefore: Date, afterId?: string): Promise<{ record: DecidedInvoice; facts: Buffer }[]>;
  /**
   * Returns a decided invoice whose derived records may be missing, such as findings. Undefined if none are missing or
   * the invoice does not exist.
   */
  unfinished(organizationId: string, invoiceId: string): Promise<{ record: DecidedInvoice; facts: Buffer } | undefined>;
  /** Checks whether the finding belongs to a decided invoice whose derived records may be missing. */
  hasUnstoredFinding(organizationId: string, findingId: string): Promise<boolean>;
  /** Returns those of the given analyses that are the newest analysis of their invoice. */
  newestAnalyses(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the ids of the given invoices that are decided and whose derived records may be missing. */
  unfinalized(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Marks this version of the invoice as finished: everything that follows from it, such as its findings, is stored.
   */
  finalize(at: InvoiceReference & { version: number }): Promise<void>;
}
