import { describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { parseIdempotencyKey } from './idempotency-key.js';

describe('an Idempotency-Key', () => {
  test.each([
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"a,b"', 'a,b'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['a\\b', 'a\\b'],
    ['!~', '!~'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('written %s is read', (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  test.each([
    ['nothing', ''],
    ['empty quotes', '""'],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['a comma', 'a,b'],
    ['a blank', 'a b'],
    ['a blank in quotes', '"a b"'],
    ['a quote inside', 'a"b'],
    ['an open quote', '"abc'],
    ['an unknown escape', '"a\\b"'],
    ['letters beyond ASCII', 'żółć'],
    ['a control character', 'a\u0007'],
    ['two quoted keys', '"a","b"'],
  ])('with %s is refused', (_, header) => {
    expect(() => parseIdempotencyKey(header)).toThrow(DomainError);
  });
});
