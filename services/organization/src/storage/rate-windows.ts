import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { RateWindows } from '../application/reserve-requests.js';

/** Tokens that one rate limit has granted in one minute. */
export interface RateWindowDocument {
  /**
   * Id of a rate limit window, in the form `<subject>:<policy>:<window number>`, so that an expired window is never
   * read as a current one.
   */
  readonly _id: string;
  readonly used: number;
  readonly expiresAt: Date;
}

/**
 * Read and write concerns for rate limit windows. Every request waits for these writes, and losing a minute's counter
 * in a failover is acceptable, so one acknowledgement is enough. Reads use the matching local concern, because a
 * majority read would miss the most recently granted tokens.
 */
export const RATE_WINDOW_CONCERNS = { writeConcern: { w: 1 }, readConcern: { level: 'local' } } as const;

export async function createRateWindowIndexes(collection: Collection<RateWindowDocument>): Promise<void> {
  await ensureIndexes(collection, [{ key: { expiresAt: 1 }, expireAfterSeconds: 0, name: 'expiry' }]);
}

export function rateWindowStore(collection: Collection<RateWindowDocument>): RateWindows {
  const increment = async (id: string, tokens: number, usedMax: number): Promise<number | undefined> => {
    const window = await collection.findOneAndUpdate(
      { _id: id, used: { $lte: usedMax - tokens } },
      { $inc: { used: tokens } },
      { returnDocument: 'after' },
    );
    return window?.used;
  };
  return {
    async countUsed(id) {
      return (await collection.findOne({ _id: id }))?.used ?? 0;
    },
    async grant(id, tokens, usedMax, expiresAt) {
      if (tokens > usedMax) return undefined;
      const used = await increment(id, tokens, usedMax);
      if (used !== undefined) return used;
      // The rate limit window is created separately, because concurrent upserts with this filter would fail with
      // duplicate keys.
      await create(collection, id, expiresAt);
      return increment(id, tokens, usedMax);
    },
  };
}

async function create(collection: Collection<RateWindowDocument>, id: string, expiresAt: Date): Promise<void> {
  try {
    await collection.updateOne({ _id: id }, { $setOnInsert: { used: 0, expiresAt } }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}
