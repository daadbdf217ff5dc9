const MINUTE_MS = 60_000;
/** Maximum number of keys for which the last time is kept, far more than there are pairs of services and rpcs. */
const KEYS_MAX = 1_000;

/** Returns true the first time that it is called with a key, and after that once a minute for each key. */
export type OnceAMinute = (key: string) => boolean;

export function onceAMinute(now: () => number = () => performance.now()): OnceAMinute {
  const last = new Map<string, number>();
  return (key) => {
    const at = last.get(key);
    if (at !== undefined && now() - at < MINUTE_MS) return false;
    if (at === undefined && last.size >= KEYS_MAX) last.clear();
    last.set(key, now());
    return true;
  };
}
