import type { PublicEventType } from '@invoicecontrol/public-events';
import { batched } from '@invoicecontrol/runtime/batched';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { findPage, NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { setOrUnset, stored } from '@invoicecontrol/runtime/mongo/stored';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Collection, UpdateFilter } from 'mongodb';
import type { BulkReplay, CurrentEndpoints, EndpointChange, Endpoints } from '../application/stores.js';
import { ENDPOINTS_MAX, FAILURES_TO_DISABLE_MIN } from '../domain/endpoint.js';
import type { Endpoint, EndpointStatus, Subscription } from '../domain/endpoint.js';
import type { SealedSecret } from '../domain/secrets.js';
import { findIds } from './find-ids.js';
import { gathering } from './gathering.js';

export interface EndpointDocument extends Aggregate {
  readonly url: string;
  readonly events: readonly Subscription[];
  readonly status: EndpointStatus;
  readonly activeSince: Date;
  readonly createdAt: Date;
  readonly secrets: readonly SealedSecret[];
  /** Time of the first failed delivery of a webhook. Like `failuresInRow`, it changes independently of `version`. */
  readonly failingSince?: Date;
  readonly failuresInRow: number;
  readonly goneAt?: Date;
  readonly noticedAt?: Date;
  readonly replay?: BulkReplay;
  readonly deletedAt?: Date;
  /** Time when the unfinished deletion of the webhook began. */
  readonly deletionPending?: Date;
}

/** Maximum number of organizations whose subscribed webhooks one command reads. */
const LISTS_MAX = 50;
/**
 * Time in milliseconds for which an event waits for other events, so that they share one database read of the webhooks.
 * An event waits only if no webhook was subscribed to its type at the last read. Fewer than half of the events that a
 * process handles at once may wait, so that they never delay the other events.
 */
const UNWANTED_WAIT_MS = 250;
const UNWANTED_WAITING_MAX = 50;
/**
 * Maximum number of pairs of organization and event type that a process caches because no webhook subscribes to them.
 */
const UNWANTED_MAX = 10_000;
/** Maximum number of webhooks that one run of a sweep handles. */
const SWEEP_MAX = 256;
/** Fields that exist only for a webhook with failures. */
const NO_FAILURES = { failingSince: '', goneAt: '', noticedAt: '' } as const;
const EXISTING: EndpointStatus[] = ['ACTIVE', 'DISABLED'];

export async function createEndpointIndexes(collection: Collection<EndpointDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, ...NEWEST_FIRST }, name: 'newest' },
    { key: { organizationId: 1, status: 1 }, name: 'status' },
    { key: { failingSince: 1 }, sparse: true, name: 'failing' },
    { key: { deletionPending: 1 }, sparse: true, name: 'deletion_pending' },
    { key: { deletedAt: 1 }, sparse: true, name: 'deleted' },
    { key: { 'secrets.keyId': 1 }, name: 'sealing_key' },
  ]);
}

