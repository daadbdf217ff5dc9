import { beforeEach, expect, test } from '@jest/globals';
import { CallLimits } from './call-limits.js';
import type { CountedCall } from './call-limits.js';

let now = 0;
const subject = { environment: 'TEST', contextNip: '1', operation: 'S9' } as const;
const limitsOf = (factor = 1): CallLimits => new CallLimits({ factor, nowMs: () => now });
beforeEach(() => {
  now = 1_000_000;
});

/** As many calls as are possible at this moment, each of which ends at once. */
function callsPossible(limits: CallLimits, of: typeof subject | { readonly contextNip: string } = subject): number {
  for (let calls = 0; ; calls++) {
    const taken = limits.take({ ...subject, ...of });
    if (!('end' in taken)) return calls;
    taken.end();
  }
}

test('as many calls are possible within a second, a minute and an hour as KSeF takes, and no more', () => {
  const limits = limitsOf();
  expect(callsPossible(limits)).toBe(5);
  now += 999;
  expect(callsPossible(limits)).toBe(0);
  now += 1;
  expect(callsPossible(limits)).toBe(5);
  now += 1_000;
  expect(callsPossible(limits)).toBe(0);
  expect(limits.take(subject)).toEqual({ waitMs: 58_000 });
  let all = 10;
  for (let minute = 1; minute < 60; minute++) {
    now += 60_000;
    all += callsPossible(limits);
  }
  expect(all).toBe(60);
});

test('contexts and groups are counted apart, and the factor multiplies', () => {
  const limits = limitsOf(2);
  expect(callsPossible(limits)).toBe(10);
  expect(callsPossible(limits, { contextNip: '2' })).toBe(10);
  expect('end' in limits.take({ ...subject, operation: 'S1' })).toBe(true);
  expect(callsPossible(limitsOf(0.001))).toBe(1);
});

test('a call counts until its window has passed since its end', () => {
  const limits = limitsOf();
  const held = Array.from({ length: 5 }, () => limits.take(subject) as CountedCall);
  now += 10_000;
  expect(callsPossible(limits)).toBe(0);
  for (const call of held) call.end();
  now += 999;
  expect(callsPossible(limits)).toBe(0);
  now += 1;
  expect(callsPossible(limits)).toBe(5);
});

test('calls of several contexts count together for authentication', () => {
  const limits = limitsOf();
  const taken = Array.from({ length: 61 }, (_, index) =>
    limits.take({ environment: 'TEST', contextNip: String(index), operation: 'A2' }),
  );
  expect(taken.filter((one) => 'end' in one)).toHaveLength(60);
});

test('a block holds for one operation of one context until it has passed', () => {
  const limits = limitsOf();
  limits.block(subject, 5_000);
  limits.block(subject, 1_000);
  expect(limits.take(subject)).toEqual({ waitMs: 5_000 });
  expect('end' in limits.take({ ...subject, contextNip: '2' })).toBe(true);
  expect('end' in limits.take({ ...subject, operation: 'S6' })).toBe(true);
  now += 5_000;
  expect('end' in limits.take(subject)).toBe(true);
});

test('the limits that KSeF states replace the published ones, and are read once an hour', () => {
  const limits = limitsOf();
  expect(limits.isDue(subject)).toBe(true);
  expect(limits.isDue(subject)).toBe(false);
  limits.replace(subject, { SESSIONS: [2, 100, 100] });
  expect(callsPossible(limits)).toBe(2);
  expect(callsPossible(limits, { contextNip: '2' })).toBe(5);
  now += 3_600_000;
  expect(limits.isDue(subject)).toBe(true);
});
