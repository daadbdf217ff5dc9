import { expect, test } from 'vitest';
import { createLogger } from './logger.js';
import { Shutdown } from './shutdown.js';

const logger = createLogger({ service: 'test', level: 'silent' });

test('what was opened last is closed first, once, and a failing step does not keep the others open', async () => {
  const closed: string[] = [];
  const shutdown = new Shutdown(logger);
  shutdown.add('first', () => void closed.push('first'));
  shutdown.add('broken', () => Promise.reject(new Error('no')));
  shutdown.add('last', () => void closed.push('last'));
  await Promise.all([shutdown.run(), shutdown.run()]);
  expect(closed).toEqual(['last', 'first']);
});
