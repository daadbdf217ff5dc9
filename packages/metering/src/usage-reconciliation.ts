import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Db, UpdateFilter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Job } from '@invoicecontrol/runtime/job';
import { usageCorrected } from './telemetry.js';
import { keyOf, MINUTE_MS, minuteOf, NEVER_COUNTED, usageCollection } from './usage-counter.js';
import type { UsageDocument } from './usage-counter.js';

/**
 * Range of creation times of the counted records, from `from` (or from the beginning of the month) until just before
 * `to`.
 */
export interface CountedTime {
  readonly from: Date | undefined;
  readonly to: Date;
}

/**
 * Adds up the amounts of the records that count towards the usage of the month and were created in the given period.
 * The query uses an index and a limited amount of memory.
 */
export type SumOfMarks = (organizationId: string, month: string, time: CountedTime) => Promise<number>;

interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Functions that add up the used amounts of each meter of the service. */
  readonly marks: Readonly<Record<string, SumOfMarks>>;
}

/** A usage counter whose check is due. */
type DueCounter = UsageDocument & { readonly lookAt: Date };

/** Snapshot of a usage counter, with the units that were reserved until `countTo`. */
interface Reading {
  readonly counter: UsageDocument;
  readonly countTo: Date;
  /**
   * Beginning of the period whose usage is recounted from the stored records. Undefined if the usage of the whole month
   * is recounted.
   */
  readonly from: Date | undefined;
  /** Minutes before `countTo`, each with the number of quota units that were reserved in it. */
  readonly closed: readonly (readonly [minute: string, amount: number])[];
  /** Amount that was reserved on the usage counter in the period whose usage is recounted. */
  readonly reserved: number;
}

const POLL_EACH_MS = 15_000;
/**
 * Maximum number of usage counters that one run of the reconciliation job checks. The counters that have been due
 * longest come first.
 */
const COUNTERS_PER_RUN_MAX = 200;
/**
 * Time after the end of a minute at which all work that used quota units in that minute is either stored or abandoned.
 * Work that ends later requests a count of the whole month.
 */
const SETTLED_AFTER_MS = MINUTE_MS;
/**
 * Time for which other replicas leave a usage counter to the replica that adds up its records. Adding up takes less
 * than half of this time.
 */
const SUM_LEASE_MS = MINUTE_MS;
/**
 * Maximum duration of an operation that lowers a counted amount of usage. Such an operation normally takes
 * milliseconds. If it has taken longer than the maximum, a crash has interrupted it.
 */
const LOWERING_MS_MAX = MINUTE_MS;
/**
 * Maximum number of minutes of a usage counter that are reconciled at once. After a longer outage of the job, the whole
 * month is counted.
 */
const CLOSED_MINUTES_MAX = 120;
/** Delay before another attempt to check a usage counter that changed while its records were added up. */
const READ_AGAIN_AFTER_MS = 5_000;

/**
 * Job that corrects usage counters (HTTP and security reference, section 7; ADR 0034). A counter is increased before
 * the work, so a crash leaves it too high. The amounts on stored records are always correct. A counter stores the
 * amount that was reserved in each minute. One minute after the end of a minute, all work that reserved an amount in
 * that minute has ended. The job then replaces the reserved amount of that minute by the amount on the records that
 * were created in it. The job counts the whole month once a day, and whenever a record was stored after its minute had
 * been reconciled. `lookAt` is both the time at which a counter is due and the lease: a replica claims the counter by
 * moving `lookAt`, so several replicas share the work.
 */
