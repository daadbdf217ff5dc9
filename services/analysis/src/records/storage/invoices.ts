import type { Binary, Collection, Document, Filter, UpdateFilter } from 'mongodb';
import { endOfMonth } from '@invoicecontrol/metering/usage-month';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate, SaveOptions } from '@invoicecontrol/runtime/mongo/aggregate';
import { claim, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Claimable } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { changeBetween } from '@invoicecontrol/runtime/mongo/document-change';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { setOrUnset, stored } from '@invoicecontrol/runtime/mongo/stored';
import type {
  DecidedAnalysis,
  DecidedInvoice,
  DecisionChange,
  InvoiceRecord,
  InvoiceStore,
  MatchNotes,
  UndecidedInvoice,
} from '../application/invoice-store.js';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import type { ConvertedAmount } from '@invoicecontrol/engine/facts/exchange-rates';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { Candidate, InvoiceSource, MatchPart } from '@invoicecontrol/engine/facts/invoice';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import { HITS_PER_KEY_MAX } from '@invoicecontrol/engine/normalisation/match-keys';
import type { ReimportedRow } from '../domain/reimport.js';
import { billIndexes } from './bill-part.js';
import type { BillPart } from './bill-part.js';
import { groupedReads } from './records-by-keys.js';
import { oneOf, searchFilter } from './search-filter.js';
import { isBundled } from './stored-facts.js';
import type { StoredFacts } from './stored-facts.js';

/** Maximum number of unfinished invoices in one page of a sweep. */
const SWEEP_INVOICES_MAX = 100;
/**
 * Maximum time in milliseconds for counting the invoice analyses of a month. The count is stopped before the connection
 * times out.
 */
const COUNT_MS_MAX = 25_000;
/** Maximum number of invoices of a history scan, which is its maximum number of rows (specification 8). */
const SCAN_INVOICES_MAX = 5_000;
const DAY_MS = 24 * 3_600_000;
/** Maximum number of decision changes that an invoice keeps. */
const DECISION_CHANGES_MAX = 100;

/**
 * Stored invoice with the keys by which it is found, its decision and its events. All of them are in one database
 * document, so that they are always consistent (detection reference, section 4).
 */
export interface InvoiceDocument extends Aggregate, Claimable {
  readonly companyId: string;
  readonly source: InvoiceSource;
  readonly status: 'RECEIVED' | 'ANALYZED';
  /**
   * Time of receipt of an invoice. Absent on ERP bills, so that reads of the newest invoices skip them. See {@link
   * BillPart}.
   */
  readonly createdAt: Date;
  readonly invoice: CanonicalInvoice;
  readonly match: MatchPart;
  readonly erp?: BillPart;
  /** Id of the upload from which the invoice was read. */
  readonly documentId?: string;
  /** Channel, such as KSeF, that delivered the document of the invoice. */
  readonly channel?: ChannelOrigin;
  /** SHA-256 hash of the request for an analysis that had the idempotency key. */
  readonly fingerprint?: string;
  /** Month in which the invoice counts as an analysis. Absent if the invoice does not count as an analysis. */
  readonly usageMonth?: string;
  /**
   * Marker of an invoice that may have been stored but not counted towards the quota. The marker is removed when the
   * decision is stored.
   */
  readonly isCountUnsure?: true;
  /**
   * Gross amount in the base currency on the day of the decision. Null if no exchange rate was known. The amount is
   * never changed.
   */
  readonly base?: ConvertedAmount | null;
  /** For a row that an earlier history scan already imported, the reference to that earlier row. */
  readonly reimportOf?: ReimportedRow;
  readonly analysis?: DecidedAnalysis;
  /** The current decision on the invoice. Reviews change it, while the analysis remains unchanged. */
  readonly verdict?: RiskDecision;
  readonly decisionChanges?: readonly DecisionChange[];
  /** Facts of the analysis. Absent if an earlier release stored them in `analyses` (ADR 0131). */
  readonly facts?: StoredFacts;
  /**
   * Marker with a sparse index, set by the commit of a decision and removed when everything derived from the decision
   * is stored.
   */
  readonly pending?: true;
}

type CandidateDocument = Pick<InvoiceDocument, 'match' | 'status'>;

/**
 * Name of the database index that queries for invoices to compare must use. MongoDB shares query plans between all
 * tenants. Without this name, the plan that is best for a tenant with few invoices (read all and sort in memory) could
 * be used for a tenant with many invoices.
 */
export const MATCH_INDEX = 'match';

/** Index of the credit notes of suppliers. A query that names it must have the condition {@link IS_CREDIT}. */
export const CREDITS_INDEX = 'credits';

