import { beforeEach, describe, expect, test } from 'vitest';
import { createCache } from './cache.js';
import type { Cache } from './cache.js';

const FRESH_MS = 5_000;
const STALE_MS_MAX = 30_000;
const RETRY_MS = 1_000;

class Outage extends Error {}

let nowMs: number;
let loads: string[];
/** Function that the cache under test calls to load a value. Tests replace it. */
let answer: (key: string) => Promise<string>;
let cache: Cache<string>;
/** For each returned value, the way in which the cache found it. */
let found: string[];

beforeEach(() => {
  nowMs = 1_000_000;
  loads = [];
  found = [];
  answer = async (key) => `${key}${loads.length}`;
  cache = createCache({
    load(key) {
      loads.push(key);
      return answer(key);
    },
    freshMs: FRESH_MS,
    entriesMax: 3,
    staleIfError: {
      maxMs: STALE_MS_MAX,
      retryMs: RETRY_MS,
      mayServe: (error, value) => error instanceof Outage && value !== 'secret',
    },
    onGet: (how) => found.push(how),
    clock: { now: () => new Date(nowMs) },
  });
});

const fail = (error: Error) => (): Promise<string> => Promise.reject(error);

/**
 * Makes the next load of a cache value wait until the test ends it.
 * @returns a function that completes the load
 */
function holdLoad(): (value: string) => void {
  let release = (_: string): void => {};
  answer = () => new Promise((resolve) => (release = resolve));
  return (value) => release(value);
}

test('each returned value is counted as loaded, fresh or stale; a failure is not counted', async () => {
  await cache.get('a');
  await cache.get('a');
  nowMs += FRESH_MS;
  answer = fail(new Outage());
  await cache.get('a');
  await cache.get('a');
  await cache.get('b').catch(() => {});
  expect(found).toEqual(['LOADED', 'FRESH', 'STALE', 'STALE']);
});

test('a value is loaded again once it is stale, counted from when its load began', async () => {
  expect(await cache.get('a')).toBe('a1');
  nowMs += FRESH_MS - 1;
  expect(await cache.get('a')).toBe('a1');
  nowMs += 1;
  expect(await cache.get('a')).toBe('a2');

  const release = holdLoad();
  nowMs += FRESH_MS;
  const slow = cache.get('a');
  nowMs += FRESH_MS;
  release('slow');
  expect(await slow).toBe('slow');
  answer = async () => 'again';
  expect(await cache.get('a')).toBe('again');
});

test('concurrent callers share one load, also one that fails', async () => {
  expect(await Promise.all(Array.from({ length: 50 }, () => cache.get('a')))).toEqual(Array(50).fill('a1'));
  answer = fail(new Error('broken'));
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => cache.get('b')));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(50);
  expect(loads).toEqual(['a', 'b']);
});

test('does not cache a failed load', async () => {
  answer = fail(new Error('broken'));
  await expect(cache.get('a')).rejects.toThrow('broken');
  answer = async () => 'well';
  expect(await cache.get('a')).toBe('well');
});

test('a load that throws at once is retried like any other', async () => {
  answer = () => {
    throw new Error('broken');
  };
  await expect(cache.get('a')).rejects.toThrow('broken');
  answer = async () => 'well';
  expect(await cache.get('a')).toBe('well');
});

test('evicts the value that was loaded longest ago', async () => {
  for (const key of ['a', 'b', 'c']) await cache.get(key);
  await cache.reload('a');
  await cache.get('d');
  expect(['a', 'b', 'c', 'd'].map((key) => cache.peek(key) !== undefined)).toEqual([true, false, true, true]);
});

test('peeking shows the last value, however old, and loads nothing', async () => {
  expect(cache.peek('a')).toBeUndefined();
  await cache.get('a');
  nowMs += STALE_MS_MAX * 100;
  expect(cache.peek('a')).toBe('a1');
  expect(loads).toEqual(['a']);
});

describe('an invalidation', () => {
  test('removes the value of its key alone', async () => {
    await Promise.all([cache.get('a'), cache.get('b')]);
    cache.invalidate('a');
    answer = async () => 'new';
    expect(await cache.get('a')).toBe('new');
    expect(await cache.get('b')).toBe('b2');
  });

  test('removes the values that match', async () => {
    await Promise.all([cache.get('a'), cache.get('b')]);
    cache.invalidateWhere((value) => value.startsWith('a'));
    expect([cache.peek('a'), cache.peek('b')]).toEqual([undefined, 'b2']);
  });

  test('that expires values leaves them for peeking, and serves them to nobody, also during an outage', async () => {
    await Promise.all([cache.get('a'), cache.get('b')]);
    cache.expireWhere((value) => value.startsWith('a'));
    expect([cache.peek('a'), cache.peek('b')]).toEqual(['a1', 'b2']);
    answer = fail(new Outage('down'));
    await expect(cache.get('a')).rejects.toThrow('down');
    expect(await cache.get('b')).toBe('b2');
    answer = async () => 'new';
    expect(await cache.get('a')).toBe('new');
  });

  test.each<[string, () => void]>([
    ['of the key', () => cache.invalidate('a')],
    ['by match', () => cache.invalidateWhere(() => false)],
    ['by expiry', () => cache.expireWhere(() => false)],
    ['by a newer load', () => void cache.reload('a')],
  ])('%s keeps a load that began before it from being stored', async (_, invalidate) => {
    const release = holdLoad();
    const before = cache.get('a');
    answer = async () => 'new';
    invalidate();
    expect(await cache.get('a')).toBe('new');
    release('old');
    expect(await before).toBe('old');
    expect(await cache.get('a')).toBe('new');
    expect(cache.peek('a')).toBe('new');
  });
});

describe('a stale value', () => {
  test('is served during an outage up to its limit, then the failure is thrown', async () => {
    await cache.get('a');
    answer = fail(new Outage('down'));
    nowMs += STALE_MS_MAX - 1;
    expect(await cache.get('a')).toBe('a1');
    nowMs += 1;
    await expect(cache.get('a')).rejects.toThrow('down');
  });

  test('is served at once for a while after a failed load, then the load is retried', async () => {
    await cache.get('a');
    answer = fail(new Outage('down'));
    nowMs += FRESH_MS;
    for (let calls = 0; calls < 10; calls += 1) expect(await cache.get('a')).toBe('a1');
    expect(loads).toHaveLength(2);
    answer = async () => 'back';
    nowMs += RETRY_MS;
    expect(await cache.get('a')).toBe('back');
  });

  test('is not served after a failure that is not an outage, nor when the value must not be stale', async () => {
    await cache.get('a');
    answer = async () => 'secret';
    await cache.get('b');
    nowMs += FRESH_MS;
    answer = fail(new Error('refused'));
    await expect(cache.get('a')).rejects.toThrow('refused');
    answer = fail(new Outage('down'));
    await expect(cache.get('b')).rejects.toThrow('down');
  });

  test('is not served after an invalidation that arrived during its load', async () => {
    await cache.get('a');
    nowMs += FRESH_MS;
    let refuse = (_: Error): void => {};
    answer = () => new Promise((_, reject) => (refuse = reject));
    const waiting = cache.get('a');
    cache.invalidate('a');
    refuse(new Outage('down'));
    await expect(waiting).rejects.toThrow('down');
  });
});
