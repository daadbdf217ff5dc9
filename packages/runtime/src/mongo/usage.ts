import { DomainError } from '@invoicecontrol/errors';
import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from './connection.js';

/** A month's exact counter of one meter of one organization (architecture section 5, rule 6). */
export interface UsageDocument {
  /** `<organization>:<YYYY-MM>:<meter>`. */
  readonly _id: string;
  readonly used: number;
  /** Grows with every change, so that the reconciling job sees whether the counter stood still. */
  readonly moves: number;
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
   * Counts before the work, so that a crash can only count too much.
   * @param limit the plan's limit for the month; undefined means none
   * @throws DomainError usage_exceeded when the amount does not fit
   */
  reserve(mark: UsageMark, limit: number | undefined): Promise<void>;
  /** Gives back what was reserved for work that turned out to be a repeat or did not count. */
  giveBack(mark: UsageMark): Promise<void>;
  /** What is used of a meter in a month. */
  used(mark: Pick<UsageMark, 'organizationId' | 'month' | 'meter'>): Promise<number>;
}

/** The calendar month of an instant, UTC: the period of every quota. */
export function usageMonth(at: Date): string {
  return at.toISOString().slice(0, 7);
}

export function usageCounters(db: Db): UsageCounters {
  const usage: Collection<UsageDocument> = db.collection<UsageDocument>('usage');
  const idOf = ({ organizationId, month, meter }: Pick<UsageMark, 'organizationId' | 'month' | 'meter'>): string =>
    `${organizationId}:${month}:${meter}`;
  const increment = async (mark: UsageMark, limit: number | undefined): Promise<boolean> => {
    const fits = limit === undefined ? {} : { used: { $lte: limit - mark.amount } };
    const { matchedCount } = await usage.updateOne(
      { _id: idOf(mark), ...fits },
      { $inc: { used: mark.amount, moves: 1 } },
    );
    return matchedCount === 1;
  };
  return {
    async reserve(mark, limit) {
      if (await increment(mark, limit)) return;
      // A guarded upsert could lose a race against itself, so the counter is created once, apart.
      await create(usage, idOf(mark));
      if (await increment(mark, limit)) return;
      throw new DomainError(
        'usage_exceeded',
        `The plan's limit of ${limit} for ${mark.meter.replaceAll('_', ' ')} in ${mark.month} is reached. Change the plan or wait for the next month.`,
      );
    },
    async giveBack(mark) {
      await usage.updateOne({ _id: idOf(mark) }, { $inc: { used: -mark.amount, moves: 1 } });
    },
    async used(mark) {
      return (await usage.findOne({ _id: idOf(mark) }))?.used ?? 0;
    },
  };
}

async function create(usage: Collection<UsageDocument>, id: string): Promise<void> {
  try {
    await usage.updateOne({ _id: id }, { $setOnInsert: { used: 0, moves: 0 } }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}
