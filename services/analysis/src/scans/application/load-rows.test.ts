import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { searchCandidates } from './load-rows.js';

const OF = { organizationId: 'organization-1', scanId: 'scan-1', companyId: 'company-1' };
const seen = vi.fn();
// An unhandled rejection ends the process of a service.
process.on('unhandledRejection', seen);
afterEach(() => void process.off('unhandledRejection', seen));

test('a database failure does not end the process if the caller has left before the first lookup', async () => {
  const rows = {
    hasHistory: () => Promise.reject(new Error('the database does not respond')),
    candidates: () => Promise.resolve([]),
  };
  searchCandidates({ rows } as unknown as Parameters<typeof searchCandidates>[0], OF);
  await turn();
  expect(seen).not.toHaveBeenCalled();
});
