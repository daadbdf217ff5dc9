import { expect, test } from 'vitest';
import { asyncPreference } from './prefer.js';

test.each([
  'respond-async',
  ' Respond-Async ',
  'wait=10, respond-async',
  'respond-async;foo=1, wait=10',
  'x="a, b", respond-async',
  'respond-async=""',
  'respond-async = "" ;foo',
  'respond-async=, wait=10',
  ['return=minimal', 'respond-async'],
])('%j asks for an answer at once', (header) => {
  expect(asyncPreference(header).respondAsync).toBe(true);
});

test.each([
  undefined,
  '',
  'wait=10',
  'respond-asyncs',
  'respond-async=0',
  'respond-async=" "',
  '"respond-async"',
  'x="respond-async"',
  'x="a, respond-async"',
  '"',
])('%j does not', (header) => {
  expect(asyncPreference(header).respondAsync).toBe(false);
});

test.each([
  ['respond-async, wait=10', 10],
  ['Wait="5";x=1, respond-async', 5],
  [['respond-async', 'wait=3, wait=4'], 3],
  ['respond-async, wait=0', 0],
  ['respond-async', undefined],
  ['respond-async, wait=-1', undefined],
  ['respond-async, wait=soon', undefined],
  ['respond-async, wait=10000000', undefined],
])('%j waits %p seconds', (header, seconds) => {
  expect(asyncPreference(header).waitSeconds).toBe(seconds);
});

test.each([
  ['quotes that are escaped outside of a text', '\\"'.repeat(500_000)],
  ['a text that does not end', `x="${'\\"'.repeat(500_000)}`],
  ['blanks', `respond-async${' '.repeat(1_000_000)}x`],
  ['blanks around a value', `wait=1${' '.repeat(1_000_000)}x`],
  ['preferences', 'x,'.repeat(500_000)],
])('a header of a million characters is read in one pass: %s', (_, header) => {
  expect(asyncPreference(header)).toEqual({ respondAsync: false, waitSeconds: undefined });
});
