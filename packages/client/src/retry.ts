import { ApiError, NetworkError } from './errors.js';

const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
/** Minimum pause before a retry after a response that states when to retry, even if its `Retry-After` is shorter. */
const ASKED_PAUSE_MS_MIN = 1_000;
const transientStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

export interface RetryOptions {
  /**
   * Maximum number of attempts of an API call that may fail because of the network or the service (default 4). A
   * response that asks the client to wait (429, 409) does not count as a failed attempt.
   */
  readonly attemptsMax?: number | undefined;
  /** Maximum time after the first attempt of an API call at which another attempt may begin (default 5 minutes). */
  readonly totalMsMax?: number | undefined;
  /** Function that is called before the API client pauses and retries a request, for example to show progress. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /**
   * Function that replaces the pause between attempts of an API call in tests. It must reject when the signal is
   * aborted.
   */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

export interface Retry {
  /** The failure of the API call that causes the retry. */
  readonly error: ApiError | NetworkError;
  readonly delayMs: number;
}

/**
 * Calls `send`, which sends a request to the API, and calls it again after a temporary failure. After a missing
 * response, 500, 502, 503 or 504, the pause doubles with each attempt. After 429 RATE_LIMITED, or a 409 with
 * `Retry-After` (an earlier request is still running), the pause is the time that the response states.
 * @throws the last ApiError or NetworkError, or the reason of the signal
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

/**
 * Decides whether a failed API request is retried. The result `wait` means that the API works and states when to retry.
 * Such a wait counts towards the maximum total time, but not as a failed attempt.
 */
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

/**
 * Adds up to a quarter of the pause at random, so that clients whose requests failed at the same time do not retry at
 * the same time.
 */
function backoffMs(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), PAUSE_MS_MAX) * (1 + Math.random() / 4);
}

/** Waits between two attempts of an API call. Rejects with the reason of the signal as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // The reason with which the caller aborts the API call is passed on as it is, even if it is not an error.
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
