import { expect, test } from 'vitest';
import { percentile } from './read-deliveries.js';

test.each([
  [[], undefined],
  [[7], 7],
  [Array.from({ length: 100 }, (_, index) => 100 - index), 95],
  [[1, 2, 3], 3],
])('95 of 100 of %j do not exceed %s', (values, expected) => expect(percentile(values)).toBe(expected));
