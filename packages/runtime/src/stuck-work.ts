import { invalidField } from '@invoicecontrol/errors';
import type { Clock } from './clock.js';
import { maskText } from './mask-secrets.js';

/** Maximum number of items of stuck work that one call returns. */
export const STUCK_ITEMS_MAX = 500;
const OLDER_THAN_SECONDS_DEFAULT = 600;
const OLDER_THAN_SECONDS_MAX = 30 * 24 * 3_600;

/** Work that has not progressed for too long, as the operator's command line shows it. */
export interface StuckItem {
  /** Kind of problem, such as `outbox` or `consumer`, which groups equal problems. */
  readonly kind: string;
  /** Description of the stuck work, with its id. */
  readonly what: string;
  readonly since: Date;
  /** Last error of the stuck work, if an error is known. */
  readonly why: string;
  /** Command that resolves the stuck work, or page of the documentation that explains how. */
  readonly resolution: string;
}

/**
 * Finds stuck work that has not progressed since a given time, up to a maximum number of items.
 * @param now current time of the database
 */
export type FindStuckWork = (before: Date, now: Date) => Promise<readonly StuckItem[]>;

/**
 * Queries every source of stuck work and returns the oldest items first.
 * @throws DomainError invalid if the age is not between 1 second and 30 days
 */
export const listStuckWork =
  ({ sources, clock }: { readonly sources: readonly FindStuckWork[]; readonly clock: Clock }) =>
  async (olderThanSeconds: number): Promise<{ items: readonly StuckItem[]; hasMore: boolean }> => {
    const seconds = olderThanSeconds === 0 ? OLDER_THAN_SECONDS_DEFAULT : olderThanSeconds;
    if (seconds < 1 || seconds > OLDER_THAN_SECONDS_MAX) {
      throw invalidField('older_than_seconds', `must be from 1 to ${OLDER_THAN_SECONDS_MAX}.`);
    }
    const now = clock.now();
    const before = new Date(now.getTime() - seconds * 1_000);
    const found = (await Promise.all(sources.map((find) => find(before, now)))).flat();
    const oldestFirst = found.toSorted((left, right) => left.since.getTime() - right.since.getTime());
    return {
      items: oldestFirst.slice(0, STUCK_ITEMS_MAX).map((item) => ({ ...item, why: maskText(item.why) })),
      hasMore: found.length > STUCK_ITEMS_MAX,
    };
  };
