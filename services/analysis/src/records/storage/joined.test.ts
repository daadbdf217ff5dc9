import { expect, test } from 'vitest';
import { joined } from './joined.js';

/** Doubles numbers and records which numbers it received together. */
function doubling(itemsMax: number) {
  const together: number[][] = [];
  const double = joined(itemsMax, async (items: readonly number[]) => {
    together.push([...items]);
    if (items.includes(13)) throw new Error('unlucky');
    return items.map((item) => 2 * item);
  });
  return { double, together };
}

test('what is asked in one turn is one piece of work, and each gets its own result', async () => {
  const { double, together } = doubling(10);
  const later = Promise.resolve().then(() => double(3));
  expect(await Promise.all([double(1), double(2), later])).toEqual([2, 4, 6]);
  expect(await double(4)).toBe(8);
  expect(together).toEqual([[1, 2, 3], [4]]);
});

test('no piece of work has more items than it may', async () => {
  const { double, together } = doubling(2);
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10]);
  expect(together).toEqual([[1, 2], [3, 4], [5]]);
});

test('a fault reaches every caller of that batch, and no later one', async () => {
  const { double } = doubling(10);
  const outcomes = await Promise.allSettled([double(1), double(13)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await double(2)).toBe(4);
});
