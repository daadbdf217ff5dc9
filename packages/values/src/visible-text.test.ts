import { describe, expect, test } from 'vitest';
import { hasVisibleText } from './visible-text.js';

describe('a text has no visible character', () => {
  test.each([
    ['when it is empty', ''],
    ['of blanks', ' \t\r\n\u00a0\u3000\u2028'],
    ['of zero-width spaces', '\u200b\u200b'],
    ['of a byte order mark', '\ufeff'],
    ['of joiners and direction marks', '\u200c\u200d\u2060\u200e\u202e\u2066\u2069'],
    ['of soft hyphens', '\u00ad'],
    ['of control characters', '\u0001\u001b\u0085'],
    ['of Hangul fillers', '\u115f\u1160\u3164\uffa0'],
    ['of an empty Braille cell', '\u2800'],
    ['of variation selectors and tags', '\ufe0f\u{e0041}\u{e0100}'],
    ['of blanks and invisible characters together', ' \u200b \ufeff '],
  ])('%s', (_, text) => {
    expect(hasVisibleText(text)).toBe(false);
  });
});

describe('a text has a visible character', () => {
  test.each([
    ['of one letter', 'x'],
    ['of one digit among invisible characters', '\u200b7\ufeff'],
    ['of punctuation', '-'],
    ['of Chinese', '請'],
    ['of an emoji with its variation selector', '❤\ufe0f'],
    ['of a family of emoji', '👨\u200d👩\u200d👧'],
    ['of Arabic after a direction mark', '\u200fفاتورة'],
  ])('%s', (_, text) => {
    expect(hasVisibleText(text)).toBe(true);
  });
});
