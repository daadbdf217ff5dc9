import { DomainError } from '@invoicecontrol/errors';
import type { Collection, Db } from 'mongodb';
import type { Clock } from '../clock.js';
import { isDuplicateKey } from './connection.js';

/** A month's exact counter of one meter of one organization (architecture section 5, rule 6). */
export interface UsageDocument {
  /** `<organization>:<YYYY-MM>:<meter>`. */
  readonly _id: string;
  readonly used: number;
  /** Grows with every change, so that the reconciling job sees whether the counter stood still. */
  readonly moves: number;
  /** When the reconciling job checks it next; absent once it was right and did not move since. Sparse index. */
  readonly lookAt?: Date;
  /** What `moves` was at the first reading, until the second one. */
  readonly seenMoves?: number;
  /** The last refusal that requested a check. */
  readonly refusedAt?: Date;
}

/** What is counted, for whom and when. */
export interface UsageMark {
  readonly organizationId: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly meter: string;
  readonly amount: number;
}

export interface UsageCounters {
  /**
   * Counts before the work, so that a crash can only count too much. A refusal has the reconciling job check whether
   * the counter is right.
   * @param limit the plan's limit for the month; undefined means none
   * @throws DomainError usage_exceeded when the amount does not fit, concurrent_change when others kept changing the
   * counter
   */
  reserve(mark: UsageMark, limit: number | undefined): Promise<void>;
  /**
   * Gives back what was reserved for work that turned out to be a repeat or did not count.
   * @param since when the write before it began: the reservation, or the one that lowered the stored mark. Nothing is
   * given back when the counter {@link mayBeReconciled} since.
   */
  giveBack(mark: UsageMark, since: Date): Promise<void>;
  /** What is used of a meter in a month. */
  used(mark: Pick<UsageMark, 'organizationId' | 'month' | 'meter'>): Promise<number>;
}

const RESERVE_TRIES_MAX = 5;
const RECONCILABLE_AFTER_MS = 30_000;
/** An organization at its limit is refused again and again; its counter is checked no more often than this. */
const CHECK_AFTER_REFUSAL_EACH_MS = 10 * 60_000;
/** The hour in which counters that moved are checked, UTC. */
const NIGHT_HOUR = 2;
const DAY_MS = 24 * 3_600_000;

/** The calendar month of an instant, UTC: the period of every quota. */
export function usageMonth(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** When the month after this one begins. */
export function endOfMonth(month: string): Date {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0));
}

/**
 * Whether so much time has passed since a reservation that the reconciling job, which waits twice as long, may have
 * counted without it. Then nothing is given back any more, and what is stored so late is counted once more.
 */
export function mayBeReconciled(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() > RECONCILABLE_AFTER_MS;
}

/** The next night in which counters are checked. */
export function nextNight(now: Date): Date {
  const tonight = new Date(now).setUTCHours(NIGHT_HOUR, 0, 0, 0);
  return new Date(tonight > now.getTime() ? tonight : tonight + DAY_MS);
}

export function usageCollection(db: Db): Collection<UsageDocument> {
  return db.collection<UsageDocument>('usage');
}

export function usageCounters(db: Db, clock: Clock): UsageCounters {
  const usage = usageCollection(db);
  const increment = async (mark: UsageMark, limit: number | undefined): Promise<boolean> => {
    const fits = limit === undefined ? {} : { used: { $lte: limit - mark.amount } };
    const { matchedCount } = await usage.updateOne(
      { _id: idOf(mark), ...fits },
      { $inc: { used: mark.amount, moves: 1 }, $min: { lookAt: nextNight(clock.now()) } },
    );
    return matchedCount === 1;
  };
  return {
    async reserve(mark, limit) {
      for (let tries = 1; tries <= RESERVE_TRIES_MAX; tries++) {
        if (await increment(mark, limit)) return;
        const counter = await usage.findOne({ _id: idOf(mark) });
        if (counter === null) {
          // A guarded upsert could lose a race against itself, so the counter is created once, apart.
          await create(usage, idOf(mark));
        } else if (limit !== undefined && counter.used > limit - mark.amount) {
          const now = clock.now();
          await requestCheck(usage, counter, now);
          throw exceeded(mark, { limit, used: counter.used, now });
        }
        // Otherwise there is room by now: a concurrent request created the counter, or gave something back.
      }
      throw new DomainError('concurrent_change', 'Others are using the same quota right now. Repeat the request.');
    },
    async giveBack(mark, since) {
      if (mayBeReconciled(since, clock.now())) return;
      await increment({ ...mark, amount: -mark.amount }, undefined);
    },
    async used(mark) {
      return (await usage.findOne({ _id: idOf(mark) }))?.used ?? 0;
    },
  };
}

function idOf({ organizationId, month, meter }: Pick<UsageMark, 'organizationId' | 'month' | 'meter'>): string {
  return `${organizationId}:${month}:${meter}`;
}

async function create(usage: Collection<UsageDocument>, id: string): Promise<void> {
  try {
    await usage.updateOne({ _id: id }, { $setOnInsert: { used: 0, moves: 0 } }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** Has the reconciling job check the counter: a crash may have left it too high, and then the refusal was wrong. */
async function requestCheck(usage: Collection<UsageDocument>, counter: UsageDocument, now: Date): Promise<void> {
  const { _id, refusedAt, seenMoves } = counter;
  const isAsked = refusedAt !== undefined && now.getTime() - refusedAt.getTime() < CHECK_AFTER_REFUSAL_EACH_MS;
  if (isAsked || seenMoves !== undefined) return;
  // Between the two readings nothing may hurry the second one.
  await usage.updateOne({ _id, seenMoves: { $exists: false } }, { $set: { lookAt: now, refusedAt: now } });
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
