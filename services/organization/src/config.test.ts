import { describe, expect, test } from 'vitest';
import { describeConfig, readConfig } from '@invoicecontrol/runtime/config';
import { configSchema } from './config.js';

const pepper = Buffer.alloc(32, 7).toString('base64');
const good = {
  MONGODB_URL: 'mongodb://user:hidden@db',
  TLS_DIR: '/identity',
  NATS_URL: 'nats://bus',
  API_KEY_PEPPERS: `p2:${pepper},p1:${pepper}`,
  BILLING_ADDRESS: 'billing:50051',
};

describe('the configuration', () => {
  test('needs two URLs, a secret and the address of billing; the rest has defaults', () => {
    const config = readConfig(configSchema, good);
    expect(config).toMatchObject({ GRPC_HOST: '127.0.0.1', GRPC_PORT: 50051, DATABASE_NAME: 'organization' });
    expect(config.API_KEY_PEPPERS.map(({ id }) => id)).toEqual(['p2', 'p1']);
  });

  test.each([
    ['no pepper', ''],
    ['a pepper without an id', pepper],
    ['a short pepper', `p1:${Buffer.alloc(31).toString('base64')}`],
    ['two peppers with one id', `p1:${pepper},p1:${pepper}`],
    ['one bad pepper among good ones', `p1:${pepper},p2:@@`],
  ])('is refused with %s', (_, peppers) => {
    expect(() => readConfig(configSchema, { ...good, API_KEY_PEPPERS: peppers })).toThrow(/API_KEY_PEPPERS/);
  });

  test('is logged without its secrets', () => {
    const mail = { SMTP_URL: 'smtps://user:mailword@mail', MAIL_FROM: 'control@example.com' };
    const shown = describeConfig(configSchema, readConfig(configSchema, { ...good, ...mail }));
    expect(shown).toMatchObject({ SMTP_URL: { configured: true }, MAIL_FROM: 'control@example.com' });
    for (const hidden of ['hidden', pepper, 'mailword']) {
      expect(JSON.stringify(shown)).not.toContain(hidden);
    }
  });

  test('needs a sender with a mail server, and neither without', () => {
    expect(readConfig(configSchema, { ...good, MAIL_FROM: 'control@example.com' }).SMTP_URL).toBeUndefined();
    expect(() => readConfig(configSchema, { ...good, SMTP_URL: 'smtp://mail' })).toThrow(/MAIL_FROM/);
  });

  test.each(['control@example.com', 'Invoice Control <control@example.com>'])('accepts %s as sender', (sender) => {
    expect(readConfig(configSchema, { ...good, MAIL_FROM: sender }).MAIL_FROM).toBe(sender);
  });

  test.each([
    ['MAIL_FROM', 'Invoice Control'],
    ['MAIL_FROM', 'a@example.com, b@example.com'],
    ['SMTP_URL', 'mail.example.com:25'],
    ['SMTP_URL', 'https://mail.example.com'],
  ])('is refused with %s %s', (name, value) => {
    const sender = { MAIL_FROM: 'control@example.com' };
    expect(() => readConfig(configSchema, { ...good, ...sender, [name]: value })).toThrow(new RegExp(name));
  });
});
