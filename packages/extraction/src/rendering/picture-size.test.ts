import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { pictureSize } from './picture-size.js';

const A4 = { width: 595.28, height: 841.89 };

describe('the size of a picture', () => {
  test.each([
    [1, { width: 1, height: 1 }],
    [1_000, { width: 1_000, height: 1_414 }],
    [2_000, { width: 2_000, height: 2_829 }],
  ])('is as wide as asked (%i) and has the form of the page', (widthMax, size) => {
    expect(pictureSize(A4, widthMax)).toEqual(size);
  });

  test('is narrower where the page is so long that it would have more than 8 million pixels', () => {
    expect(pictureSize({ width: 1, height: 2 }, 2_000)).toEqual({ width: 2_000, height: 4_000 });
    expect(pictureSize({ width: 1, height: 2.1 }, 2_000)).toEqual({ width: 1_952, height: 4_098 });
  });

  test('is never wider than asked, has no more than 8 million pixels and at least one, whatever the form of the page', () => {
    const side = fc.double({ min: 1e-6, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(side, side, fc.integer({ min: 1, max: 2_000 }), (width, height, widthMax) => {
        const size = pictureSize({ width, height }, widthMax);
        expect(size.width).toBeLessThanOrEqual(widthMax);
        expect(size.width * size.height).toBeLessThanOrEqual(8_000_000);
        expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
