import type { Clock } from '@invoicecontrol/runtime/clock';
import { aggregateStore } from '@invoicecontrol/runtime/mongo/aggregate';
import type { Aggregate } from '@invoicecontrol/runtime/mongo/aggregate';
import { claim as claimOne, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Lease } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { setOrUnset } from '@invoicecontrol/runtime/mongo/stored';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import type { InboxClaim, InboxEnvironments, InboxQueue, InboxStore } from '../application/inbox/stores.js';
import type { Environment } from '../domain/connection.js';
import { dueAtOf, INBOX_RUNS_MAX } from '../domain/inbox.js';
import type { Inbox, InboxRun, KeptRefusal, RoleInbox } from '../domain/inbox.js';

/** The inbox of a KSeF connection, stored under the connection id (ADR 0120). */
export interface InboxDocument extends Aggregate {
  readonly companyId: string;
  readonly environment: Environment;
  readonly contextNip: string;
  readonly isEnabled: boolean;
  readonly from: string;
  readonly roles: readonly RoleInbox[];
  /** Newest completed runs of the KSeF inbox, oldest first. */
  readonly runs: readonly InboxRun[];
  readonly invoicesReceived: number;
  /** Refused invoices of a KSeF inbox. Absent in inboxes that an earlier version stored. */
  readonly refused?: readonly KeptRefusal[];
  readonly lastRunAt?: Date;
  /** Time at which a person requested runs of the KSeF inbox. The index of the field is sparse. */
  readonly requestedAt?: Date;
  /** Time of the next KSeF inbox step, with a sparse index. Absent while the inbox is disabled. */
  readonly dueAt?: Date;
  readonly leaseUntil?: Date;
  readonly claim?: string;
}

/** The KSeF environment from which an organization receives invoices, stored under the organization id. */
export interface InboxEnvironmentDocument {
  readonly _id: string;
  readonly environment: Environment;
  /** Ids of the KSeF connections whose inbox is enabled or being enabled. */
  readonly connectionIds: readonly string[];
  /**
   * Version of the inbox for which each KSeF connection in `connectionIds` has reserved the environment. Absent for
   * reservations of earlier releases, which stored no versions.
   */
  readonly versions?: Readonly<Record<string, number>>;
}

export async function createInboxIndexes(collection: Collection<InboxDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1 }, name: 'organization' },
    { key: { dueAt: 1 }, sparse: true, name: 'due' },
    { key: { requestedAt: 1 }, sparse: true, name: 'requested' },
    { key: { 'roles.run.export.key.keyId': 1 }, sparse: true, name: 'export_key' },
  ]);
}

interface Deps {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Called with the time at which a KSeF inbox that this process has stored becomes due. */
  readonly onDue: (dueAt: Date) => void;
}

const WITHOUT_RUNS = { runs: 0 } as const;

