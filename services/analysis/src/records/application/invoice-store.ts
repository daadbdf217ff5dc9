import type { CountedTime } from '@invoicecontrol/metering/usage-reconciliation';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { SaveOptions } from '@invoicecontrol/runtime/mongo/aggregate';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import type { AnalysisDifference } from '../domain/differences.js';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { Candidate, InvoiceSource, MatchPart } from '@invoicecontrol/engine/facts/invoice';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import type { AmountAtRisk } from '../domain/amount-at-risk.js';
import type { Analysis, AnalysisFinding } from '../domain/analysis.js';
import type { ReimportedRow } from '../domain/reimport.js';
import type { BillOrigin } from './bill-origin.js';

/** A finding as it is stored: what the engine said, under an id derived from the invoice and the evidence. */
export interface StoredFinding extends AnalysisFinding {
  readonly findingId: string;
  /** Absent when no rate into the base currency existed, or when it was stored before amounts were. */
  readonly amountAtRisk?: AmountAtRisk;
  /** The routing rule that took it when it was raised, and whom it named; part of the commit, so that a repeat agrees. */
  readonly assignment?: { readonly ruleId: string; readonly assigneeUserId: string };
}

/** A decision as it is stored with its invoice. */
export interface DecidedAnalysis extends Omit<Analysis, 'findings'> {
  readonly analysisId: string;
  /** 1 for the first analysis of the invoice. */
  readonly number: number;
  /** The number of the analysis whose history it rests on: 1 unless the invoice was corrected since. */
  readonly basis?: number;
  /** Supplier of the invoice, as it was found. */
  readonly supplierId: string;
  readonly findings: readonly StoredFinding[];
  /** The analysis before a repeated one, and the differences. */
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
  /** The upload that it was read from. */
  readonly documentId: string | undefined;
  /** The channel through which that document came. */
  readonly channel: ChannelOrigin | undefined;
  readonly fingerprint: string | undefined;
  /** The month whose analyses this invoice counts in; undefined where it is none of them. */
  readonly usageMonth: string | undefined;
  /** Origin of a bill of an ERP. */
  readonly erp: BillOrigin | undefined;
}

/** Bills of an ERP keep this status. */
export interface UndecidedInvoice extends StoredInvoice {
  readonly status: 'RECEIVED';
  /** True when a crash may have come between storing and counting it. */
  readonly isCountUnsure: boolean;
  readonly analysis?: undefined;
  readonly verdict?: undefined;
  readonly reimportOf?: undefined;
}

export interface DecidedInvoice extends StoredInvoice {
  readonly status: 'ANALYZED';
  /** Analysis as it was decided; never rewritten. */
  readonly analysis: DecidedAnalysis;
  /** The decision in force: that of the analysis, with what people have said about its findings since. */
  readonly verdict: RiskDecision;
  /** The row of an earlier scan that this row repeats. It was counted then. */
  readonly reimportOf: ReimportedRow | undefined;
}

export type InvoiceRecord = UndecidedInvoice | DecidedInvoice;

/** A review that moved the decision of an invoice. */
export interface DecisionChange {
  readonly at: Date;
  readonly findingId: string;
  readonly from: RiskDecision['decision'];
  readonly to: RiskDecision['decision'];
}

/** One invoice of one tenant. */
export interface InvoiceReference {
  readonly organizationId: string;
  readonly invoiceId: string;
}

/** An invoice and when it came in. */
export interface TimedInvoice {
  readonly invoiceId: string;
  readonly createdAt: Date;
}

export interface InvoiceQuery extends PageRequest {
  readonly companyId?: string | undefined;
  readonly source?: InvoiceSource | undefined;
  readonly decision?: Analysis['decision'] | undefined;
}

/** Notes on a decided invoice for others that are compared with it. */
export type MatchNotes = Pick<MatchPart, 'confirmedAs' | 'suspectedAs' | 'bookedInvoiceId'>;

/** Progress of another invoice, and the records that its findings name. */
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
  /** The month whose analyses it counts in; left out where it is none of them, as rows of scans and bills of an ERP. */
  readonly usageMonth?: string;
  /** Set when it is being counted while it is stored, and not before. */
  readonly isCountUnsure?: true;
  /** Time for which others leave it to its first worker. */
  readonly leaseMs: number;
}

