import { randomUUID } from 'node:crypto';
import { batched } from '@invoicecontrol/runtime/batched';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Claimable } from '@invoicecontrol/runtime/mongo/claims';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { NEWEST_FIRST } from '@invoicecontrol/runtime/mongo/page';
import { setOrUnset } from '@invoicecontrol/runtime/mongo/stored';
import type { AnyBulkWriteOperation, Collection, UpdateFilter } from 'mongodb';
import type {
  ClaimedDelivery,
  Completion,
  Deliveries,
  DeliveryQueue,
  PreparedDelivery,
  SendableDelivery,
} from '../application/stores.js';
import { deliveryStates } from '../domain/delivery.js';
import { batchedInsert } from './batched-insert.js';
import { findIds } from './find-ids.js';
import type { Attempt, Delivery, DeliveryState, OpenDelivery } from '../domain/delivery.js';

/**
 * The webhook delivery of one event to one webhook. The fields `nextAttemptAt` and `leaseUntil` exist only while the
 * delivery is PENDING, and `closedAt` only afterwards. The field `version` is the number of the series of attempts,
 * which only a replay changes.
 */
export interface DeliveryDocument extends Aggregate, Claimable {
  readonly _id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly state: DeliveryState;
  readonly isTest?: true;
  /**
   * Id of the invoice that the event is about. Absent for an event about something else, and on deliveries of an
   * earlier release.
   */
  readonly invoiceId?: string;
  readonly failures: number;
  readonly tries: number;
  readonly nextAttemptAt?: Date;
  readonly attempts: readonly Attempt[];
  readonly attemptCount: number;
  readonly lastStatusCode?: number;
  readonly lastDurationMs?: number;
  readonly lastExcerpt?: string;
  /** Time when the excerpt of a webhook response was stored, with a sparse index. */
  readonly excerptAt?: Date;
  readonly closedAt?: Date;
  /** Id of the last bulk replay that included the webhook delivery. */
  readonly replayId?: string;
}

/**
 * Lease of a claimed webhook delivery in milliseconds, twice as long as the longest attempt (15 s to the status line
 * and 2 s for the body). The lease is not renewed.
 */
const LEASE_MS = 35_000;
const ATTEMPTS_KEPT = 20;
const SENDABLE = {
  organizationId: 1,
  endpointId: 1,
  eventId: 1,
  isTest: 1,
  version: 1,
  failures: 1,
  tries: 1,
  nextAttemptAt: 1,
} as const;
/** Maximum number of webhook deliveries for which the response times of a webhook are computed. */
const DURATIONS_MAX = 10_000;

export async function createDeliveryIndexes(collection: Collection<DeliveryDocument>): Promise<void> {
  await ensureIndexes(collection, [
    // The index contains the webhook id (`endpointId`), because one search leaves out webhooks with full queues.
    { key: { state: 1, nextAttemptAt: 1, endpointId: 1 }, name: 'due' },
    { key: { endpointId: 1, state: 1, ...NEWEST_FIRST }, name: 'of_endpoint' },
    { key: { organizationId: 1, state: 1, ...NEWEST_FIRST }, name: 'of_organization' },
    { key: { organizationId: 1, type: 1, state: 1, ...NEWEST_FIRST }, name: 'of_type' },
    {
      key: { organizationId: 1, invoiceId: 1, state: 1, ...NEWEST_FIRST },
      partialFilterExpression: { invoiceId: { $exists: true } },
      name: 'of_invoice',
    },
    { key: { closedAt: 1 }, sparse: true, name: 'closed' },
    { key: { excerptAt: 1 }, sparse: true, name: 'excerpt' },
  ]);
}

