import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, NetworkError } from './errors.js';

const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
/** Applies also where `Retry-After` is shorter. */
const ASKED_PAUSE_MS_MIN = 1_000;
const transientStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

export interface RetryOptions {
  /**
   * Maximum number of attempts that fail because of the network or the service, 4 by default. Being asked to wait (429, 409) is not a
   * failure.
   */
  readonly attemptsMax?: number | undefined;
  /** No attempt begins later than this after the first one, 5 minutes unless told. */
  readonly totalMsMax?: number | undefined;
  /** Called before each pause, as for a progress line. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Pauses; rejects when the signal is aborted. For tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

export interface Retry {
  /** The failure after which the request is sent again. */
  readonly error: ApiError | NetworkError;
  readonly delayMs: number;
}

/**
 * Retries `send` after a temporary failure: no response, 500, 502, 503 and 504 after a pause that doubles; 429
 * RATE_LIMITED and a 409 with `Retry-After` (an earlier request is still running) after that time.
 * @throws the last ApiError or NetworkError, the reason of the signal
 */
export async function withRetries<T>(
  send: () => Promise<T>,
  { attemptsMax = 4, totalMsMax = 300_000, onRetry, sleep = pause }: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  let elapsedMs = 0;
  let failures = 0;
  for (let attempts = 1; ; attempts++) {
    const startedAt = performance.now();
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof NetworkError)) throw error;
      elapsedMs += performance.now() - startedAt;
      Object.assign(error, { attempts, elapsedMs });
      const kind = kindOf(error);
      if (kind === 'failure') failures += 1;
      if (kind === 'final' || failures >= attemptsMax) throw error;
      const delayMs = askedPauseMs(error) ?? backoffMs(failures);
      if (elapsedMs + delayMs > totalMsMax) throw error;
      onRetry?.({ error, delayMs });
      await sleep(delayMs, signal);
      elapsedMs += delayMs;
    }
  }
}

/** `wait`: the service works and says when to retry; waiting uses up time, but no attempt. */
function kindOf(error: ApiError | NetworkError): 'wait' | 'failure' | 'final' {
  if (error instanceof NetworkError) return 'failure';
  if (error.code === 'USAGE_LIMIT_EXCEEDED') return 'final';
  if ((error.status === 409 || error.status === 429) && error.retryAfterSeconds !== undefined) return 'wait';
  return transientStatuses.has(error.status) ? 'failure' : 'final';
}

function askedPauseMs(error: ApiError | NetworkError): number | undefined {
  if (error instanceof NetworkError || error.retryAfterSeconds === undefined) return undefined;
  return Math.max(error.retryAfterSeconds * 1_000, ASKED_PAUSE_MS_MIN);
}

/** Up to a quarter longer at random, so that clients that failed at the same time do not retry at the same time. */
function backoffMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), PAUSE_MS_MAX) * (1 + Math.random() / 4);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
