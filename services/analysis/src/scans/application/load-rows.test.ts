import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { searchCandidates } from './load-rows.js';

const OF = { organizationId: 'organization-1', scanId: 'scan-1', companyId: 'company-1' };
/** Rejections that nothing handled. One of them ends the process of a service. */
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
process.on('unhandledRejection', note);
afterEach(() => void process.off('unhandledRejection', note));

test('a database failure does not end the process if the caller has left before the first lookup', async () => {
  const rows = {
    hasHistory: () => Promise.reject(new Error('The database does not respond.')),
    candidates: () => Promise.resolve([]),
  };
  searchCandidates({ rows } as unknown as Parameters<typeof searchCandidates>[0], OF);
  await turn();
  expect(unhandled).toEqual([]);
});
