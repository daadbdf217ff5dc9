import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Db } from 'mongodb';
import { createLogger } from '../logger.js';
import { databaseClock } from './database-clock.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const AHEAD_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface SlowDatabase {
  readonly db: Db;
  readonly asked: () => number;
  /** Sets how far the clock of the database is ahead. */
  setAhead(ms: number): void;
}

/**
 * Creates a database whose clock is an hour ahead. It reads the time immediately, but each response is delayed by the
 * next entry of `delaysMs`.
 */
function databaseThatAnswersAfter(...delaysMs: number[]): SlowDatabase {
  let asked = 0;
  let aheadMs = AHEAD_MS;
  const command = async (): Promise<{ localTime: Date }> => {
    const localTime = new Date(Date.now() + aheadMs);
    vi.setSystemTime(Date.now() + (delaysMs[asked] ?? 0));
    asked += 1;
    return { localTime };
  };
  return { db: { admin: () => ({ command }) } as unknown as Db, asked: () => asked, setAhead: (ms) => (aheadMs = ms) };
}

test.each<[string, number[], number, number]>([
  ['a quick answer is enough', [20], 1, 10],
  ['of slow answers the quickest counts', [1_200, 80, 800], 3, 40],
  ['a quick answer ends the asking', [1_200, 20], 2, 10],
  ['an answer after 21 ms is not quick', [21, 22, 22], 3, 10.5],
  ['three slow answers are enough', [9_000, 8_000, 7_000, 0], 3, 3_500],
])('%s', async (_, delaysMs, asked, offByMs) => {
  const database = databaseThatAnswersAfter(...delaysMs);
  const clock = await databaseClock(database.db, logger);
  clock.stop();
  expect(database.asked()).toBe(asked);
  // The time in the response is assumed to be that of the middle between request and response.
  expect(clock.now().getTime()).toBe(Math.trunc(Date.now() + AHEAD_MS - offByMs));
});

describe('measuring again', () => {
  const offByMs = (clock: { now(): Date }, aheadMs = AHEAD_MS): number => Date.now() + aheadMs - clock.now().getTime();

  test('happens a second after slow answers, and a minute after a quick one', async () => {
    const database = databaseThatAnswersAfter(300, 300, 300, 10, 2);
    const clock = await databaseClock(database.db, logger);
    expect([database.asked(), offByMs(clock)]).toEqual([3, 150]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([database.asked(), offByMs(clock)]).toEqual([4, 5]);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(database.asked()).toBe(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([database.asked(), offByMs(clock)]).toEqual([5, 1]);
    clock.stop();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(database.asked()).toBe(5);
  });

  test('keeps what a quick answer said when a slow one agrees with it', async () => {
    const database = databaseThatAnswersAfter(10, 900, 800, 900);
    const clock = await databaseClock(database.db, logger);
    await vi.advanceTimersByTimeAsync(60_000);
    clock.stop();
    expect([database.asked(), offByMs(clock)]).toEqual([4, 5]);
  });

  test('follows a database whose clock was set, even by a slow answer', async () => {
    const database = databaseThatAnswersAfter(10, 900, 800, 900);
    const clock = await databaseClock(database.db, logger);
    database.setAhead(0);
    await vi.advanceTimersByTimeAsync(60_000);
    clock.stop();
    expect(offByMs(clock, 0)).toBe(400);
  });
});
