import { randomUUID } from 'node:crypto';
import { auditAnnouncement } from '@invoicecontrol/retention/audit';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate, Guard } from '@invoicecontrol/runtime/mongo/aggregate';
import { claim, FREE, leaseOf } from '@invoicecontrol/runtime/mongo/claims';
import type { Claimable, Lease } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { events } from '@invoicecontrol/contracts/events';
import { Binary } from 'mongodb';
import type { Collection, Filter } from 'mongodb';
import type {
  CompleteScan,
  CountedRows,
  FailedScan,
  Failure,
  HeldScan,
  RunningScan,
  ScanReference,
  ScanStore,
  StuckScan,
} from '../application/scan-store.js';
import type { ScanResult, Skip, SkippedRow } from '../domain/scan.js';

/** Lease of a running history scan. Its worker renews it after a third of the time while the analysis runs. */
const LEASE_MS = 30_000;
/** Maximum number of running history scans in one sweep. */
const SWEEP_SCANS_MAX = 10;
/** Maximum number of set-aside history scans per sweep, so that many set-aside scans do not delay other scans. */
const SWEEP_SET_ASIDE_MAX = 5;
/** Delay of a history scan that was set aside, if another history scan of the organization is running. */
const TURN_TAKEN_PAUSE_MS = 10_000;
/** Highest number of running history scans that is counted, so that counting is fast. */
const RUNNING_MAX = 10_000;
/** Maximum number of history scans that are reported to the operator at once. */
const STUCK_SCANS_MAX = 100;

/**
 * Stored history scan: its rows while it runs, and its result and event when it is complete. The unique index on `turn`
 * makes sure that only one history scan of an organization runs at a time (ADR 0016). A running scan without `turn` was
 * set aside. In a scan without a `claim`, `leaseUntil` is the time of the next attempt.
 */
export interface ScanDocument extends Aggregate, Claimable {
  readonly status: 'RUNNING' | 'COMPLETE' | 'FAILED';
  readonly companyId: string;
  readonly baseCurrency: string;
  readonly createdAt: Date;
  /** SHA-256 hash of the request for a history scan. Present if the request had an idempotency key. */
  readonly fingerprint?: string;
  /**
   * The number of rows of the history scan that count towards the quota of a month. The sum of these numbers over all
   * scans is the correct usage of the organization, to which the stored usage is corrected.
   */
  readonly usage: CountedRows;
  /** Organization id, with a unique sparse index, while the history scan runs and was not set aside. */
  readonly turn?: string;
  /** Rows of a running history scan, in the format of packed-rows.ts. */
  readonly packedRows?: Binary;
  /** Grant of the caller who sent the rows, while the history scan runs. */
  readonly grant?: Binary;
  /** Skipped rows of a running history scan. Absent until the skipped rows are known. */
  readonly skips?: readonly Skip[];
  /**
   * Number of consecutive attempts to complete a history scan that failed because of a bug. Absent before the first
   * such failure.
   */
  readonly faults?: number;
  /** Error of the last failed attempt of a running history scan. */
  readonly lastError?: string;
  /** Reason why the history scan has no result. Present if the operator abandoned it. */
  readonly failure?: Failure;
  readonly result?: ScanResult;
  readonly skippedRows?: readonly SkippedRow[];
}

export async function createScanIndexes(collection: Collection<ScanDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { turn: 1 }, unique: true, sparse: true, name: 'turn' },
    { key: { leaseUntil: 1 }, sparse: true, name: 'abandoned' },
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { organizationId: 1, companyId: 1, ...NEWEST_FIRST }, name: 'newest_of_company' },
    { key: { organizationId: 1, 'usage.month': 1 }, name: 'counted' },
  ]);
}

/**
 * Creates the store of history scans.
 * @param onDue called when this process leaves a history scan to a later attempt, with the time of that attempt
 */
