import { randomUUID } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { endOfMonth } from './usage-month.js';

/** A month's exact counter of one meter of one organization (architecture section 5, rule 6; ADR 0034). */
export interface UsageDocument {
  /** `<organization>:<YYYY-MM>:<meter>`. */
  readonly _id: string;
  readonly used: number;
  /** Grows with every change; replicas of an earlier release use it to see whether the counter has changed. */
  readonly moves: number;
  /** The part of `used` that was reserved in each minute that is not settled yet, by minutes since 1970. */
  readonly minutes?: Readonly<Record<string, number>>;
  /** Before this time, the stored records were counted; 1970 before the first count; absent if only an earlier release counted. */
  readonly countedTo?: Date;
  /** Time of the next check by the reconciling job; absent if nothing was reserved since the last one. Sparse index. */
  readonly lookAt?: Date;
  /** Start times of the lowerings of stored marks in progress, by the id of each lowering. */
  readonly lowering?: Readonly<Record<string, Date>>;
  /** Grows with the begin and the end of each lowering. */
  readonly lowerings?: number;
  /** Requests to count the whole month, until that is done. */
  readonly recounts?: number;
  /** The last refusal that requested a check. */
  readonly refusedAt?: Date;
}

/** The subject of a count: meter, organization and time. */
export interface UsageMark {
  readonly organizationId: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly meter: string;
  readonly amount: number;
  /** The instant that is stored as the creation of what is counted. */
  readonly at: Date;
}

export interface UsageCounters {
  /**
   * Counts before the work, so that a crash can only count too much, until the job has compared the counter with what is stored.
   * An amount of 0 has that compared for the minute of the mark.
   * @param limit the plan's limit for the month; undefined means none
   * @throws DomainError usage_exceeded when the amount does not fit, concurrent_change when others kept changing the
   * counter
   */
  reserve(mark: UsageMark, limit: number | undefined): Promise<void>;
  /**
   * Refuses what would not fit now and reserves nothing, for work that is announced and counted later.
   * @throws DomainError usage_exceeded
   */
  requireRoom(mark: UsageMark, limit: number | undefined): Promise<void>;
  /** Gives back what was reserved for work that turned out to be a repeat and is not stored. */
  giveBack(mark: UsageMark): Promise<void>;
  /**
   * Lowers a stored mark with the given write, and the counter with it.
   * @param mark the amount, and the creation time of the record that carries the mark
   */
  lower<T>(mark: UsageMark, write: () => Promise<T>): Promise<T>;
  /** Has the month counted again: something was stored or reserved after its minute was settled. */
  recount(mark: UsageMark): Promise<void>;
  /** Returns what is used of a meter in a month. */
  used(mark: Pick<UsageMark, 'organizationId' | 'month' | 'meter'>): Promise<number>;
}

export const MINUTE_MS = 60_000;
/** The `countedTo` of a counter whose month was not counted yet. */
export const NEVER_COUNTED = new Date(0);
const RESERVE_TRIES_MAX = 5;
const AFTERWARDS = { returnDocument: 'after', projection: { used: 1 } } as const;
const STORED_WITHIN_MS = 30_000;
/** A minute after the end of its minute what was reserved is compared with what is stored. */
const CHECKED_AFTER_MS = 2 * MINUTE_MS;
/** An organization at its limit is refused again and again; its month is counted no more often than this. */
const CHECK_AFTER_REFUSAL_EACH_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;

/** Minutes since 1970. */
export function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MS);
}

/** Tells whether so much time has passed since a reservation that its minute may have been settled without what is stored now. */
export function mayBeSettled({ at }: Pick<UsageMark, 'at'>, now: Date): boolean {
  return now.getTime() - at.getTime() > STORED_WITHIN_MS;
}

export function usageCollection(db: Db): Collection<UsageDocument> {
  return db.collection<UsageDocument>('usage');
}

/** Called with the used part of a quota after a reservation, and when a reservation does not fit. Must neither block nor throw. */
export type OnUsed = (mark: UsageMark, used: number, limit: number | undefined) => void;

