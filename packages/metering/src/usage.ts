import { randomUUID } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { groupedBy } from '@invoicecontrol/runtime/batched';
import { endOfMonth } from './usage-month.js';

/** Usage counter of one meter of one organization in one month (architecture section 5, rule 6; ADR 0034). */
export interface UsageDocument {
  /** Id of the form `<organization>:<YYYY-MM>:<meter>`. */
  readonly _id: string;
  readonly used: number;
  /** Increases with every change. Replicas of an earlier release use it to detect changes. */
  readonly moves: number;
  /** The part of `used` that was reserved in each minute that is not reconciled yet, by minutes since 1970. */
  readonly minutes?: Readonly<Record<string, number>>;
  /**
   * Stored records until this time are included in the count. 1970 before the first count, and absent if only an
   * earlier release has counted.
   */
  readonly countedTo?: Date;
  /**
   * Time of the next check by the reconciliation job. Absent if nothing was reserved since the last check. The index is
   * sparse.
   */
  readonly lookAt?: Date;
  /** Start times of operations that are lowering a stored amount, by operation id. */
  readonly lowering?: Readonly<Record<string, Date>>;
  /** Increases at the beginning and at the end of each operation that lowers an amount. */
  readonly lowerings?: number;
  /** Number of open requests to count the whole month. */
  readonly recounts?: number;
  /** Time of the last refusal that requested a check. */
  readonly refusedAt?: Date;
}

/** Meter, organization and time that an amount counts towards. */
export interface UsageMark {
  readonly organizationId: string;
  /** UTC month as `YYYY-MM`. */
  readonly month: string;
  readonly meter: string;
  readonly amount: number;
  /** Creation time that is stored with the record. */
  readonly at: Date;
}

export interface UsageCounters {
  /**
   * Increases the counter before the work. A crash can only leave the counter too high, until the job compares it with
   * the stored records. An amount of 0 requests this comparison for the minute of the mark.
   * @param limit limit of the plan for the month, or undefined if there is no limit
   * @throws DomainError usage_exceeded if the amount exceeds the limit; concurrent_change if other requests kept
   * changing the counter
   */
  reserve(mark: UsageMark, limit: number | undefined): Promise<void>;
  /**
   * Refuses an amount that would exceed the limit now, without reserving it. Used for work that is accepted now and
   * counted later.
   * @throws DomainError usage_exceeded
   */
  requireRoom(mark: UsageMark, limit: number | undefined): Promise<void>;
  /** Returns a reservation for work that turned out to be a repeat and is not stored. */
  giveBack(mark: UsageMark): Promise<void>;
  /**
   * Lowers a stored amount with the given write, and the counter with it.
   * @param mark the amount, and the creation time of the record that stores it
   */
  lower<T>(mark: UsageMark, write: () => Promise<T>): Promise<T>;
  /**
   * Requests a count of the whole month, because a record was stored, or an amount reserved, after its minute was
   * reconciled.
   */
  recount(mark: UsageMark): Promise<void>;
  /** Returns the used amount of a meter in a month. */
  used(mark: Pick<UsageMark, 'organizationId' | 'month' | 'meter'>): Promise<number>;
}

export const MINUTE_MS = 60_000;
/** Value of `countedTo` before the first count of the month. */
export const NEVER_COUNTED = new Date(0);
const RESERVE_TRIES_MAX = 5;
/** Number of attempts that are made together with concurrent reservations. */
const GROUPED_TRIES_MAX = 2;
/** Maximum number of concurrent reservations that are written together. */
const GROUPED_RESERVATIONS_MAX = 100;
const AFTERWARDS = { returnDocument: 'after', projection: { used: 1 } } as const;
const STORED_WITHIN_MS = 30_000;
/** Delay after a reservation until its minute is compared with the stored records. */
const CHECKED_AFTER_MS = 2 * MINUTE_MS;
/**
 * Minimum interval between two counts of the month for an organization that has reached its limit and keeps being
 * refused.
 */
const CHECK_AFTER_REFUSAL_EACH_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;

/** Returns the number of minutes since 1970. */
export function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MS);
}

/**
 * Checks whether the minute of a reservation may already have been reconciled without the record that is stored now.
 */
export function mayBeSettled({ at }: Pick<UsageMark, 'at'>, now: Date): boolean {
  return now.getTime() - at.getTime() > STORED_WITHIN_MS;
}

export function usageCollection(db: Db): Collection<UsageDocument> {
  return db.collection<UsageDocument>('usage');
}

/**
 * Called with the used amount of a quota after a reservation, and when a reservation exceeds the limit. It must neither
 * block nor throw.
 */
