import { expect, test } from 'vitest';
import { plainText } from './ksef-text.js';

test('a text of KSeF is one line that people can read, of at most 1,000 characters', () => {
  expect(plainText('Faktura\r\n  nr\u202e 7\0\u200b \ud800')).toBe('Faktura nr 7 \ufffd');
  expect(plainText('x'.repeat(1_000))).toBe('x'.repeat(1_000));
  expect(plainText('x'.repeat(1_001))).toBe(`${'x'.repeat(999)}…`);
});
