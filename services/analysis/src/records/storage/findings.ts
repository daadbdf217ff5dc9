import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { FREE } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { NamedIndex } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { groupedInsertMissing } from '@invoicecontrol/runtime/mongo/insert-missing';
import { NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { findingRecordsOf } from '../application/finding-store.js';
import type {
  CountableFinding,
  CountedState,
  FindingChange,
  FindingQuery,
  FindingRecord,
  FindingStore,
  FindingSubject,
  WorkedFinding,
} from '../application/finding-store.js';
import { readInvoiceNumber } from '@invoicecontrol/engine/normalisation/invoice-number';
import { severities, severityRank } from '@invoicecontrol/engine/explanation/catalogue';
import type { SummarizedFinding } from '../domain/finding-summary.js';
import type { ScanFinding } from '../domain/scan-records.js';
import type { DecidedAnalysis, StoredFinding } from '../application/invoice-store.js';
import { amountOrderOf, findFindings, LARGEST_FIRST } from './finding-order.js';
import { oneOf, searchFilter } from './search-filter.js';

/** Maximum number of history entries that a finding keeps. The oldest entries are removed first. */
const HISTORY_ENTRIES_MAX = 200;
/** Maximum number of history entries of one finding in the timeline of its invoice. The newest are shown. */
const HISTORY_OF_INVOICE_MAX = 100;
/** Maximum number of findings for one invoice. The catalogue has fewer types, and most types are raised once. */
const FINDINGS_OF_INVOICE_MAX = 500;
/**
 * Number of findings that the database returns in one batch for a summary. No other request is served while a batch is
 * processed.
 */
const SUMMARY_BATCH_DOCUMENTS = 2_000;
/** Maximum number of findings that one database command inserts. The findings may come from several decisions. */
const INSERTED_TOGETHER_MAX = 100;
/** Maximum number of reviews of findings in one page of a sweep. */
const SWEEP_FINDINGS_MAX = 100;

/**
 * Stored finding. Findings are stored separately from their invoices, because people review them after the decision.
 */
export interface FindingDocument extends Aggregate, Omit<FindingRecord, 'findingId'> {
  /** Id of a finding: a UUIDv5 derived from its subject and its evidence. */
  readonly _id: string;
  readonly history: readonly FindingChange[];
  readonly reviewedAt?: Date;
  readonly reviewedBy?: string;
  /** Marker with a sparse index, set by the review of a finding and removed when all its consequences are stored. */
  readonly pending?: true;
  /** Sort key of a finding in the list by amounts. Absent if the amount of the finding is unknown. */
  readonly amountOrder?: number;
  /**
   * Normalised number of the invoice of a finding, by which searches find the finding. Absent if the finding belongs to
   * no invoice, and on findings that an earlier release stored.
   */
  readonly numberKey?: string;
  /**
   * Time when the finding was inserted or last changed, which may be long after its decision. Absent on findings that an
   * earlier release stored and that have not changed since.
   */
  readonly storedAt?: Date;
  /** State in which the finding was last added to the stored totals. Absent if the organization has no such totals. */
  readonly counted?: CountedState;
}

/** Types of findings about ERP vendors, bills and payments, which belong to no invoice. */
const typesOfBooks = [
  'BOOKS_DUPLICATE_BILL',
  'DUPLICATE_PAYMENT',
  'PAYMENT_ACCOUNT_MISMATCH',
  'PAYMENT_AMOUNT_MISMATCH',
  'VENDOR_MASTER_BANK_CHANGED',
  'VENDOR_RECORD_DUPLICATE',
] as const satisfies readonly FindingRecord['type'][];

/** Filters of the list of findings that compare one field with one value. */
const filters = [
  'companyId',
  'invoiceId',
  'scanId',
  'supplierId',
  'assigneeUserId',
] as const satisfies readonly (keyof FindingQuery)[];
/** Fields for which a filter of the finding list may contain several values. */
const severalValued = ['type', 'disposition', 'severity'] as const satisfies readonly (keyof FindingRecord)[];

/** Fields of a finding that a search compares. */
const SEARCHED = { number: 'numberKey', supplier: 'supplierId' } as const;

export async function createFindingIndexes(collection: Collection<FindingDocument>): Promise<void> {
  // Each filter of the finding list has a database index for each sort order. In the order by severity, the five
  // severities are read one after another.
  const ofFilters = [...filters, ...severalValued].flatMap((field): NamedIndex[] => [
    { key: { organizationId: 1, [field]: 1, ...NEWEST_FIRST }, name: `newest_of_${field}` },
    { key: { organizationId: 1, [field]: 1, ...LARGEST_FIRST }, name: `largest_of_${field}` },
  ]);
  await ensureIndexes(
    collection,
    [
      { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
      { key: { organizationId: 1, ...LARGEST_FIRST }, name: 'largest' },
      ...ofFilters,
      { key: { organizationId: 1, [SEARCHED.number]: 1, ...NEWEST_FIRST }, name: 'newest_of_number' },
      // A query for the latest changes reads only this index.
      { key: { organizationId: 1, storedAt: -1, _id: 1, version: 1 }, name: 'stored' },
      { key: { pending: 1 }, sparse: true, name: 'pending' },
    ],
    { named: ['pending'] },
  );
}

export function findingStore(collection: Collection<FindingDocument>, outbox: Outbox, clock: Clock): FindingStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  const insert = groupedInsertMissing(collection, INSERTED_TOGETHER_MAX);
  return {
    async insertAll(organizationId, subject, analysis) {
      await Promise.all(findingDocumentsOf(organizationId, subject, analysis, clock.now()).map(insert));
    },
    async insertWithoutInvoice(organizationId, { findingId, assignment, ...finding }, events) {
      const assigned = assignedByRule({ assignment }).map((entry) => ({ at: finding.createdAt, ...entry }));
      const document = {
        _id: findingId,
        organizationId,
        ...finding,
        assigneeUserId: assignment?.assigneeUserId,
        storedAt: clock.now(),
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
    async historiesOfInvoice(organizationId, invoiceId) {
      const documents = await collection
        .find<Pick<FindingDocument, '_id' | 'type' | 'createdAt' | 'history'>>(
          { organizationId, invoiceId },
          { projection: { type: 1, createdAt: 1, history: { $slice: -HISTORY_OF_INVOICE_MAX } } },
        )
        .sort(NEWEST_FIRST)
        .limit(FINDINGS_OF_INVOICE_MAX)
        .toArray();
      return documents.map(({ _id: findingId, ...finding }) => ({ findingId, ...finding }));
    },
    async list(organizationId, query) {
      const filter = chosen(organizationId, query);
      if (filter === undefined) return { items: [], nextPageToken: '' };
      const projection = query.isWithoutEvidence === true ? { ...withoutHistory, evidence: 0 } : withoutHistory;
      const { items, nextPageToken } = await findFindings(collection, filter, query, projection);
      return { items: items.map(toFinding), nextPageToken };
    },
    async openOfVendor(organizationId, { vendorId, billIds }, limit) {
      const filter = {
        organizationId,
        // The query for findings uses the index by type, because fields of the evidence have no index.
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
    async severeOfBills(organizationId, limit) {
      const filter = {
        organizationId,
        type: { $in: [...typesOfBooks] },
        disposition: { $in: ['OPEN', 'UNDER_REVIEW'] },
        severity: { $in: ['HIGH', 'CRITICAL'] },
      } as Filter<FindingDocument>;
      const documents = await collection
        .find<{ _id: string; relatedInvoiceIds: readonly string[] }>(filter, { projection: { relatedInvoiceIds: 1 } })
        .sort(NEWEST_FIRST)
        .limit(limit)
        .toArray();
      const byBill = new Map<string, string[]>();
      for (const { _id, relatedInvoiceIds } of documents) {
        for (const billId of relatedInvoiceIds) byBill.set(billId, [...(byBill.get(billId) ?? []), _id]);
      }
      return byBill;
    },
    async reviewersOf(organizationId, invoiceIds) {
      const documents = await collection
        .find<Pick<FindingDocument, 'history'>>(
          {
            organizationId,
            invoiceId: { $in: [...invoiceIds] },
            'history.action': 'REVIEWED',
          } as Filter<FindingDocument>,
          { projection: { history: 1 } },
        )
        .toArray();
      const reviews = documents.flatMap(({ history }) => history.filter(({ action }) => action === 'REVIEWED'));
      return new Set(
        reviews.flatMap(({ actor, person }) => [
          `${actor.type}:${actor.id}`,
          ...(person === undefined ? [] : [person]),
        ]),
      );
    },
    async latestChanges(organizationId, limit) {
      const documents = await collection
        .find<{ _id: string; version: number; storedAt: Date }>(
          { organizationId, storedAt: { $gt: FREE } },
          { projection: { _id: 1, version: 1, storedAt: 1 }, sort: { storedAt: -1, _id: 1 }, limit },
        )
        .toArray();
      return documents.map(({ _id: findingId, version, storedAt }) => ({ findingId, version, storedAt }));
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
    async createdAfter(organizationId, after, limit) {
      const filter = {
        organizationId,
        ...(after && {
          createdAt: { $gte: after.at },
          $or: [{ createdAt: { $gt: after.at } }, { createdAt: after.at, _id: { $gt: after.findingId } }],
        }),
      } as Filter<FindingDocument>;
      const found = await collection
        .find<CountableDocument>(filter, { projection: countable, sort: { createdAt: 1, _id: 1 }, limit })
        .toArray();
      return found.map(toCountable);
    },
    async storedAfter(organizationId, { at, findingId }, limit) {
      const filter = {
        organizationId,
        storedAt: { $gte: at },
        $or: [{ storedAt: { $gt: at } }, { storedAt: at, _id: { $lt: findingId } }],
      } as Filter<FindingDocument>;
      const found = await collection
        // The index is read backwards, so equal times are in the descending order of ids.
        .find<CountableDocument>(filter, { projection: countable, sort: { storedAt: 1, _id: -1 }, limit })
        .toArray();
      return found.map(toCountable);
    },
    async ofInvoices(organizationId, invoiceIds) {
      const filter = { organizationId, invoiceId: { $in: [...invoiceIds] } } as Filter<FindingDocument>;
      return (await collection.find<CountableDocument>(filter, { projection: countable }).toArray()).map(toCountable);
    },
    async noteCounted(organizationId, counted) {
      const updates = [...counted].map(([_id, state]) => ({
        updateOne: {
          filter: {
            _id,
            organizationId,
            $or: [{ counted: { $exists: false } }, { 'counted.version': { $lt: state.version } }],
          } as Filter<FindingDocument>,
          update: { $set: { counted: stored(state) } } as UpdateFilter<FindingDocument>,
        },
      }));
      if (updates.length > 0) await collection.bulkWrite(updates, { ordered: false });
    },
    ofScan(organizationId, scanId, limit) {
      const projection = { ...summarized, relatedInvoiceIds: 1, supplierId: 1, supplierName: 1 };
      return collection
        .find<ScanFinding>({ organizationId, scanId }, { projection, batchSize: SUMMARY_BATCH_DOCUMENTS, limit })
        .toArray();
    },
    async addAmounts(organizationId, { findings }) {
      const updates = findings.flatMap(({ findingId, amountAtRisk }) => {
        if (amountAtRisk === undefined) return [];
        const filter = { _id: findingId, organizationId, amountAtRisk: { $exists: false } };
        const update = { $set: { amountAtRisk, amountOrder: amountOrderOf(amountAtRisk), ...changedAt(clock.now()) } };
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
          ...changedAt(clock.now()),
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
      // A page of reviewed findings is ordered by id, so that a sweep reaches later reviews although some reviews fail
      // repeatedly.
      const documents = await collection
        .find(
          { pending: true, _id: { $gt: afterId }, reviewedAt: { $lte: reviewedBefore } },
          { projection: withoutHistory },
        )
        .sort({ _id: 1 })
        // Only few findings have reviews to complete, so their index is small. Without the hint, the database might
        // read the whole index of ids.
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

/** Returns the fields that every change of a stored finding sets. */
function changedAt(now: Date): Pick<FindingDocument, 'updatedAt' | 'storedAt'> {
  return { updatedAt: now, storedAt: now };
}

/** Returns a finding as an analysis raises it, without the changes made by people and routing rules. */
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

/**
 * Creates the database documents for a decision's findings, in the state that findings have before a person reviews
 * them.
 * @param now time when the documents are stored, which may be long after the decision
 */
export function findingDocumentsOf(
  organizationId: string,
  subject: FindingSubject,
  analysis: DecidedAnalysis,
  now: Date,
): FindingDocument[] {
  if (analysis.findings.length === 0) return [];
  const assignments = new Map(analysis.findings.map((finding) => [finding.findingId, assignedByRule(finding)]));
  return findingRecordsOf(subject, analysis).map(({ findingId, ...finding }) => ({
    _id: findingId,
    organizationId,
    version: 1,
    ...finding,
    ...(finding.amountAtRisk === undefined ? {} : { amountOrder: amountOrderOf(finding.amountAtRisk) }),
    numberKey: readInvoiceNumber(subject.invoiceNumber).raw0,
    storedAt: now,
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

const { _id: _withoutId, ...summarizedFields } = summarized;
const countable = { ...summarizedFields, storedAt: 1, counted: 1 } as const;
type CountableDocument = Omit<CountableFinding, 'findingId'> & { readonly _id: string };

function toCountable({ _id: findingId, ...finding }: CountableDocument): CountableFinding {
  return { findingId, ...finding };
}

const withoutHistory = { history: 0, outbox: 0, recentEvents: 0, counted: 0 } as const;

/** Returns the first history entry of a finding if a routing rule assigned it. */
function assignedByRule({
  assignment,
}: {
  readonly assignment?: StoredFinding['assignment'] | undefined;
}): Omit<FindingChange, 'at'>[] {
  if (assignment === undefined) return [];
  return [{ actor: { type: 'RULE', id: assignment.ruleId }, action: 'ASSIGNED', to: assignment.assigneeUserId }];
}

/** Returns the database filter for a list of findings without its order. Undefined if no finding can match. */
function chosen(
  organizationId: string,
  query: FindingQuery,
): (Filter<FindingDocument> & { readonly organizationId: string }) | undefined {
  const { types, dispositions, minAmountAtRisk, updatedFrom, search } = query;
  const searched = search === undefined ? [] : searchFilter(search, SEARCHED);
  if (searched === undefined || types?.length === 0 || dispositions?.length === 0) return undefined;
  const given = filters.flatMap((field) => (query[field] === undefined ? [] : [[field, query[field]] as const]));
  // The list by amount also has a condition on `amountOrder`, so the minimum amount is added to `$and` and does not
  // replace that condition.
  const minimum =
    minAmountAtRisk === undefined ? [] : { amountOrder: { $gte: amountOrderOf({ amount: minAmountAtRisk }) } };
  const conditions = [searched, minimum].flat();
  return {
    ...Object.fromEntries(given),
    ...(types && { type: oneOf(types) }),
    ...(dispositions && { disposition: oneOf(dispositions) }),
    ...(updatedFrom && { storedAt: { $gte: updatedFrom } }),
    ...(conditions.length > 0 && { $and: conditions }),
    organizationId,
  } as Filter<FindingDocument> & { readonly organizationId: string };
}

function toFinding(document: FindingDocument): WorkedFinding {
  const {
    _id,
    history,
    outbox,
    outboxPending,
    recentEvents,
    lastEventAt,
    pending,
    amountOrder,
    numberKey,
    counted,
    ...finding
  } = document;
  return { findingId: _id, ...finding };
}
