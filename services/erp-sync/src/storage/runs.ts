import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore, retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import type { Collection } from 'mongodb';
import type { RunStore } from '../application/sync-stores.js';
import type { StreamName } from '../domain/streams.js';
import { RUN_ERRORS_MAX } from '../domain/run.js';
import type { Run, RunError, RunMode, RunOutcome, RunStatus, RunTrigger, StreamCounts } from '../domain/run.js';
import type { ProviderCode } from '../providers/provider.js';

/**
 * A stored import run of an ERP. Its worker writes the numbers of rows and calls without changing the version of the
 * run. The outcome of the run is stored in one write together with its event.
 */
export interface RunDocument extends Aggregate {
  readonly connectionId: string;
  readonly provider: ProviderCode;
  readonly trigger: RunTrigger;
  readonly mode: RunMode;
  readonly status: RunStatus;
  /** Start of the import run. The field is called `createdAt`, because every list is sorted by a field of this name. */
  readonly createdAt: Date;
  readonly finishedAt?: Date;
  readonly streams: Partial<Readonly<Record<StreamName, StreamCounts>>>;
  readonly errors: readonly RunError[];
  readonly httpCalls: number;
  readonly throttledMs: number;
  /** Outcome of the import run, present once the run is completed. */
  readonly outcome?: RunOutcome;
}

/**
 * Maximum number of unfinished import runs for an ERP connection: the current one, and runs that a worker left
 * unfinished between two writes.
 */
const RUNNING_MAX = 10;
const CANCELED = { status: 'CANCELED', needsAPerson: false, isInterrupted: false } as const;
/** Maximum number of import runs that one call deletes. */
const DELETE_MAX = 1_000;

export async function createRunIndexes(collection: Collection<RunDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, connectionId: 1, ...NEWEST_FIRST }, name: 'newest_of_connection' },
    { key: { finishedAt: 1 }, sparse: true, name: 'finished' },
  ]);
}

export function runStore(collection: Collection<RunDocument>, outbox: Outbox, clock: Clock): RunStore {
  const aggregates = aggregateStore(collection, outbox, clock);
  const finish: RunStore['finish'] = (organizationId, runId, { outcome, finishedAt, progress, error }) =>
    retryOnConflict(async () => {
      const document = await collection.findOne({ _id: runId, organizationId });
      if (document === null) return undefined;
      if (document.outcome !== undefined) return document.outcome;
      const { streams, errors, httpCalls, throttledMs } = progress ?? document;
      const kept = error === undefined ? errors : [...errors.slice(0, RUN_ERRORS_MAX - 1), error];
      const set = { status: outcome.status, outcome, finishedAt, streams, errors: kept, httpCalls, throttledMs };
      const { connectionId, version } = document;
      const completed = announce(events.syncCompleted, {
        connectionId,
        runId,
        status: outcome.status,
        ...totalsOf(streams),
        errorCode: outcome.status === 'FAILED' ? outcome.error.code : undefined,
      });
      await aggregates.save({ id: runId, organizationId, version }, { $set: set }, { events: [completed] });
      return outcome;
    });
  return {
    async insert({ id, startedAt, ...run }) {
      const counts = { streams: {}, errors: [], httpCalls: 0, throttledMs: 0 };
      try {
        await aggregates.insert({ _id: id, ...run, status: 'RUNNING', createdAt: startedAt, ...counts });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(organizationId, runId) {
      const document = await collection.findOne({ _id: runId, organizationId });
      return document === null ? undefined : toRun(document);
    },
    async saveProgress(organizationId, runId, progress) {
      await collection.updateOne({ _id: runId, organizationId, status: 'RUNNING' }, { $set: progress });
    },
    finish,
    async cancel(organizationId, connectionId) {
      // Only the newest import runs are searched, because older runs cannot be in progress.
      const filter = { organizationId, connectionId };
      const last = await collection.find(filter, { sort: { createdAt: -1, _id: -1 }, limit: RUNNING_MAX }).toArray();
      for (const { _id: runId, status } of last) {
        if (status === 'RUNNING') await finish(organizationId, runId, { outcome: CANCELED, finishedAt: clock.now() });
      }
    },
    async list(organizationId, connectionId, page) {
      const { items, nextPageToken } = await findPage(collection, { organizationId, connectionId }, page);
      return { items: items.map(toRun), nextPageToken };
    },
    async many(organizationId, runIds) {
      const filter = { _id: { $in: [...runIds] }, organizationId };
      return (await collection.find(filter, { limit: runIds.length }).toArray()).map(toRun);
    },
    async deleteFinishedBefore(before) {
      const filter = { finishedAt: { $lt: before }, outboxPending: { $exists: false } };
      const old = await collection.find(filter, { projection: { _id: 1 }, limit: DELETE_MAX }).toArray();
      if (old.length === 0) return 0;
      const { deletedCount } = await collection.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
      return deletedCount;
    },
  };
}

function totalsOf(streams: RunDocument['streams']): Record<'created' | 'updated' | 'deleted' | 'failed', number> {
  const totals = { created: 0, updated: 0, deleted: 0, failed: 0 };
  for (const { created, updated, deleted, failed } of Object.values(streams)) {
    totals.created += created;
    totals.updated += updated;
    totals.deleted += deleted;
    totals.failed += failed;
  }
  return totals;
}

function toRun(document: RunDocument): Run {
  const { _id: id, organizationId, connectionId, trigger, mode, status, createdAt, finishedAt } = document;
  const { streams, errors, httpCalls, throttledMs } = document;
  const times = { startedAt: createdAt, finishedAt };
  return { id, organizationId, connectionId, trigger, mode, status, ...times, streams, errors, httpCalls, throttledMs };
}
