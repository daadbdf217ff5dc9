import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAlarm, repeat } from './repeat.js';

const PAUSE_MS = 10_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Repeats work that lasts one second, and returns the times at which its runs began. */
function repeated(alarm = createAlarm()) {
  const startedAtMs = performance.now();
  const begun: number[] = [];
  const { stop } = repeat(
    PAUSE_MS,
    () => {
      begun.push(performance.now() - startedAtMs);
      return new Promise((resolve) => setTimeout(resolve, 1_000));
    },
    () => {},
    alarm,
  );
  return { begun, alarm, stop };
}

test('runs begin a pause after the start and a pause after the end of the previous run', async () => {
  const { begun } = repeated();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(begun).toEqual([10_000, 21_000]);
});

test('an alarm shortens the pause and never extends it', async () => {
  const { begun, alarm } = repeated();
  alarm.ring(2_000);
  alarm.ring(5_000);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(begun).toEqual([2_000]);
  await vi.advanceTimersByTimeAsync(10_001);
  alarm.ring(PAUSE_MS + 1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begun).toEqual([2_000, 13_000]);
});

test('an alarm that rang before the repetition began counts from then', async () => {
  const alarm = createAlarm();
  alarm.ring(3_000);
  await vi.advanceTimersByTimeAsync(1_000);
  const { begun } = repeated(alarm);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(begun).toEqual([2_000]);
});

test('alarms during a run lead to one more run', async () => {
  const { begun, alarm } = repeated();
  await vi.advanceTimersByTimeAsync(10_500);
  alarm.ring();
  alarm.ring();
  await vi.advanceTimersByTimeAsync(5_000);
  // A timer of Node.js waits for at least one millisecond.
  expect(begun).toEqual([10_000, 11_001]);
});

test('no run begins after the stop, even if an alarm rings', async () => {
  const { begun, alarm, stop } = repeated();
  await stop();
  alarm.ring();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(begun).toEqual([]);
});