/** The operations of use cases on the invoices collection. */
/** An invoice that has not come to its end for long, as the operator is told about it. */
export interface StuckInvoice extends InvoiceReference {
  readonly isDecided: boolean;
  readonly since: Date;
}

export interface InvoiceStore {
  /** Stores an invoice as RECEIVED; false when its id is taken. */
  insert(invoice: NewInvoice): Promise<boolean>;
  find(organizationId: string, invoiceId: string): Promise<InvoiceRecord | undefined>;
  /** Claims an undecided invoice whose worker fell silent. */
  takeOver(organizationId: string, invoiceId: string, leaseMs: number): Promise<UndecidedInvoice | undefined>;
  /** The commit point: decision, findings, facts and events in one write guarded by the version. */
  commit(
    at: InvoiceReference & { version: number },
    decided: {
      match: MatchPart;
      /** Set where the invoice was corrected. */
      invoice?: CanonicalInvoice;
      /** Left out where the invoice has been decided before: the amount of that day stays. */
      base?: ConvertedAmount | null;
      analysis: DecidedAnalysis;
      facts: Buffer;
    },
    options: SaveOptions,
  ): Promise<void>;
  /**
   * Stores what people's reviews make of a decided invoice.
   * @throws VersionConflict when the invoice has changed since `at.version`
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
  /** The newest changes of an invoice's decision, oldest first. */
  decisionChanges(organizationId: string, invoiceId: string): Promise<readonly DecisionChange[]>;
  /**
   * Records that share one of the keys; of a hot key the newest.
   * @param before an invoice that is analyzed again: those that came after it are left out, so that they do not crowd out
   * those before
   */
  candidates(organizationId: string, keys: readonly string[], before?: Candidate): Promise<MatchPart[]>;
  /** Reads the notes of reviews and the ERP on these invoices; invoices without notes are left out. */
  notes(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlyMap<string, MatchNotes>>;
  outcomes(organizationId: string, invoiceIds: readonly string[]): Promise<InvoiceOutcome[]>;
  /** Gross in base currency of the newest invoices, those without a rate left out. */
  newestBaseAmounts(organizationId: string, limit: number): Promise<readonly ConvertedAmount[]>;
  /** Those of these invoices that are there and were billed to the company, with the time of each. */
  newestOf(organizationId: string, companyId: string, invoiceIds: readonly string[]): Promise<readonly TimedInvoice[]>;
  /** Counts the invoices that are analyses of the month, `YYYY-MM`. */
  analysesOf(organizationId: string, month: string, time: CountedTime): Promise<number>;
  /** Newest first. Bills of an ERP have a list of their own. */
  list(organizationId: string, query: InvoiceQuery): Promise<Page<InvoiceRecord>>;
  /** Invoices of any tenant whose worker is gone; for the sweep. */
  undecided(): Promise<InvoiceReference[]>;
  /** Invoices of any tenant that were received before and have no decision, or are decided and not finished; a bounded number. */
  unfinishedSince(before: Date): Promise<readonly StuckInvoice[]>;
  /** Decided invoices of any tenant whose derived records may be missing, in the order of their ids; a page for the sweep. */
  pending(decidedBefore: Date, afterId?: string): Promise<{ record: DecidedInvoice; facts: Buffer }[]>;
  /** A decided invoice whose derived records may be missing; undefined when nothing is, or there is no such invoice. */
  unfinished(organizationId: string, invoiceId: string): Promise<{ record: DecidedInvoice; facts: Buffer } | undefined>;
  /** Tells whether a decided invoice whose derived records may be missing has this finding. */
  hasUnstoredFinding(organizationId: string, findingId: string): Promise<boolean>;
  /** Finds those of these analyses that are the newest of their invoices. */
  newestAnalyses(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of these invoices that are decided and whose derived records may be missing. */
  unfinalized(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Everything derived from this version is stored. */
  finalize(at: InvoiceReference & { version: number }): Promise<void>;
}