export function scanStore(
  collection: Collection<ScanDocument>,
  { outbox, clock, onDue }: { outbox: Outbox; clock: Clock; onDue: (dueAt: Date) => void },
): ScanStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  return {
    async insert({ scanId, organizationId, packedRows, grant, ...scan }) {
      const claimId = randomUUID();
      try {
        await aggregates.insert({
          _id: scanId,
          organizationId,
          ...scan,
          status: 'RUNNING',
          turn: organizationId,
          packedRows: new Binary(packedRows),
          ...(grant === undefined ? {} : { grant: new Binary(grant) }),
          claim: claimId,
          leaseUntil: new Date(clock.now().getTime() + LEASE_MS),
        });
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
      const lease = leaseOf(collection, scanId, { claimId, clock, leaseMs: LEASE_MS });
      const isKeyed = scan.fingerprint !== undefined;
      return {
        organizationId,
        scanId,
        version: 1,
        packedRows,
        ...(grant === undefined ? {} : { grant }),
        ...scan,
        isKeyed,
        faults: 0,
        ...handleOf(lease),
      };
    },
    async find(organizationId, scanId) {
      const document = await collection.findOne({ _id: scanId, organizationId }, { projection: withoutWork });
      if (document === null) return undefined;
      if (document.status === 'RUNNING') return toRunning(document);
      return document.status === 'FAILED' ? toFailed(document) : toComplete(document);
    },
    async list(organizationId, { companyId, ...page }) {
      const filter = { organizationId, status: 'COMPLETE' as const, ...(companyId && { companyId }) };
      const projection = { ...withoutWork, skippedRows: 0 };
      const { items, nextPageToken } = await findPage(collection, filter, page, projection);
      return { items: items.map(toComplete), nextPageToken };
    },
    async running(organizationId) {
      const document = await collection.findOne({ turn: organizationId }, { projection: { leaseUntil: 1 } });
      if (document === null) return undefined;
      return { scanId: document._id, isAbandoned: (document.leaseUntil ?? FOREVER) <= clock.now() };
    },
    async takeOver({ organizationId, scanId }) {
      const wanted: Filter<ScanDocument> = { _id: scanId, organizationId, status: 'RUNNING' };
      const change = { $inc: { version: 1 }, $set: { turn: organizationId } };
      try {
        const taken = await claim(collection, wanted, { clock, leaseMs: LEASE_MS, change });
        return taken && toHeld(taken.document, taken);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const now = clock.now();
        const leaseUntil = new Date(now.getTime() + TURN_TAKEN_PAUSE_MS);
        await collection.updateOne(
          { ...wanted, turn: { $exists: false }, leaseUntil: { $lte: now } },
          { $set: { leaseUntil } },
        );
        onDue(leaseUntil);
        return undefined;
      }
    },
    async noteSkips(scan, skips, usage) {
      await aggregates.commit(guardOf(scan), { $set: { skips, usage } });
      return { ...scan, version: scan.version + 1, skips, usage };
    },
    async complete(scan, result, skippedRows) {
      const { organizationId, scanId, companyId, createdAt } = scan;
      await aggregates.commit(
        guardOf(scan),
        {
          $set: { status: 'COMPLETE', result, skippedRows },
          $unset: work,
        },
        { events: [announce(events.scanCompleted, { scanId, companyId, ...result })] },
      );
      return { organizationId, scanId, status: 'COMPLETE', companyId, createdAt, result, skippedRows };
    },
    async leave({ organizationId, scanId, claimId }, { pauseMs, faults, keepsTurn, lastError }) {
      const leaseUntil = new Date(clock.now().getTime() + pauseMs);
      const { matchedCount } = await collection.updateOne(
        { _id: scanId, organizationId, claim: claimId },
        { $set: { leaseUntil, faults, lastError }, $unset: { claim: '', ...(keepsTurn ? {} : { turn: '' }) } },
      );
      onDue(leaseUntil);
      return matchedCount === 1;
    },
    async abandon({ organizationId, scanId, version, companyId, usage, fingerprint }, reason, context) {
      const failure = { reason, at: clock.now(), rows: usage.rows };
      await aggregates.commit(
        { id: scanId, organizationId, version },
        { $set: { status: 'FAILED', failure, usage: { ...usage, rows: 0 } }, $unset: work },
        {
          events: [
            announce(events.scanFailed, { scanId, companyId }),
            auditAnnouncement(events.scanAuditRecorded, context, {
              action: 'scan.abandoned',
              target: `scan:${scanId}`,
              outcome: 'SUCCEEDED',
            }),
          ],
        },
      );
      return {
        organizationId,
        scanId,
        status: 'FAILED',
        failure,
        ...(fingerprint === undefined ? {} : { fingerprint }),
      };
    },
    async failedAmong(organizationId, scanIds) {
      if (scanIds.length === 0) return new Set();
      const failed = await collection
        .find({ _id: { $in: [...scanIds] }, organizationId, status: 'FAILED' }, { projection: { _id: 1 } })
        .toArray();
      return new Set(failed.map(({ _id }) => _id));
    },
    async runningSince(createdBefore) {
      const documents = await collection
        .find({ leaseUntil: { $gte: FREE }, createdAt: { $lte: createdBefore } }, { projection: withoutWork })
        .sort({ leaseUntil: 1 })
        .limit(STUCK_SCANS_MAX)
        .toArray();
      return documents.map(toStuck);
    },
    async remove(scan) {
      const { id: _id, ...rest } = guardOf(scan);
      const { deletedCount } = await collection.deleteOne({ _id, ...rest });
      return deletedCount === 1;
    },
    async abandoned() {
      // All queries for due history scans use the same time. Otherwise a scan that becomes due between two queries
      // would be processed before scans that have waited longer.
      const now = clock.now();
      const due = (hasTurn: boolean, limit: number): Promise<ScanDocument[]> =>
        collection
          .find({ leaseUntil: { $lte: now }, turn: { $exists: hasTurn } }, { projection: { organizationId: 1 } })
          .sort({ leaseUntil: 1 })
          .limit(limit)
          .toArray();
      const any = await collection.findOne({ leaseUntil: { $lte: now } }, { projection: { _id: 1 } });
      if (any === null) return [];
      return [...(await due(true, SWEEP_SCANS_MAX)), ...(await due(false, SWEEP_SET_ASIDE_MAX))].map(referenceOf);
    },
    countRunning: () => collection.countDocuments({ turn: { $exists: true } }, { hint: 'turn', limit: RUNNING_MAX }),
    async countedRows(organizationId, month, { from, to }) {
      const [counted] = await collection
        .aggregate<{ rows: number }>([
          { $match: { organizationId, 'usage.month': month, createdAt: { ...(from && { $gte: from }), $lt: to } } },
          { $group: { _id: null, rows: { $sum: '$usage.rows' } } },
        ])
        .toArray();
      return counted?.rows ?? 0;
    },
  };
}

