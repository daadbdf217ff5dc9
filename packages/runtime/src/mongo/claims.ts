import { randomUUID } from 'node:crypto';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import type { Clock } from '../clock.js';
import { count } from '../telemetry.js';

/** Document with work that only one process at a time may do (architecture section 5, rule 5). */
export interface Claimable {
  readonly _id: string;
  /** Id of the claim under which a worker currently holds the document with work to do. */
  readonly claim?: string;
  /**
   * End of the lease on a document. A document with unclaimed work has the epoch (1970), so that one range filter finds
   * unclaimed and expired work. Absent if there is nothing to do.
   */
  readonly leaseUntil?: Date;
}

/** Expiry time that stands for the lease of a document that no worker has claimed. */
export const FREE = new Date(0);

/** Lease that a worker holds on a document while it works on it. */
export interface Lease {
  readonly claimId: string;
  /**
   * Extends the lease of a worker on a document. Returns false if another worker has taken over; the worker must then
   * write nothing more.
   */
  renew(): Promise<boolean>;
  /**
   * Extends the lease of a worker on a document each time a third of the lease has passed, until the worker calls
   * `stop`.
   * @param onLost called after a takeover, or when the lease has expired and may be taken over
   */
  keepAlive(onLost: () => void): { stop(): void };
}

export interface Claim<D> extends Lease {
  readonly document: WithId<D>;
}

/**
 * Claims a piece of work if it is unclaimed or its lease has expired. Results must be written with `claimId` as a
 * condition, so that a worker that lost its lease changes nothing. A lease is at least twice as long as the longest
 * step.
 * @returns undefined if the work does not exist, is not in the wanted state, or is claimed
 */
export async function claim<D extends Claimable>(
  collection: Collection<D>,
  wanted: Filter<D>,
  { clock, leaseMs, change = {} }: { clock: Clock; leaseMs: number; change?: UpdateFilter<D> },
): Promise<Claim<D> | undefined> {
  const claimId = randomUUID();
  const leaseUntil = new Date(clock.now().getTime() + leaseMs);
  const document = await collection.findOneAndUpdate(
    { ...wanted, leaseUntil: { $lte: clock.now() } } as Filter<D>,
    { ...change, $set: { ...change.$set, claim: claimId, leaseUntil } } as UpdateFilter<D>,
    { returnDocument: 'after' },
  );
  return document === null
    ? undefined
    : { document, ...leaseOf(collection, document._id, { claimId, clock, leaseMs }) };
}

/** Returns the lease on work that was stored together with the claim of its first worker. */
export function leaseOf<D extends Claimable>(
  collection: Collection<D>,
  id: string,
  { claimId, clock, leaseMs }: { claimId: string; clock: Clock; leaseMs: number },
): Lease {
  const prolong = async (): Promise<boolean> => {
    const leaseUntil = new Date(clock.now().getTime() + leaseMs);
    const { matchedCount } = await collection.updateOne(
      { _id: id, claim: claimId } as unknown as Filter<D>,
      { $set: { leaseUntil } } as unknown as UpdateFilter<D>,
    );
    return matchedCount === 1;
  };
  return {
    claimId,
    async renew() {
      const isOurs = await prolong();
      if (!isOurs) countLostLease(collection);
      return isOurs;
    },
    keepAlive(onLost) {
      let lapse: NodeJS.Timeout | undefined;
      let isStopped = false;
      const stop = (): void => {
        isStopped = true;
        clearInterval(timer);
        clearTimeout(lapse);
      };
      const lose = (): void => {
        stop();
        countLostLease(collection);
        onLost();
      };
      const holdFrom = (renewedAt: number): void => {
        clearTimeout(lapse);
        lapse = setTimeout(lose, renewedAt + leaseMs - performance.now());
        lapse.unref();
      };
      const timer = setInterval(() => {
        const askedAt = performance.now();
        // An error while a lease is renewed does not mean that the lease is lost. The next renewal, the end of the
        // lease or the condition of the final write shows whether it is.
        prolong().then(
          (isOurs) => {
            if (isStopped) return;
            if (isOurs) holdFrom(askedAt);
            else lose();
          },
          () => {},
        );
      }, leaseMs / 3);
      timer.unref();
      holdFrom(performance.now());
      return { stop };
    },
  };
}

/** Counts the leases that expired before their workers finished, so that the work was lost. */
export function countLostLease({ collectionName }: { readonly collectionName: string }): void {
  count('invoicecontrol.leases.lost', { kind: collectionName });
}
