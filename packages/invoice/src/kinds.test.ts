import { expect, test } from 'vitest';
import { note, text } from './kinds.js';

test('a text is one line without anything that nobody sees, and is stored trimmed', () => {
  const kind = text(10);
  expect(kind.faultOf('Ac\u202eme')).toBe(
    'Must not contain invisible characters (U+202E, at position 3). Remove them.',
  );
  expect(kind.faultOf('Ac\nme')).toMatch(/^Must be a single line/);
  expect(kind.faultOf(' Acme\r\n')).toBeUndefined();
  expect(kind.normalise(' Acme\r\n')).toBe('Acme');
  expect(kind.faultOf('\u202e')).toBe('Must have a visible character.');
  expect(kind.faultOf('x'.repeat(10))).toBeUndefined();
  expect(kind.faultOf('x'.repeat(11))).toBe('Must have at most 10 characters.');
});

test('a note keeps its lines, and hides nothing either', () => {
  const kind = note(100);
  expect(kind.faultOf('one\r\n\ttwo')).toBeUndefined();
  expect(kind.normalise('one\r\n\ttwo\n')).toBe('one\n\ttwo');
  expect(kind.faultOf('one\u200b')).toMatch(/U\+200B, at position 4/);
});
