import type { Db } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { Job } from '../job.js';
import { nextNight, usageCollection } from './usage.js';
import type { UsageDocument } from './usage.js';

/** How much is stored with a mark of the month. Served by an index and bounded in memory. */
export type SumOfMarks = (organizationId: string, month: string) => Promise<number>;

interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** By meter; those that the service counts. */
  readonly marks: Readonly<Record<string, SumOfMarks>>;
}

/** A counter that the query for due ones gave. */
type DueCounter = UsageDocument & { readonly lookAt: Date };

const POLL_EACH_MS = 5_000;
/** Counters that one run checks; those that are due longest come first. */
const COUNTERS_PER_RUN_MAX = 200;
/** Between the two readings of a counter: what was reserved before the first is stored or given up by the second. */
const STANDSTILL_MS = 60_000;
/** A replica leaves a counter to the one that sums its marks for this long. */
const SUM_LEASE_MS = 5 * 60_000;

/**
 * The job that corrects usage counters (HTTP and security reference, section 7). Counters are reserved before the work,
 * so a crash leaves them too high; the marks on what was stored are the truth.
 *
 * A counter that moved is due in the next night, and at once after a refusal. The first reading stores its `moves`; the
 * second, a minute later, finds them unchanged, sums the marks, and sets `used` if `moves` still is what it was. A
 * counter in motion waits for the next round. `lookAt` is due time and lease in one: whoever moves it on has claimed the counter,
 * so several replicas share the work.
 */
export async function usageReconciliation({ db, clock, logger, marks }: Deps): Promise<Job> {
  const usage = usageCollection(db);
  await usage.createIndexes([{ key: { lookAt: 1 }, sparse: true, name: 'due' }]);

  const firstReading = async ({ _id, lookAt, moves }: DueCounter): Promise<void> => {
    const secondReadingAt = new Date(clock.now().getTime() + STANDSTILL_MS);
    await usage.updateOne({ _id, lookAt }, { $set: { seenMoves: moves, lookAt: secondReadingAt } });
  };

  const sumOfMarks = (id: string): Promise<number> => {
    const [organizationId = '', month = '', meter = ''] = id.split(':');
    const sum = marks[meter];
    if (sum === undefined) throw new Error(`this service has no marks of the meter ${meter}`);
    return sum(organizationId, month);
  };

  const secondReading = async ({ _id, lookAt, used, moves, seenMoves }: DueCounter): Promise<void> => {
    const leftAlone = { $set: { lookAt: nextNight(clock.now()) }, $unset: { seenMoves: '' } } as const;
    if (moves !== seenMoves) {
      await usage.updateOne({ _id, lookAt }, leftAlone);
      return;
    }
    const leaseUntil = new Date(clock.now().getTime() + SUM_LEASE_MS);
    const { matchedCount } = await usage.updateOne({ _id, lookAt, moves }, { $set: { lookAt: leaseUntil } });
    if (matchedCount === 0) return;
    const sum = await sumOfMarks(_id);
    const { matchedCount: stoodStill } = await usage.updateOne(
      { _id, lookAt: leaseUntil, moves },
      { $set: { used: sum }, $inc: { moves: 1 }, $unset: { lookAt: '', seenMoves: '' } },
    );
    if (stoodStill === 0) await usage.updateOne({ _id, lookAt: leaseUntil }, leftAlone);
    else if (sum !== used) logger.info({ counter: _id, from: used, to: sum }, 'a usage counter was corrected');
  };

  return {
    name: 'usage reconciliation',
    pauseMs: POLL_EACH_MS,
    async run(signal) {
      const due = await usage
        .find<DueCounter>({ lookAt: { $lte: clock.now() } })
        .sort({ lookAt: 1 })
        .limit(COUNTERS_PER_RUN_MAX)
        .toArray();
      for (const counter of due) {
        if (signal.aborted) return;
        try {
          await (counter.seenMoves === undefined ? firstReading(counter) : secondReading(counter));
        } catch (error) {
          logger.warn({ error, counter: counter._id }, 'a usage counter could not be compared with what is stored');
        }
      }
    },
  };
}
