import { invalidField } from '@invoicecontrol/errors';
import type { Clock } from './clock.js';
import { maskText } from './mask-secrets.js';

/** Items that one call tells of. */
export const STUCK_ITEMS_MAX = 500;
const OLDER_THAN_SECONDS_DEFAULT = 600;
const OLDER_THAN_SECONDS_MAX = 30 * 24 * 3_600;

/** Work that has not moved for too long, as the operator is told about it. */
export interface StuckItem {
  /** `outbox`, `consumer`: groups equal trouble. */
  readonly kind: string;
  /** The stuck work, with its id. */
  readonly what: string;
  readonly since: Date;
  /** The last error where one is known. */
  readonly why: string;
  /** The command that resolves it, or the page of the documentation that says how. */
  readonly resolution: string;
}

/**
 * Finds what has not moved since a time; a bounded number of items.
 * @param now the database's time
 */
export type FindStuckWork = (before: Date, now: Date) => Promise<readonly StuckItem[]>;

/**
 * Asks every source and puts the oldest first.
 * @throws DomainError invalid for an age outside 1 second to 30 days
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
