import { ConfigError, readConfig } from '@invoicecontrol/runtime/config';
import { expect, test } from 'vitest';
import { configSchema } from './config.js';

const required = {
  SERVICE: 'analysis',
  MONGODB_URL: 'mongodb://localhost:27017',
  TLS_DIR: '/identity',
  NATS_URL: 'nats://localhost:4222',
  ORGANIZATION_ADDRESS: 'localhost:50051',
  DOCUMENTS_ADDRESS: 'localhost:50052',
  SECRETBOX_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};
const read = (periods: string) =>
  readConfig(configSchema, { ...required, KSEF_FAILURE_PERIODS: periods }).KSEF_FAILURE_PERIODS;

test('failures of KSeF are periods of days; there are none by default', () => {
  expect(readConfig(configSchema, required).KSEF_FAILURE_PERIODS).toEqual([]);
  expect(read('2026-05-04/2026-05-06, 2026-07-01/2026-07-01')).toEqual([
    { from: '2026-05-04', to: '2026-05-06' },
    { from: '2026-07-01', to: '2026-07-01' },
  ]);
});

test.each([
  '2026-05-04',
  '2026-05-06/2026-05-04',
  '2026-02-30/2026-03-01',
  '2026-05-04/2026-05-06/2026-05-07',
  'always',
])('a period that is none is refused: %s', (periods) => {
  expect(() => read(periods)).toThrow(ConfigError);
});

test('100 periods are taken and 101 are refused', () => {
  const periods = (count: number) => Array.from({ length: count }, () => '2026-05-04/2026-05-06').join(',');
  expect(read(periods(100))).toHaveLength(100);
  expect(() => read(periods(101))).toThrow(ConfigError);
});
