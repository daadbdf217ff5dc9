import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gathering } from './gathering.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a function that makes a caller wait, and the names of the callers in the order in which they continued. */
function setUp(waitMs: number, callersMax: number) {
  const gather = gathering(waitMs, callersMax);
  const gone: string[] = [];
  return { gone, call: (name: string) => gather().then(() => gone.push(name)) };
}

test('all callers go on together when the first one has waited for the time', async () => {
  const { gone, call } = setUp(250, 10);
  const calls = [call('a')];
  await vi.advanceTimersByTimeAsync(249);
  calls.push(call('b'));
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all(calls);
  expect(gone).toEqual(['a', 'b']);
});

test('as many callers as may wait go on at once, and the next one waits for the whole time', async () => {
  const { gone, call } = setUp(250, 2);
  await Promise.all([call('a'), call('b')]);
  expect(gone).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(100);
  const third = call('c');
  await vi.advanceTimersByTimeAsync(249);
  expect(gone).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(1);
  await third;
  expect(gone).toEqual(['a', 'b', 'c']);
});
