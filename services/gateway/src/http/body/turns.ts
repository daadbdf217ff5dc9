import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time for which one request works before the others get their turn; an item that takes longer makes it longer. */
export const TURN_MS_MAX = 2;

/**
 * Runs `work` for every item in order and lets other requests be answered in between: a body of thousands of rows would
 * otherwise block them. Rejects with what `work` throws.
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