/** Lease of a completed history scan, which can never be claimed. */
const FOREVER = new Date(8.64e15);

/** Fields that only a running history scan has. */
const work = {
  turn: '',
  claim: '',
  leaseUntil: '',
  packedRows: '',
  grant: '',
  skips: '',
  faults: '',
  lastError: '',
} as const;

const withoutWork = { packedRows: 0, grant: 0, skips: 0, outbox: 0, recentEvents: 0 } as const;

function guardOf({ organizationId, scanId, version }: HeldScan): Guard {
  return { id: scanId, organizationId, version };
}

function referenceOf({ _id: scanId, organizationId }: Pick<ScanDocument, '_id' | 'organizationId'>): ScanReference {
  return { organizationId, scanId };
}

function fingerprintOf({ fingerprint }: ScanDocument): { fingerprint?: string } {
  return fingerprint === undefined ? {} : { fingerprint };
}

function handleOf({ claimId, renew, keepAlive }: Lease): Pick<HeldScan, 'claimId' | 'renew' | 'keepAlive'> {
  return { claimId, renew, keepAlive };
}

function toHeld(document: ScanDocument, lease: Lease): HeldScan {
  const { version, companyId, baseCurrency, createdAt, packedRows, grant, usage, skips, fingerprint } = document;
  if (packedRows === undefined) throw new Error(`scan ${document._id} runs and has no rows`);
  return {
    ...referenceOf(document),
    version,
    companyId,
    baseCurrency,
    createdAt,
    packedRows: Buffer.from(packedRows.buffer),
    ...(grant === undefined ? {} : { grant: Buffer.from(grant.buffer) }),
    usage,
    ...(skips === undefined ? {} : { skips }),
    isKeyed: fingerprint !== undefined,
    faults: document.faults ?? 0,
    ...handleOf(lease),
  };
}

function toRunning(document: ScanDocument): RunningScan {
  const { claim: holder, leaseUntil, version, companyId, createdAt, usage } = document;
  const isLeft = holder === undefined && leaseUntil !== undefined;
  return {
    ...referenceOf(document),
    status: 'RUNNING',
    version,
    companyId,
    createdAt,
    usage,
    ...(isLeft ? { nextTryAt: leaseUntil } : {}),
    ...fingerprintOf(document),
  };
}

function toFailed(document: ScanDocument): FailedScan {
  const { failure } = document;
  if (failure === undefined) throw new Error(`scan ${document._id} failed and has no reason`);
  return { ...referenceOf(document), status: 'FAILED', failure, ...fingerprintOf(document) };
}

function toStuck(document: ScanDocument): StuckScan {
  const { createdAt, faults = 0, lastError, claim: holder, leaseUntil = FREE } = document;
  return {
    ...referenceOf(document),
    createdAt,
    faults,
    leaseUntil,
    ...(lastError === undefined ? {} : { lastError }),
    ...(holder === undefined ? { nextTryAt: leaseUntil } : {}),
  };
}

function toComplete(document: ScanDocument): CompleteScan {
  const { companyId, createdAt, result, skippedRows } = document;
  if (result === undefined) throw new Error(`scan ${document._id} is complete and has no result`);
  return {
    ...referenceOf(document),
    status: 'COMPLETE',
    companyId,
    createdAt,
    result,
    ...(skippedRows === undefined ? {} : { skippedRows }),
    ...fingerprintOf(document),
  };
}
