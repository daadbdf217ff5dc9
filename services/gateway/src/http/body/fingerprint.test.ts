import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import fc from 'fast-check';
import { fingerprintOf } from './fingerprint.js';

describe('a fingerprint', () => {
  test('is the same for any order of the members', () =>
    fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (body) => {
        const reversed = Object.fromEntries(Object.entries(body).reverse());
        expect(await fingerprintOf(reversed)).toBe(await fingerprintOf(body));
      }),
    ));

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
