import { describe, expect, test } from 'vitest';
import { faultOfSecret, secretPattern } from './secret-text.js';

const fault = (text: string) => faultOfSecret(text, 3, 40);

describe('a secret', () => {
  test.each([
    ['of an Entra application', 'a~B8Q~x.Y_z-1234567890abcdefghijklmnop'],
    ['of KSeF', '20260313-EC-1A2B|nip-5265877635|0f3c9a'],
    ['of an Odoo user', '0123456789abcdef0123456789abcdef01234567'],
    ['of words', 'a client secret'],
    ['of the shortest length', 'abc'],
    ['of the greatest length', 'a'.repeat(40)],
  ])('%s is taken', (_, text) => {
    expect(fault(text)).toBeUndefined();
    expect(text).toMatch(new RegExp(secretPattern(3, 40)));
  });

  test.each([
    ['a byte order mark', '\ufeffsecret'],
    ['a zero-width blank', 'sec\u200bret'],
    ['a line break at its end', 'secret\n'],
    ['a line break', 'sec\r\nret'],
    ['a blank before it', ' secret'],
    ['a blank behind it', 'secret '],
    ['a tab', 'sec\tret'],
    ['blanks alone', ' '.repeat(30)],
    ['zero-width blanks alone', '\u200b'.repeat(30)],
    ['a letter that is not ASCII', 'sécret'],
    ['a NUL', 'sec\0ret'],
  ])('with %s is refused, and no character of it is repeated', (_, text) => {
    expect(fault(text)).toMatch(/^Must be letters, digits and ASCII signs, .*Copy it again\.$/);
    expect(text).not.toMatch(new RegExp(secretPattern(3, 40)));
  });

  test('has a least and a greatest length', () => {
    expect(fault('ab')).toBe('Must have at least 3 characters.');
    expect(faultOfSecret('', 1, 40)).toBe('Must have at least 1 character.');
    expect(faultOfSecret('a', 1, 40)).toBeUndefined();
    expect('a').toMatch(new RegExp(secretPattern(1, 40)));
    expect(fault('a'.repeat(41))).toBe('Must have at most 40 characters.');
  });
});
