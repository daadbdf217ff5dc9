import { randomUUID } from 'node:crypto';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import type { Clock } from '../clock.js';
import { count } from '../telemetry.js';

/** Work that one process at a time may do (architecture section 5, rule 5). */
export interface Claimable {
  readonly _id: string;
  /** The claim of its worker. */
  readonly claim?: string;
  /** End of the lease. Free work has the epoch, so that one range filter finds free and expired work. Absent if there is nothing to do. */
  readonly leaseUntil?: Date;
}

/** The lease of work that is not claimed. */
export const FREE = new Date(0);

/** A lease on work, as its worker has it. */
export interface Lease {
  readonly claimId: string;
  /** Prolongs the lease; false after a takeover, and then nothing more may be written. */
  renew(): Promise<boolean>;
  /**
   * Renews at a third of the lease until stopped.
   * @param onLost is called after a takeover, or when the lease has expired and may be taken over
   */
  keepAlive(onLost: () => void): { stop(): void };
}

export interface Claim<D> extends Lease {
  readonly document: WithId<D>;
}

/**
 * Claims one piece of work if it is free or its lease has expired. Results must be written guarded by `claimId`: a
 * worker that lost its lease then changes nothing. Leases are at least twice the longest step.
 * @returns undefined when it does not exist, is not in the wanted state, or has a live lease
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

/** The lease on work that was stored with the claim of its first worker, and so was never free. */
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
        // An error is not a loss: the next renewal, the end of the lease or the guard of the result tells.
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

/** Counts that a worker no longer has what it claimed: it was slower than its lease, and worked for nothing. */
export function countLostLease({ collectionName }: { readonly collectionName: string }): void {
  count('lease.lost', { collection: collectionName });
}
