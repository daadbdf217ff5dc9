import { createLogger } from '@invoicecontrol/runtime/logger';
import { expect, test } from 'vitest';
import { NOTED_MAX, noteWarnings } from './note-warnings.js';

const logger = createLogger({ service: 'test', level: 'silent' });

test(`a process remembers ${NOTED_MAX} warnings that it stored, and no more`, async () => {
  const searched: string[] = [];
  const note = noteWarnings({
    connections: {
      find(_, connectionId) {
        searched.push(connectionId);
        return Promise.resolve(undefined);
      },
      save: () => Promise.reject(new Error('No connection of this test is found.')),
    },
    clock: { now: () => new Date(0) },
    logger,
  });
  const warn = (connectionId: string) => note({ organizationId: 'o', connectionId }, [{ code: 'a', message: 'A.' }]);
  for (let n = 0; n < NOTED_MAX; n++) await warn(`c-${n}`);
  await warn('c-0');
  expect(searched).toHaveLength(NOTED_MAX);
  await warn('one more');
  await warn('c-0');
  expect(searched.slice(NOTED_MAX)).toEqual(['one more', 'c-0']);
});
