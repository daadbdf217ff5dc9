import type { Db, UpdateFilter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Job } from '@invoicecontrol/runtime/job';
import { MINUTE_MS, minuteOf, NEVER_COUNTED, usageCollection } from './usage.js';
import type { UsageDocument } from './usage.js';

/** Range of the creation times of the counted records: from `from`, or from the beginning of the month, until before `to`. */
export interface CountedTime {
  readonly from: Date | undefined;
  readonly to: Date;
}

/** Sums what is stored with a mark of the month and was created in that range. Uses an index and bounded memory. */
export type SumOfMarks = (organizationId: string, month: string, time: CountedTime) => Promise<number>;

interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The sums of the service, by meter. */
  readonly marks: Readonly<Record<string, SumOfMarks>>;
}

/** A counter that the query for due ones gave. */
type DueCounter = UsageDocument & { readonly lookAt: Date };

/** One reading of a counter, about the time until `countTo`. */
interface Reading {
  readonly counter: UsageDocument;
  readonly countTo: Date;
  /** Undefined if the whole month is counted again. */
  readonly from: Date | undefined;
  /** The minutes before `countTo` and what was reserved in them. */
  readonly closed: readonly (readonly [minute: string, amount: number])[];
  /** The amount of the counter for that time. */
  readonly held: number;
}

const POLL_EACH_MS = 5_000;
/** Counters that one run checks; those that are due longest come first. */
const COUNTERS_PER_RUN_MAX = 200;
/** This long after the end of a minute, what was reserved in it is stored or given up; later work asks for a count of the month. */
const SETTLED_AFTER_MS = MINUTE_MS;
/** A replica leaves a counter to the one that sums its marks for this long; sums take less than half of it. */
const SUM_LEASE_MS = MINUTE_MS;
/** A lowering takes milliseconds; one that is older than this was left by a crash. */
const LOWERING_MS_MAX = MINUTE_MS;
/** Minutes that one sum settles; after a longer outage of the job the month is counted. */
const CLOSED_MINUTES_MAX = 120;
/** A counter that changed while its marks were summed is read again after this long. */
const READ_AGAIN_AFTER_MS = 5_000;

/**
 * The job that corrects usage counters (HTTP and security reference, section 7; ADR 0034). A counter is raised before the work, so a
 * crash leaves it too high; the marks on what was stored are the truth.
 *
 * A counter remembers what was reserved in each minute. A minute after its end no work of it is still in progress, so
 * what is stored with a mark of that minute takes the place of what was reserved, whatever happens in later minutes. Once
 * a day, and where something happened after its minute was settled, the month is counted instead. `lookAt` is due time and
 * lease in one: the replica that moves it on has claimed the counter, so several replicas share the work.
 */
export async function usageReconciliation({ db, clock, logger, marks }: Deps): Promise<Job> {
  const usage = usageCollection(db);
  await usage.createIndexes([{ key: { lookAt: 1 }, sparse: true, name: 'due' }]);
  const afterMs = (ms: number): Date => new Date(clock.now().getTime() + ms);

  const sumOfMarks = (id: string, time: CountedTime): Promise<number> => {
    const [organizationId = '', month = '', meter = ''] = id.split(':');
    const sum = marks[meter];
    if (sum === undefined) throw new Error(`this service does not count the meter ${meter}`);
    return sum(organizationId, month, time);
  };

  const settle = async ({ counter, countTo, from, closed, held }: Reading): Promise<void> => {
    const { _id, countedTo, lowerings, recounts, lowering = {} } = counter;
    const correction = (await sumOfMarks(_id, { from, to: countTo })) - held;
    const unchanged = {
      countedTo: countedTo ?? { $exists: false },
      lowerings: lowerings ?? { $exists: false },
      recounts: recounts ?? { $exists: false },
      ...Object.fromEntries(closed.map(([minute, amount]) => [`minutes.${minute}`, amount])),
    };
    const settled = [
      ...closed.map(([minute]) => `minutes.${minute}`),
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
    // The time never goes back: another replica may be ahead by the difference of two clocks.
    const countTo = new Date(Math.max(settledTo, counter.countedTo?.getTime() ?? 0));
    const reading = readCounter(counter, countTo);
    if (reading !== undefined) await settle(reading);
    // If there are no later reservations, nothing is due: the next reservation sets `lookAt` again.
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

/** @returns undefined when no minute has been settled since the last count and none is left to be */
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
    return { counter, countTo, from: undefined, closed, held: used - (total(all) - total(closed)) };
  }
  return closed.length === 0 ? undefined : { counter, countTo, from: countedTo, closed, held: total(closed) };
}

function nextCheckOf(counter: UsageDocument, afterMs: (ms: number) => Date): UpdateFilter<UsageDocument> {
  const isIdle = Object.keys(counter.minutes ?? {}).length === 0;
  return isIdle ? { $unset: { lookAt: '' } } : { $set: { lookAt: afterMs(MINUTE_MS) } };
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
