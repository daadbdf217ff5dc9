import { expect, test } from 'vitest';
import { together } from './together.js';

test('the results are in the order of the calls', async () => {
  const slow = Promise.resolve().then(() => 'slow');
  expect(await together([slow, Promise.resolve(2)])).toEqual(['slow', 2]);
});

test('a failure waits for the other calls, and the first failed call in the order decides', async () => {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  let isOver = false;
  const both = together([promise, Promise.reject(new Error('second'))]).finally(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  reject(new Error('first'));
  await expect(both).rejects.toThrow('first');
});
