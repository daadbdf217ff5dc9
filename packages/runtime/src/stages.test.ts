import { expect, test } from 'vitest';
import { stages } from './stages.js';

test('the time of a stage is the sum of its parts, in the order in which stages began', async () => {
  const watch = stages();
  await watch.during('first', async () => {
    watch.add('second', 20.2);
  });
  watch.add('second', 10.2);
  watch.add('first', 1_000);
  expect(Object.keys(watch.ms())).toEqual(['first', 'second']);
  expect(watch.ms()).toMatchObject({ second: 30 });
  expect(watch.ms()['first']).toBeGreaterThanOrEqual(1_000);
});

test('work that fails counts too, and fails', async () => {
  const watch = stages();
  await expect(watch.during('stage', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(Object.keys(watch.ms())).toEqual(['stage']);
});
