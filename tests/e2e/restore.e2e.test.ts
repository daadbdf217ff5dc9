import { expect, test } from 'vitest';
import { throughTheDriver } from '../restore/backup.js';
import { rehearseRestore } from '../restore/rehearsal.js';

test('a system that lost its databases comes back from a backup, decides as before, and its new events are new to consumers', async () => {
  const { comparisons } = await rehearseRestore({
    invoices: 12,
    rows: 20,
    method: throughTheDriver,
    losesBroker: false,
    say: () => {},
    progress: () => {},
  });
  expect(comparisons.map(({ subject, found }) => ({ subject, found }))).toEqual(
    comparisons.map(({ subject, expected }) => ({ subject, found: expected })),
  );
  expect(comparisons.length).toBeGreaterThan(0);
});