/**
 * Selects credit notes. Amounts are stored as text, and those of credit notes begin with `-`. The index
 * {@link CREDITS_INDEX} contains only credit notes and is therefore small.
 */
export const IS_CREDIT = { 'match.amountMinor': { $gte: '-', $lt: '.' } } as const;

/** Fields of an invoice that a search compares. */
export const SEARCHED = { number: 'match.number.raw0', supplier: 'match.supplierId' } as const;

export async function createInvoiceIndexes(collection: Collection<InvoiceDocument>): Promise<void> {
  await ensureIndexes(
    collection,
    [
      { key: { organizationId: 1, 'match.keys': 1, 'match.issueDay': -1 }, name: MATCH_INDEX },
      { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
      { key: { organizationId: 1, companyId: 1, ...NEWEST_FIRST }, name: 'newest_of_company' },
      { key: { organizationId: 1, [SEARCHED.supplier]: 1, ...NEWEST_FIRST }, name: 'newest_of_supplier' },
      { key: { organizationId: 1, [SEARCHED.number]: 1, ...NEWEST_FIRST }, name: 'newest_of_number' },
      {
        key: { organizationId: 1, 'match.scanId': 1, ...NEWEST_FIRST },
        partialFilterExpression: { 'match.scanId': { $exists: true } },
        name: 'newest_of_scan',
      },
      { key: { leaseUntil: 1 }, sparse: true, name: 'undecided' },
      // An invoice is booked by at most one ERP bill, so the index is unique.
      { key: { 'match.bookedInvoiceId': 1 }, sparse: true, unique: true, name: 'booked' },
      { key: { pending: 1 }, sparse: true, name: 'pending' },
      {
        key: { organizationId: 1, 'match.supplierId': 1, 'match.issueDay': -1 },
        partialFilterExpression: IS_CREDIT,
        name: CREDITS_INDEX,
      },
      ...billIndexes,
    ],
    { named: [MATCH_INDEX, CREDITS_INDEX, 'pending'] },
  );
}

export function invoiceStore(collection: Collection<InvoiceDocument>, outbox: Outbox, clock: Clock): InvoiceStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  const findCandidates = (
    organizationId: string,
    keys: readonly string[],
    { limit, arrived = {} }: { limit: number; arrived?: Filter<InvoiceDocument> | undefined },
  ): Promise<CandidateDocument[]> =>
    collection
      .find<CandidateDocument>(
        { organizationId, 'match.keys': { $in: [...keys] }, ...arrived },
        { projection: { match: 1, status: 1 }, hint: MATCH_INDEX },
      )
      .sort({ 'match.issueDay': -1 })
      .limit(limit)
      .toArray();
  const candidatesOf = async (
    organizationId: string,
    keys: readonly string[],
    arrived?: Filter<InvoiceDocument>,
  ): Promise<CandidateDocument[]> => {
    const sharing = (some: readonly string[]): Promise<CandidateDocument[]> =>
      findCandidates(organizationId, some, { limit: hitsMax(some.length), arrived });
    const documents = await sharing(keys);
    // A lookup key with very many invoices may leave no room for the invoices of other keys. In this case each key is
    // read with a limit of its own.
    if (documents.length < hitsMax(keys.length)) return documents;
    return (await Promise.all(keys.map((key) => sharing([key])))).flat();
  };
  const readCandidates = groupedReads<CandidateDocument>({
    read: candidatesOf,
    readTogether: (organizationId, keys, limit) => findCandidates(organizationId, keys, { limit }),
    keysOf: ({ match }) => match.keys,
    limitOf: hitsMax,
  });
  return {
    async insert({ invoiceId, organizationId, leaseMs, ...invoice }) {
      try {
        await aggregates.insertGrouped({
          _id: invoiceId,
          organizationId,
          ...invoice,
          status: 'RECEIVED',
          leaseUntil: new Date(clock.now().getTime() + leaseMs),
        });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(organizationId, invoiceId) {
      const document = await collection.findOne({ _id: invoiceId, organizationId }, { projection: withoutFacts });
      return document === null ? undefined : toRecord(document);
    },
    async takeOver(organizationId, invoiceId, leaseMs) {
      const wanted: Filter<InvoiceDocument> = { _id: invoiceId, organizationId, status: 'RECEIVED' };
      const taken = await claim(collection, wanted, { clock, leaseMs });
      return taken === undefined ? undefined : toUndecided(taken.document);
    },
    async commit(
      { organizationId, invoiceId, version },
      { matchBefore, match, invoice, base, analysis, facts },
      options: SaveOptions,
    ) {
      const at = { id: invoiceId, organizationId };
      const { $set, $unset, ...changed } = changeBetween({ match: matchBefore }, { match });
      const change = {
        ...changed,
        $set: stored<Partial<InvoiceDocument>>({
          ...$set,
          status: 'ANALYZED',
          invoice,
          base,
          analysis,
          verdict: { decision: analysis.decision, riskScore: analysis.riskScore },
          facts: facts as unknown as Binary,
          pending: true,
        }),
        $unset: { leaseUntil: '', claim: '', isCountUnsure: '', ...$unset },
      } as UpdateFilter<InvoiceDocument>;
      // The first version of an invoice is inserted without events.
      if (version === 1) await aggregates.commitFirst({ ...at, version }, change, options);
      else await aggregates.commit({ ...at, version }, change, options);
    },
    async recompute({ organizationId, invoiceId, version }, { verdict, confirmedAs, suspectedAs, change }) {
      await aggregates.commit({ id: invoiceId, organizationId, version }, {
        ...setOrUnset<InvoiceDocument>({
          verdict,
          'match.confirmedAs': confirmedAs,
          'match.suspectedAs': suspectedAs,
        }),
        ...(change === undefined
          ? {}
          : { $push: { decisionChanges: { $each: [change], $slice: -DECISION_CHANGES_MAX } } }),
      } as UpdateFilter<InvoiceDocument>);
    },
    async decisionChanges(organizationId, invoiceId) {
      const document = await collection.findOne(
        { _id: invoiceId, organizationId },
        { projection: { decisionChanges: 1 } },
      );
      return document?.decisionChanges ?? [];
    },
    async candidates(organizationId, keys, before) {
      const documents =
        before === undefined
          ? await readCandidates(organizationId, keys)
          : await candidatesOf(organizationId, keys, arrivedBefore(before));
      return documents.map(matchPartIn);
    },
    async notes(organizationId, invoiceIds) {
      const documents = await collection
        .find<{ _id: string; match: MatchNotes }>(
          {
            _id: { $in: [...invoiceIds] },
            organizationId,
            $or: [
              { 'match.confirmedAs': { $exists: true } },
              { 'match.suspectedAs': { $exists: true } },
              { 'match.bookedInvoiceId': { $exists: true } },
            ],
          },
          { projection: { 'match.confirmedAs': 1, 'match.suspectedAs': 1, 'match.bookedInvoiceId': 1 } },
        )
        .toArray();
      return new Map(documents.map(({ _id, match }) => [_id, match]));
    },
    async outcomes(organizationId, invoiceIds) {
      const documents = await collection
        .find(
          { _id: { $in: [...invoiceIds] }, organizationId },
          { projection: { status: 1, 'match.receivedAtMs': 1, 'analysis.findings.relatedInvoiceIds': 1 } },
        )
        .toArray();
      return documents.map(({ _id, status, match, analysis }) => ({
        invoiceId: _id,
        isDecided: status !== 'RECEIVED',
        receivedAtMs: match.receivedAtMs,
        named: new Set(analysis?.findings.flatMap(({ relatedInvoiceIds }) => relatedInvoiceIds)),
      }));
    },
    async newestBaseAmounts(organizationId, limit) {
      const documents = await collection
        .find<Pick<InvoiceDocument, 'base'>>({ organizationId }, { projection: { base: 1 } })
        .sort(NEWEST_FIRST)
        .limit(limit)
        .toArray();
      return documents.flatMap(({ base }) => base ?? []);
    },
    async newestOf(organizationId, companyId, invoiceIds) {
      const documents = await collection
        .find(
          { _id: { $in: [...invoiceIds] }, organizationId, companyId },
          { projection: { createdAt: 1, 'erp.importedAt': 1 } },
        )
        .toArray();
      return documents.map(({ _id: invoiceId, createdAt, erp }) => ({
        invoiceId,
        createdAt: erp?.importedAt ?? createdAt,
      }));
    },
    analysesOf(organizationId, month, { from, to }) {
      return collection.countDocuments(
        { organizationId, createdAt: { $gte: from ?? aroundMonth(month).$gte, $lt: to }, usageMonth: month },
        { maxTimeMS: COUNT_MS_MAX },
      );
    },
    async verdicts(organizationId, invoiceIds) {
      const documents = await collection
        .find<Pick<InvoiceDocument, '_id' | 'verdict'>>(
          { _id: { $in: [...invoiceIds] }, organizationId },
          { projection: { verdict: 1 } },
        )
        .toArray();
      return new Map(documents.flatMap(({ _id, verdict }) => (verdict === undefined ? [] : [[_id, verdict] as const])));
    },
    async ofScan(organizationId, scanId) {
      const documents = await collection
        .find<Pick<InvoiceDocument, '_id' | 'match' | 'base' | 'verdict'>>(
          { organizationId, 'match.scanId': scanId, status: 'ANALYZED' },
          { projection: { 'match.issueDay': 1, base: 1, 'verdict.decision': 1 }, limit: SCAN_INVOICES_MAX },
        )
        .toArray();
      return documents.flatMap(({ _id: invoiceId, match, base = null, verdict }) =>
        verdict === undefined ? [] : [{ invoiceId, decision: verdict.decision, issueDay: match.issueDay, base }],
      );
    },
    async list(organizationId, query) {
      const { companyId, sources, decisions, statuses, supplierId, scanId, minRiskScore, search, ...rest } = query;
      const { issuedFrom, issuedTo, ...page } = rest;
      const searched = search === undefined ? [] : searchFilter(search, SEARCHED);
      if (searched === undefined) return { items: [], nextPageToken: '' };
      const filter = {
        organizationId,
        ...(companyId !== undefined && { companyId }),
        source: sources === undefined ? { $ne: 'ERP' as const } : oneOf(sources),
        ...(decisions !== undefined && { 'verdict.decision': oneOf(decisions) }),
        ...(statuses !== undefined && { status: oneOf(statuses) }),
        ...(supplierId !== undefined && { [SEARCHED.supplier]: supplierId }),
        ...(scanId !== undefined && { 'match.scanId': scanId }),
        ...(minRiskScore !== undefined && { 'verdict.riskScore': { $gte: minRiskScore } }),
        ...issuedBetween(issuedFrom, issuedTo),
        ...(searched.length > 0 && { $and: searched }),
      } as Filter<InvoiceDocument> & { readonly organizationId: string };
      // ERP bills have no creation time. With a lower bound, the database does not read the part of the index that
      // contains them.
      const request = { ...page, createdFrom: page.createdFrom ?? FREE };
      const { items, nextPageToken } = await findPage(collection, filter, request, withoutFacts);
      return { items: items.map(toRecord), nextPageToken };
    },
    async undecided() {
      const documents = await collection
        .find({ leaseUntil: { $lte: clock.now() } }, { projection: { organizationId: 1 } })
        .sort({ leaseUntil: 1 })
        .limit(SWEEP_INVOICES_MAX)
        .toArray();
      return documents.map(({ _id: invoiceId, organizationId }) => ({ invoiceId, organizationId }));
    },
    async unfinishedSince(before) {
      const projection = { organizationId: 1, createdAt: 1, 'analysis.createdAt': 1 } as const;
      const [undecided, pending] = await Promise.all([
        collection
          .find({ leaseUntil: { $gte: FREE }, createdAt: { $lte: before } }, { projection, limit: SWEEP_INVOICES_MAX })
          .toArray(),
        collection
          .find({ pending: true, 'analysis.createdAt': { $lte: before } }, { projection, limit: SWEEP_INVOICES_MAX })
          .toArray(),
      ]);
      return [...undecided, ...pending].map(({ _id: invoiceId, organizationId, createdAt, analysis }) => ({
        invoiceId,
        organizationId,
        isDecided: analysis !== undefined,
        since: analysis?.createdAt ?? createdAt,
      }));
    },
    async pending(decidedBefore, afterId = '') {
      // A page of the sweep of undecided invoices is ordered by id, so that a sweep reaches later invoices although
      // some invoices fail repeatedly.
      const documents = await collection
        .find({ pending: true, _id: { $gt: afterId }, 'analysis.createdAt': { $lte: decidedBefore } })
        .sort({ _id: 1 })
        // Only few invoices still have findings or other derived records to store, so the index of these invoices is
        // small. Without the hint, the database might read the whole index of ids.
        .hint('pending')
        .limit(SWEEP_INVOICES_MAX)
        .toArray();
      return documents.flatMap((document) => toPending(document) ?? []);
    },
    async unfinished(organizationId, invoiceId) {
      const document = await collection.findOne({ _id: invoiceId, organizationId, pending: true });
      return document === null ? undefined : toPending(document);
    },
    async hasUnstoredFinding(organizationId, findingId) {
      const wanted = { pending: true, organizationId, 'analysis.findings.findingId': findingId } as const;
      return (await collection.findOne(wanted, { projection: { _id: 1 } })) !== null;
    },
    async newestAnalyses(organizationId, invoiceIds) {
      const documents = await collection
        .find({ _id: { $in: [...invoiceIds] }, organizationId }, { projection: { 'analysis.analysisId': 1 } })
        .toArray();
      return new Set(documents.flatMap(({ analysis }) => analysis?.analysisId ?? []));
    },
    async unfinalized(organizationId, invoiceIds) {
      const documents = await collection
        .find({ _id: { $in: [...invoiceIds] }, organizationId, pending: true }, { projection: { _id: 1 } })
        .toArray();
      return new Set(documents.map(({ _id }) => _id));
    },
    async finalize({ organizationId, invoiceId, version }) {
      await collection.updateOne({ _id: invoiceId, organizationId, version }, { $unset: { pending: '' } });
    },
  };
}

/** Returns the database filter for invoices that were issued in a period. The first and the last day are included. */
export function issuedBetween(from: CalendarDate | undefined, to: CalendarDate | undefined): Document {
  if (from === undefined && to === undefined) return {};
  return {
    'match.issueDay': {
      ...(from !== undefined && { $gte: dayNumber(from) }),
      ...(to !== undefined && { $lte: dayNumber(to) }),
    },
  };
}

/** Returns the maximum number of invoices to compare. It grows with the number of lookup keys. */
function hitsMax(keysCount: number): number {
  return HITS_PER_KEY_MAX * keysCount;
}

/**
 * Returns a database filter for invoices that arrived before a given invoice. The filter is approximate for invoices
 * that arrived at the same moment, so the caller checks the order of these invoices itself.
 */
function arrivedBefore({ receivedAtMs, scanId, issueDay }: Candidate): Filter<InvoiceDocument> {
  if (scanId === undefined) return { 'match.receivedAtMs': { $lte: receivedAtMs } };
  return {
    $or: [
      { 'match.receivedAtMs': { $lt: receivedAtMs } },
      { 'match.receivedAtMs': receivedAtMs, 'match.issueDay': { $lte: issueDay } },
    ],
  };
}

const withoutFacts = { facts: 0, outbox: 0, recentEvents: 0, decisionChanges: 0 } as const;

/**
 * Returns a period that begins one day before a month and ends one day after it. An analysis belongs to the month in
 * which it was counted, but its invoice may have been stored on an earlier or later day.
 */
function aroundMonth(month: string): { $gte: Date; $lt: Date } {
  const begin = new Date(`${month}-01T00:00:00Z`);
  return { $gte: new Date(begin.getTime() - DAY_MS), $lt: new Date(endOfMonth(month).getTime() + DAY_MS) };
}

/**
 * Returns the fields by which an invoice is compared, with its current status. ERP bills keep the status that is stored
 * among these fields, because their invoice status always remains RECEIVED.
 */
export function matchPartIn({ match, status }: Pick<InvoiceDocument, 'match' | 'status'>): MatchPart {
  return match.source === 'ERP' ? match : { ...match, status };
}

export function toRecord(document: InvoiceDocument): InvoiceRecord {
  return document.status === 'RECEIVED' ? toUndecided(document) : toDecided(document);
}

function toUndecided(document: InvoiceDocument): UndecidedInvoice {
  return { ...toStored(document), status: 'RECEIVED', isCountUnsure: document.isCountUnsure === true };
}

/**
 * Converts a database document to a decided invoice.
 * @throws TypeError if the document has no decision, which only a fault in this service could cause
 */
function toDecided(document: InvoiceDocument): DecidedInvoice {
  const { _id: invoiceId, analysis, verdict = analysis, reimportOf } = document;
  if (analysis === undefined || verdict === undefined)
    throw new TypeError(`The invoice ${invoiceId} has no stored decision.`);
  return { ...toStored(document), status: 'ANALYZED', analysis, verdict, reimportOf };
}

/**
 * Converts a stored invoice whose findings or other derived records may be missing. Scan rows are never marked as
 * pending.
 */
function toPending(document: InvoiceDocument): { record: DecidedInvoice; facts: Buffer } | undefined {
  const { facts } = document;
  if (facts === undefined || isBundled(facts)) return undefined;
  return { record: toDecided(document), facts: Buffer.from(facts.buffer) };
}

function toStored(document: InvoiceDocument) {
  const { _id: invoiceId, organizationId, version, companyId, source, invoice, match, erp } = document;
  const { documentId, channel, fingerprint, usageMonth } = document;
  const createdAt = erp?.importedAt ?? document.createdAt;
  return {
    invoiceId,
    organizationId,
    version,
    companyId,
    source,
    createdAt,
    invoice,
    match,
    documentId,
    channel,
    fingerprint,
    usageMonth,
    erp,
  };
}
