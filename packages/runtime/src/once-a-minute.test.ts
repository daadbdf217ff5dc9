import { expect, test } from 'vitest';
import { onceAMinute } from './once-a-minute.js';

test('a key is let through once a minute, and others do not count for it', () => {
  let now = 0;
  const isDue = onceAMinute(() => now);
  expect([isDue('a'), isDue('a'), isDue('b')]).toEqual([true, false, true]);
  now = 59_999;
  expect(isDue('a')).toBe(false);
  now = 60_000;
  expect([isDue('a'), isDue('a')]).toEqual([true, false]);
});

test('a thousand keys are remembered, and the next key makes it forget the oldest one', () => {
  const isDue = onceAMinute(() => 0);
  for (let key = 0; key < 1_000; key++) isDue(`${key}`);
  expect(isDue('0')).toBe(false);
  expect([isDue('one more'), isDue('0')]).toEqual([true, true]);
});
