import { expect, test } from 'vitest';
import { rowBudget } from './row-budget.js';

const held = () => {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end: () => end() };
};

test('rows beyond what a process holds at once are refused, and there is room again when others are done', async () => {
  const withinBudget = rowBudget();
  const { ended, end } = held();
  const largest = Array.from({ length: 10 }, (_, index) => withinBudget(`o${index}`, 5_000, () => ended));
  await expect(withinBudget('other', 1, async () => 'done')).rejects.toMatchObject({
    kind: 'unavailable',
    retryAfterSeconds: 2,
  });
  end();
  await Promise.all(largest);
  await expect(withinBudget('other', 5_000, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(
    Promise.all(Array.from({ length: 10 }, (_, index) => withinBudget(`o${index}`, 5_000, async () => 1))),
  ).resolves.toHaveLength(10);
});

test('one organization holds its share of the rows, whatever it sends; the others have room', async () => {
  const withinBudget = rowBudget();
  const { ended, end } = held();
  const mine = Array.from({ length: 4 }, () => withinBudget('mine', 5_000, () => ended));
  await expect(withinBudget('mine', 1, async () => 'done')).rejects.toMatchObject({
    kind: 'rate_limited',
    retryAfterSeconds: 5,
    message: expect.stringContaining('20000 rows') as unknown,
  });
  await expect(withinBudget('other', 5_000, async () => 'done')).resolves.toBe('done');
  end();
  await Promise.all(mine);
  await expect(withinBudget('mine', 5_000, async () => 'done')).resolves.toBe('done');
});
