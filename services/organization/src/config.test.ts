import { describe, expect, test } from '@jest/globals';
import { describeConfig, readConfig } from '@invoicecontrol/runtime/config';
import { configSchema } from './config.js';

const pepper = Buffer.alloc(32, 7).toString('base64');
const good = {
  MONGODB_URL: 'mongodb://user:hidden@db',
  NATS_URL: 'nats://bus',
  API_KEY_PEPPERS: `p2:${pepper},p1:${pepper}`,
  OPERATOR_TOKEN: 'x'.repeat(32),
};

describe('the configuration', () => {
  test('needs two addresses and two secrets; the rest has defaults', () => {
    const config = readConfig(configSchema, good);
    expect(config).toMatchObject({ GRPC_HOST: '127.0.0.1', GRPC_PORT: 50051, DATABASE_NAME: 'organization' });
    expect(config.API_KEY_PEPPERS.map(({ id }) => id)).toEqual(['p2', 'p1']);
  });

  test.each([
    ['no pepper', ''],
    ['a pepper without an id', pepper],
    ['a short pepper', `p1:${Buffer.alloc(31).toString('base64')}`],
    ['two peppers of one id', `p1:${pepper},p1:${pepper}`],
    ['one bad pepper among good ones', `p1:${pepper},p2:@@`],
  ])('is refused with %s', (_, peppers) => {
    expect(() => readConfig(configSchema, { ...good, API_KEY_PEPPERS: peppers })).toThrow(/API_KEY_PEPPERS/);
  });

  test('is refused with an operator token that could be guessed', () => {
    expect(() => readConfig(configSchema, { ...good, OPERATOR_TOKEN: 'x'.repeat(31) })).toThrow(/OPERATOR_TOKEN/);
  });

  test('is logged without its secrets', () => {
    const shown = JSON.stringify(describeConfig(configSchema, readConfig(configSchema, good)));
    for (const hidden of ['hidden', pepper, good.OPERATOR_TOKEN]) expect(shown).not.toContain(hidden);
  });
});
