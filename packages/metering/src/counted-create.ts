import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { mayBeSettled } from './usage.js';
import type { UsageCounters } from './usage.js';
import type { UsageMark } from './usage-counter.js';

/**
 * Number of times that a repeated request polls for the record of the first request after the quota has refused the
 * repeated request. The first request may have used the last quota unit.
 */
const POLL_ATTEMPTS_MAX = 5;
const POLL_EACH_MS = 20;

/** A record that uses quota units. Its id is derived from the idempotency key if the caller sent one. */
export interface CountedCreate<Created, First> {
  readonly mark: UsageMark;
  /** Quota limit of the plan for the month, or undefined if there is no limit. */
  readonly limit: number | undefined;
  /**
   * Stores the record that uses quota units, together with the month that the units count towards. Resolves to
   * undefined if the id already exists.
   */
  readonly insert: () => Promise<Created | undefined>;
  /**
   * Reads the record, or the response, that the first request with the Idempotency-Key stored. Absent if the caller
   * sent no key.
   */
  readonly findFirst?: (() => Promise<First | undefined>) | undefined;
  /**
   * If true, the quota units are counted while the record is being stored, and not before. This is faster, but possible
   * only without a quota limit. A crash may prevent the count, so the record must be marked as possibly not counted
   * until both are done.
   */
  readonly isCountUnsure?: boolean;
}

/**
 * The record that was stored by this request or by the first request with the same Idempotency-Key, or undefined if
 * there is none.
 */
export type CountedOutcome<Created, First> =
  | { readonly created: Created; readonly first?: undefined }
  | { readonly created?: undefined; readonly first: First | undefined };

/**
 * Counts and stores a record once, however often a request is repeated, also in parallel (architecture section 5, rule
 * 6). The quota is reserved first, the insert decides which request stores the record, and a repeated request gives its
 * reservation back. A crash between two steps leaves the usage counter correct or too high, but never too low, and the
 * reconciliation job corrects it.
 * @throws DomainError usage_exceeded if the limit is reached and no first request with the key is found
 */
export async function createCounted<Created, First>(
  { usage, clock }: { readonly usage: UsageCounters; readonly clock: Clock },
  { mark, limit, insert, findFirst, isCountUnsure = false }: CountedCreate<Created, First>,
): Promise<CountedOutcome<Created, First>> {
  if (isCountUnsure && limit !== undefined)
    throw new TypeError('A record that counts towards a quota must be counted before it is stored.');
  const reserving = usage.reserve(mark, limit);
  if (!isCountUnsure) {
    try {
      await reserving;
    } catch (error) {
      if (findFirst === undefined) throw error;
      return { first: await firstOfRefused(error, findFirst) };
    }
  }
  const [created] = await Promise.all([insert(), reserving]);
  if (created === undefined) {
    await usage.giveBack(mark);
    return { first: await findFirst?.() };
  }
  // If the record that uses quota units was stored so late that its minute may have been reconciled without it, the
  // month is recounted.
  if (mayBeSettled(mark, clock.now())) await usage.recount(mark);
  return { created };
}

/**
 * Returns the record of the first request if the quota refused a repeated request. Both requests may run in parallel,
 * and the first request may have taken the last quota unit just before.
 * @throws the refusal, if there is no first request
 */
export async function firstOfRefused<First>(
  refusal: unknown,
  findFirst: () => Promise<First | undefined>,
): Promise<First> {
  const isExceeded = refusal instanceof DomainError && refusal.kind === 'usage_exceeded';
  const first = isExceeded ? await poll(findFirst) : undefined;
  if (first === undefined) throw refusal;
  return first;
}

async function poll<First>(findFirst: () => Promise<First | undefined>): Promise<First | undefined> {
  for (let attempts = 1; ; attempts++) {
    const first = await findFirst();
    if (first !== undefined || attempts === POLL_ATTEMPTS_MAX) return first;
    await delay(POLL_EACH_MS);
  }
}
