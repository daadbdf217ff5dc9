import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { SaveOptions } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Actor } from '@invoicecontrol/runtime/request-context';
import type { FindingType, Severity } from '@invoicecontrol/engine/explanation/catalogue';
import type { Disposition } from '../domain/finding-disposition.js';
import type { SummarizedFinding } from '../domain/finding-summary.js';
import type { ScanFinding } from '../domain/scan-records.js';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import type { DecidedAnalysis, StoredFinding } from './invoice-store.js';
import type { RecordSearch } from './record-search.js';

/**
 * A finding with its invoice, supplier and assignee (specification 2.4). A finding about a history scan or about ERP
 * records as a whole has no invoice and no supplier.
 */
export interface FindingRecord extends Omit<StoredFinding, 'assignment'> {
  readonly invoiceId?: string;
  readonly companyId: string;
  readonly invoiceNumber?: string;
  readonly supplierId?: string;
  readonly supplierName?: string;
  readonly scanId?: string;
  readonly assigneeUserId?: string;
  readonly createdAt: Date;
  /** Time of the last change of the finding. Absent if the finding has not changed since it was raised. */
  readonly updatedAt?: Date;
}

/** A finding in a list. Its evidence is absent if the list was requested without evidence. */
export type ListedFinding = Omit<FindingRecord, 'evidence'> & Partial<Pick<FindingRecord, 'evidence'>>;

/**
 * A stored finding with a version, so that concurrent changes are noticed, and with the time of the last decision of a
 * person.
 */
export interface WorkedFinding extends FindingRecord {
  readonly organizationId: string;
  readonly version: number;
  readonly reviewedAt?: Date;
  /** The person who made the last decision about a finding. Absent if an API key was used. */
  readonly reviewedBy?: string;
  /** Time from which the finding blocks its bank account in the whole organization. Absent if it does not block one. */
  readonly blockedSince?: Date;
}

/** The user, API key, routing rule or system that changes a finding. */
export interface FindingActor {
  readonly type: Actor['type'] | 'RULE';
  readonly id: string;
}

export const SYSTEM_ACTOR: FindingActor = { type: 'SYSTEM', id: 'system' };

/**
 * An entry in the history of a finding. REVIEWED and RECOMPUTED entries change a disposition or a decision. ASSIGNED
 * entries change the assignee.
 */
export interface FindingChange {
  readonly at: Date;
  readonly actor: FindingActor;
  /**
   * The person behind the API key that changed the finding. Absent if that person is the actor, and in older entries of
   * the history.
   */
  readonly person?: string;
  readonly action: 'CREATED' | 'REVIEWED' | 'ASSIGNED' | 'RECOMPUTED';
  readonly from?: string;
  readonly to?: string;
  readonly note?: string;
}

/**
 * A finding about a history scan, or about the ERP records of a company. The finding takes effect when it is stored.
 */
export interface FindingWithoutInvoice extends StoredFinding {
  /** Id of the history scan. Absent for a finding about ERP records. */
  readonly scanId?: string;
  readonly companyId: string;
  readonly createdAt: Date;
}

/** Invoice fields that are stored with its findings. */
export type FindingSubject = Pick<Candidate, 'invoiceId' | 'companyId' | 'invoiceNumber' | 'supplierName' | 'scanId'>;

/**
 * Creates a separate record for each finding in a decision, in the state that findings have before a person reviews
 * them.
 */
export function findingRecordsOf(subject: FindingSubject, analysis: DecidedAnalysis): FindingRecord[] {
  const { invoiceId, companyId, invoiceNumber, supplierName, scanId } = subject;
  return analysis.findings.map(({ assignment, ...finding }) => ({
    ...finding,
    invoiceId,
    companyId,
    invoiceNumber,
    supplierId: analysis.supplierId,
    supplierName,
    ...(scanId === undefined ? {} : { scanId }),
    ...(assignment === undefined ? {} : { assigneeUserId: assignment.assigneeUserId }),
    createdAt: analysis.createdAt,
  }));
}

/**
 * Returns the findings of an analysis in their current state. A finding that has no record of its own yet is returned
 * as the decision raised it.
 */
