import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { mayBeSettled } from './usage.js';
import type { UsageCounters, UsageMark } from './usage.js';

/** A repeat that the quota refused polls this often for the first request, which may have taken the last unit. */
const POLL_ATTEMPTS_MAX = 5;
const POLL_EACH_MS = 20;

/** Something that uses a quota and is stored under an id derived from its idempotency key, if the caller sent one. */
export interface CountedCreate<Created, First> {
  readonly mark: UsageMark;
  /** The plan's limit for the month; undefined means none. */
  readonly limit: number | undefined;
  /** Stores it, with the month that it counts in; resolves to undefined when the id is taken. */
  readonly insert: () => Promise<Created | undefined>;
  /** Reads what the first request with the key stored, or its response; left out when the caller sent no key. */
  readonly findFirst?: (() => Promise<First | undefined>) | undefined;
  /**
   * Counts and stores at the same time, which costs one step less and is possible without a limit alone. The document must
   * then say that its count is unsure until it is finished: a crash may leave it uncounted.
   */
  readonly isCountUnsure?: boolean;
}

/** The record that was stored now, or that of the first request with the key; undefined if there is none. */
export type CountedOutcome<Created, First> =
  | { readonly created: Created; readonly first?: undefined }
  | { readonly created?: undefined; readonly first: First | undefined };

/**
 * Counts and stores something once, however often and however parallel a request is repeated (architecture section 5,
 * rule 6): the quota is reserved, the insert decides, and a repeat gives its reservation back. A crash between any two
 * steps leaves the counter right or too high, never too low; the reconciling job corrects it.
 * @throws DomainError usage_exceeded when the limit is reached and no first request with the key is found
 */
export async function createCounted<Created, First>(
  { usage, clock }: { readonly usage: UsageCounters; readonly clock: Clock },
  { mark, limit, insert, findFirst, isCountUnsure = false }: CountedCreate<Created, First>,
): Promise<CountedOutcome<Created, First>> {
  if (isCountUnsure && limit !== undefined) throw new TypeError('A limited create must be counted first.');
  const reserving = usage.reserve(mark, limit);
  if (!isCountUnsure) {
    try {
      await reserving;
    } catch (error) {
      const isExceeded = error instanceof DomainError && error.kind === 'usage_exceeded';
      const first = isExceeded && findFirst !== undefined ? await poll(findFirst) : undefined;
      if (first === undefined) throw error;
      return { first };
    }
  }
  const [created] = await Promise.all([insert(), reserving]);
  if (created === undefined) {
    await usage.giveBack(mark);
    return { first: await findFirst?.() };
  }
  // It was stored so late that its minute may have been settled without it.
  if (mayBeSettled(mark, clock.now())) await usage.recount(mark);
  return { created };
}

async function poll<First>(findFirst: () => Promise<First | undefined>): Promise<First | undefined> {
  for (let attempts = 1; ; attempts++) {
    const first = await findFirst();
    if (first !== undefined || attempts === POLL_ATTEMPTS_MAX) return first;
    await delay(POLL_EACH_MS);
  }
}
