import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection, Db, Filter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Job } from '@invoicecontrol/runtime/job';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { createAlarm } from '@invoicecontrol/runtime/repeat';
import type { FindStuckWork } from '@invoicecontrol/runtime/stuck-work';
import { count } from '@invoicecontrol/runtime/telemetry';
import { claim, countLostLease, FREE } from '@invoicecontrol/runtime/mongo/claims';
import type { Claim, Claimable } from '@invoicecontrol/runtime/mongo/claims';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { PurgedOrganizations } from './purged-organizations.js';
import { documentOfOrganization } from './tenant-data.js';
import type { TenantData } from './tenant-data.js';

/**
 * Maximum number of documents that one command removes, so that it delays other commands no longer than a large request
 * does.
 */
const BATCH_DOCUMENTS = 500;
/** Maximum number of organizations that one run of the purge job handles. */
const PURGES_MAX = 20;
/** Lease of a purge, much longer than one batch takes. */
const LEASE_MS = 60_000;
/** Interval at which each replica searches for purges that another replica left unfinished. */
const RUN_EACH_MS = 30_000;
/** Delay before another attempt to remove data of a purged organization that could not be removed yet. */
const RETRY_MS = 2_000;
/** Maximum number of purges in the list of stuck work. */
const STUCK_MAX = 100;

/** A request to remove the data of an organization. The request is deleted when the data is removed. */
interface PurgeDocument extends Claimable {
  /** Id of the organization that is purged. */
  readonly _id: string;
  /**
   * Number that increases with each request to purge the organization, so that a request that arrives while the work
   * ends is not lost.
   */
  readonly requests: number;
  readonly requestedAt: Date;
  readonly dueAt: Date;
}

export interface Purges {
  /**
   * Records that an organization must be purged, so that the job removes its data. Repeated calls have no further
   * effect.
   */
  request(organizationId: string): Promise<void>;
  readonly job: Job;
  /** Declares which data of an organization a purge deletes, including the purge requests themselves. */
  readonly data: readonly TenantData[];
  readonly findStuck: FindStuckWork;
}

/**
 * Opens the purges of a service. A purge removes the data of an organization in batches of limited size. A purge
 * request is stored before the work begins, so that a crash loses no request. Every step can be repeated, and the next
 * worker continues with the remaining data.
 */
export async function openPurges(
  {
    db,
    service,
    purged,
    clock,
    logger,
  }: { db: Db; service: string; purged: Pick<PurgedOrganizations, 'add'>; clock: Clock; logger: Logger },
  kinds: readonly TenantData[],
): Promise<Purges> {
  const purges: Collection<PurgeDocument> = db.collection<PurgeDocument>('purges');
  await ensureIndexes(purges, [{ key: { leaseUntil: 1, dueAt: 1 }, name: 'due' }]);
  const alarm = createAlarm();
  // The job also searches for purges soon after the start, because an earlier process may have left unfinished purges.
  alarm.ring(RETRY_MS);

  /**
   * Removes data of a purged organization until a complete pass over all its data finds nothing.
   * @returns true if no data of the organization is left
   */
  const removeAll = async (organizationId: string, isLost: () => boolean): Promise<boolean> => {
    for (let removedInPass = Infinity; removedInPass > 0;) {
      removedInPass = 0;
      for (const kind of kinds) {
        for (let removed = BATCH_DOCUMENTS; removed > 0;) {
          if (isLost()) return false;
          removed = await kind.remove(organizationId, BATCH_DOCUMENTS);
          removedInPass += removed;
          if (removed > 0) count('invoicecontrol.purge.steps', { step: kind.name }, removed, service);
        }
      }
    }
    const left = await Promise.all(kinds.map((kind) => kind.count(organizationId)));
    return left.every((documents) => documents === 0);
  };
  const work = async ({ document, claimId, keepAlive }: Claim<PurgeDocument>, signal: AbortSignal): Promise<void> => {
    const { _id: organizationId, requests } = document;
    let hasLease = true;
    const keeping = keepAlive(() => {
      hasLease = false;
    });
    const isOurs: Filter<PurgeDocument> = { _id: organizationId, claim: claimId };
    const release = async (): Promise<void> => {
      const dueAt = new Date(clock.now().getTime() + RETRY_MS);
      await purges.updateOne(isOurs, { $set: { leaseUntil: FREE, dueAt }, $unset: { claim: '' } });
      alarm.ring(RETRY_MS);
    };
    try {
      const isEmpty = await removeAll(organizationId, () => !hasLease || signal.aborted);
      keeping.stop();
      if (!isEmpty) return await release();
      const { deletedCount } = await purges.deleteOne({ ...isOurs, requests });
      // The purge request was changed by another event while this process worked on it, so the claim is released and
      // the work is done again.
      if (deletedCount === 0) await release();
      else logger.info({ organizationId }, 'the data of a purged organization was removed');
    } catch (error) {
      keeping.stop();
      if (!hasLease) countLostLease(purges);
      else await release();
      throw error;
    }
  };

  return {
    async request(organizationId) {
      await purged.add(organizationId);
      const now = clock.now();
      try {
        await purges.updateOne(
          { _id: organizationId },
          { $inc: { requests: 1 }, $set: { dueAt: now }, $setOnInsert: { requestedAt: now, leaseUntil: FREE } },
          { upsert: true },
        );
      } catch (error) {
        // A concurrent call has just stored the purge request of the organization, so nothing is left to store. The job
        // must still run soon.
        if (!isDuplicateKey(error)) throw error;
      }
      alarm.ring();
    },
    job: {
      name: 'purge',
      pauseMs: RUN_EACH_MS,
      alarm,
      async run(signal) {
        const now = clock.now();
        const due = await purges
          .find(
            { leaseUntil: { $lte: now }, dueAt: { $lte: now } },
            { projection: { _id: 1 }, sort: { leaseUntil: 1, dueAt: 1 }, limit: PURGES_MAX },
          )
          .toArray();
        for (const { _id } of due) {
          if (signal.aborted) return;
          const claimed = await claim(purges, { _id, dueAt: { $lte: now } }, { clock, leaseMs: LEASE_MS });
          if (claimed !== undefined) await work(claimed, signal);
        }
      },
    },
    data: [...kinds, documentOfOrganization(purges)],
    async findStuck(before) {
      const late = await purges
        .find(
          { leaseUntil: { $gte: FREE }, requestedAt: { $lte: before } },
          { sort: { requestedAt: 1 }, limit: STUCK_MAX },
        )
        .toArray();
      return late.map(({ _id, requestedAt }) => ({
        kind: 'purge',
        what: `purge of organization ${_id} in ${service}`,
        since: requestedAt,
        why: 'the rest of its data waits for the broker or for running work, or the job fails; verify-purge shows what is left',
        resolution: 'docs/runbooks/purging-organizations.md',
      }));
    },
  };
}
