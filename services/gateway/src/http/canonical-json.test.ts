import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, fingerprintOf } from './canonical-json.js';

describe('canonical JSON', () => {
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

  test('is the same for any order of the members, and reads back as the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe('a fingerprint', () => {
  test('is the hash of the canonical JSON, in whatever pieces it is taken', () =>
    fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())), async (body) => {
        const hash = createHash('sha256').update(canonicalJson(body)).digest('hex');
        expect(await fingerprintOf(body)).toBe(hash);
      }),
    ));

  test('differs when a value differs, also in what JSON distinguishes and people do not', async () => {
    const bodies = [{}, { a: [] }, { a: '1' }, { a: 1 }, { a: ['1'] }, { a: '1', b: null }, { A: '1' }, { a: '1 ' }];
    expect(new Set(await Promise.all(bodies.map(fingerprintOf))).size).toBe(bodies.length);
  });
});
