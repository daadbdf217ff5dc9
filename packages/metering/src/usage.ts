import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@invoicecontrol/errors';
import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { batched, groupedBy } from '@invoicecontrol/runtime/batched';
import { unitBlocks, unitsInAdvance, UNITS_LEFT_PER_BLOCK_UNIT } from './unit-blocks.js';
import { idOf, MINUTE_MS, minuteOf, NEVER_COUNTED, usageCollection, usedOf } from './usage-counter.js';
import type { CounterKey, UsageDocument, UsageMark } from './usage-counter.js';
import { endOfMonth } from './usage-month.js';
import { nextStepAt } from './usage-steps.js';

export interface UsageCounters {
  /**
   * Increases the usage counter of an organization before the work that uses the quota begins. After a crash, the
   * counter may be too high, but never too low, until the reconciliation job compares it with the stored records. An
   * amount of 0 reserves nothing and only requests this comparison for the minute of the usage mark. If a process
   * reserves single units one after another, it reserves them in blocks (ADR 0132). If the only remaining units belong
   * to blocks of other processes, the reservation waits until they are returned.
   * @param limit limit of the plan for the month, or undefined if there is no limit
   * @throws DomainError usage_exceeded if the amount exceeds the limit; concurrent_change if other requests kept
   * changing the counter
   */
  reserve(mark: UsageMark, limit: number | undefined): Promise<void>;
  /**
   * Refuses an amount that would exceed the quota limit now, without reserving it. Used for work that is accepted now
   * and counted later.
   * @throws DomainError usage_exceeded
   */
  requireRoom(mark: UsageMark, limit: number | undefined): Promise<void>;
  /** Gives back the reserved quota unit of work that turned out to be a repeated request and is not stored. */
  giveBack(mark: UsageMark): Promise<void>;
  /**
   * Lowers the amount that a stored record uses of a quota, by calling `write`, and lowers the usage counter by the
   * same amount.
   * @param mark the amount to subtract, and the creation time of the record
   */
  lower<T>(mark: UsageMark, write: () => Promise<T>): Promise<T>;
  /**
   * Requests that the usage of the whole month is counted again, because a record was stored, or an amount reserved,
   * after its minute was reconciled.
   */
  recount(mark: UsageMark): Promise<void>;
  /**
   * Returns the used amount of a meter in a month. Units that another process used in its current block may be missing.
   */
  used(key: CounterKey): Promise<number>;
  /** Gives back the unused quota units of all blocks that this process reserved in advance. */
  close(): Promise<void>;
}

/** Maximum number of attempts to reserve an amount of quota units that fits into the limit. */
export const RESERVE_TRIES_MAX = 10;
/**
 * Number of attempts of a quota reservation that share a database command with concurrent reservations. Every later
 * attempt has a command of its own.
 */
const GROUPED_TRIES_MAX = 2;
/** Maximum number of concurrent reservations of quota units that are written together. */
const GROUPED_RESERVATIONS_MAX = 100;
const AFTERWARDS = { returnDocument: 'after', projection: { used: 1, minutes: 1, held: 1 } } as const;
/** Interval at which a reservation of quota units polls for units that replicas hold. */
export const HELD_POLL_MS = 100;
/** Maximum number of polls for held quota units, which together take longer than a block lasts. */
export const HELD_POLLS_MAX = 30;
/** Maximum number of usage counters that this process remembers as held by crashed replicas. */
const ABANDONED_MAX = 10_000;
const STORED_WITHIN_MS = 30_000;
/** Delay after a reservation of quota units until its minute is compared with the stored records. */
const CHECKED_AFTER_MS = 2 * MINUTE_MS;
/**
 * Minimum interval between two recounts of the monthly usage of an organization that has reached its quota limit and
 * keeps being refused.
 */
const CHECK_AFTER_REFUSAL_EACH_MS = 10 * 60_000;
const DAY_MS = 24 * 3_600_000;

/**
 * Checks whether the minute of a quota reservation may already have been reconciled without the record that is stored
 * now.
 */
