import { expect, test } from 'vitest';
import { onceAnHour } from './once-an-hour.js';

const HOUR_MS = 3_600_000;

function withClock() {
  let nowMs = 0;
  const isFirst = onceAnHour({ now: () => new Date(nowMs) });
  return { isFirst, pass: (ms: number) => (nowMs += ms) };
}

test('a key counts again after an hour, and not a moment before', () => {
  const { isFirst, pass } = withClock();
  expect([isFirst('a'), isFirst('a'), isFirst('b')]).toEqual([true, false, true]);
  pass(HOUR_MS - 1);
  expect(isFirst('a')).toBe(false);
  pass(1);
  expect(isFirst('a')).toBe(true);
});

test('10,000 keys are remembered, and of 10,001 the oldest is forgotten', () => {
  const { isFirst } = withClock();
  for (let key = 1; key <= 10_000; key += 1) isFirst(`${key}`);
  expect([isFirst('1'), isFirst('10000')]).toEqual([false, false]);
  expect(isFirst('10001')).toBe(true);
  expect([isFirst('2'), isFirst('1')]).toEqual([false, true]);
});
