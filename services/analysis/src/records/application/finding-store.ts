import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { SaveOptions } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Actor } from '@invoicecontrol/runtime/request-context';
import type { FindingType, Severity } from '@invoicecontrol/engine/explanation/catalogue';
import type { Disposition } from '../domain/finding-disposition.js';
import type { SummarizedFinding } from '../domain/finding-summary.js';
import type { Candidate } from '@invoicecontrol/engine/facts/invoice';
import type { DecidedAnalysis, StoredFinding } from './invoice-store.js';

/**
 * A finding with what it is about and whose work it is (specification 2.4). One about a scan or the books as a whole has
 * no invoice and no supplier.
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
}

/** A finding as it is stored: a version for guarded writes, and when a person last decided about it. */
export interface WorkedFinding extends FindingRecord {
  readonly organizationId: string;
  readonly version: number;
  readonly reviewedAt?: Date;
  /** The person who did; absent where an API key did. */
  readonly reviewedBy?: string;
  /** Time since when it blocks its account for the whole organization; absent when it does not. */
  readonly blockedSince?: Date;
}

/** The actor of a change of a finding. */
export interface FindingActor {
  readonly type: Actor['type'] | 'RULE';
  readonly id: string;
}

export const SYSTEM_ACTOR: FindingActor = { type: 'SYSTEM', id: 'system' };

/** One entry of a finding's history. REVIEWED and RECOMPUTED go from disposition or decision to another, ASSIGNED from user to user. */
export interface FindingChange {
  readonly at: Date;
  readonly actor: FindingActor;
  readonly action: 'CREATED' | 'REVIEWED' | 'ASSIGNED' | 'RECOMPUTED';
  readonly from?: string;
  readonly to?: string;
  readonly note?: string;
}

/** A finding about a scan or about the books of a company as a whole; it is its own commit. */
export interface FindingWithoutInvoice extends StoredFinding {
  /** Absent for one about the books. */
  readonly scanId?: string;
  readonly companyId: string;
  readonly createdAt: Date;
}

/** The invoice that findings are about. */
export type FindingSubject = Pick<Candidate, 'invoiceId' | 'companyId' | 'invoiceNumber' | 'supplierName' | 'scanId'>;

/** The findings of a decision as records of their own, as they are before anybody works with them. */
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

/** The findings of an analysis as they are by now; one that is not stored yet is as it was decided. */
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
  readonly type?: FindingType | undefined;
  /** Severities to include; undefined for all. */
  readonly severities?: readonly Severity[] | undefined;
  readonly disposition?: Disposition | undefined;
  readonly assigneeUserId?: string | undefined;
  /**
   * `newest` first; or by severity, the most severe first, then newest; or by amount at risk, the largest first, and those
   * without an amount last.
   */
  readonly sort: 'newest' | 'severity' | 'amount_at_risk';
}

/** Selects the findings to summarize: a time as in {@link PageRequest}. */
export interface SummaryQuery extends Pick<PageRequest, 'createdFrom' | 'createdTo'> {
  readonly companyId?: string | undefined;
  /** Lowest severity; undefined for all. */
  readonly minSeverity?: Severity | undefined;
}

/** The changes of one write; every change leaves an entry in the history. */
export type FindingUpdate = {
  readonly entry: FindingChange;
  /** The finding as another analysis raises it now. */
  readonly raised?: StoredFinding;
  /** New assignee; null unassigns. */
  readonly assigneeUserId?: string | null;
} & (
  | { readonly disposition?: Disposition; readonly isReview?: undefined; readonly blockedSince?: undefined }
  | {
      readonly disposition: Disposition;
      /** A person decided: what follows from it is still to be done. */
      readonly isReview: true;
      /** Time since when the finding blocks its account; undefined when it does not. */
      readonly blockedSince: Date | undefined;
    }
);

/** The operations of use cases on the findings collection. */
export interface FindingStore {
  /** Stores findings. Repeatable: ids are derived, and existing findings keep the changes of people. */
  insertAll(organizationId: string, subject: FindingSubject, analysis: DecidedAnalysis): Promise<void>;
  /**
   * Stores a finding that is about no invoice with the events that tell of it; repeatable, its id is derived.
   * @returns whether it is new
   */
  insertWithoutInvoice(
    organizationId: string,
    finding: FindingWithoutInvoice,
    events: readonly Announcement[],
  ): Promise<boolean>;
  ofInvoice(organizationId: string, invoiceId: string): Promise<WorkedFinding[]>;
  find(organizationId: string, findingId: string): Promise<WorkedFinding | undefined>;
  /** The newest entries, oldest first; undefined when there is no such finding. */
  history(organizationId: string, findingId: string): Promise<readonly FindingChange[] | undefined>;
  list(organizationId: string, query: FindingQuery): Promise<Page<WorkedFinding>>;
  /**
   * Findings about the books of an ERP that wait for a person: those that name a vendor, or one of its bills. The newest
   * first, at most `limit`.
   */
  openOfVendor(
    organizationId: string,
    vendor: { readonly vendorId: string; readonly billIds: readonly string[] },
    limit: number,
  ): Promise<WorkedFinding[]>;
  /** Reads at most `limit` findings, in no order. */
  toSummarize(organizationId: string, query: SummaryQuery, limit: number): Promise<SummarizedFinding[]>;
  /** Gives the findings of this analysis that are stored without an amount the one that is known now. */
  addAmounts(organizationId: string, analysis: DecidedAnalysis): Promise<void>;
  /**
   * One guarded write: state, history and events.
   * @throws VersionConflict when the finding has changed since it was read
   */
  change(finding: WorkedFinding, update: FindingUpdate, options: SaveOptions): Promise<WorkedFinding>;
  /** Reviewed findings of any tenant whose effects may be missing, in the order of their ids; a page for the sweep. */
  pending(reviewedBefore: Date, afterId?: string): Promise<WorkedFinding[]>;
  /** The effects of this version are all stored. */
  closeReview(finding: WorkedFinding): Promise<void>;
}
