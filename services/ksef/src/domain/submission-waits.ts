const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waiting times before the first polls of an invoice that KSeF is processing (KSeF reference, section 7). */
const FIRST_POLLS = [1, 1, 2, 3, 5, 8, 13].map((seconds) => seconds * SECOND);
const BACKOFF_MS = SECOND;
const BACKOFF_MS_MAX = 5 * MINUTE;
/** Time to wait after the gateway in front of KSeF has blocked a call. */
export const BLOCK_MS = 30 * MINUTE;
/** Waiting times before the second and the third search for a document that may have arrived in KSeF. */
export const LOOK_AGAIN_MS: readonly number[] = [5 * SECOND, 30 * SECOND];

const PAUSE_MS_MIN = 50;

/**
 * Returns the pause between two runs of a recurring KSeF job. A small wait factor shortens it, and a large one does not
 * extend it.
 */
export function pauseOfJob(usualMs: number, waitFactor: number): number {
  return Math.max(PAUSE_MS_MIN, usualMs * Math.min(1, waitFactor));
}

/**
 * Returns the waiting time before the status of a KSeF submission is polled again.
 * @param polls number of polls so far
 * @param waitedMs milliseconds since the first poll was possible
 */
export function pollAfterMs(polls: number, waitedMs: number): number {
  const first = FIRST_POLLS[polls];
  if (first !== undefined) return first;
  if (waitedMs < 10 * MINUTE) return 30 * SECOND;
  return waitedMs < 24 * HOUR ? 5 * MINUTE : HOUR;
}

/**
 * Returns the waiting time before a failed KSeF call is retried: exponential, with jitter and a maximum.
 * @param failures number of consecutive failures, including this one
 * @param random number from 0 to 1
 */
export function backoffMs(failures: number, random: number): number {
  const full = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** Math.min(failures - 1, 30));
  return full * (0.5 + random / 2);
}
