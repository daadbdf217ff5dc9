import { expect, test } from 'vitest';
import { nextRoundAt } from './purge.js';

const begunAt = new Date('2026-03-01T00:00:00Z');

test('a purge is announced again until the broker keeps no event from before it', () => {
  const instants: number[] = [];
  for (let rounds = 1; ; rounds++) {
    const next = nextRoundAt({ begunAt, rounds });
    if (next === undefined) break;
    instants.push(next.getTime() - begunAt.getTime());
  }
  expect(instants).toEqual([...instants].sort((left, right) => left - right));
  // The tested periods are those of a cached API key, of a PUT request, and of events in the stream.
  for (const [fromMs, toMs] of [
    [5_000, 60_000],
    [5 * 60_000, 15 * 60_000],
    [7 * 24 * 3_600_000, 9 * 24 * 3_600_000],
  ] as const)
    expect(instants.some((ms) => ms >= fromMs && ms <= toMs)).toBe(true);
});
