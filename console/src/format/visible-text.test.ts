import { describe, expect, test } from 'vitest';
import { showInvisible } from './visible-text.js';

describe('a foreign text', () => {
  test.each([
    ['a name\u202etxt.exe', 'a name[U+202E]txt.exe'],
    ['DE89\u200b3704', 'DE89[U+200B]3704'],
    ['\ufeffNordlicht', '[U+FEFF]Nordlicht'],
    ['\u0007bell', '[U+0007]bell'],
  ])('shows what would be invisible: %j', (text, shown) => {
    expect(showInvisible(text)).toBe(shown);
  });

  test('is unchanged otherwise, in any script', () => {
    for (const text of ['Müller & Söhne GmbH', 'Żółć sp. z o.o.', '東京ガス', 'شركة', 'two\nlines'])
      expect(showInvisible(text)).toBe(text);
  });
});