export function currentFindings(
  subject: FindingSubject,
  analysis: DecidedAnalysis,
  stored: readonly WorkedFinding[],
): FindingRecord[] {
  const byId = new Map(stored.map((finding) => [finding.findingId, finding]));
  return findingRecordsOf(subject, analysis).map((finding) => byId.get(finding.findingId) ?? finding);
}

export interface FindingQuery extends PageRequest {
  readonly companyId?: string | undefined;
  readonly invoiceId?: string | undefined;
  readonly scanId?: string | undefined;
  readonly supplierId?: string | undefined;
  /** Types of the findings in the list. Undefined if findings of all types are listed. */
  readonly types?: readonly FindingType[] | undefined;
  /** Severities of the findings in the list. Undefined if findings of all severities are listed. */
  readonly severities?: readonly Severity[] | undefined;
  /** Dispositions of the findings in the list. Undefined if findings with all dispositions are listed. */
  readonly dispositions?: readonly Disposition[] | undefined;
  /** Member to whom the findings are assigned, or null for findings that are assigned to nobody. */
  readonly assigneeUserId?: string | null | undefined;
  readonly minAmountAtRisk?: DecimalAmount | undefined;
  /** Time at or after which the findings were stored or changed. */
  readonly updatedFrom?: Date | undefined;
  /** True if the evidence of the findings need not be read. */
  readonly isWithoutEvidence?: boolean;
  readonly search?: RecordSearch | undefined;
  /**
   * Sort order of the list of findings: `newest` first; `severity`, with the most severe first and then the newest; or
   * `amount_at_risk`, with the largest first and findings without an amount last.
   */
  readonly sort: 'newest' | 'severity' | 'amount_at_risk';
}

/**
 * Criteria that select the findings for a summary. The limits of the period have the same meaning as in {@link
 * PageRequest}.
 */
export interface SummaryQuery extends Pick<PageRequest, 'createdFrom' | 'createdTo'> {
  readonly companyId?: string | undefined;
  /** Lowest severity of the findings in the list. Undefined if findings of all severities are listed. */
  readonly minSeverity?: Severity | undefined;
}

/**
 * The state in which a finding was last added to the stored totals of the organization. The other fields that a summary
 * uses never change.
 */
export interface CountedState extends Pick<SummarizedFinding, 'type' | 'severity' | 'disposition' | 'amountAtRisk'> {
  /** Build of the totals that the finding was added to. Other totals do not contain the finding. */
  readonly build: string;
  /** Version of the totals that the finding was added to. */
  readonly version: number;
}

/** A finding with the state in which it was counted. `counted` is absent if the finding was never counted. */
export interface CountableFinding extends SummarizedFinding {
  readonly findingId: string;
  readonly storedAt?: Date;
  readonly counted?: CountedState;
}

/** Position in a list of findings that is sorted by a time and the id. */
export interface FindingPosition {
  readonly at: Date;
  readonly findingId: string;
}

/** The newest changes of a finding, in the order from the oldest to the newest. */
export interface FindingHistory extends Pick<FindingRecord, 'findingId' | 'type' | 'createdAt'> {
  readonly history: readonly FindingChange[];
}

/** Version of a finding that was stored last, with the time when it was stored. */
export interface FindingWrite {
  readonly findingId: string;
  readonly version: number;
  readonly storedAt: Date;
}

/** Changes to a finding that one database write makes. Each change adds an entry to the history of the finding. */
export type FindingUpdate = {
  readonly entry: FindingChange;
  /** The finding as a repeated analysis of the invoice has just raised it. */
  readonly raised?: StoredFinding;
  /** Id of the new assignee of the finding, or null to remove the assignee. */
  readonly assigneeUserId?: string | null;
} & (
  | { readonly disposition?: Disposition; readonly isReview?: undefined; readonly blockedSince?: undefined }
  | {
      readonly disposition: Disposition;
      /** True if a person has reviewed the finding and the consequences of the review must still be stored. */
      readonly isReview: true;
      /** Time from which the finding blocks its bank account. Undefined if the finding does not block an account. */
      readonly blockedSince: Date | undefined;
    }
);

