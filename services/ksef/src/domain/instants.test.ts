import { expect, test } from 'vitest';
import { compareInstants, earlierOf, laterOf } from './instants.js';

const early = '2026-03-01T10:00:00.1234567+00:00';
const late = '2026-03-01T10:00:00.1234568+00:00';

test('times are compared in all seven digits that KSeF writes', () => {
  expect(compareInstants(early, late)).toBeLessThan(0);
  expect(compareInstants(late, early)).toBeGreaterThan(0);
  expect([earlierOf(early, late), laterOf(early, late)]).toEqual([early, late]);
  expect([earlierOf(late, early), laterOf(late, early)]).toEqual([early, late]);
});

test('times of other offsets and with fewer digits are equal where they name one instant', () => {
  expect(compareInstants('2026-03-01T10:00:00Z', '2026-03-01T11:00:00.0000000+01:00')).toBe(0);
  expect(compareInstants('2026-03-01T10:00:00.12Z', '2026-03-01T10:00:00.1200000+00:00')).toBe(0);
});
