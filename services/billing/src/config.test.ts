import { expect, test } from 'vitest';
import { readConfig } from '@invoicecontrol/runtime/config';
import { configSchema } from './config.js';

const names = ['CORE', 'CONTROL', 'SCALE', 'ENTITY'].flatMap((product) => [
  `PADDLE_PRICE_${product}_MONTH`,
  `PADDLE_PRICE_${product}_YEAR`,
]);
const prices = Object.fromEntries(names.map((name, at) => [name, `pri_${String(at).padStart(26, 'a')}`]));
const complete = {
  MONGODB_URL: 'mongodb://localhost',
  TLS_DIR: '/identity',
  NATS_URL: 'nats://localhost',
  CHECKOUT_SUCCESS_URL: 'https://example.com/',
  ...prices,
};

test('accepts eight different prices', () => {
  expect(readConfig(configSchema, complete)).toMatchObject(prices);
});

test('accepts no price at all, where no plan is sold, and names the rest when there is one', () => {
  const { PADDLE_PRICE_CORE_MONTH: first, ...others } = prices;
  const without = Object.fromEntries(Object.entries(complete).filter(([name]) => !(name in prices)));
  const production = { ...without, NODE_ENV: 'production' };
  expect(readConfig(configSchema, production)).not.toHaveProperty('PADDLE_PRICE_CORE_MONTH');
  expect(() => readConfig(configSchema, { ...production, PADDLE_PRICE_CORE_MONTH: first })).toThrow(
    `set the id of every price, or of none if no plan is sold; not set: ${Object.keys(others).join(', ')}`,
  );
});

test('names every fault of the prices at once: missing, malformed and repeated ones', () => {
  const env = {
    ...complete,
    PADDLE_PRICE_CORE_MONTH: '',
    PADDLE_PRICE_CORE_YEAR: 'pri_TOO_LOUD',
    PADDLE_PRICE_SCALE_MONTH: prices['PADDLE_PRICE_ENTITY_YEAR'],
  };
  const read = () => readConfig(configSchema, env);
  for (const name of [
    'PADDLE_PRICE_CORE_MONTH',
    'PADDLE_PRICE_CORE_YEAR',
    'PADDLE_PRICE_SCALE_MONTH',
    'PADDLE_PRICE_ENTITY_YEAR',
  ]) {
    expect(read).toThrow(name);
  }
});

test.each([...names, 'PADDLE_NOTIFICATION_SECRETS'])(
  "refuses the simulator's value of %s in production alone",
  (name) => {
    const value =
      name === 'PADDLE_NOTIFICATION_SECRETS' ? 'own,pdl_ntfset_development_only' : 'pri_developmentcoremonth000000';
    const env = { ...complete, [name]: value };
    expect(() => readConfig(configSchema, { ...env, NODE_ENV: 'production' })).toThrow(
      new RegExp(`in production, set values of your own account .*: ${name}$`, 'm'),
    );
    expect(() => readConfig(configSchema, { ...env, NODE_ENV: 'development' })).not.toThrow();
  },
);

test('accepts production with values of its own', () => {
  const env = { ...complete, PADDLE_NOTIFICATION_SECRETS: 'own', NODE_ENV: 'production' };
  expect(readConfig(configSchema, env)).toMatchObject({ NODE_ENV: 'production' });
});

test('reads secrets with commas between them, and refuses an empty one', () => {
  const read = (secrets: string) =>
    readConfig(configSchema, { ...complete, PADDLE_NOTIFICATION_SECRETS: secrets }).PADDLE_NOTIFICATION_SECRETS;
  expect(read('one, two')).toEqual(['one', 'two']);
  expect(() => read('one,,two')).toThrow('PADDLE_NOTIFICATION_SECRETS');
});