export function deliveryStore(
  collection: Collection<DeliveryDocument>,
  outbox: Outbox,
  clock: Clock,
): Deliveries & DeliveryQueue {
  const aggregates = aggregateStore(collection, outbox, clock);
  const latestOf = (filter: object, state: DeliveryState, limit: number) =>
    collection
      .find({ ...filter, state }, { projection: { attempts: 0, lastExcerpt: 0 }, sort: NEWEST_FIRST, limit })
      .toArray();
  const updateClaimed = async (
    { delivery, claimId }: ClaimedDelivery,
    update: UpdateFilter<DeliveryDocument>,
  ): Promise<void> => {
    await collection.updateOne({ _id: delivery.id, claim: claimId, state: 'PENDING' }, update);
  };
  /**
   * Concurrent claims on webhook deliveries share a database command. Each delivery is claimed by its own conditional
   * write, so nothing must be read afterwards.
   */
  const claim = batched(idOf, async (deliveries: readonly SendableDelivery[]) => {
    const now = clock.now();
    const claims = new Map(
      deliveries.map((delivery) => [
        delivery.id,
        { claimId: randomUUID(), delivery: { ...delivery, tries: delivery.tries + 1 } },
      ]),
    );
    const lease = { leaseUntil: new Date(now.getTime() + LEASE_MS) };
    const { modifiedCount } = await collection.bulkWrite(
      deliveries.map(({ id, series, failures, tries }) => ({
        updateOne: {
          filter: {
            _id: id,
            state: 'PENDING',
            version: series,
            failures,
            tries,
            nextAttemptAt: { $lte: now },
            leaseUntil: { $lte: now },
          },
          update: { $set: { claim: claims.get(id)?.claimId ?? '', ...lease }, $inc: { tries: 1 } },
        },
      })),
      { ordered: false },
    );
    if (modifiedCount === claims.size || modifiedCount === 0) return modifiedCount === 0 ? new Map() : claims;
    const ours = [...claims.values()].map(({ claimId }) => claimId);
    const found = await collection
      .find({ _id: { $in: [...claims.keys()] }, claim: { $in: ours } }, { projection: { _id: 1 } })
      .toArray();
    // Only the webhook deliveries that this worker has claimed are returned. The other deliveries were claimed by
    // another worker, or are closed.
    return new Map(
      found.flatMap(({ _id }) => {
        const claimed = claims.get(_id);
        return claimed === undefined ? [] : [[_id, claimed] as const];
      }),
    );
  });
  const insert = batchedInsert(collection);
  return {
    insert: (deliveries) => insert(deliveries.map((one) => toDocument(one, clock.now()))),
    async listDue({ from, before, limit, exceptEndpointIds }) {
      const found = await collection
        .find(
          {
            state: 'PENDING',
            nextAttemptAt: { $gte: from, $lte: before },
            leaseUntil: { $lte: clock.now() },
            ...(exceptEndpointIds.length === 0 ? {} : { endpointId: { $nin: [...exceptEndpointIds] } }),
          },
          { projection: SENDABLE, sort: { nextAttemptAt: 1 }, limit },
        )
        .toArray();
      return found.map(({ _id: id, version: series, nextAttemptAt = FREE, isTest = false, ...rest }) => ({
        id,
        series,
        nextAttemptAt,
        isTest,
        ...rest,
      }));
    },
    claim,
    async complete(completions) {
      const now = clock.now();
      const operations = completions.map((completion) => completeOperation(completion, now));
      const { matchedCount } = await collection.bulkWrite(operations, { ordered: false });
      return operations.length - matchedCount;
    },
    release: (claimed, nextAttemptAt) =>
      updateClaimed(claimed, {
        $set: { nextAttemptAt, leaseUntil: FREE },
        $unset: { claim: '' },
        $inc: { tries: -1 },
      }),
    close: (claimed, state) => updateClaimed(claimed, closing(state, clock.now())),
    async find(organizationId, deliveryId) {
      const document = await collection.findOne({ _id: deliveryId, organizationId });
      if (document === null) return undefined;
      return { ...toDelivery(document), attempts: document.attempts, lastExcerpt: document.lastExcerpt };
    },
    async dueSince(before, limit) {
      const found = await collection
        .find(
          { state: 'PENDING', nextAttemptAt: { $lte: before } },
          {
            projection: { organizationId: 1, endpointId: 1, nextAttemptAt: 1, tries: 1, leaseUntil: 1 },
            sort: { nextAttemptAt: 1 },
            limit,
          },
        )
        .toArray();
      return found.map(({ _id: id, nextAttemptAt = FREE, leaseUntil = FREE, ...rest }) => ({
        id,
        nextAttemptAt,
        leaseUntil,
        ...rest,
      }));
    },
    async latest(organizationId, { endpointId, state, type, invoiceId, createdFrom, createdTo }, limit) {
      const createdAt = { ...(createdFrom && { $gte: createdFrom }), ...(createdTo && { $lt: createdTo }) };
      const filter = {
        organizationId,
        ...(endpointId !== undefined && { endpointId }),
        ...(type !== undefined && { type }),
        ...(invoiceId !== undefined && { invoiceId }),
        ...(Object.keys(createdAt).length > 0 && { createdAt }),
      };
      const states = state === undefined ? deliveryStates : [state];
      const found = await Promise.all(states.map((one) => latestOf(filter, one, limit)));
      return found.flat().map(toDelivery).toSorted(newestFirst).slice(0, limit);
    },
    async replay({ id, organizationId, series }, events) {
      const guard = { id, organizationId, version: series };
      return toOpen(await aggregates.save(guard, reopening(clock.now()), { events }));
    },
    async failedSince(endpointId, since, closedBefore, limit) {
      const found = await collection
        .find(
          { endpointId, state: 'FAILED', createdAt: { $gte: since }, closedAt: { $lte: closedBefore } },
          { projection: { _id: 1 }, sort: { createdAt: 1, _id: 1 }, limit },
        )
        .toArray();
      return found.map(({ _id }) => _id);
    },
    async replayAll(ids, replayId) {
      const { $set, ...change } = reopening(clock.now());
      const { modifiedCount } = await collection.updateMany(
        { _id: { $in: [...ids] }, state: 'FAILED' },
        { ...change, $set: { ...$set, replayId }, $inc: { version: 1 } },
      );
      return modifiedCount;
    },
    async isReplaying(endpointId, replayId) {
      return (
        (await collection.findOne({ endpointId, state: 'PENDING', replayId }, { projection: { _id: 1 } })) !== null
      );
    },
    async cancelPending(endpointId) {
      await collection.updateMany({ endpointId, state: 'PENDING' }, closing('CANCELED', clock.now()));
    },
    async skipPendingOf(organizationId, at) {
      const waiting = { organizationId, state: 'PENDING', createdAt: { $lte: at } } as const;
      await collection.updateMany(waiting, closing('SKIPPED', clock.now()));
    },
    async use(endpointId, since) {
      const ofState = (state: DeliveryState) => ({ endpointId, state, createdAt: { $gte: since } });
      const [delivered, failed, latest] = await Promise.all([
        collection.countDocuments(ofState('DELIVERED')),
        collection.countDocuments(ofState('FAILED')),
        collection
          .find(ofState('DELIVERED'), { projection: { lastDurationMs: 1 }, sort: NEWEST_FIRST, limit: DURATIONS_MAX })
          .toArray(),
      ]);
      return { delivered, failed, durationsMs: latest.flatMap(({ lastDurationMs }) => lastDurationMs ?? []) };
    },
    async deleteClosedBefore(before, limit) {
      const old = { closedAt: { $lte: before } };
      const ids = await findIds(collection, old, limit);
      await collection.deleteMany({ _id: { $in: ids }, ...old });
      return ids.length;
    },
    async deleteExcerptsBefore(before, limit) {
      const old = { excerptAt: { $lte: before } };
      const ids = await findIds(collection, old, limit);
      await collection.updateMany({ _id: { $in: ids }, ...old }, { $unset: { lastExcerpt: '', excerptAt: '' } });
      return ids.length;
    },
  };
}

