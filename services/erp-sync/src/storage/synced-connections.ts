import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore, retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { claim, FREE, leaseOf } from '@invoicecontrol/runtime/mongo/claims';
import type { Lease } from '@invoicecontrol/runtime/mongo/claims';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { setOrUnset } from '@invoicecontrol/runtime/mongo/stored';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import { connectionChanged } from '../application/connection-events.js';
import { ClaimEnded } from '../application/sync-stores.js';
import type {
  ClaimedConnection,
  ConnectionClaim,
  DueConnection,
  RunEnd,
  SyncedConnections,
} from '../application/sync-stores.js';
import { isScheduled } from '../domain/connection.js';
import type { ConnectionStatus } from '../domain/connection.js';
import { providerCodes } from '../providers/provider.js';
import { RECENT_RUNS_MAX } from './connections.js';
import type { ConnectionDocument } from './connections.js';

interface Deps {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly leaseMs: number;
}

/** Stores the claims of workers on ERP connections, and the progress of each ERP connection. */
export function syncedConnections(
  collection: Collection<ConnectionDocument>,
  { outbox, clock, leaseMs }: Deps,
): SyncedConnections {
  const aggregates = aggregateStore(collection, outbox, clock);

  function claimOf(document: WithId<ConnectionDocument>, runId: string, lease: Lease): ConnectionClaim {
    const { _id: id, organizationId } = document;
    const { claimId } = lease;
    let { isPaused } = document;

    /**
     * Checks that the claim of a worker on an ERP connection is still valid. Pausing the connection invalidates the
     * claim, and resuming the connection does not restore it.
     */
    const confirm = async (): Promise<void> => {
      const projection = { claim: 1, status: 1, isPaused: 1 };
      const now = await collection.findOne({ _id: id, organizationId }, { projection });
      if (now === null || now.status === 'DISABLED') throw new ClaimEnded('DISCONNECTED');
      if (now.claim !== claimId) throw new ClaimEnded('TAKEN');
      if (now.isPaused && !isPaused) throw new ClaimEnded('PAUSED');
      isPaused = now.isPaused;
    };
    const guarded = async (change: object): Promise<void> => {
      const ours = { _id: id, organizationId, claim: claimId, isPaused };
      const { matchedCount } = await collection.updateOne(ours, change as UpdateFilter<ConnectionDocument>);
      if (matchedCount === 1) return;
      await confirm();
      await guarded(change);
    };

    return {
      connection: toClaimed(document),
      runId,
      keepAlive: (onLost) => lease.keepAlive(onLost),
      confirm,
      saveWindow: (stream, window) => guarded({ $set: { [`streams.${stream}.window`]: window } }),
      saveCursor: (stream, cursor, succeededAt) =>
        guarded({ $set: { [`streams.${stream}`]: { cursor, succeededAt } } }),
      saveReconciled: (at, lists) => guarded({ $set: { ...below('lists', lists), reconciledAt: at } }),
      startOver(at, lists, windows) {
        const fresh = Object.entries(windows).map(([stream, window]) => [`streams.${stream}.window`, window]);
        const set = { ...Object.fromEntries(fresh), ...below('lists', lists), reconciledAt: at };
        return guarded({ $set: set, $unset: { pass: '' } });
      },
      saveList: (stream, list) => guarded(setOrUnset<ConnectionDocument>({ [`lists.${stream}`]: list })),
      savePass: (pass) => guarded(setOrUnset<ConnectionDocument>({ pass })),
      saveIncomplete: (since) => guarded(setOrUnset<ConnectionDocument>({ incompleteSince: since })),
      async continueAs(nextRunId, abandonedRuns) {
        await guarded({ $set: { runningRunId: nextRunId, abandonedRuns }, ...pushRun(nextRunId) });
        return claimOf(document, nextRunId, lease);
      },
      release: (end) => release(document, claimId, end),
      async giveBack(nextSyncAt) {
        await collection.updateOne({ _id: id, organizationId, claim: claimId }, {
          $set: { leaseUntil: FREE, nextSyncAt },
          $unset: { claim: '', runningRunId: '' },
          $pull: { recentRunIds: runId },
        } as UpdateFilter<ConnectionDocument>);
      },
    };
  }

  /** Writes the outcome of an import run. Nothing is written if the claim is no longer valid. */
  const release = (
    { _id: id, organizationId, nextSyncAt: seen }: ConnectionDocument,
    claimId: string,
    { outcome, finishedAt, nextSlot, abandonedRuns }: RunEnd,
  ): Promise<void> =>
    retryOnConflict(async () => {
      const now = await collection.findOne({ _id: id, organizationId, claim: claimId });
      if (now === null) return;
      const status = statusAfter(now.status, outcome);
      const isGood = outcome.status === 'SUCCEEDED' || outcome.status === 'PARTIAL';
      const earliest = outcome.isInterrupted ? finishedAt : nextSlot;
      const regular = outcome.notBefore !== undefined && outcome.notBefore > earliest ? outcome.notBefore : earliest;
      // If new credentials were stored during the import run, the ERP connection is already due again, and its due time
      // is kept.
      const isQueuedMeanwhile = now.nextSyncAt !== undefined && now.nextSyncAt.getTime() !== seen?.getTime();
      const nextSyncAt = isQueuedMeanwhile ? now.nextSyncAt : isScheduled({ ...now, status }) ? regular : undefined;
      const isKept = outcome.status === 'CANCELED';
      const update = setOrUnset<ConnectionDocument>({
        status,
        leaseUntil: FREE,
        lastSyncAt: finishedAt,
        abandonedRuns,
        ...(isGood ? { lastSuccessAt: finishedAt } : {}),
        ...(isKept ? {} : { lastError: outcome.error }),
        nextSyncAt,
        claim: undefined,
        runningRunId: undefined,
      });
      const change = { status, previousStatus: now.status };
      const error = status === 'ERROR' && outcome.error !== undefined ? { error: outcome.error } : {};
      await aggregates.save({ id, organizationId, version: now.version }, update, {
        events: status === now.status ? [] : [connectionChanged({ ...now, id }, { ...change, ...error })],
        onlyIf: { claim: claimId },
      });
    });

  const claimWith = async (
    wanted: Filter<ConnectionDocument>,
    runId: string,
    change: UpdateFilter<ConnectionDocument>,
  ): Promise<ConnectionClaim | undefined> => {
    const claimed = await claim(collection, wanted, { clock, leaseMs, change });
    if (claimed === undefined) return undefined;
    const lease = leaseOf(collection, claimed.document._id, { claimId: claimed.claimId, clock, leaseMs });
    return claimOf(claimed.document, runId, lease);
  };
  const begin = (runId: string): UpdateFilter<ConnectionDocument> => ({
    $set: { runningRunId: runId },
    ...pushRun(runId),
  });
  const isIdle = { runningRunId: { $exists: false } };

  return {
    async due(limit) {
      const now = clock.now();
      const free = { leaseUntil: { $lte: now } };
      const [dueNow, silent] = await Promise.all([
        collection
          .find(
            { nextSyncAt: { $lte: now }, ...free, ...isIdle },
            { projection: ofDue, sort: { nextSyncAt: 1 }, limit },
          )
          .toArray(),
        collection
          .find({ runningRunId: { $exists: true }, ...free }, { projection: ofDue, sort: { runningRunId: 1 }, limit })
          .toArray(),
      ]);
      return [...silent, ...dueNow].map(toDue);
    },
    async find(organizationId, connectionId) {
      const projection = { status: 1, runningRunId: 1, leaseUntil: 1 };
      const found = await collection.findOne({ _id: connectionId, organizationId }, { projection });
      if (found === null) return undefined;
      const isSilent = found.leaseUntil !== undefined && found.leaseUntil <= clock.now();
      return { status: found.status, runningRunId: found.runningRunId, isSilent };
    },
    async claimDue({ id, organizationId, nextSyncAt }, runId) {
      if (nextSyncAt === undefined) return undefined;
      const wanted = { _id: id, organizationId, nextSyncAt, isPaused: false, ...isIdle };
      return claimWith(wanted, runId, begin(runId));
    },
    claimNow: (organizationId, connectionId, runId) =>
      claimWith({ _id: connectionId, organizationId, ...isIdle }, runId, begin(runId)),
    takeOver: (organizationId, connectionId, runId) =>
      claimWith({ _id: connectionId, organizationId, runningRunId: runId }, runId, {}),
    async postpone({ id, organizationId, nextSyncAt: seen }, nextSyncAt) {
      if (seen === undefined) return;
      const unchanged = { _id: id, organizationId, nextSyncAt: seen, leaseUntil: { $lte: clock.now() } };
      await collection.updateOne(unchanged, { $set: { nextSyncAt } });
    },
    async lagSeconds() {
      const now = clock.now();
      return Promise.all(
        providerCodes.map(async (provider) => {
          const filter = { nextSyncAt: { $lte: now }, provider };
          const oldest = await collection.findOne(filter, { projection: { nextSyncAt: 1 }, sort: { nextSyncAt: 1 } });
          const since = oldest?.nextSyncAt ?? now;
          return { provider, seconds: (now.getTime() - since.getTime()) / 1_000 };
        }),
      );
    },
    async dueBefore(before, limit) {
      const found = await collection
        .find({ nextSyncAt: { $lt: before }, ...isIdle }, { sort: { nextSyncAt: 1 }, limit })
        .toArray();
      return found.map(({ _id: id, organizationId, nextSyncAt = before, lastError }) => ({
        id,
        organizationId,
        dueSince: nextSyncAt,
        lastError,
      }));
    },
  };
}