export function inboxStore(
  collection: Collection<InboxDocument>,
  { outbox, clock, leaseMs, onDue }: Deps,
): InboxStore & InboxQueue {
  const aggregates = aggregateStore(collection, outbox, clock);

  const claimOf = (document: WithId<InboxDocument>, lease: Lease): InboxClaim => ({
    inbox: toInbox(document),
    keepAlive: (onLost) => lease.keepAlive(onLost),
    async save({ inbox, ended = [] }, events) {
      const ours: Filter<InboxDocument> = { claim: lease.claimId };
      const { _id: id, organizationId, version } = document;
      const change = toUpdate(document, inbox, ended);
      return claimOf(await aggregates.save({ id, organizationId, version }, change, { events, onlyIf: ours }), lease);
    },
    async release() {
      await collection.updateOne({ _id: document._id, claim: lease.claimId }, {
        $set: { leaseUntil: FREE },
        $unset: { claim: '' },
      } as UpdateFilter<InboxDocument>);
      if (document.dueAt !== undefined) onDue(document.dueAt);
    },
    async wait(dueAt) {
      await collection.updateOne({ _id: document._id, claim: lease.claimId }, {
        $set: { dueAt, leaseUntil: FREE },
        $unset: { claim: '' },
      } as UpdateFilter<InboxDocument>);
      onDue(dueAt);
    },
  });

  const isDue = (now: Date): Filter<InboxDocument> => ({
    $or: [{ dueAt: { $lte: now } }, { requestedAt: { $exists: true } }],
  });

  return {
    async insert({ id, organizationId, version: _, ...inbox }, events) {
      const dueAt = dueAtOf(inbox);
      try {
        await aggregates.insert({ _id: id, organizationId, ...inbox, runs: [], dueAt, leaseUntil: FREE }, { events });
        if (dueAt !== undefined) onDue(dueAt);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(organizationId, connectionId) {
      const found = await collection.findOne({ _id: connectionId, organizationId }, { projection: WITHOUT_RUNS });
      return found === null ? undefined : toInbox(found);
    },
    async findMany(organizationId, connectionIds) {
      const filter = { _id: { $in: [...connectionIds] }, organizationId };
      return (await collection.find(filter, { projection: WITHOUT_RUNS }).toArray()).map(toInbox);
    },
    async save(before, next, ended, events) {
      // The change ends the claim of a worker on the KSeF inbox: the version has changed, so the worker can store
      // nothing more.
      const { $set, $unset, $push } = toUpdate(before, next, ended);
      const change = {
        $set: { ...$set, leaseUntil: FREE },
        $unset: { ...$unset, claim: '' },
        ...($push === undefined ? {} : { $push }),
      } as UpdateFilter<InboxDocument>;
      const saved = await aggregates.save(before, change, { events });
      if (saved.dueAt !== undefined) onDue(saved.dueAt);
      return toInbox(saved);
    },
    async request(organizationId, connectionId) {
      const enabled = { _id: connectionId, organizationId, isEnabled: true };
      const now = clock.now();
      await collection.updateOne(enabled, { $set: { requestedAt: now } });
      onDue(now);
    },
    async endedRuns(organizationId, connectionId) {
      const filter = { _id: connectionId, organizationId };
      const found = await collection.findOne(filter, { projection: { runs: 1 } });
      return (found?.runs ?? []).toReversed();
    },
    async due(limit, busyIds) {
      const now = clock.now();
      const filter = { ...isDue(now), leaseUntil: { $lte: now }, _id: { $nin: [...busyIds] } };
      const projection = { organizationId: 1 };
      const found = await collection.find(filter, { projection, sort: { dueAt: 1 }, limit }).toArray();
      return found.map(({ _id: id, organizationId }) => ({ id, organizationId }));
    },
    async claim({ id, organizationId }) {
      const wanted = { ...isDue(clock.now()), _id: id, organizationId };
      const claimed = await claimOne(collection, wanted, { clock, leaseMs });
      return claimed === undefined ? undefined : claimOf(claimed.document, claimed);
    },
    async lagSeconds() {
      const now = clock.now();
      const filter = { dueAt: { $lte: now }, leaseUntil: { $lte: now } };
      const oldest = await collection.findOne(filter, { projection: { dueAt: 1 }, sort: { dueAt: 1 } });
      return (now.getTime() - (oldest?.dueAt ?? now).getTime()) / 1_000;
    },
    async dueBefore(before, limit) {
      const filter = { dueAt: { $lt: before }, leaseUntil: { $lte: clock.now() } };
      const projection = { organizationId: 1, dueAt: 1 };
      const found = await collection.find(filter, { projection, sort: { dueAt: 1 }, limit }).toArray();
      return found.map(({ _id: id, organizationId, dueAt: dueSince = before }) => ({ id, organizationId, dueSince }));
    },
  };
}

export function inboxEnvironmentStore(collection: Collection<InboxEnvironmentDocument>): InboxEnvironments {
  const take: InboxEnvironments['take'] = async (organizationId, environment, connectionId, version) => {
    const free = { _id: organizationId, $or: [{ environment }, { connectionIds: { $size: 0 } }] };
    const taken = {
      $set: { environment },
      $addToSet: { connectionIds: connectionId },
      $max: { [`versions.${connectionId}`]: version },
    };
    try {
      await collection.updateOne(free, taken as UpdateFilter<InboxEnvironmentDocument>, { upsert: true });
      return undefined;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const found = await collection.findOne({ _id: organizationId });
    // The organization has a document that the filter did not match, or a concurrent request has just inserted one. If
    // the document does not reserve another environment now, the update is repeated.
    const isOther = found !== null && found.environment !== environment && found.connectionIds.length > 0;
    return isOther ? found.environment : take(organizationId, environment, connectionId, version);
  };
  return {
    take,
    async hasTaken(organizationId, connectionId) {
      const filter = { _id: organizationId, connectionIds: connectionId };
      return (await collection.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    async release(organizationId, connectionId, version) {
      const reserved = `versions.${connectionId}`;
      const notLater = { _id: organizationId, [reserved]: { $not: { $gt: version } } };
      const update = { $pull: { connectionIds: connectionId }, $unset: { [reserved]: '' } };
      await collection.updateOne(notLater, update as UpdateFilter<InboxEnvironmentDocument>);
    },
  };
}

function toUpdate(
  before: Pick<Inbox, 'requestedAt'>,
  inbox: Inbox,
  ended: readonly InboxRun[],
): UpdateFilter<InboxDocument> {
  const { contextNip, isEnabled, from, roles, invoicesReceived, refused, lastRunAt, requestedAt } = inbox;
  return {
    ...setOrUnset<InboxDocument>({
      // A person may have requested runs since the KSeF inbox was read. Such a request does not change the version.
      ...(before.requestedAt === requestedAt ? {} : { requestedAt }),
      contextNip,
      isEnabled,
      from,
      roles,
      invoicesReceived,
      refused,
      lastRunAt,
      dueAt: dueAtOf(inbox),
    }),
    ...(ended.length === 0 ? {} : { $push: { runs: { $each: [...ended], $slice: -INBOX_RUNS_MAX } } }),
  } as UpdateFilter<InboxDocument>;
}

function toInbox(found: WithId<InboxDocument>): Inbox {
  const { _id: id, organizationId, version, companyId, environment, contextNip, isEnabled, from, roles } = found;
  const { invoicesReceived, refused = [], lastRunAt, requestedAt } = found;
  return {
    id,
    organizationId,
    version,
    companyId,
    environment,
    contextNip,
    isEnabled,
    from,
    roles,
    invoicesReceived,
    refused,
    lastRunAt,
    requestedAt,
  };
}
