import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Db } from 'mongodb';
import { createLogger } from '../logger.js';
import { databaseClock } from './database-clock.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const AHEAD_MS = 3_600_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A database an hour ahead that reads its time at once and answers late, each time by the next of these delays. */
function databaseThatAnswersAfter(...delaysMs: number[]): { readonly db: Db; readonly asked: () => number } {
  let asked = 0;
  const command = async (): Promise<{ localTime: Date }> => {
    const localTime = new Date(Date.now() + AHEAD_MS);
    jest.advanceTimersByTime(delaysMs[asked] ?? 0);
    asked += 1;
    return { localTime };
  };
  return { db: { admin: () => ({ command }) } as unknown as Db, asked: () => asked };
}

test.each<[string, number[], number, number]>([
  ['a quick answer is enough', [40], 1, 20],
  ['of slow answers the quickest counts', [1_200, 80, 800], 3, 40],
  ['a quick answer ends the asking', [1_200, 50], 2, 25],
  ['three slow answers are enough', [9_000, 8_000, 7_000, 0], 3, 3_500],
])('%s', async (_, delaysMs, asked, offByMs) => {
  const database = databaseThatAnswersAfter(...delaysMs);
  const clock = await databaseClock(database.db, logger);
  clock.stop();
  expect(database.asked()).toBe(asked);
  // The answer is taken for the middle between asking and hearing.
  expect(clock.now().getTime()).toBe(Date.now() + AHEAD_MS - offByMs);
});
