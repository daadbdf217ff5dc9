import type { Collection, Filter, IndexDescription, UpdateFilter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { insertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import { NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { findingRecordsOf } from '../application/finding-store.js';
import type {
  FindingChange,
  FindingQuery,
  FindingRecord,
  FindingStore,
  FindingSubject,
  WorkedFinding,
} from '../application/finding-store.js';
import { severities, severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import type { SummarizedFinding } from '../domain/finding-summary.js';
import type { DecidedAnalysis, StoredFinding } from '../application/invoice-store.js';
import { amountOrderOf, findFindings, LARGEST_FIRST } from './finding-order.js';

/** Entries of its history that a finding keeps; the oldest leave first. */
const HISTORY_ENTRIES_MAX = 200;
/** Findings of one invoice; the catalogue has fewer types than this, and most are raised once. */
const FINDINGS_OF_INVOICE_MAX = 500;
/** Findings of one answer of the database to a summary, which are read in one go while other requests wait. */
const SUMMARY_BATCH_DOCUMENTS = 2_000;
/** Reviews of one page of a sweep. */
const SWEEP_FINDINGS_MAX = 100;

/** A finding is an aggregate of its own, because people work with it after the decision. */
export interface FindingDocument extends Aggregate, Omit<FindingRecord, 'findingId'> {
  /** UUIDv5 of what it is about and the evidence. */
  readonly _id: string;
  readonly history: readonly FindingChange[];
  /** Time when its disposition was last decided. */
  readonly reviewedAt?: Date;
  /** The person who decided. */
  readonly reviewedBy?: string;
  /** Set by a review, unset when everything that follows from it is stored; sparse index. */
  readonly pending?: true;
  /** Sort key of the list by amounts; absent when no amount is known. */
  readonly amountOrder?: number;
}

/** Types that are about vendors, bills and payments of an ERP, and no invoice. */
const typesOfBooks = [
  'BOOKS_DUPLICATE_BILL',
  'DUPLICATE_PAYMENT',
  'PAYMENT_ACCOUNT_MISMATCH',
  'PAYMENT_AMOUNT_MISMATCH',
  'VENDOR_MASTER_BANK_CHANGED',
  'VENDOR_RECORD_DUPLICATE',
] as const satisfies readonly FindingRecord['type'][];

/** The filters of the list that name one value. */
const filters = [
  'companyId',
  'invoiceId',
  'scanId',
  'supplierId',
  'type',
  'disposition',
  'assigneeUserId',
] as const satisfies readonly (keyof FindingQuery)[];

export async function createFindingIndexes(collection: Collection<FindingDocument>): Promise<void> {
  // Each filter with each order behind it. The order by severity is that of its five values, one after the other.
  const ofFilters = [...filters, 'severity'].flatMap((field): IndexDescription[] => [
    { key: { organizationId: 1, [field]: 1, ...NEWEST_FIRST }, name: `newest_of_${field}` },
    { key: { organizationId: 1, [field]: 1, ...LARGEST_FIRST }, name: `largest_of_${field}` },
  ]);
  await collection.createIndexes([
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { organizationId: 1, ...LARGEST_FIRST }, name: 'largest' },
    ...ofFilters,
    { key: { pending: 1 }, sparse: true, name: 'pending' },
  ]);
}

export function findingStore(collection: Collection<FindingDocument>, outbox: Outbox, clock: Clock): FindingStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  return {
    async insertAll(organizationId, subject, analysis) {
      await insertMissing(collection, findingDocumentsOf(organizationId, subject, analysis));
    },
    async insertWithoutInvoice(organizationId, { findingId, assignment, ...finding }, events) {
      const assigned = assignedByRule({ assignment }).map((entry) => ({ at: finding.createdAt, ...entry }));
      const document = {
        _id: findingId,
        organizationId,
        ...finding,
        assigneeUserId: assignment?.assigneeUserId,
        history: assigned,
      };
      try {
        await aggregates.insert(document, { events });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },
    async ofInvoice(organizationId, invoiceId) {
      const documents = await collection
        .find({ organizationId, invoiceId }, { projection: withoutHistory })
        .sort(NEWEST_FIRST)
        .limit(FINDINGS_OF_INVOICE_MAX)
        .toArray();
      return documents.map(toFinding);
    },
    async find(organizationId, findingId) {
      const document = await collection.findOne({ _id: findingId, organizationId }, { projection: withoutHistory });
      return document === null ? undefined : toFinding(document);
    },
    async history(organizationId, findingId) {
      const document = await collection.findOne({ _id: findingId, organizationId }, { projection: { history: 1 } });
      return document?.history;
    },
    async list(organizationId, query) {
      const { items, nextPageToken } = await findFindings(
        collection,
        { ...chosen(query), organizationId },
        query,
        withoutHistory,
      );
      return { items: items.map(toFinding), nextPageToken };
    },
    async openOfVendor(organizationId, { vendorId, billIds }, limit) {
      const filter = {
        organizationId,
        // The query uses this index, because the fields of the evidence have none.
        type: { $in: [...typesOfBooks] },
        disposition: { $in: ['OPEN', 'UNDER_REVIEW'] },
        $or: [
          { 'evidence.vendorId': vendorId },
          { 'evidence.vendorIds': vendorId },
          { relatedInvoiceIds: { $in: [...billIds] } },
        ],
      } as Filter<FindingDocument>;
      const documents = await collection
        .find(filter, { projection: withoutHistory })
        .sort(NEWEST_FIRST)
        .limit(limit)
        .toArray();
      return documents.map(toFinding);
    },
    toSummarize(organizationId, { companyId, createdFrom, createdTo, minSeverity }, limit) {
      const createdAt = { ...(createdFrom && { $gte: createdFrom }), ...(createdTo && { $lt: createdTo }) };
      const filter = {
        organizationId,
        ...(companyId === undefined ? {} : { companyId }),
        ...(minSeverity === undefined ? {} : { severity: { $in: severities.slice(severityRank(minSeverity)) } }),
        ...(Object.keys(createdAt).length > 0 && { createdAt }),
      } as Filter<FindingDocument>;
      return collection
        .find<SummarizedFinding>(filter, { projection: summarized, batchSize: SUMMARY_BATCH_DOCUMENTS, limit })
        .toArray();
    },
    async addAmounts(organizationId, { findings }) {
      const updates = findings.flatMap(({ findingId, amountAtRisk }) => {
        if (amountAtRisk === undefined) return [];
        const filter = { _id: findingId, organizationId, amountAtRisk: { $exists: false } };
        const update = { $set: { amountAtRisk, amountOrder: amountOrderOf(amountAtRisk) } };
        return { updateOne: { filter, update: update as UpdateFilter<FindingDocument> } };
      });
      if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false });
    },
    async change({ findingId, organizationId, version }, changes, options) {
      const { entry, disposition, raised, isReview, blockedSince, assigneeUserId } = changes;
      const reviewedBy = isReview && entry.actor.type === 'USER' ? entry.actor.id : undefined;
      const unset = {
        ...(isReview && reviewedBy === undefined ? { reviewedBy: '' } : {}),
        ...(assigneeUserId === null ? { assigneeUserId: '' } : {}),
        ...(isReview && blockedSince === undefined ? { blockedSince: '' } : {}),
      };
      const update = {
        $set: {
          ...(raised === undefined ? {} : raisedAs(raised)),
          disposition,
          ...(isReview ? { reviewedAt: entry.at, pending: true } : {}),
          reviewedBy,
          blockedSince,
          assigneeUserId: assigneeUserId ?? undefined,
        },
        ...(Object.keys(unset).length === 0 ? {} : { $unset: unset }),
        $push: { history: { $each: [entry], $slice: -HISTORY_ENTRIES_MAX } },
      } as UpdateFilter<FindingDocument>;
      return toFinding(await aggregates.save({ id: findingId, organizationId, version }, update, options));
    },
    async pending(reviewedBefore, afterId = '') {
      // A page in the order of ids: reviews that fail again and again must not hide those behind them.
      const documents = await collection
        .find(
          { pending: true, _id: { $gt: afterId }, reviewedAt: { $lte: reviewedBefore } },
          { projection: withoutHistory },
        )
        .sort({ _id: 1 })
        // Few are pending: the index of ids would be read from end to end for them.
        .hint('pending')
        .limit(SWEEP_FINDINGS_MAX)
        .toArray();
      return documents.map(toFinding);
    },
    async closeReview({ findingId, organizationId, version }) {
      await collection.updateOne({ _id: findingId, organizationId, version }, { $unset: { pending: '' } });
    },
  };
}

/** Returns the finding as an analysis raises it, without the changes of people and routing rules. */
function raisedAs({
  type,
  family,
  severity,
  confidence,
  summary,
  recommendedAction,
  evidence,
  relatedInvoiceIds,
  subjects,
}: StoredFinding): Partial<FindingDocument> {
  return { type, family, severity, confidence, summary, recommendedAction, evidence, relatedInvoiceIds, subjects };
}

/** The findings of a decision as documents, as they are before anybody works with them. */
export function findingDocumentsOf(
  organizationId: string,
  subject: FindingSubject,
  analysis: DecidedAnalysis,
): FindingDocument[] {
  if (analysis.findings.length === 0) return [];
  const assignments = new Map(analysis.findings.map((finding) => [finding.findingId, assignedByRule(finding)]));
  return findingRecordsOf(subject, analysis).map(({ findingId, ...finding }) => ({
    _id: findingId,
    organizationId,
    version: 1,
    ...finding,
    ...(finding.amountAtRisk === undefined ? {} : { amountOrder: amountOrderOf(finding.amountAtRisk) }),
    history: (assignments.get(findingId) ?? []).map((entry) => ({ at: analysis.createdAt, ...entry })),
  }));
}

const summarized = {
  _id: 0,
  type: 1,
  severity: 1,
  disposition: 1,
  createdAt: 1,
  invoiceId: 1,
  scanId: 1,
  amountAtRisk: 1,
} as const;

const withoutHistory = { history: 0, outbox: 0, recentEvents: 0 } as const;

/** Returns the first entry of the history when a routing rule assigned the finding. */
function assignedByRule({
  assignment,
}: {
  readonly assignment?: StoredFinding['assignment'] | undefined;
}): Omit<FindingChange, 'at'>[] {
  if (assignment === undefined) return [];
  return [{ actor: { type: 'RULE', id: assignment.ruleId }, action: 'ASSIGNED', to: assignment.assigneeUserId }];
}

function chosen(query: FindingQuery): Filter<FindingDocument> {
  const given = filters.flatMap((field) => (query[field] === undefined ? [] : [[field, query[field]] as const]));
  return Object.fromEntries(given) as Filter<FindingDocument>;
}

function toFinding(document: FindingDocument): WorkedFinding {
  const { _id, history, outbox, outboxPending, recentEvents, lastEventAt, pending, amountOrder, ...finding } = document;
  return { findingId: _id, ...finding };
}