export function mayBeSettled({ at }: Pick<UsageMark, 'at'>, now: Date): boolean {
  return now.getTime() - at.getTime() > STORED_WITHIN_MS;
}

/**
 * Function that is called with the used amount of a quota after a reservation, and when a reservation exceeds the
 * limit. It must neither block nor throw.
 */
export type OnUsed = (mark: UsageMark, used: number, limit: number | undefined) => void;

export function usageCounters(db: Db, clock: Clock, onUsed: OnUsed = () => {}): UsageCounters {
  const usage = usageCollection(db);
  /**
   * Changes the usage counter and the amount of the minute together.
   * @param held change of the units that replicas hold in this minute
   * @returns the new counter, or undefined if the minute is already reconciled or there is no counter
   */
  const changeInMinute = async (
    mark: UsageMark,
    guard: Filter<UsageDocument>,
    held = 0,
  ): Promise<UsageDocument | undefined> => {
    const minute = minuteOf(mark.at);
    const changed = await usage.findOneAndUpdate(
      { _id: idOf(mark), countedTo: { $lte: mark.at }, ...guard },
      {
        $inc: {
          used: mark.amount,
          moves: 1,
          [`minutes.${minute}`]: mark.amount,
          ...(held === 0 ? {} : { [`held.${minute}`]: held }),
        },
        $min: { lookAt: dueAfter(mark) },
      } as UpdateFilter<UsageDocument>,
      AFTERWARDS,
    );
    return changed ?? undefined;
  };
  /**
   * Changes the usage counter if the minute of the usage mark is already reconciled, and requests that the usage of the
   * month is counted again. Only this recount shows whether the counter already includes the stored record.
   */
  const changeSettled = async (mark: UsageMark, guard: Filter<UsageDocument>): Promise<UsageDocument | undefined> => {
    const changed = await usage.findOneAndUpdate(
      { _id: idOf(mark), ...guard },
      { $inc: { used: mark.amount, moves: 1, recounts: 1 }, $min: { lookAt: clock.now() } },
      AFTERWARDS,
    );
    return changed ?? undefined;
  };
  const recount = async (mark: UsageMark): Promise<void> => {
    await usage.updateOne({ _id: idOf(mark) }, { $inc: { moves: 1, recounts: 1 }, $min: { lookAt: clock.now() } });
  };
  const blocks = unitBlocks(clock, async ({ mark, unused, unreported, limit }) => {
    const counter = await changeInMinute({ ...mark, amount: 0 - unused }, {}, 0 - unused - unreported);
    if (counter !== undefined) onUsed(mark, usedOf(counter), limit);
    // The minute of the usage counter was reconciled while quota units of the block were in use, for example by a
    // replica whose clock is ahead.
    else await recount(mark);
    return counter;
  });
  /**
   * Reserves quota units for several reservations of one usage counter and minute in one change.
   * @param inAdvance number of units that are reserved in addition
   */
  const reserveTogether = async (alike: readonly Reservation[], inAdvance: number, guard: Filter<UsageDocument>) => {
    const limit = alike[0]?.limit;
    const total = sumOf(alike.map(({ mark }) => mark));
    const change = (held: number): Promise<UsageDocument | undefined> =>
      changeInMinute({ ...total, amount: total.amount + inAdvance }, guard, held);
    const counter = alike.every(isOfOneUnit) ? await blocks.reserve(total, limit, inAdvance, change) : await change(0);
    if (counter !== undefined) onUsed(total, usedOf(counter), limit);
    return counter !== undefined;
  };
  /**
   * Reserves a block of quota units in advance together with the given reservations of single units. This is done only
   * if this process reserved units a moment ago. Returns false if no block was reserved.
   */
  const reserveWithBlock = async (alike: readonly Reservation[]): Promise<boolean> => {
    const [first] = alike;
    const used = first !== undefined && alike.every(isOfOneUnit) ? blocks.usedBefore(first.mark) : undefined;
    if (first === undefined || used === undefined) return false;
    const { limit } = first;
    const inAdvance = unitsInAdvance(used, alike.length, limit);
    if (inAdvance === 0) return false;
    // The condition for the write of the usage counter contains the amount to reserve, so that the limit holds whatever
    // other replicas have reserved.
    const room = alike.length + inAdvance * UNITS_LEFT_PER_BLOCK_UNIT;
    return reserveTogether(
      alike,
      inAdvance,
      fittingIn(limit === undefined ? undefined : nextStepAt(used, limit), room),
    );
  };
  /**
   * Reserves quota units for several reservations of one usage counter and minute. If the quota is too small for all of
   * them, as many as possible are reserved, so the quota stays exact.
   * @returns whether each reservation was made
   */
  const reserveAlike = async (alike: readonly Reservation[]): Promise<readonly boolean[]> => {
    // While several quota reservations were waiting, this process may have reserved a block of quota units that can
    // serve them.
    const left = alike.filter(({ mark, limit }) => !blocks.use(mark, limit));
    const reserved = new Set(await reserveFitting(left));
    const refused = new Set(left.filter((reservation) => !reserved.has(reservation)));
    return alike.map((reservation) => !refused.has(reservation));
  };
  const reserveFitting = async (alike: readonly Reservation[]): Promise<readonly Reservation[]> => {
    const [first] = alike;
    if (first === undefined) return [];
    const { limit } = first;
    const reserve = (some: readonly Reservation[]): Promise<boolean> =>
      reserveTogether(some, 0, fittingIn(limit, sumOf(some.map(({ mark }) => mark)).amount));
    if ((await reserveWithBlock(alike)) || (await reserve(alike))) return alike;
    if (limit === undefined || alike.length === 1) return [];
    const counter = await usage.findOne({ _id: idOf(first.mark) });
    let room = limit - (counter?.used ?? limit);
    const fitting = alike.filter(({ mark: { amount } }) => {
      if (amount > room) return false;
      room -= amount;
      return true;
    });
    return fitting.length > 0 && (await reserve(fitting)) ? fitting : [];
  };
  /** Concurrent reservations in the same usage counter in the same minute are one change (ADR 0127). */
  const reserveInMinute = groupedBy(
    ({ mark, limit }: Reservation) => `${idOf(mark)}|${minuteOf(mark.at)}|${limit}`,
    GROUPED_RESERVATIONS_MAX,
    reserveAlike,
  );
  const read = batched(
    (id: string) => id,
    async (ids: readonly string[]) => {
      const counters = await usage.find({ _id: { $in: [...ids] } }).toArray();
      return new Map(counters.map((counter) => [counter._id, counter]));
    },
  );
  /**
   * Usage counters whose remaining units are held by a replica that has crashed, as the value of `moves` by counter id.
   * A counter is added here if it did not change while a request waited for longer than a block of quota units lasts.
   */
  const abandoned = new Map<string, number>();
  /**
   * Waits a moment if the quota will have room for the amount only after other replicas have returned the unused units
   * of their blocks, which takes seconds.
   * @returns false if the amount would not fit even then, or if the replica that holds the units has crashed
   */
  const waitedForHeld = async (mark: UsageMark, limit: number, counter: UsageDocument): Promise<boolean> => {
    if (await blocks.end(mark)) return true;
    if (usedOf(counter) > limit - mark.amount || abandoned.get(counter._id) === counter.moves) return false;
    await delay(HELD_POLL_MS);
    return true;
  };
  return {
    async reserve(mark, limit) {
      if (blocks.use(mark, limit)) return;
      const fits = fittingIn(limit, mark.amount);
      let polls = 0;
      let movesBefore: number | undefined;
      for (let tries = 1; tries <= RESERVE_TRIES_MAX + polls; tries++) {
        // If only a part of a batch of reservations fits into the quota, another replica may take the remaining units,
        // so later attempts are made one by one.
        const isReserved =
          tries <= GROUPED_TRIES_MAX + polls
            ? await reserveInMinute({ mark, limit })
            : await reserveTogether([{ mark, limit }], 0, fits);
        if (isReserved) return;
        const counter = await read(idOf(mark));
        if (counter === undefined) {
          // The usage counter is created once in a separate write, because concurrent conditional upserts could
          // conflict with each other.
          await create(usage, idOf(mark));
        } else if (counter.countedTo === undefined) {
          // A usage counter that only an earlier release has written has no time of the last count yet.
          const uncounted = { _id: idOf(mark), countedTo: { $exists: false } };
          await usage.updateOne(uncounted, { $set: { countedTo: NEVER_COUNTED } });
        } else if (limit !== undefined && counter.used > limit - mark.amount) {
          movesBefore ??= counter.moves;
          if (polls === HELD_POLLS_MAX && movesBefore === counter.moves) {
            if (abandoned.size >= ABANDONED_MAX) abandoned.clear();
            abandoned.set(counter._id, counter.moves);
          }
          if (polls < HELD_POLLS_MAX && (await waitedForHeld(mark, limit, counter))) {
            polls++;
            continue;
          }
          const now = clock.now();
          onUsed(mark, usedOf(counter), limit);
          await requestCount(usage, counter, now);
          throw exceeded(mark, { limit, used: counter.used, now });
        } else if (counter.countedTo > mark.at) {
          const changed = await changeSettled(mark, fits);
          if (changed !== undefined) return onUsed(mark, usedOf(changed), limit);
        }
        // This attempt failed, but the next attempt may succeed, because a concurrent request has created the usage
        // counter or changed it so that the amount fits into the limit. Replicas that keep competing for the same units
        // pause for a random time before they try again.
        if (tries > GROUPED_TRIES_MAX + polls) await delay(HELD_POLL_MS * Math.random());
      }
      throw new DomainError(
        'concurrent_change',
        'Other requests are using the same monthly quota right now. Retry the request.',
      );
    },
    async requireRoom(mark, limit) {
      if (limit === undefined) return;
      const counter = await usage.findOne({ _id: idOf(mark) });
      const used = counter === null ? 0 : usedOf(counter);
      if (used <= limit - mark.amount) return;
      const now = clock.now();
      if (counter !== null) await requestCount(usage, counter, now);
      throw exceeded(mark, { limit, used, now });
    },
    async giveBack(mark) {
      // If the minute of the usage counter is reconciled, a reservation without a stored record is no longer counted.
      await changeInMinute({ ...mark, amount: -mark.amount }, {});
    },
    async lower(mark, write) {
      // Each lowering of a usage counter has its own id. A lowering that crashed stays recorded, even if the next
      // worker lowers the same amount again.
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
      // The reconciliation job considered this lowering of the usage counter abandoned, and may have counted the quota
      // units before or after they were lowered, so the month is recounted.
      if (!isLowered) await recount(mark);
      return written;
    },
    recount,
    async used(key) {
      // Before the amount is read, this process reports the quota units that it used in its blocks.
      await blocks.end(key);
      const counter = await usage.findOne({ _id: idOf(key) });
      return counter === null ? 0 : usedOf(counter);
    },
    close: () => blocks.close(),
  };
}

interface Reservation {
  readonly mark: UsageMark;
  readonly limit: number | undefined;
}

function isOfOneUnit({ mark }: Reservation): boolean {
  return mark.amount === 1;
}

/** Returns the database condition that the quota has room for the amount. */
function fittingIn(limit: number | undefined, amount: number): Filter<UsageDocument> {
  return limit === undefined ? {} : { used: { $lte: limit - amount } };
}

/**
 * Combines several usage marks for one usage counter and minute into one, with the sum of their amounts and their
 * earliest time.
 */
function sumOf(marks: readonly UsageMark[]): UsageMark {
  return marks.reduce((sum, { amount, at }) => ({
    ...sum,
    amount: sum.amount + amount,
    at: at < sum.at ? at : sum.at,
  }));
}

/** Returns the time at which the minute of a reservation of quota units can be reconciled. */
function dueAfter({ at }: UsageMark): Date {
  return new Date(at.getTime() + CHECKED_AFTER_MS);
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

/**
 * Requests that the usage of the month is counted again, because the refusal was wrong if the usage counter is too high
 * for any reason.
 */
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
