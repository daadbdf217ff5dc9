import { describe, expect, test } from 'vitest';
import { BLOCK_UNITS_MAX, unitsInAdvance, UNITS_LEFT_PER_BLOCK_UNIT } from './unit-blocks.js';

const LIMIT = 10_000;
const [FIRST_NOTICE, FULL_BLOCK] = [8_000, BLOCK_UNITS_MAX * UNITS_LEFT_PER_BLOCK_UNIT];

describe('a block', () => {
  test.each([
    ['has all units without a limit', 1_000_000, undefined, BLOCK_UNITS_MAX],
    ['has all units of an unused quota', 0, LIMIT, BLOCK_UNITS_MAX],
    ['has all units for the last time before the notice', FIRST_NOTICE - 1 - FULL_BLOCK, LIMIT, BLOCK_UNITS_MAX],
    ['has one unit less after that', FIRST_NOTICE - FULL_BLOCK, LIMIT, BLOCK_UNITS_MAX - 1],
    ['has one unit before the notice', FIRST_NOTICE - 1 - UNITS_LEFT_PER_BLOCK_UNIT, LIMIT, 1],
    ['has none closer to the notice', FIRST_NOTICE - UNITS_LEFT_PER_BLOCK_UNIT, LIMIT, 0],
    ['has none just before the notice', FIRST_NOTICE - 1, LIMIT, 0],
    ['has units again after the notice', FIRST_NOTICE, LIMIT, 99],
    ['has one unit before the end', LIMIT - 1 - UNITS_LEFT_PER_BLOCK_UNIT, LIMIT, 1],
    ['has none closer to the end', LIMIT - UNITS_LEFT_PER_BLOCK_UNIT, LIMIT, 0],
    ['has none at the end', LIMIT, LIMIT, 0],
    ['has none above a limit that was lowered', LIMIT + 1_000, LIMIT, 0],
    ['has none of a small quota', 0, 25, 0],
    ['has none of no quota', 0, 0, 0],
  ])('%s', (_, used, limit, units) => {
    expect(unitsInAdvance(used, 1, limit)).toBe(units);
  });
});
