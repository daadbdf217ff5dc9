import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { grouped } from './batched.js';

/** Creates a function that doubles numbers in batches. Each batch ends only when the test releases it. */
function doubling(itemsMax: number) {
  const batches: { readonly items: readonly number[]; release(): void }[] = [];
  const double = grouped(itemsMax, (items: readonly number[]) => {
    const { promise, release } = gate();
    batches.push({ items, release });
    return promise.then(() => {
      if (items.includes(13)) throw new Error('the whole batch failed');
      return items.map((item) => (item === 7 ? new Error('seven is refused') : 2 * item));
    });
  });
  return { double, batches, items: () => batches.map((batch) => batch.items) };
}

function gate(): { readonly promise: Promise<void>; release(): void } {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, release: () => open() };
}

test('calls of one turn of the event loop are one batch, and each gets its own result', async () => {
  const { double, batches, items } = doubling(10);
  const later = Promise.resolve().then(() => double(3));
  const results = Promise.all([double(1), double(2), later]);
  await turn();
  batches[0]?.release();
  expect(await results).toEqual([2, 4, 6]);
  expect(items()).toEqual([[1, 2, 3]]);
});

test('calls during a batch collect for the next one, which starts when the batch ends', async () => {
  const { double, batches, items } = doubling(10);
  const first = double(1);
  await turn();
  const others = [double(2)];
  await turn();
  others.push(double(3));
  await turn();
  expect(items()).toEqual([[1]]);
  batches[0]?.release();
  expect(await first).toBe(2);
  while (batches.length < 2) await turn();
  expect(items()).toEqual([[1], [2, 3]]);
  batches[1]?.release();
  expect(await Promise.all(others)).toEqual([4, 6]);
});

test('a batch that hangs delays later calls by at most a tenth of a second', async () => {
  const { double, batches, items } = doubling(10);
  const hanging = double(1);
  await turn();
  const later = double(2);
  while (batches.length < 2) await delay(5);
  batches[1]?.release();
  expect(await later).toBe(4);
  expect(items()).toEqual([[1], [2]]);
  batches[0]?.release();
  await hanging;
});

test('a batch has at most the given number of items, and a full one does not wait', async () => {
  const { double, batches, items } = doubling(2);
  const results = Promise.all([1, 2, 3, 4, 5].map(double));
  expect(items()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (const { release } of batches) release();
  while (batches.length < 3) await turn();
  batches[2]?.release();
  expect(await results).toEqual([2, 4, 6, 8, 10]);
});

test('an item that is refused rejects alone', async () => {
  const { double, batches } = doubling(10);
  const outcomes = Promise.allSettled([double(1), double(7), double(2)]);
  await turn();
  batches[0]?.release();
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('a batch that fails rejects its own items, and the next batch starts', async () => {
  const { double, batches } = doubling(10);
  const outcomes = Promise.allSettled([double(1), double(13)]);
  await turn();
  const later = double(2);
  batches[0]?.release();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  while (batches.length < 2) await turn();
  batches[1]?.release();
  expect(await later).toBe(4);
});
