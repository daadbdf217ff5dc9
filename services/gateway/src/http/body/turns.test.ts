import { describe, expect, test } from 'vitest';
import { eachInTurns, TURN_MS_MAX } from './turns.js';

/** Keeps the processor busy for the given number of milliseconds. */
function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/**
 * Counts how often other work gets a turn before each item. The first item takes no time, and each other item takes a
 * whole turn.
 */
async function seenByItems(): Promise<{ seen: number[]; isFirstTurnShort: boolean }> {
  let othersTurns = 0;
  let isOver = false;
  const others = (): void => {
    othersTurns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const seen: number[] = [];
  let isFirstTurnShort = false;
  const startedAt = performance.now();
  await eachInTurns([0, TURN_MS_MAX, TURN_MS_MAX, TURN_MS_MAX], (ms, index) => {
    if (index === 1) isFirstTurnShort = performance.now() - startedAt < TURN_MS_MAX;
    busyFor(ms);
    seen.push(othersTurns);
  });
  isOver = true;
  return { seen, isFirstTurnShort };
}

describe('long work in turns', () => {
  test('meets every item once and in order', async () => {
    const met: [string, number][] = [];
    await eachInTurns(['a', 'b', 'c'], (item, index) => {
      busyFor(TURN_MS_MAX);
      met.push([item, index]);
    });
    expect(met).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ]);
  });

  test('lets others have their turn whenever its own is over, and only then', async () => {
    // The measurement is repeated if the machine stopped in the middle of the first turn, which then ended correctly.
    let { seen, isFirstTurnShort } = await seenByItems();
    while (!isFirstTurnShort) ({ seen, isFirstTurnShort } = await seenByItems());
    expect(seen[1]).toBe(0);
    expect(seen[2]).toBeGreaterThan(0);
    expect(seen[3]).toBeGreaterThan(seen[2] ?? 0);
  });

  test('ends with the first item that cannot be worked on', async () => {
    const met: number[] = [];
    const work = eachInTurns([1, 2, 3], (item) => {
      met.push(item);
      if (item === 2) throw new Error('not this one');
    });
    await expect(work).rejects.toThrow('not this one');
    expect(met).toEqual([1, 2]);
  });
});
