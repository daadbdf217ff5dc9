import { expect, test } from 'vitest';
import {
  counted,
  limitsInForce,
  NO_CALLS,
  PUBLISHED_LIMITS,
  usedShare,
  waitForCall,
  WINDOWS_MS,
} from './call-limits.js';
import type { CallCount, WindowLimits } from './call-limits.js';

const START = 1_000_000_000;
const SESSIONS = PUBLISHED_LIMITS.SESSIONS;
const none = { calls: 0, endsAtMs: 0 };

const ended = (count: CallCount, nowMs: number, ...endedAtMs: readonly number[]): CallCount =>
  counted(count, { replica: 'a', endedAtMs, underWay: none }, nowMs);

/** Makes as many calls as the limits allow at a time. Each call ends at once. */
function callAll(before: CallCount, nowMs: number, limits: WindowLimits): { count: CallCount; calls: number } {
  let count = before;
  for (let calls = 0; ; calls++) {
    if (waitForCall(count, limits, nowMs) > 0) return { count, calls };
    count = ended(count, nowMs, nowMs);
  }
}

test('the used share of a limit is that of the fullest window, with the calls in progress', () => {
  expect(usedShare(NO_CALLS, SESSIONS, START)).toBe(0);
  const { count } = callAll(NO_CALLS, START, SESSIONS);
  // 5 of 5 in a second, then 5 of 10 in a minute, then 5 of 60 in an hour.
  expect(usedShare(count, SESSIONS, START)).toBe(1);
  expect(usedShare(count, SESSIONS, START + 1_000)).toBe(0.5);
  expect(usedShare(count, SESSIONS, START + 60_000)).toBeCloseTo(5 / 60);
  const running = counted(
    count,
    { replica: 'a', endedAtMs: [], underWay: { calls: 2, endsAtMs: START + 90_000 } },
    START + 60_000,
  );
  expect(usedShare(running, SESSIONS, START + 60_000)).toBe(0.4);
  expect(usedShare(running, [60, Infinity, Infinity], START + 60_000)).toBeCloseTo(2 / 60);
});

test('as many calls are possible within a second, a minute and an hour as KSeF takes, and no more', () => {
  let { count, calls } = callAll(NO_CALLS, START, SESSIONS);
  expect(calls).toBe(5);
  expect(waitForCall(count, SESSIONS, START + 999)).toBe(1);
  ({ count, calls } = callAll(count, START + 1_000, SESSIONS));
  expect(calls).toBe(5);
  expect(waitForCall(count, SESSIONS, START + 2_000)).toBe(58_000);
  let all = 10;
  for (let minute = 1; minute < 60; minute++) {
    ({ count, calls } = callAll(count, START + minute * 60_000, SESSIONS));
    all += calls;
  }
  expect(all).toBe(60);
});

test('no window of KSeF ever has more calls than its limit, however they are spread', () => {
  const limits: WindowLimits = [3, 20, 100];
  const times: number[] = [];
  let count = NO_CALLS;
  // Simulates an hour and a half with pauses of varying length between 0 ms and about 4 s.
  for (let nowMs = START, step = 1; nowMs < START + 5_400_000; nowMs += (step++ * 7_919) % 4_001) {
    if (waitForCall(count, limits, nowMs) > 0) continue;
    times.push(nowMs);
    count = ended(count, nowMs, nowMs);
  }
  for (const [index, windowMs] of WINDOWS_MS.entries()) {
    const most = limits[index] ?? 0;
    const closest = times.slice(most).map((time, earlier) => time - (times[earlier] ?? 0));
    expect(Math.min(...closest)).toBeGreaterThanOrEqual(windowMs);
  }
  // Times are rounded by at most a sixtieth of a window.
  expect(times.length).toBeGreaterThanOrEqual(148);
});

test('after the stated wait a call is possible', () => {
  let count = NO_CALLS;
  let nowMs = START;
  for (let call = 0; call < 300; call++) {
    const waitMs = waitForCall(count, SESSIONS, nowMs);
    nowMs += waitMs;
    count = ended(count, nowMs);
    expect(waitForCall(count, SESSIONS, nowMs)).toBe(0);
    count = ended(count, nowMs, nowMs);
  }
});

test('a call under way counts in every window, and from its end until the window has passed', () => {
  const underWay = { calls: 5, endsAtMs: START + 30_000 };
  const held = counted(NO_CALLS, { replica: 'a', endedAtMs: [], underWay }, START);
  expect(waitForCall(held, SESSIONS, START + 10_000)).toBe(100);
  const end = START + 10_000;
  const done = ended(held, end, end, end, end, end, end);
  expect(waitForCall(done, SESSIONS, end + 999)).toBe(1);
  expect(waitForCall(done, SESSIONS, end + 1_000)).toBe(0);
});

test('the calls of a replica that died count as ended when they surely had', () => {
  const underWay = { calls: 5, endsAtMs: START + 30_000 };
  const held = counted(NO_CALLS, { replica: 'dead', endedAtMs: [], underWay }, START);
  const before = ended(held, START + 29_999);
  expect(waitForCall(before, SESSIONS, START + 29_999)).toBe(100);
  const after = ended(held, START + 30_000);
  expect(waitForCall(after, SESSIONS, START + 30_000)).toBe(1_000);
  expect(waitForCall(after, SESSIONS, START + 31_000)).toBe(0);
  expect(ended(after, START + 30_000 + 3_600_000)).toEqual(NO_CALLS);
});

test('what is kept has a bound, however many calls there are', () => {
  let count = NO_CALLS;
  for (let nowMs = START; nowMs < START + 7_200_000; nowMs += 500) count = ended(count, nowMs, nowMs);
  expect(count.ended.length).toBeLessThanOrEqual(4 + 3 * 61);
  expect(count.ended.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThanOrEqual(7_200);
});

test('a factor multiplies the published limits, and leaves one call at least', () => {
  const own = (factor: number | undefined) => limitsInForce('SESSIONS', { stated: undefined, factor });
  expect([own(undefined), own(2), own(0.001)]).toEqual([SESSIONS, [10, 20, 120], [1, 1, 1]]);
  expect(limitsInForce('AUTHENTICATION', { stated: undefined, factor: 2 })).toEqual([120, Infinity, Infinity]);
});

test('what KSeF states holds instead of the published limits, and besides those of a factor', () => {
  const stated: WindowLimits = [50, 8, 600];
  expect(limitsInForce('SESSIONS', { stated, factor: undefined })).toEqual(stated);
  expect(limitsInForce('SESSIONS', { stated, factor: 1 })).toEqual([5, 8, 60]);
  expect(limitsInForce('SESSIONS', { stated, factor: 1_000 })).toEqual(stated);
});
