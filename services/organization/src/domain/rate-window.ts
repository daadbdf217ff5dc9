/**
 * Length of a rate limit window in milliseconds. Requests are counted per fixed minute, and a weighted share of the
 * previous minute makes the limit slide.
 */
export const WINDOW_MS = 60_000;

export interface WindowPosition {
  /** Number of the minute to which the rate limit window belongs, counted since 1970. */
  readonly windowNumber: number;
  readonly elapsedMs: number;
}

export function windowPosition(now: Date): WindowPosition {
  const ms = now.getTime();
  return { windowNumber: Math.floor(ms / WINDOW_MS), elapsedMs: ms % WINDOW_MS };
}

/**
 * Returns the number of request tokens of a rate limit that the current minute may grant in total: the limit less the
 * share of the previous minute's tokens that falls within the last 60 seconds (HTTP and security reference, section 7).
 * The result is rounded so that the limit is never exceeded.
 */
export function allowedTokens(limitPerMinute: number, previousUsed: number, elapsedMs: number): number {
  return Math.max(0, limitPerMinute - Math.ceil((previousUsed * (WINDOW_MS - elapsedMs)) / WINDOW_MS));
}

/** Returns the milliseconds until a request token is free, if no other caller takes one. The result is at least 1. */
export function retryAfterMs(
  limitPerMinute: number,
  { previousUsed, currentUsed, elapsedMs }: { previousUsed: number; currentUsed: number; elapsedMs: number },
): number {
  const room = limitPerMinute - 1 - currentUsed;
  // Time within the current minute at which the previous minute's share has decreased enough for another request.
  const freeAtMs = shrinkMs(previousUsed, room);
  if (freeAtMs !== undefined && freeAtMs < WINDOW_MS) return Math.max(1, freeAtMs - elapsedMs);
  // If no further request fits into the current minute, one becomes possible in the next minute, as soon as the share
  // of the current minute's tokens has decreased enough.
  return WINDOW_MS - elapsedMs + (shrinkMs(currentUsed, limitPerMinute - 1) ?? WINDOW_MS);
}

/**
 * Returns how many milliseconds after the start of a minute the share of the previous minute's tokens has decreased to
 * `room`. The share is `used` at the start of the minute and decreases to 0 until its end. Undefined if `room` is
 * negative.
 */
function shrinkMs(used: number, room: number): number | undefined {
  if (room < 0) return undefined;
  return used <= room ? 0 : Math.ceil((WINDOW_MS * (used - room)) / used);
}
