import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { API_KEY_ID_LENGTH, API_KEY_SECRET_LENGTH, formatApiKey, parseApiKey } from './api-key.js';
import { BASE62_ALPHABET } from './base62.js';

const id = '0123456789ABCDEF';
const secret = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';
const key = formatApiKey('live', id, secret);

const base62 = (length: number) =>
  fc.string({ unit: fc.constantFrom(...BASE62_ALPHABET), minLength: length, maxLength: length });

describe('an API key', () => {
  test('is parsed into the parts it was formatted from, for any id and secret', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('live' as const, 'test' as const),
        base62(API_KEY_ID_LENGTH),
        base62(API_KEY_SECRET_LENGTH),
        (kind, anyId, anySecret) => {
          expect(parseApiKey(formatApiKey(kind, anyId, anySecret))).toEqual({ kind, id: anyId, secret: anySecret });
        },
      ),
    );
  });

  test('has the format that secret scanners search for', () => {
    expect(key).toMatch(/^ick_(live|test)_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
  });

  test('keeps its format: issued keys stay readable', () => {
    expect(key).toBe('ick_live_0123456789ABCDEF_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG4TcJUL');
  });

  test('with any one character changed is refused', () => {
    for (let at = 0; at < key.length; at += 1) {
      const other = key.charAt(at) === 'x' ? 'y' : 'x';
      expect(parseApiKey(`${key.slice(0, at)}${other}${key.slice(at + 1)}`)).toBeUndefined();
    }
  });

  test.each([
    ['nothing', ''],
    ['a word', 'secret'],
    ['a leading blank', ` ${key}`],
    ['a trailing line feed', `${key}\n`],
    ['an unknown kind', key.replace('live', 'prod')],
    ['a prefix in another case', key.replace('ick', 'ICK')],
    ['a missing character', key.slice(0, -1)],
    ['an additional character', `${key}0`],
    ['a letter outside base62', key.replace('a', 'ä')],
  ])('is not parsed from %s', (_, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  test('is not formatted from an id or a secret of the wrong length or alphabet', () => {
    expect(() => formatApiKey('live', id.slice(1), secret)).toThrow(RangeError);
    expect(() => formatApiKey('live', id, `${secret}0`)).toThrow(RangeError);
    expect(() => formatApiKey('live', id, secret.replace('a', '-'))).toThrow(RangeError);
  });
});
