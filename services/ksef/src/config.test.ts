import { expect, test } from 'vitest';
import { readConfig } from '@invoicecontrol/runtime/config';
import { configSchema } from './config.js';

const required = {
  MONGODB_URL: 'mongodb://127.0.0.1',
  TLS_DIR: '/identity',
  NATS_URL: 'nats://127.0.0.1',
  ORGANIZATION_ADDRESS: '127.0.0.1:1',
  ANALYSIS_ADDRESS: '127.0.0.1:1',
  DOCUMENTS_ADDRESS: '127.0.0.1:1',
  SECRETBOX_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
};

test('without settings the service calls the three environments of the ministry, without a factor', () => {
  expect(configSchema.parse(required)).toMatchObject({
    KSEF_TEST_URL: 'https://api-test.ksef.mf.gov.pl/v2',
    KSEF_DEMO_URL: 'https://api-demo.ksef.mf.gov.pl/v2',
    KSEF_PRODUCTION_URL: 'https://api.ksef.mf.gov.pl/v2',
    KSEF_WAIT_FACTOR: 1,
    KSEF_REQUEST_SECONDS: 30,
    KSEF_LEASE_SECONDS: 60,
    KSEF_TOKENS_END: '2026-12-31',
  });
  // Without a factor, the limits that KSeF states apply.
  expect(configSchema.parse(required).KSEF_LIMIT_FACTOR).toBeUndefined();
});

test('the end of tokens is a day, or stays empty where the setting is empty', () => {
  const endOf = (day: string) => readConfig(configSchema, { ...required, KSEF_TOKENS_END: day }).KSEF_TOKENS_END;
  expect([endOf('2027-12-31'), endOf('')]).toEqual(['2027-12-31', '']);
});

test('an address loses the slash at its end', () => {
  expect(configSchema.parse({ ...required, KSEF_TEST_URL: 'http://127.0.0.1:9/test/v2/' }).KSEF_TEST_URL).toBe(
    'http://127.0.0.1:9/test/v2',
  );
});

test.each([
  ['KSEF_TEST_URL', 'ftp://127.0.0.1/v2'],
  ['KSEF_WAIT_FACTOR', '-1'],
  ['KSEF_REQUEST_SECONDS', '0'],
  ['KSEF_REQUEST_SECONDS', '601'],
  ['KSEF_LEASE_SECONDS', 'soon'],
  ['KSEF_LIMIT_FACTOR', '0'],
  ['KSEF_TOKENS_END', '31.12.2026'],
  ['KSEF_TOKENS_END', '2026-02-30'],
])('%s does not take %s', (name, value) => {
  const { error } = configSchema.safeParse({ ...required, [name]: value });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([name]);
});

test('hosts of packages are names without a protocol, a port or a path', () => {
  const hostsOf = (hosts: string) => configSchema.safeParse({ ...required, KSEF_TEST_STORAGE_HOSTS: hosts });
  expect(hostsOf(' Storage.example , b.example,').data?.KSEF_TEST_STORAGE_HOSTS).toEqual([
    'storage.example',
    'b.example',
  ]);
  expect(hostsOf('').data?.KSEF_TEST_STORAGE_HOSTS).toEqual([]);
  for (const wrong of ['https://a.example', 'a.example:8443', 'a.example/b', 'user@a.example', 'a b']) {
    expect([wrong, hostsOf(wrong).success]).toEqual([wrong, false]);
  }
});
