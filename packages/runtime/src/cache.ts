import { systemClock } from './clock.js';
import type { Clock } from './clock.js';

/** Limits on serving a stale value after a load has failed. */
export interface StaleIfError<V> {
  /** A value that was loaded longer ago than this is never served. */
  readonly maxMs: number;
  /** After a failure nothing is loaded for this long; the stale value is served immediately. */
  readonly retryMs: number;
  /** Tells whether the stale value may be served after this failure: yes after an outage, rarely after a refusal. */
  readonly mayServe: (error: unknown, value: V) => boolean;
}

export interface CacheOptions<V, A> {
  /** @param argument what loading needs in addition to the key: of concurrent callers the first one's is used */
  readonly load: (key: string, argument: A) => Promise<V>;
  /** A value is loaded again this long after its load began. */
  readonly freshMs: number;
  /** The entry that was loaded longest ago makes room. */
  readonly entriesMax: number;
  readonly staleIfError?: StaleIfError<V>;
  readonly clock?: Clock;
}

/**
 * Keeps loaded values for a while (ADR 0025). Concurrent callers share one load. A load that began before an invalidation
 * is returned to those who wait for it and is never stored, so that no caller reads an old value after the invalidation.
 */
export interface Cache<V, A = void> {
  /** Returns the fresh value, or loads it. @throws what `load` throws, unless a stale value may be served */
  get(key: string, argument: A): Promise<V>;
  /** Loads the value even when there is a fresh one. @throws what `load` throws */
  reload(key: string, argument: A): Promise<V>;
  /** The last value, however old, without loading anything. */
  peek(key: string): V | undefined;
  invalidate(key: string): void;
  /** Invalidates the values that match, and every load under way: what it will bring is not known yet. */
  invalidateWhere(matches: (value: V) => boolean): void;
  /** Like {@link invalidateWhere}, but `peek` still shows the values: they were true once, and no load returns them. */
  expireWhere(matches: (value: V) => boolean): void;
}

interface Entry<V> {
  readonly value: V;
  readonly loadedAtMs: number;
  /** The stale value is served until then. */
  staleUntilMs: number;
}

export function createCache<V, A = void>({
  load,
  freshMs,
  entriesMax,
  staleIfError,
  clock = systemClock,
}: CacheOptions<V, A>): Cache<V, A> {
  const entries = new Map<string, Entry<V>>();
  const loads = new Map<string, Promise<V>>();
  const nowMs = (): number => clock.now().getTime();

  const startLoad = (key: string, argument: A): Promise<V> => {
    const loadedAtMs = nowMs();
    // Async, so that a load that throws at once is a rejection as well.
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
  /** @returns false for a load that an invalidation or a newer load has replaced */
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
        return known.value;
      }
      try {
        return await (loads.get(key) ?? startLoad(key, argument));
      } catch (error) {
        // Read again: an invalidation may have removed the entry in the meantime.
        const last = entries.get(key);
        if (last === undefined || staleIfError === undefined) throw error;
        const { maxMs, retryMs, mayServe } = staleIfError;
        const endMs = last.loadedAtMs + maxMs;
        if (nowMs() >= endMs || !mayServe(error, last.value)) throw error;
        last.staleUntilMs = Math.min(nowMs() + retryMs, endMs);
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