export type OnUsed = (mark: UsageMark, used: number, limit: number | undefined) => void;

export function usageCounters(db: Db, clock: Clock, onUsed: OnUsed = () => {}): UsageCounters {
  const usage = usageCollection(db);
  /**
   * Changes the counter and the amount of the minute together.
   * @returns the new used amount, or undefined if the minute is already reconciled or there is no counter
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
  /**
   * The same for a minute that is already reconciled. Only a count of the month shows whether the stored record is
   * included.
   */
  const changeSettled = async (mark: UsageMark, guard: Filter<UsageDocument>): Promise<number | undefined> => {
    const changed = await usage.findOneAndUpdate(
      { _id: idOf(mark), ...guard },
      { $inc: { used: mark.amount, moves: 1, recounts: 1 }, $min: { lookAt: clock.now() } },
      AFTERWARDS,
    );
    return changed?.used;
  };
  /**
   * Reserves for several reservations of one counter and minute in one change. If they do not fit together, those that
   * still fit are reserved, so the quota stays exact.
   * @returns the new used amount for each reservation, or undefined if it was not reserved
   */
  const reserveAlike = async (alike: readonly Reservation[]): Promise<readonly (number | undefined)[]> => {
    const [first] = alike;
    if (first === undefined) return [];
    const { limit } = first;
    const reserve = (some: readonly Reservation[]): Promise<number | undefined> => {
      const total = sumOf(some.map(({ mark }) => mark));
      return changeInMinute(total, fittingIn(limit, total.amount));
    };
    const used = await reserve(alike);
    if (used !== undefined || limit === undefined || alike.length === 1) return alike.map(() => used);
    const counter = await usage.findOne({ _id: idOf(first.mark) });
    let room = limit - (counter?.used ?? limit);
    const fitting = alike.filter(({ mark: { amount } }) => {
      if (amount > room) return false;
      room -= amount;
      return true;
    });
    const usedByFitting = fitting.length === 0 ? undefined : await reserve(fitting);
    return alike.map((reservation) => (fitting.includes(reservation) ? usedByFitting : undefined));
  };
  /** Concurrent reservations of the same counter in the same minute are one change (ADR 0127). */
  const reserveInMinute = groupedBy(
    ({ mark, limit }: Reservation) => `${idOf(mark)}|${minuteOf(mark.at)}|${limit}`,
    GROUPED_RESERVATIONS_MAX,
    reserveAlike,
  );
  return {
    async reserve(mark, limit) {
      const fits = fittingIn(limit, mark.amount);
      for (let tries = 1; tries <= RESERVE_TRIES_MAX; tries++) {
        // A batch that fits only in part may lose its room to another replica, so later attempts are made alone.
        const usedInMinute =
          tries <= GROUPED_TRIES_MAX ? await reserveInMinute({ mark, limit }) : await changeInMinute(mark, fits);
        if (usedInMinute !== undefined) return onUsed(mark, usedInMinute, limit);
        const counter = await usage.findOne({ _id: idOf(mark) });
        if (counter === null) {
          // An upsert with a guard could conflict with itself, so the counter is created once in a separate write.
          await create(usage, idOf(mark));
        } else if (counter.countedTo === undefined) {
          // The counter was written only by an earlier release.
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
        // Otherwise the amount fits now, because a concurrent request created the counter or returned a reservation.
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
      // If the minute is reconciled, a reservation without a stored record is no longer counted.
      await changeInMinute({ ...mark, amount: -mark.amount }, {});
    },
    async lower(mark, write) {
      // Each operation has its own id. An operation that crashed stays recorded even if the next worker lowers the same
      // amount again.
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
      // The job considered this operation abandoned, and may have counted the amount before or after it was lowered.
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

interface Reservation {
  readonly mark: UsageMark;
  readonly limit: number | undefined;
}

/** Returns the condition that the limit leaves room for the amount. */
function fittingIn(limit: number | undefined, amount: number): Filter<UsageDocument> {
  return limit === undefined ? {} : { used: { $lte: limit - amount } };
}

/** Returns the total of marks of one counter and minute, at the earliest of their times. */
function sumOf(marks: readonly UsageMark[]): UsageMark {
  return marks.reduce((sum, { amount, at }) => ({
    ...sum,
    amount: sum.amount + amount,
    at: at < sum.at ? at : sum.at,
  }));
}

/** Returns the time at which the minute of a mark can be reconciled. */
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

/** Requests a count of the month, because the refusal was wrong if the counter is too high for any reason. */
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
