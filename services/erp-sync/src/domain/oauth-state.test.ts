import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readState, signState, stateKeys } from './oauth-state.js';
import type { OAuthState } from './oauth-state.js';

const now = new Date('2026-03-14T09:30:00.000Z');
const state: OAuthState = {
  flowId: '00112233445566778899aabbccddeeff',
  organizationId: '0192a000-0000-7000-8000-00000000000a',
  provider: 'PROVIDER_C',
  companyId: '0192a000-0000-7000-8000-00000000000c',
  issuedAt: now,
  expiresAt: new Date(now.getTime() + 600_000),
};
const key = (id: string) => ({ id, bytes: randomBytes(32) });
const k1 = key('k1');
const keys = stateKeys([k1]);
const signed = signState(state, keys);

test('a state that was signed is read as it was', () => {
  expect(readState(signed, keys, now)).toEqual(state);
});

test('an older key verifies what it has signed, and the newest one signs', () => {
  const rotated = stateKeys([key('k2'), k1]);
  expect(readState(signed, rotated, now)).toEqual(state);
  expect(readState(signState(state, rotated), keys, now)).toBeUndefined();
});

test('another key under the same id refuses the state', () => {
  expect(readState(signed, stateKeys([key('k1')]), now)).toBeUndefined();
});

test('a state counts until its last moment and no longer', () => {
  const at = (ms: number) => readState(signed, keys, new Date(state.expiresAt.getTime() + ms));
  expect(at(-1)).toEqual(state);
  expect(at(0)).toBeUndefined();
});

test('a change of any character is refused', () => {
  for (let index = 0; index < signed.length; index++) {
    const other = signed[index] === 'A' ? 'B' : 'A';
    expect(readState(signed.slice(0, index) + other + signed.slice(index + 1), keys, now)).toBeUndefined();
  }
});

test.each([
  ['nothing', ''],
  ['a dot', '.'],
  ['a body without a signature', signed.split('.')[0] ?? ''],
  ['a third part', `${signed}.x`],
  ['a signature of another state', `${signed.split('.')[0]}.${randomBytes(32).toString('base64url')}`],
  ['JSON that is no object', `${Buffer.from('null').toString('base64url')}.AA`],
  ['a signature with padding', `${signed}=`],
  ['100,000 characters', 'A'.repeat(100_000)],
])('%s is refused', (_, text) => {
  expect(readState(text, keys, now)).toBeUndefined();
});
