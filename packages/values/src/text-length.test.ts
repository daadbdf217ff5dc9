import { describe, expect, test } from 'vitest';
import { isLongerThan } from './text-length.js';

describe('the length of a text', () => {
  test.each(['x', '\u00e9', '\u{1f9fe}'])('counts %s once', (character) => {
    expect(isLongerThan(character.repeat(10), 10)).toBe(false);
    expect(isLongerThan(character.repeat(11), 10)).toBe(true);
  });

  test('of an empty text is within every limit', () => {
    expect(isLongerThan('', 0)).toBe(false);
  });
});
