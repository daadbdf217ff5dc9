/** Options of {@link oncePer}: the length of the period, the number of remembered keys, and the clock. */
export interface OncePerOptions {
  readonly periodMs: number;
  /** Maximum number of keys for which the last time is kept. The oldest key is removed first, and then counts as new. */
  readonly keysMax: number;
  /** Returns the current time in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Returns a function that returns true for a key, such as the name of an error, at most once in each period. Callers
 * use it to log or record something only once although its cause repeats.
 */
export function oncePer({ periodMs, keysMax, nowMs }: OncePerOptions): (key: string) => boolean {
  const lastAtMs = new Map<string, number>();
  return (key) => {
    const now = nowMs();
    if (now - (lastAtMs.get(key) ?? -Infinity) < periodMs) return false;
    // A key that is set again moves to the end of the map, so the first key of the map is the key that was let through
    // longest ago.
    lastAtMs.delete(key);
    const [oldest] = lastAtMs.keys();
    if (lastAtMs.size >= keysMax && oldest !== undefined) lastAtMs.delete(oldest);
    lastAtMs.set(key, now);
    return true;
  };
}
