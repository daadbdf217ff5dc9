import { describe, expect, test } from 'vitest';
import { readEmail, readName } from './text.js';

describe('an e-mail address', () => {
  test.each([
    'ann@example.com',
    'a.b+c@sub.example.com',
    'żółć@przykład.pl',
    "o'neil@example.com",
    ' ann@example.com ',
  ])('%s is accepted, trimmed', (value) => {
    expect(readEmail('email', value)).toBe(value.trim());
  });

  test.each([
    ['only blanks', ' '],
    ['no @', 'ann'],
    ['two of them', 'ann@example.com,bob@example.com'],
    ['a name around it', 'Ann <ann@example.com>'],
    ['a quoted part', '"ann bob"@example.com'],
    ['a line break', 'ann@example.com\r\nBcc:all@example.com'],
    ['an invisible character', 'ann\u200b@example.com'],
    ['a filler', 'ann\u3164@example.com'],
    ['255 characters', `${'a'.repeat(243)}@example.com`],
  ])('with %s is refused', (_, value) => {
    expect(() => readEmail('email', value)).toThrow(
      expect.objectContaining({ details: [{ path: 'email', message: expect.any(String) }] }),
    );
  });
});

test('a name is trimmed, neither blank nor invisible, and of at most 200 characters', () => {
  expect(readName('name', ' Ann ')).toBe('Ann');
  expect(() => readName('name', '\u200b\u2060')).toThrow(/invisible/);
  expect(() => readName('name', ' ')).toThrow(/blank/);
  expect(() => readName('name', 'x'.repeat(201))).toThrow(/200/);
});

test.each([
  ['a line break', 'Ann\r\nOther'],
  ['an override of the direction', 'Ann\u202e'],
  ['a zero-width blank', 'An\u200bn'],
])('a name with %s is refused', (_, value) => {
  expect(() => readName('name', value)).toThrow(
    expect.objectContaining({ details: [{ path: 'name', message: expect.stringMatching(/\.$/) }] }),
  );
});
