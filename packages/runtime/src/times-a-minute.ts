const MINUTE_MS = 60_000;

/**
 * Returns a function that returns true for each key at most `max` times in a minute. The number of different keys must
 * be bounded, because the keys of a minute are kept until its end.
 */
export function timesAMinute(max: number, nowMs: () => number = Date.now): (key: string) => boolean {
  const counts = new Map<string, number>();
  let minute = 0;
  return (key) => {
    const now = Math.floor(nowMs() / MINUTE_MS);
    if (now !== minute) {
      minute = now;
      counts.clear();
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= max;
  };
}
