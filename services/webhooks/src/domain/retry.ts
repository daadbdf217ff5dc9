import { parseRetryAfterMs } from '@invoicecontrol/values/retry-after';

/** Number of failed attempts after which a webhook delivery is FAILED (specification section 6). */
const ATTEMPTS_MAX = 5;

/**
 * Random part of the delay before a webhook delivery is retried, up to a fifth in both directions, so that webhooks
 * that failed together are not retried together.
 */
const JITTER = 0.2;
/**
 * Maximum delay that a receiver may request by `Retry-After` before the next webhook delivery attempt, as a multiple of
 * the usual delay.
 */
const RETRY_AFTER_FACTOR_MAX = 2;

export interface RetrySchedule {
  /** The four delays between the attempts of a webhook delivery. */
  readonly waitsMs: readonly number[];
  /** Minimum delay after a 429 response or a timeout of a webhook receiver, including the random part of the delay. */
  readonly floorMs: number;
}

export interface FailedAttempt {
  /** Number of failed webhook delivery attempts in the current series, including the current attempt. */
  readonly failures: number;
  readonly isTimeout: boolean;
  readonly statusCode: number | undefined;
  /** Value of the `Retry-After` header as the webhook receiver sent it. */
  readonly retryAfter: string | undefined;
}

/**
 * Returns the time of the next webhook delivery attempt, or undefined after the last attempt.
 * @param random number from 0 to 1
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
