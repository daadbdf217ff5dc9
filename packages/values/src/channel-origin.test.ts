import { expect, test } from 'vitest';
import { EXTERNAL_ID_CHARACTERS_MAX, isSameOrigin, parseOrigin } from './channel-origin.js';

const ksef = { channel: 'KSEF', externalId: '5265877635-20260412-010080615740-E4' } as const;

test('reads the KSeF number of a document', () => {
  expect(parseOrigin(ksef)).toEqual(ksef);
});

test.each([
  ['an unknown channel', { ...ksef, channel: 'PEPPOL' }],
  ['a channel in lower case', { ...ksef, channel: 'ksef' }],
  ['no id', { ...ksef, externalId: '' }],
  ['an id with a blank', { ...ksef, externalId: 'a b' }],
  ['an id with a line break', { ...ksef, externalId: 'a\n' }],
  ['an id beyond the limit', { ...ksef, externalId: 'a'.repeat(EXTERNAL_ID_CHARACTERS_MAX + 1) }],
])('does not read %s', (_, origin) => {
  expect(parseOrigin(origin)).toBeUndefined();
});

test('reads an id of the maximum length', () => {
  expect(parseOrigin({ ...ksef, externalId: 'a'.repeat(EXTERNAL_ID_CHARACTERS_MAX) })).toBeDefined();
});

test('tells origins apart, and an upload by a caller from both', () => {
  expect(isSameOrigin(ksef, { ...ksef })).toBe(true);
  expect(isSameOrigin(ksef, { ...ksef, externalId: 'other' })).toBe(false);
  expect(isSameOrigin(ksef, undefined)).toBe(false);
  expect(isSameOrigin(undefined, undefined)).toBe(true);
});
