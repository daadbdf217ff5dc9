import { expect, test } from 'vitest';
import { nextStepAt, stepOf } from './usage-steps.js';

test.each([
  [79, 100, undefined],
  [80, 100, 80],
  [99, 100, 80],
  [100, 100, 100],
  [101, 100, 100],
  [7, 9, undefined],
  [8, 9, 80],
  [1, 1, 100],
  [0, 0, undefined],
  [5, undefined, undefined],
])('%p of %p reach the step %p', (used, limit, step) => {
  expect(stepOf(used, limit)).toBe(step);
});

test.each([
  [0, 100, 80],
  [79, 100, 80],
  [80, 100, 100],
  [99, 100, 100],
  [100, 100, 100],
  [7, 9, 8],
  [8, 9, 9],
  [0, 1, 1],
  [3, 0, 0],
])('after %p of %p the next step is at %p', (used, limit, at) => {
  expect(nextStepAt(used, limit)).toBe(at);
});
