/** Requests are counted per fixed minute; two neighbouring minutes together give a window that slides. */
export const WINDOW_MS = 60_000;

/** Where an instant lies. */
export interface WindowPosition {
  /** Minutes since 1970. */
  readonly windowNumber: number;
  readonly elapsedMs: number;
}

export function windowPosition(now: Date): WindowPosition {
  const ms = now.getTime();
  return { windowNumber: Math.floor(ms / WINDOW_MS), elapsedMs: ms % WINDOW_MS };
}

/**
 * How many tokens the current minute may give out in total: the limit less what the previous minute gave out, as far
 * as that still lies within the last 60 seconds (HTTP and security reference, section 7). Rounded so that the limit is
 * never exceeded.
 */
export function allowedTokens(limitPerMinute: number, previousUsed: number, elapsedMs: number): number {
  return Math.max(0, limitPerMinute - Math.ceil((previousUsed * (WINDOW_MS - elapsedMs)) / WINDOW_MS));
}

/** Milliseconds until a token may be free again, if nobody else takes one meanwhile; at least 1. */
export function retryAfterMs(
  limitPerMinute: number,
  { previousUsed, currentUsed, elapsedMs }: { previousUsed: number; currentUsed: number; elapsedMs: number },
): number {
  const room = limitPerMinute - 1 - currentUsed;
  // What the previous minute gave out must have shrunk to the room that the current minute leaves ...
  const freeAtMs = fadeMs(previousUsed, room);
  if (freeAtMs !== undefined && freeAtMs < WINDOW_MS) return Math.max(1, freeAtMs - elapsedMs);
  // ... or, where it leaves none, the current minute must fade in its turn.
  return WINDOW_MS - elapsedMs + (fadeMs(currentUsed, limitPerMinute - 1) ?? WINDOW_MS);
}

/** How far into the next minute a minute's tokens have faded to `room`; undefined when there is no room at all. */
function fadeMs(used: number, room: number): number | undefined {
  if (room < 0) return undefined;
  return used <= room ? 0 : Math.ceil((WINDOW_MS * (used - room)) / used);
}
