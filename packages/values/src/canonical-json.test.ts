import { expect, test } from 'vitest';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.js';

/** A simple reference implementation of canonical JSON, with which the real one is compared. */
function reference(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${reference(member)}`).join(',')}}`;
}

test('every value has one text, which parses to the value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(canonicalJson(value)).toBe(reference(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each(['plain', '"', '\\', '\n', '\u0000', '\u001f', '\u2028', 'ż', '😀', '\ud800', '\udc00x'])(
  'the string %j is escaped as JSON.stringify does',
  (text) => {
    expect(canonicalJson(text)).toBe(JSON.stringify(text));
  },
);

test('undefined members are left out, and the order of members does not matter', () => {
  expect(canonicalJson({ b: 1, a: undefined, 10: 'x', 9: 'y' })).toBe('{"10":"x","9":"y","b":1}');
});

test('sorts names by UTF-16 code units and writes numbers and strings as ECMAScript does (RFC 8785, section 3.2)', () => {
  const value: unknown = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
      '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  );
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  expect(canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, ö: 7 })).toBe(
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
  );
});
