import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.js';
import { dueWork } from './due-work.js';
import { repeat } from './repeat.js';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: 1_000_000 }),
);
afterEach(() => void vi.useRealTimers());

/**
 * Starts a job with the schedule.
 * @param during called at the beginning of each run
 * @returns the times of its runs in milliseconds from now, rounded down to a tenth of a second
 */
function runsOf(due: ReturnType<typeof dueWork>, during = (_runs: number): void => {}): number[] {
  const runs: number[] = [];
  const startedAt = Date.now();
  const { pauseMs, alarm } = due.schedule;
  const work = async (): Promise<void> => during(runs.push(Math.floor((Date.now() - startedAt) / 100) * 100));
  repeat(pauseMs, work, () => {}, alarm);
  return runs;
}
const inMs = (ms: number): Date => new Date(Date.now() + ms);

test('runs every ten seconds while nothing is stored', async () => {
  const runs = runsOf(dueWork(systemClock));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(runs).toEqual([10_000, 20_000, 30_000]);
});

test('runs when each stored piece of work becomes due', async () => {
  const due = dueWork(systemClock);
  const runs = runsOf(due);
  due.note(inMs(5_000));
  due.note(inMs(0));
  due.note(inMs(1_100));
  await vi.advanceTimersByTimeAsync(6_000);
  expect(runs).toEqual([0, 1_200, 5_000]);
});

test('does work that becomes due within the gap in one run', async () => {
  const due = dueWork(systemClock);
  const runs = runsOf(due);
  for (let ms = 1; ms <= 200; ms++) due.note(inMs(ms));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toEqual([200]);
});

test('leaves work of the distant future to the search', async () => {
  const due = dueWork(systemClock);
  const runs = runsOf(due);
  due.note(inMs(3_601_000));
  await vi.advanceTimersByTimeAsync(3_605_000);
  expect(runs).toHaveLength(360);
});

test('keeps the times that are noted while the job runs', async () => {
  const due = dueWork(systemClock);
  const runs = runsOf(due, (count) => {
    if (count < 3) due.note(inMs(1_000));
  });
  due.note(inMs(0));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(runs).toEqual([0, 1_200, 2_400]);
});
