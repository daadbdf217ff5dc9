import { expect, test } from 'vitest';
import { readConfig } from '@invoicecontrol/runtime/config';
import { configSchema, unsafeSettings } from './config.js';

const env = {
  MONGODB_URL: 'mongodb://localhost',
  TLS_DIR: '/identity',
  NATS_URL: 'nats://localhost',
  ORGANIZATION_ADDRESS: 'localhost:1',
  SECRETBOX_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};

test('has the documented defaults', () => {
  expect(readConfig(configSchema, env)).toMatchObject({
    EGRESS_ALLOW_CIDRS: [],
    EGRESS_ALLOW_HTTP: false,
    WEBHOOK_RETRY_WAITS_MS: [60_000, 360_000, 2_160_000, 12_960_000],
    WEBHOOK_RETRY_FLOOR_MS: 60_000,
    WEBHOOK_SECRET_OVERLAP_MS: 86_400_000,
    WEBHOOK_NOTICE_AFTER_MS: 86_400_000,
    WEBHOOK_DISABLE_AFTER_MS: 432_000_000,
  });
});

test.each([
  ['EGRESS_ALLOW_CIDRS', '127.0.0.1/32'],
  ['EGRESS_ALLOW_HTTP', 'true'],
  ['WEBHOOK_TEST_CA_FILE', '/ca.pem'],
  ['WEBHOOK_SECRET_OVERLAP_MS', '1000'],
])('refuses %s in production, and names it elsewhere', (name, value) => {
  const set = { ...env, [name]: value };
  expect(() => readConfig(configSchema, { ...set, NODE_ENV: 'production' })).toThrow(name);
  expect(unsafeSettings(readConfig(configSchema, set))).toEqual([name]);
});

test('accepts production with the defaults, and other waits', () => {
  const production = {
    ...env,
    NODE_ENV: 'production',
    WEBHOOK_RETRY_WAITS_MS: '1,2,3,4',
    EGRESS_DNS_SERVERS: '9.9.9.9:53',
  };
  expect(readConfig(configSchema, production).WEBHOOK_RETRY_WAITS_MS).toEqual([1, 2, 3, 4]);
});

test.each(['1,2,3', '1,2,3,4,5', '1,2,3,x', '0,1,2,3', '1,2,3,-4'])('refuses the waits %s', (waits) => {
  expect(() => readConfig(configSchema, { ...env, WEBHOOK_RETRY_WAITS_MS: waits })).toThrow('WEBHOOK_RETRY_WAITS_MS');
});
