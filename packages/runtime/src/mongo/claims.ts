import { randomUUID } from 'node:crypto';
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';
import type { Clock } from '../clock.js';

/** Work that one process at a time may do (architecture section 5, rule 5). */
export interface Claimable {
  readonly _id: string;
  /** Who holds it. */
  readonly claim?: string;
  /** Until when; free work has the epoch, so that one range filter finds free and lapsed work. Absent: nothing to do. */
  readonly leaseUntil?: Date;
}

/** The lease of work that nobody holds. */
export const FREE = new Date(0);

export interface Claim<D> {
  readonly document: WithId<D>;
  readonly claimId: string;
  /** Prolongs the lease; false when somebody else has taken over, and then nothing more may be written. */
  renew(): Promise<boolean>;
  /** Renews at a third of the lease until stopped. */
  keepAlive(onLost: () => void): { stop(): void };
}

/**
 * Takes one piece of work if it is free or its holder fell silent. Results must be written guarded by `claimId`: a
 * worker that lost its lease then changes nothing. Leases are at least twice the longest step.
 * @returns undefined when it is not there, not in the wanted state, or held by a living worker
 */
export async function claim<D extends Claimable>(
  collection: Collection<D>,
  wanted: Filter<D>,
  { clock, leaseMs, change = {} }: { clock: Clock; leaseMs: number; change?: UpdateFilter<D> },
): Promise<Claim<D> | undefined> {
  const claimId = randomUUID();
  const until = (): Date => new Date(clock.now().getTime() + leaseMs);
  const document = await collection.findOneAndUpdate(
    { ...wanted, leaseUntil: { $lte: clock.now() } } as Filter<D>,
    { ...change, $set: { ...change.$set, claim: claimId, leaseUntil: until() } } as UpdateFilter<D>,
    { returnDocument: 'after' },
  );
  if (document === null) return undefined;
  const renew = async (): Promise<boolean> => {
    const { matchedCount } = await collection.updateOne(
      { _id: document._id, claim: claimId } as unknown as Filter<D>,
      { $set: { leaseUntil: until() } } as unknown as UpdateFilter<D>,
    );
    return matchedCount === 1;
  };
  return {
    document,
    claimId,
    renew,
    keepAlive(onLost) {
      const timer = setInterval(() => {
        // An error is not a loss: the next renewal, or the guard of the result, tells.
        renew().then(
          (isOurs) => {
            if (isOurs) return;
            clearInterval(timer);
            onLost();
          },
          () => {},
        );
      }, leaseMs / 3);
      timer.unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}
