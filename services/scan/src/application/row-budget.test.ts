import { expect, test } from '@jest/globals';
import { rowBudget } from './row-budget.js';

test('rows beyond what a process holds at once are refused, and there is room again when others are done', async () => {
  const withinBudget = rowBudget();
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const largest = Array.from({ length: 10 }, () => withinBudget(5_000, () => ended));
  await expect(withinBudget(1, async () => 'done')).rejects.toMatchObject({
    kind: 'unavailable',
    retryAfterSeconds: 2,
  });
  end();
  await Promise.all(largest);
  await expect(withinBudget(5_000, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(Promise.all(Array.from({ length: 10 }, () => withinBudget(5_000, async () => 1)))).resolves.toHaveLength(
    10,
  );
});