export function usageCounters(db: Db, clock: Clock, onUsed: OnUsed = () => {}): UsageCounters {
  const usage = usageCollection(db);
  /**
   * Changes the counter and the minute of the mark together.
   * @returns what is used then; undefined when the minute is settled, or there is no counter
   */
  const changeInMinute = async (mark: UsageMark, guard: Filter<UsageDocument>): Promise<number | undefined> => {
    const changed = await usage.findOneAndUpdate(
      { _id: idOf(mark), countedTo: { $lte: mark.at }, ...guard },
      {
        $inc: { used: mark.amount, moves: 1, [`minutes.${minuteOf(mark.at)}`]: mark.amount },
        $min: { lookAt: dueAfter(mark) },
      } as UpdateFilter<UsageDocument>,
      AFTERWARDS,
    );
    return changed?.used;
  };
  /** The same for a minute that is settled: only a count of the month shows whether it counted what is stored. */
  const changeSettled = async (mark: UsageMark, guard: Filter<UsageDocument>): Promise<number | undefined> => {
    const changed = await usage.findOneAndUpdate(
      { _id: idOf(mark), ...guard },
      { $inc: { used: mark.amount, moves: 1, recounts: 1 }, $min: { lookAt: clock.now() } },
      AFTERWARDS,
    );
    return changed?.used;
  };
  return {
    async reserve(mark, limit) {
      const fits = limit === undefined ? {} : { used: { $lte: limit - mark.amount } };
      for (let tries = 1; tries <= RESERVE_TRIES_MAX; tries++) {
        const usedInMinute = await changeInMinute(mark, fits);
        if (usedInMinute !== undefined) return onUsed(mark, usedInMinute, limit);
        const counter = await usage.findOne({ _id: idOf(mark) });
        if (counter === null) {
          // A guarded upsert could conflict with itself, so the counter is created once in a separate write.
          await create(usage, idOf(mark));
        } else if (counter.countedTo === undefined) {
          // The counter has only counts of an earlier release.
          const uncounted = { _id: idOf(mark), countedTo: { $exists: false } };
          await usage.updateOne(uncounted, { $set: { countedTo: NEVER_COUNTED } });
        } else if (limit !== undefined && counter.used > limit - mark.amount) {
          const now = clock.now();
          onUsed(mark, counter.used, limit);
          await requestCount(usage, counter, now);
          throw exceeded(mark, { limit, used: counter.used, now });
        } else if (counter.countedTo > mark.at) {
          const used = await changeSettled(mark, fits);
          if (used !== undefined) return onUsed(mark, used, limit);
        }
        // Otherwise there is room now: a concurrent request created the counter, or gave something back.
      }
      throw new DomainError(
        'concurrent_change',
        'Other requests are using the same quota right now. Retry the request.',
      );
    },
    async requireRoom(mark, limit) {
      if (limit === undefined) return;
      const counter = await usage.findOne({ _id: idOf(mark) });
      const used = counter?.used ?? 0;
      if (used <= limit - mark.amount) return;
      const now = clock.now();
      if (counter !== null) await requestCount(usage, counter, now);
      throw exceeded(mark, { limit, used, now });
    },
    async giveBack(mark) {
      // If the minute is settled, what was not stored is no longer counted.
      await changeInMinute({ ...mark, amount: -mark.amount }, {});
    },
    async lower(mark, write) {
      // An id of its own: a lowering that crashed stays noted, even if the next worker lowers the same mark again.
      const entry = `lowering.${randomUUID()}`;
      const since = clock.now();
      await usage.updateOne({ _id: idOf(mark) }, {
        $set: { [entry]: since },
        $inc: { moves: 1, lowerings: 1 },
        $min: { lookAt: new Date(since.getTime() + CHECKED_AFTER_MS) },
      } as UpdateFilter<UsageDocument>);
      const written = await write();
      const own = { _id: idOf(mark), [entry]: since } as Filter<UsageDocument>;
      const end = (minutes: object): UpdateFilter<UsageDocument> =>
        ({
          $inc: { used: -mark.amount, moves: 1, lowerings: 1, ...minutes },
          $unset: { [entry]: '' },
        }) as UpdateFilter<UsageDocument>;
      const inMinute = end({ [`minutes.${minuteOf(mark.at)}`]: -mark.amount });
      const isLowered =
        (await usage.updateOne({ ...own, countedTo: { $lte: mark.at } }, inMinute)).matchedCount === 1 ||
        (await usage.updateOne(own, end({}))).matchedCount === 1;
      // The job considered it abandoned, and counted the mark before or after it was lowered.
      if (!isLowered) await this.recount(mark);
      return written;
    },
    async recount(mark) {
      await usage.updateOne({ _id: idOf(mark) }, { $inc: { moves: 1, recounts: 1 }, $min: { lookAt: clock.now() } });
    },
    async used(mark) {
      return (await usage.findOne({ _id: idOf(mark) }))?.used ?? 0;
    },
  };
}

/** Returns the time when the minute of a mark can be settled. */
function dueAfter({ at }: UsageMark): Date {
  return new Date(at.getTime() + CHECKED_AFTER_MS);
}

function idOf({ organizationId, month, meter }: Pick<UsageMark, 'organizationId' | 'month' | 'meter'>): string {
  return `${organizationId}:${month}:${meter}`;
}

async function create(usage: Collection<UsageDocument>, id: string): Promise<void> {
  try {
    await usage.updateOne(
      { _id: id },
      { $setOnInsert: { used: 0, moves: 0, countedTo: NEVER_COUNTED } },
      { upsert: true },
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** Has the month counted: should the counter be too high for any reason, then the refusal was wrong. */
async function requestCount(
  usage: Collection<UsageDocument>,
  { _id, refusedAt }: UsageDocument,
  now: Date,
): Promise<void> {
  if (refusedAt !== undefined && now.getTime() - refusedAt.getTime() < CHECK_AFTER_REFUSAL_EACH_MS) return;
  await usage.updateOne({ _id }, { $set: { refusedAt: now }, $inc: { recounts: 1 }, $min: { lookAt: now } });
}

function exceeded(mark: UsageMark, { limit, used, now }: { limit: number; used: number; now: Date }): DomainError {
  const units = mark.meter.replaceAll('_', ' ');
  const leftover = Math.max(0, limit - used);
  const shortage = leftover === 0 ? 'none is left' : `${leftover} are left and ${mark.amount} are needed`;
  const end = endOfMonth(mark.month);
  const remainingMs = end.getTime() - now.getTime();
  const isEndNear = remainingMs > 0 && remainingMs <= DAY_MS;
  return new DomainError(
    'usage_exceeded',
    `The plan allows ${limit} ${units} in ${mark.month}, of which ${shortage}. ` +
      `Change the plan, or wait for the next month, which begins on ${end.toISOString().slice(0, 10)} at 00:00 UTC.`,
    isEndNear ? { retryAfterSeconds: Math.ceil(remainingMs / 1_000) } : {},
  );
}