export async function usageReconciliation({ db, clock, logger, marks }: Deps): Promise<Job> {
  const usage = usageCollection(db);
  await ensureIndexes(usage, [{ key: { lookAt: 1 }, sparse: true, name: 'due' }]);
  const afterMs = (ms: number): Date => new Date(clock.now().getTime() + ms);

  const sumOfMarks = (id: string, time: CountedTime): Promise<number> => {
    const { organizationId, month, meter } = keyOf(id);
    const sum = marks[meter];
    if (sum === undefined) throw new Error(`this service does not count the meter ${meter}`);
    return sum(organizationId, month, time);
  };

  const settle = async ({ counter, countTo, from, closed, reserved }: Reading): Promise<void> => {
    const { _id, countedTo, lowerings, recounts, lowering = {}, held = {} } = counter;
    const correction = (await sumOfMarks(_id, { from, to: countTo })) - reserved;
    const unchanged = {
      countedTo: countedTo ?? { $exists: false },
      lowerings: lowerings ?? { $exists: false },
      recounts: recounts ?? { $exists: false },
      ...Object.fromEntries(closed.map(([minute, amount]) => [`minutes.${minute}`, amount])),
    };
    const settled = [
      ...closed.map(([minute]) => `minutes.${minute}`),
      ...Object.keys(held).flatMap((minute) => (Number(minute) < minuteOf(countTo) ? [`held.${minute}`] : [])),
      ...Object.keys(lowering).map((id) => `lowering.${id}`),
      'recounts',
      'seenMoves',
    ];
    const { matchedCount } = await usage.updateOne({ _id, ...unchanged }, {
      $inc: { used: correction, moves: 1 },
      $set: { countedTo: countTo, lookAt: afterMs(MINUTE_MS) },
      $unset: Object.fromEntries(settled.map((path) => [path, ''])),
    } as UpdateFilter<UsageDocument>);
    if (matchedCount === 0) {
      await usage.updateOne({ _id }, { $min: { lookAt: afterMs(READ_AGAIN_AFTER_MS) } });
    } else if (correction !== 0) {
      usageCorrected(keyOf(_id).meter, correction);
      logger.info({ counter: _id, from: counter.used, to: counter.used + correction }, 'a usage counter was corrected');
    }
  };

  const check = async ({ _id, lookAt }: DueCounter): Promise<void> => {
    const counter = await usage.findOneAndUpdate(
      { _id, lookAt },
      { $set: { lookAt: afterMs(SUM_LEASE_MS) } },
      { returnDocument: 'after' },
    );
    if (counter === null) return;
    const now = clock.now();
    const begun = Object.values(counter.lowering ?? {});
    if (begun.some((since) => now.getTime() - since.getTime() <= LOWERING_MS_MAX)) {
      await usage.updateOne({ _id }, { $min: { lookAt: afterMs(READ_AGAIN_AFTER_MS) } });
      return;
    }
    const settledTo = minuteOf(new Date(now.getTime() - SETTLED_AFTER_MS)) * MINUTE_MS;
    // The stored time up to which a usage counter is reconciled never goes back, although the clock of another replica
    // may be ahead of this one.
    const countTo = new Date(Math.max(settledTo, counter.countedTo?.getTime() ?? 0));
    const reading = readCounter(counter, countTo);
    if (reading !== undefined) await settle(reading);
    // If no quota units were reserved later, no check of the usage counter is due until the next reservation sets
    // `lookAt`.
    else await usage.updateOne({ _id, minutes: counter.minutes ?? { $exists: false } }, nextCheckOf(counter, afterMs));
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
          await check(counter);
        } catch (error) {
          logger.warn({ error, counter: counter._id }, 'a usage counter could not be compared with what is stored');
        }
      }
    },
  };
}

/**
 * Reads the minutes of a usage counter that are due to be counted.
 * @returns undefined if no minute is left to reconcile and the month need not be counted
 */
function readCounter(counter: UsageDocument, countTo: Date): Reading | undefined {
  const { used, countedTo = NEVER_COUNTED, minutes = {}, recounts = 0, lowering = {} } = counter;
  const all = Object.entries(minutes);
  const limit = minuteOf(countTo);
  const closed = all.filter(([minute]) => Number(minute) < limit);
  const total = (entries: typeof all): number => entries.reduce((sum, [, amount]) => sum + amount, 0);
  const isMonthCounted =
    countedTo <= NEVER_COUNTED ||
    recounts > 0 ||
    Object.keys(lowering).length > 0 ||
    closed.length > CLOSED_MINUTES_MAX ||
    closed.some(([minute]) => Number(minute) < minuteOf(countedTo)) ||
    (closed.length > 0 && dayOf(countedTo) !== dayOf(countTo));
  if (isMonthCounted) {
    return { counter, countTo, from: undefined, closed, reserved: used - (total(all) - total(closed)) };
  }
  return closed.length === 0 ? undefined : { counter, countTo, from: countedTo, closed, reserved: total(closed) };
}

function nextCheckOf(counter: UsageDocument, afterMs: (ms: number) => Date): UpdateFilter<UsageDocument> {
  const isIdle = Object.keys(counter.minutes ?? {}).length === 0;
  return isIdle ? { $unset: { lookAt: '' } } : { $set: { lookAt: afterMs(MINUTE_MS) } };
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
