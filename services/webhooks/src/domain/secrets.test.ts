import { describe, expect, test } from 'vitest';
import { newSecret, rotate, signingSecrets } from './secrets.js';
import type { SealedSecret } from './secrets.js';

const HOUR_MS = 3_600_000;
const at = (hours: number): Date => new Date(Date.UTC(2026, 2, 14) + hours * HOUR_MS);
const secret = (id: string, hours: number): SealedSecret => ({ id, sealed: id, keyId: 'k1', createdAt: at(hours) });
const keep = { isPreviousRevoked: false };
const signing = (secrets: readonly SealedSecret[], hours: number) =>
  signingSecrets(secrets, at(hours), 24 * HOUR_MS).map(({ id }) => id);

describe('a new secret', () => {
  test('is whsec_ and 43 letters and digits, another one each time', () => {
    const secrets = Array.from({ length: 200 }, newSecret);
    for (const one of secrets) expect(one).toMatch(/^whsec_[0-9A-Za-z]{43}$/);
    expect(new Set(secrets).size).toBe(200);
    // Every character of the alphabet occurs among the 8,600 characters of these secrets.
    expect(new Set(secrets.join('').replaceAll('whsec_', '')).size).toBe(62);
  });
});

describe('a rotation', () => {
  const first = secret('first', 0);
  const second = secret('second', 100);
  const third = secret('third', 101);

  test('signs with both for exactly 24 hours, the new one first', () => {
    const secrets = rotate([first], second, keep);
    expect(signing(secrets, 100)).toEqual(['second', 'first']);
    expect(signing(secrets, 123.999)).toEqual(['second', 'first']);
    expect(signing(secrets, 124)).toEqual(['second']);
  });

  test('within that time drops the older secret at once', () => {
    const secrets = rotate(rotate([first], second, keep), third, keep);
    expect(signing(secrets, 101)).toEqual(['third', 'second']);
    expect(signing(secrets, 125)).toEqual(['third']);
  });

  test('after that time keeps the secret that signed alone', () => {
    const late = secret('late', 200);
    expect(signing(rotate(rotate([first], second, keep), late, keep), 201)).toEqual(['late', 'second']);
  });

  test('that revokes the previous secret leaves one', () => {
    expect(signing(rotate([second, first], third, { isPreviousRevoked: true }), 101)).toEqual(['third']);
  });
});
