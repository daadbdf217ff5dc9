import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { Collection } from 'mongodb';

/**
 * The time at which a billing job for the whole installation is due. A replica claims the job by moving the time
 * forward.
 */
export interface ScheduleDocument {
  readonly _id: 'reconciliation';
  readonly dueAt: Date;
}

/** Runs a billing job once in each period, in only one of the replicas. A failed run is repeated after a pause. */
export function dailyRun(
  collection: Collection<ScheduleDocument>,
  clock: Clock,
  { periodMs, retryMs }: { readonly periodMs: number; readonly retryMs: number },
): (run: () => Promise<unknown>) => Promise<void> {
  const _id = 'reconciliation';
  return async (run) => {
    const now = clock.now();
    try {
      await collection.updateOne({ _id }, { $setOnInsert: { dueAt: now } }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const next = new Date(now.getTime() + periodMs);
    const { matchedCount } = await collection.updateOne({ _id, dueAt: { $lte: now } }, { $set: { dueAt: next } });
    if (matchedCount === 0) return;
    try {
      await run();
    } catch (error) {
      await collection.updateOne({ _id, dueAt: next }, { $set: { dueAt: new Date(now.getTime() + retryMs) } });
      throw error;
    }
  };
}
