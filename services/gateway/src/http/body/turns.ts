import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Maximum time in milliseconds for which one request is processed before others can run. A single item may take longer.
 */
export const TURN_MS_MAX = 2;

/**
 * Processes the items of a request body in order, and lets other requests run in between, because a body with thousands
 * of rows would otherwise block them. Rejects with the error of `work`.
 */
export async function eachInTurns<T>(items: Iterable<T>, work: (item: T, index: number) => void): Promise<void> {
  let index = 0;
  let turnEndsAt = performance.now() + TURN_MS_MAX;
  for (const item of items) {
    work(item, index);
    index += 1;
    if (performance.now() >= turnEndsAt) {
      await nextTurn();
      turnEndsAt = performance.now() + TURN_MS_MAX;
    }
  }
}
