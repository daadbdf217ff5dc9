import { parseRetryAfterMs } from '@invoicecontrol/values/retry-after';

/** Failed attempts after which a delivery is FAILED (specification section 6). */
const ATTEMPTS_MAX = 5;

/** Waits are spread by a fifth up and down, so that endpoints that failed together are not called together again. */
const JITTER = 0.2;
/** Retry-After counts from the wait to this many times the wait. */
const RETRY_AFTER_FACTOR_MAX = 2;

export interface RetrySchedule {
  /** The four waits. */
  readonly waitsMs: readonly number[];
  /** The least wait after a 429 or a timeout, jitter included. */
  readonly floorMs: number;
}

export interface FailedAttempt {
  /** Number of failed attempts of the series, this one included. */
  readonly failures: number;
  readonly isTimeout: boolean;
  readonly statusCode: number | undefined;
  /** The header as it came. */
  readonly retryAfter: string | undefined;
}

/**
 * Returns the time of the next attempt; undefined after the last one.
 * @param random from 0 to 1
 */
export function nextAttemptAt(
  { failures, isTimeout, statusCode, retryAfter }: FailedAttempt,
  { waitsMs, floorMs }: RetrySchedule,
  now: Date,
  random: number,
): Date | undefined {
  const waitMs = failures >= ATTEMPTS_MAX ? undefined : waitsMs[failures - 1];
  if (waitMs === undefined) return undefined;
  const askedMs = retryAfter === undefined ? undefined : parseRetryAfterMs(retryAfter, now);
  const baseMs = askedMs === undefined ? waitMs : Math.min(Math.max(askedMs, waitMs), waitMs * RETRY_AFTER_FACTOR_MAX);
  const spreadMs = Math.round(baseMs * (1 - JITTER + 2 * JITTER * random));
  const isPaced = isTimeout || statusCode === 429;
  return new Date(now.getTime() + (isPaced ? Math.max(spreadMs, floorMs) : spreadMs));
}