function idOf({ id }: SendableDelivery): string {
  return id;
}

function toDocument({ id, isTest, claimId, state, ...own }: PreparedDelivery, now: Date): DeliveryDocument {
  const common = { _id: id, ...own, version: 1, state, failures: 0, attempts: [], attemptCount: 0 };
  const test = isTest ? { isTest } : {};
  if (state !== 'PENDING') return { ...common, ...test, tries: 0, closedAt: now };
  const lease =
    claimId === undefined
      ? { tries: 0, leaseUntil: FREE }
      : { tries: 1, claim: claimId, leaseUntil: new Date(now.getTime() + LEASE_MS) };
  return { ...common, ...test, ...lease, nextAttemptAt: now };
}

function completeOperation({ claimed, settlement }: Completion, now: Date): AnyBulkWriteOperation<DeliveryDocument> {
  const { attempt, state, failures, nextAttemptAt, excerpt } = settlement;
  const isOpen = nextAttemptAt !== undefined;
  return {
    updateOne: {
      filter: { _id: claimed.delivery.id, claim: claimed.claimId, state: 'PENDING' },
      update: {
        ...setOrUnset<DeliveryDocument>({
          state,
          failures,
          lastDurationMs: attempt.durationMs,
          tries: 0,
          claim: undefined,
          nextAttemptAt,
          leaseUntil: isOpen ? FREE : undefined,
          closedAt: isOpen ? undefined : now,
          lastStatusCode: attempt.statusCode,
          lastExcerpt: excerpt,
          excerptAt: excerpt === undefined ? undefined : now,
        }),
        $push: { attempts: { $each: [attempt], $slice: -ATTEMPTS_KEPT } },
        $inc: { attemptCount: 1 },
      },
    },
  };
}

function closing(state: 'CANCELED' | 'SKIPPED', now: Date): UpdateFilter<DeliveryDocument> {
  return {
    $set: { state, closedAt: now, tries: 0 },
    $unset: { claim: '', leaseUntil: '', nextAttemptAt: '' },
  };
}

/** Returns the fields of a webhook delivery that starts a new series of five attempts. */
function reopening(now: Date) {
  return {
    $set: { state: 'PENDING' as const, failures: 0, tries: 0, nextAttemptAt: now, leaseUntil: FREE },
    $unset: { closedAt: '', claim: '' } as const,
  };
}

function newestFirst(left: Delivery, right: Delivery): number {
  const ms = right.createdAt.getTime() - left.createdAt.getTime();
  return ms === 0 ? (left.id < right.id ? 1 : -1) : ms;
}

/**
 * Converts a stored document to a webhook delivery.
 * @throws Error for a PENDING delivery without a time for its next attempt
 */
export function toDelivery(document: DeliveryDocument): Delivery {
  const { state } = document;
  return state === 'PENDING' ? toOpen(document) : { ...factsOf(document), state, nextAttemptAt: undefined };
}

function toOpen(document: DeliveryDocument): OpenDelivery {
  const { _id, nextAttemptAt } = document;
  if (nextAttemptAt === undefined) throw new Error(`delivery ${_id} has no next attempt`);
  return { ...factsOf(document), state: 'PENDING', nextAttemptAt };
}

function factsOf(document: DeliveryDocument) {
  const { _id: id, organizationId, endpointId, eventId, type, createdAt, version: series } = document;
  const { failures, tries, attemptCount, lastStatusCode, isTest = false } = document;
  return {
    id,
    organizationId,
    endpointId,
    eventId,
    type,
    createdAt,
    isTest,
    series,
    failures,
    tries,
    attemptCount,
    lastStatusCode,
  };
}