/** Operations on stored findings that use cases need. */
export interface FindingStore {
  /**
   * Stores findings. A repeated call changes nothing: each id is derived from its finding, and existing findings keep
   * the changes that people made.
   */
  insertAll(organizationId: string, subject: FindingSubject, analysis: DecidedAnalysis): Promise<void>;
  /**
   * Stores a finding that is about no invoice, with its events. The call may be repeated, because the id is derived
   * from the finding.
   * @returns true if the finding is new
   */
  insertWithoutInvoice(
    organizationId: string,
    finding: FindingWithoutInvoice,
    events: readonly Announcement[],
  ): Promise<boolean>;
  ofInvoice(organizationId: string, invoiceId: string): Promise<WorkedFinding[]>;
  find(organizationId: string, findingId: string): Promise<WorkedFinding | undefined>;
  /** Returns the newest entries in a finding's history, oldest first. Undefined if the finding does not exist. */
  history(organizationId: string, findingId: string): Promise<readonly FindingChange[] | undefined>;
  /** Returns the changes to the findings of an invoice. */
  historiesOfInvoice(organizationId: string, invoiceId: string): Promise<readonly FindingHistory[]>;
  list(organizationId: string, query: FindingQuery): Promise<Page<ListedFinding>>;
  /**
   * Returns the unreviewed findings about ERP records that name the given vendor or one of its bills: at most `limit`
   * findings, newest first.
   */
  openOfVendor(
    organizationId: string,
    vendor: { readonly vendorId: string; readonly billIds: readonly string[] },
    limit: number,
  ): Promise<WorkedFinding[]>;
  /**
   * Maps the ids of ERP bills to the ids of the severe, unreviewed findings about ERP records that name the bill. Reads
   * at most `limit` findings, newest first.
   */
  severeOfBills(organizationId: string, limit: number): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Returns everyone who reviewed a finding of the invoices, as `<type>:<id>`: the actor and, for an API key, also the
   * person behind it.
   */
  reviewersOf(organizationId: string, invoiceIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the findings that were stored or changed last, the latest first, with the time of that write. */
  latestChanges(organizationId: string, limit: number): Promise<readonly FindingWrite[]>;
  /** Reads the next findings after a position, in the order in which they were created. */
  createdAfter(organizationId: string, after: FindingPosition | undefined, limit: number): Promise<CountableFinding[]>;
  /** Reads the next findings after a position, in the order in which they were last stored. */
  storedAfter(organizationId: string, after: FindingPosition, limit: number): Promise<CountableFinding[]>;
  /** Reads all findings of the invoices. */
  ofInvoices(organizationId: string, invoiceIds: readonly string[]): Promise<CountableFinding[]>;
  /** Notes the states in which findings were counted, unless a later version of the totals has counted them. */
  noteCounted(organizationId: string, counted: ReadonlyMap<string, CountedState>): Promise<void>;
  /** Reads at most `limit` findings for the summary of findings, in no particular order. */
  toSummarize(organizationId: string, query: SummaryQuery, limit: number): Promise<SummarizedFinding[]>;
  /** Reads at most `limit` findings of a history scan for the report about it, in no particular order. */
  ofScan(organizationId: string, scanId: string, limit: number): Promise<ScanFinding[]>;
  /** Adds an amount to each stored finding of this analysis that was stored without one, if the amount is known now. */
  addAmounts(organizationId: string, analysis: DecidedAnalysis): Promise<void>;
  /**
   * Stores the state, history and events of a finding change in one guarded write.
   * @throws VersionConflict if the finding has changed since it was read
   */
  change(finding: WorkedFinding, update: FindingUpdate, options: SaveOptions): Promise<WorkedFinding>;
  /**
   * Returns reviewed findings whose review may not have changed the invoice decision or the supplier profile yet. They
   * come from all tenants, one page at a time, ordered by id. A sweep then completes their reviews.
   */
  pending(reviewedBefore: Date, afterId?: string): Promise<WorkedFinding[]>;
  /**
   * Marks the review of this version of the finding as completed, because all changes that follow from the review are
   * stored.
   */
  closeReview(finding: WorkedFinding): Promise<void>;
}
