import { systemClock } from './clock.js';
import type { Clock } from './clock.js';

/** Limits on serving a stale value from a cache after a load has failed. */
export interface StaleIfError<V> {
  /** Maximum age of a stale cache value in milliseconds. */
  readonly maxMs: number;
  /** Time after a failed load of a cache during which no load is tried. The stale value is returned immediately. */
  readonly retryMs: number;
  /**
   * Checks whether the cache may return a stale value after a failed load. It may do so after an outage, but usually
   * not after a refusal.
   */
  readonly mayServe: (error: unknown, value: V) => boolean;
}

export interface CacheOptions<V, A> {
  /**
   * Loads the value of a key that is not cached.
   * @param argument additional input of the load; if several callers wait for one load, the argument of the first
   * caller is used
   */
  readonly load: (key: string, argument: A) => Promise<V>;
  /** Time after the start of a load for which its cached value is fresh. */
  readonly freshMs: number;
  /** Maximum number of cache entries. If there are more, the entry that was loaded longest ago is removed. */
  readonly entriesMax: number;
  readonly staleIfError?: StaleIfError<V>;
  /**
   * Function that is called for each value that the cache returns. It is told whether the value was cached, was loaded,
   * or is stale.
   */
  readonly onGet?: (how: 'FRESH' | 'LOADED' | 'STALE') => void;
  readonly clock?: Clock;
}

/**
 * Caches loaded values (ADR 0025). Concurrent callers share one load. If the cache is invalidated during a load, the
 * callers that already wait get the loaded value, but it is never stored, so that no caller reads an old value after
 * the invalidation.
 */
export interface Cache<V, A = void> {
  /**
   * Returns the cached value if it is fresh, or loads it.
   * @throws what `load` throws, unless a stale value may be served
   */
  get(key: string, argument: A): Promise<V>;
  /** Loads the value of a key even when the cache has a fresh value. @throws what `load` throws */
  reload(key: string, argument: A): Promise<V>;
  /** Returns the cached value of a key, however old the value is, and loads nothing. */
  peek(key: string): V | undefined;
  invalidate(key: string): void;
  /**
   * Invalidates the matching cache values, and every load in progress, because it is not known yet whether its value
   * matches.
   */
  invalidateWhere(matches: (value: V) => boolean): void;
  /**
   * Marks the matching cache values as stale, so that the next read loads them. `peek` still returns the stale values.
   */
  expireWhere(matches: (value: V) => boolean): void;
}

interface Entry<V> {
  readonly value: V;
  readonly loadedAtMs: number;
  /** Time until which a stale cache value is returned, in milliseconds. */
  staleUntilMs: number;
}

export function createCache<V, A = void>({
  load,
  freshMs,
  entriesMax,
  staleIfError,
  onGet = () => {},
  clock = systemClock,
}: CacheOptions<V, A>): Cache<V, A> {
  const entries = new Map<string, Entry<V>>();
  const loads = new Map<string, Promise<V>>();
  const nowMs = (): number => clock.now().getTime();

  const startLoad = (key: string, argument: A): Promise<V> => {
    const loadedAtMs = nowMs();
    // The function that loads a cache value is async, so that a load that throws synchronously also becomes a
    // rejection.
    const loading = (async () => load(key, argument))();
    const running: Promise<V> = loading.then(
      (value) => {
        if (end(key, running)) store(key, { value, loadedAtMs, staleUntilMs: 0 });
        return value;
      },
      (error: unknown) => {
        end(key, running);
        throw error;
      },
    );
    loads.set(key, running);
    return running;
  };
  /**
   * Removes a completed load of a cache value from the loads in progress.
   * @returns false if an invalidation or a newer load has replaced the load
   */
  const end = (key: string, running: Promise<V>): boolean => loads.get(key) === running && loads.delete(key);
  const store = (key: string, entry: Entry<V>): void => {
    entries.delete(key);
    entries.set(key, entry);
    if (entries.size <= entriesMax) return;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  };
  return {
    async get(key, argument) {
      const known = entries.get(key);
      const askedAtMs = nowMs();
      if (known !== undefined && askedAtMs < Math.max(known.loadedAtMs + freshMs, known.staleUntilMs)) {
        onGet(askedAtMs < known.loadedAtMs + freshMs ? 'FRESH' : 'STALE');
        return known.value;
      }
      try {
        const loaded = await (loads.get(key) ?? startLoad(key, argument));
        onGet('LOADED');
        return loaded;
      } catch (error) {
        // The cache entry is read again, because an invalidation may have removed it in the meantime.
        const last = entries.get(key);
        if (last === undefined || staleIfError === undefined) throw error;
        const { maxMs, retryMs, mayServe } = staleIfError;
        const endMs = last.loadedAtMs + maxMs;
        if (nowMs() >= endMs || !mayServe(error, last.value)) throw error;
        last.staleUntilMs = Math.min(nowMs() + retryMs, endMs);
        onGet('STALE');
        return last.value;
      }
    },
    reload: startLoad,
    peek: (key) => entries.get(key)?.value,
    invalidate(key) {
      entries.delete(key);
      loads.delete(key);
    },
    invalidateWhere(matches) {
      for (const [key, { value }] of entries) if (matches(value)) entries.delete(key);
      loads.clear();
    },
    expireWhere(matches) {
      for (const [key, { value }] of entries) {
        if (matches(value)) entries.set(key, { value, loadedAtMs: -Infinity, staleUntilMs: 0 });
      }
      loads.clear();
    },
  };
}