export function endpointStore(
  collection: Collection<EndpointDocument>,
  outbox: Outbox,
  clock: Clock,
): Endpoints & CurrentEndpoints {
  const aggregates = aggregateStore(collection, outbox, clock);
  const readCurrent = batched(String, async (ids: readonly string[]) => {
    const found = await collection.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(found.map((document) => [document._id, toEndpoint(document)]));
  });
  const readSubscribed = batched(
    subscriptionKey,
    async (asked: readonly Subscribed[]) => {
      const organizationIds = [...new Set(asked.map(({ organizationId }) => organizationId))];
      const types = [...new Set(asked.map(({ type }) => type))];
      const found = await collection
        .find({ organizationId: { $in: organizationIds }, status: 'ACTIVE', 'events.type': { $in: types } })
        .limit(ENDPOINTS_MAX * organizationIds.length)
        .toArray();
      const byKey = new Map(asked.map((one): [string, Endpoint[]] => [subscriptionKey(one), []]));
      for (const endpoint of found.map(toEndpoint)) {
        for (const { type } of endpoint.events) {
          byKey.get(subscriptionKey({ organizationId: endpoint.organizationId, type }))?.push(endpoint);
        }
      }
      return byKey;
    },
    { keysMax: LISTS_MAX },
  );
  // The cache only decides whether the database read for an event may be delayed. It never replaces the read, so that
  // no event is lost when another replica stores the first webhook of an organization (ADR 0129).
  const unwanted = new Set<string>();
  const waitForOthers = gathering(UNWANTED_WAIT_MS, UNWANTED_WAITING_MAX);
  return {
    read: readCurrent,
    insert: ({ id, version: _, failingSince: _failing, goneAt: _gone, noticedAt: _noticed, ...endpoint }, events) =>
      aggregates.insert({ _id: id, ...endpoint }, { events }),
    async find(organizationId, endpointId) {
      const document = await collection.findOne({ _id: endpointId, organizationId, status: { $in: EXISTING } });
      return document === null ? undefined : toEndpoint(document);
    },
    async existing(organizationId, endpointIds) {
      const filter = { _id: { $in: [...endpointIds] }, organizationId, status: { $in: EXISTING } };
      return new Set(await findIds(collection, filter, endpointIds.length));
    },
    async list(organizationId, page) {
      const { items, nextPageToken } = await findPage(collection, { organizationId, status: { $in: EXISTING } }, page);
      return { items: items.map(toEndpoint), nextPageToken };
    },
    count: (organizationId) => collection.countDocuments({ organizationId, status: { $in: EXISTING } }),
    async subscribed(organizationId, type) {
      const asked = { organizationId, type };
      const key = subscriptionKey(asked);
      if (unwanted.has(key)) await waitForOthers();
      const found = (await readSubscribed(asked)) ?? [];
      if (found.length > 0) unwanted.delete(key);
      else if (unwanted.size < UNWANTED_MAX) unwanted.add(key);
      else unwanted.clear();
      return found;
    },
    async save(endpoint, change, events) {
      return toEndpoint(await aggregates.save(endpoint, updateOf(change), { events }));
    },
    async markDeleted(endpoint, events) {
      const now = clock.now();
      const change = { status: 'DELETED', secrets: [], deletedAt: now, deletionPending: now } as const;
      await aggregates.save(endpoint, { $set: change, $unset: { failingSince: '' } }, { events });
    },
    async finishDeletion(endpointId) {
      await collection.updateOne({ _id: endpointId }, { $unset: { deletionPending: '' } });
    },
    async unfinishedDeletions(before) {
      const found = await collection
        .find(
          { deletionPending: { $lte: before } },
          { projection: { organizationId: 1 }, sort: { deletionPending: 1 }, limit: SWEEP_MAX },
        )
        .toArray();
      return found.map(({ _id: id, organizationId }) => ({ id, organizationId }));
    },
    async deleteDeletedBefore(before, limit) {
      // Filter for webhooks whose deletion is finished and whose events were published.
      const isDone = { deletionPending: { $exists: false }, outboxPending: { $exists: false } };
      const ids = await findIds(collection, { deletedAt: { $lte: before }, ...isDone }, limit);
      await collection.deleteMany({ _id: { $in: ids }, status: 'DELETED' });
      return ids.length;
    },
    async lastReplay(organizationId, endpointId) {
      const document = await collection.findOne({ _id: endpointId, organizationId }, { projection: { replay: 1 } });
      return document?.replay;
    },
    async replayMarked(endpointId, replayId) {
      await collection.updateOne({ _id: endpointId, 'replay.id': replayId }, { $set: { 'replay.isMarked': true } });
    },
    async countResults(results) {
      const active = { status: 'ACTIVE' } as const;
      const operations = [...new Set(results.map(({ endpointId }) => endpointId))].map((endpointId) => {
        const own = results.filter((result) => result.endpointId === endpointId);
        const lastSuccess = own.findLastIndex(({ isSuccess }) => isSuccess);
        const failures = own.slice(lastSuccess + 1);
        const [first] = failures;
        const gone = failures.findLast(({ isGone }) => isGone);
        const update: UpdateFilter<EndpointDocument> =
          first === undefined
            ? { $set: { failuresInRow: 0 }, $unset: NO_FAILURES }
            : lastSuccess < 0
              ? {
                  $min: { failingSince: first.at },
                  $inc: { failuresInRow: failures.length },
                  $set: stored<Partial<EndpointDocument>>({ goneAt: gone?.at }),
                }
              : {
                  ...setOrUnset<EndpointDocument>({
                    failingSince: first.at,
                    failuresInRow: failures.length,
                    goneAt: gone?.at,
                    noticedAt: undefined,
                  }),
                };
        // Most webhooks have no failures to reset, so most successes need no write to the webhook.
        const cleared = first === undefined ? { failuresInRow: { $gt: 0 } } : {};
        return { updateOne: { filter: { _id: endpointId, ...active, ...cleared }, update } };
      });
      if (operations.length > 0) await collection.bulkWrite(operations, { ordered: false });
    },
    async failing({ noticeAfterMs, disableAfterMs }, now) {
      const ago = (ms: number): Date => new Date(now.getTime() - ms);
      // The search finds only failing webhooks that need an action. Otherwise webhooks whose owners were already
      // notified would fill every search.
      const found = await Promise.all([
        collection
          .find({ failingSince: { $lte: ago(noticeAfterMs) }, status: 'ACTIVE', noticedAt: { $exists: false } })
          .sort({ failingSince: 1 })
          .limit(SWEEP_MAX)
          .toArray(),
        collection
          .find({
            failingSince: { $lte: ago(disableAfterMs) },
            status: 'ACTIVE',
            failuresInRow: { $gte: FAILURES_TO_DISABLE_MIN },
          })
          .sort({ failingSince: 1 })
          .limit(SWEEP_MAX)
          .toArray(),
      ]);
      const unique = new Map(found.flat().map((document) => [document._id, document]));
      return [...unique.values()].map(toEndpoint);
    },
    async saveFailing(endpoint, change, events) {
      const { failingSince } = endpoint;
      const onlyIf = failingSince === undefined ? {} : { failingSince };
      return toEndpoint(await aggregates.save(endpoint, updateOf(change), { events, onlyIf }));
    },
  };
}

/** The organization whose webhooks are searched for, and the event type. */
interface Subscribed {
  readonly organizationId: string;
  readonly type: PublicEventType;
}

function subscriptionKey({ organizationId, type }: Subscribed): string {
  return `${organizationId} ${type}`;
}

function updateOf({ isCountReset, ...fields }: EndpointChange): UpdateFilter<EndpointDocument> {
  if (isCountReset !== true) return { $set: fields };
  return { $set: { ...fields, failuresInRow: 0 }, $unset: NO_FAILURES };
}

function toEndpoint(document: EndpointDocument): Endpoint {
  const { _id: id, organizationId, version, url, events, status, activeSince, createdAt, secrets } = document;
  const { failingSince, failuresInRow, goneAt, noticedAt } = document;
  return {
    id,
    organizationId,
    version,
    url,
    events,
    status,
    activeSince,
    createdAt,
    secrets,
    failingSince,
    failuresInRow,
    goneAt,
    noticedAt,
  };
}
