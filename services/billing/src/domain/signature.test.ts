import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSignedByProvider, SIGNATURES_MAX, TOLERANCE_SECONDS } from './signature.js';

const now = new Date('2026-03-10T12:00:00Z');
const seconds = now.getTime() / 1_000;
const body = Buffer.from('{"event_id":"evt_1"}');
const secrets = ['first', 'second'];
const hmac = (ts: number, secret = 'first') => createHmac('sha256', secret).update(`${ts}:`).update(body).digest('hex');
const isGood = (header: string) => isSignedByProvider(header, body, { secrets, now });
const wrong = 'f'.repeat(64);

test.each([
  ['now', 0, true],
  ['the tolerance ago', -TOLERANCE_SECONDS, true],
  ['the tolerance ahead', TOLERANCE_SECONDS, true],
  ['a second more than the tolerance ago', -TOLERANCE_SECONDS - 1, false],
  ['a second more than the tolerance ahead', TOLERANCE_SECONDS + 1, false],
])('a signature of %s', (_, offset, expected) => {
  expect(isGood(`ts=${seconds + offset};h1=${hmac(seconds + offset)}`)).toBe(expected);
});

test('any of the secrets and any of the signatures may be right', () => {
  expect(isGood(`ts=${seconds};h1=${hmac(seconds, 'second')}`)).toBe(true);
  expect(isGood(`ts=${seconds};h1=${wrong};h1=${hmac(seconds)}`)).toBe(true);
  expect(isGood(`ts=${seconds};h1=${hmac(seconds)};h1=${wrong}`)).toBe(true);
  expect(isGood(`ts=${seconds};h1=${hmac(seconds, 'third')}`)).toBe(false);
});

test(`${SIGNATURES_MAX} signatures are read, and not one more`, () => {
  const others = (count: number) => `;h1=${wrong}`.repeat(count);
  expect(isGood(`ts=${seconds};h1=${hmac(seconds)}${others(SIGNATURES_MAX - 1)}`)).toBe(true);
  expect(isGood(`ts=${seconds};h1=${hmac(seconds)}${others(SIGNATURES_MAX)}`)).toBe(false);
});

test.each([
  '',
  ';',
  'ts',
  `ts=${seconds}`,
  `h1=${hmac(seconds)}`,
  `ts=${seconds};ts=${seconds};h1=${hmac(seconds)}`,
  `ts=${seconds};h1=`,
  `ts=${seconds};h1=${hmac(seconds)};`,
  `ts=${seconds}.0;h1=${hmac(seconds)}`,
  `ts=-1;h1=${hmac(seconds)}`,
  `ts=${seconds}; h1=${hmac(seconds)}`,
  `ts=${seconds},h1=${hmac(seconds)}`,
  `ts=${seconds};h1=${hmac(seconds).toUpperCase()}`,
  `ts=${seconds};h1=${hmac(seconds).slice(1)}`,
  `ts=${seconds};h1=${hmac(seconds)};x=1`,
])('%p is no signature', (header) => {
  expect(isGood(header)).toBe(false);
});

test('without a secret nothing is signed', () => {
  const header = `ts=${seconds};h1=${hmac(seconds, '')}`;
  expect(isSignedByProvider(header, body, { secrets: [], now })).toBe(false);
});