const ofDue = {
  organizationId: 1,
  provider: 1,
  nextSyncAt: 1,
  runningRunId: 1,
  recentRunIds: 1,
  streams: 1,
  pass: 1,
} as const;

/**
 * Returns an update of an ERP connection that sets single fields of an object by their paths, so that the other fields
 * of the object do not change.
 */
function below(name: string, fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${name}.${field}`, value]));
}

function pushRun(runId: string) {
  return { $push: { recentRunIds: { $each: [runId], $slice: -RECENT_RUNS_MAX } } };
}

/**
 * Returns the new status of an ERP connection: CONNECTED after a successful run, ERROR after a fault that a person must
 * fix, and otherwise the current status.
 */
function statusAfter(status: ConnectionStatus, outcome: RunEnd['outcome']): ConnectionStatus {
  if (status === 'DISABLED') return status;
  if (outcome.needsAPerson) return 'ERROR';
  return outcome.status === 'SUCCEEDED' || outcome.status === 'PARTIAL' ? 'CONNECTED' : status;
}

function toDue(document: WithId<ConnectionDocument>): DueConnection {
  const { _id: id, organizationId, provider, nextSyncAt, runningRunId, recentRunIds, streams = {}, pass } = document;
  return {
    id,
    organizationId,
    provider,
    nextSyncAt,
    runningRunId,
    isFirst: recentRunIds.length === 0,
    isContinued: pass !== undefined || Object.values(streams).some(({ window }) => window !== undefined),
  };
}

function toClaimed(document: WithId<ConnectionDocument>): ClaimedConnection {
  const { _id: id, organizationId, companyId, provider, status, config, remoteCompanyId, isPaused } = document;
  const { credential, importFrom, streams = {}, reconciledAt, lists = {}, pass } = document;
  const { incompleteSince, abandonedRuns = 0 } = document;
  return {
    id,
    organizationId,
    companyId,
    provider,
    status,
    config,
    remoteCompanyId,
    isPaused,
    credential,
    importFrom,
    streams,
    reconciledAt,
    lists,
    pass,
    incompleteSince,
    abandonedRuns,
  };
}
