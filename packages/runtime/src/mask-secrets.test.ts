import { expect, test } from 'vitest';
import { maskSecrets } from './mask-secrets.js';

test('masks what could be a secret by its name, at any depth, and keeps everything else', () => {
  const event = {
    eventId: 'evt_1',
    organizationId: 'o1',
    apiKeyIds: ['k1'],
    version: 3,
    recoveryToken: 'abc',
    member: { email: 'a@b.example', name: 'Ann', bank: { iban: 'DE02', accountNumber: 12345678 } },
    ip: '192.0.2.7',
  };
  expect(JSON.parse(maskSecrets(JSON.stringify(event)))).toEqual({
    ...event,
    recoveryToken: '[masked]',
    member: { email: '[masked]', name: 'Ann', bank: { iban: '[masked]', accountNumber: '[masked]' } },
    ip: '[masked]',
  });
});

test('masks keys and tokens by their shape within any text', () => {
  const masked = maskSecrets(
    JSON.stringify({ summary: 'used ick_live_0123_abc and whsec_xyz', list: ['inv_77', 'chk_0a'] }),
  );
  expect(JSON.parse(masked)).toEqual({
    summary: 'used ick_live_[masked] and whsec_[masked]',
    list: ['inv_[masked]', 'chk_[masked]'],
  });
});

test('tells only the length of what is not JSON', () => {
  expect(maskSecrets('ick_live_secret')).toBe('"not JSON, 15 characters"');
});
