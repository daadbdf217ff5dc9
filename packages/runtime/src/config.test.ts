import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { describeConfig, logLevel, port, readConfig, secret } from './config.js';

const schema = z.object({
  PORT: port.default(8080),
  LOG_LEVEL: logLevel,
  STORE_URL: z.url(),
  PASSWORD: secret.optional(),
});

test('every fault of the environment is reported at once', () => {
  const read = (): unknown => readConfig(schema, { PORT: '70000', LOG_LEVEL: 'loud' });
  expect(read).toThrow(/PORT[\s\S]*LOG_LEVEL|LOG_LEVEL[\s\S]*PORT/);
  expect(read).toThrow(/STORE_URL/);
});

test('an empty variable counts as absent', () => {
  expect(readConfig(schema, { PORT: '', STORE_URL: 'mongodb://localhost', PASSWORD: '' })).toEqual({
    PORT: 8080,
    LOG_LEVEL: 'info',
    STORE_URL: 'mongodb://localhost',
  });
});

test('the printed configuration carries no secret', () => {
  const config = readConfig(schema, { STORE_URL: 'mongodb://user:hush@db/x', PASSWORD: 'hush' });
  const printed = JSON.stringify(describeConfig(schema, config));
  expect(printed).not.toContain('hush');
  expect(printed).toContain('"PASSWORD":{"configured":true}');
});
