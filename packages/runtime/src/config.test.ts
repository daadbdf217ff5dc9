import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { brokerUrl, describeConfig, logLevel, MAY_BE_EMPTY, namedKeys, port, readConfig, secret } from './config.js';

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

test('an empty variable is a value where the setting says so, and an absent one is the default', () => {
  const dated = z.object({ UNTIL: z.string().default('2026-12-31').meta(MAY_BE_EMPTY) });
  expect([readConfig(dated, { UNTIL: '' }), readConfig(dated, {})]).toEqual([{ UNTIL: '' }, { UNTIL: '2026-12-31' }]);
});

test('the printed configuration carries no secret', () => {
  const config = readConfig(schema, { STORE_URL: 'mongodb://user:hush@db/x', PASSWORD: 'hush' });
  const printed = JSON.stringify(describeConfig(schema, config));
  expect(printed).not.toContain('hush');
  expect(printed).toContain('"PASSWORD":{"configured":true}');
});

test.each([
  ['mongodb://scan:hush@host:27017/?replicaSet=rs0', 'mongodb://***@host:27017/?replicaSet=rs0'],
  ['mongodb://scan:hu/hush@host', 'mongodb://***@host'],
  ['mongodb://scan:hu@hush@host', 'mongodb://***@host'],
  ['mongodb://scan:hu hush@host', 'mongodb://***@host'],
  ['nats://a:hush@one,nats://b:hush@two', 'nats://***@two'],
  ['tls://one:4222,tls://two:4222', 'tls://one:4222,tls://two:4222'],
])('no password is printed, also if it is not escaped: %s', (url, printed) => {
  const store = z.object({ STORE_URL: z.string() });
  expect(describeConfig(store, { STORE_URL: url })).toEqual({ STORE_URL: printed });
});

describe('the address of the broker', () => {
  afterEach(() => vi.unstubAllEnvs());
  const read = (url: string): unknown => readConfig(z.object({ NATS_URL: brokerUrl }), { NATS_URL: url });

  test.each(['nats://nats:4222', 'nats:4222', 'tls://one:4222,nats://two:4222'])(
    'is refused in production without TLS, with a sentence: %s',
    (url) => {
      expect(read(url)).toEqual({ NATS_URL: url });
      vi.stubEnv('NODE_ENV', 'production');
      expect(() => read(url)).toThrow(/must begin with tls:\/\/ in production.*\n.*NATS_URL/);
    },
  );

  test('is accepted in production with TLS', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(read('tls://one:4222,tls://two:4222')).toEqual({ NATS_URL: 'tls://one:4222,tls://two:4222' });
  });
});

test('a setting of keys is a secret, keeps their order and bounds their length', () => {
  const key = (id: string, bytes: number): string => `${id}:${Buffer.alloc(bytes, 7).toString('base64')}`;
  const atLeast = z.object({ KEYS: namedKeys({ bytesMin: 32 }) });
  const exactly = z.object({ KEYS: namedKeys({ bytesMin: 32, bytesMax: 32 }) });
  const config = readConfig(atLeast, { KEYS: `${key('new', 33)}, ${key('old', 32)}` });
  expect(config.KEYS.map(({ id, bytes }) => [id, bytes.length])).toEqual([
    ['new', 33],
    ['old', 32],
  ]);
  expect(describeConfig(atLeast, config)).toEqual({ KEYS: { configured: true } });
  expect(() => readConfig(atLeast, { KEYS: key('short', 31) })).toThrow(
    'must be id:base64 pairs, separated by commas, each id once, each at least 32 bytes',
  );
  expect(() => readConfig(exactly, { KEYS: key('long', 33) })).toThrow(
    'must be id:base64 pairs, separated by commas, each id once, each key of 32 bytes',
  );
});
