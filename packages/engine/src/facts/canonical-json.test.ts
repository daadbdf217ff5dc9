import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './facts.js';

/** The same by the slow way: every text through JSON.stringify, names in the order of their code units. */
function reference(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${reference(member)}`).join(',')}}`;
}

test('every value has one text, and reading it gives the value back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(canonicalJson(value)).toBe(reference(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each(['plain', '"', '\\', '\n', '\u0000', '\u001f', '\u2028', 'ż', '😀', '\ud800', '\udc00x'])(
  'the text %j is written as JSON writes it',
  (text) => {
    expect(canonicalJson(text)).toBe(JSON.stringify(text));
  },
);

test('members that are undefined are left out, and the order of names does not matter', () => {
  expect(canonicalJson({ b: 1, a: undefined, 10: 'x', 9: 'y' })).toBe('{"10":"x","9":"y","b":1}');
});
