import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { ENLARGED_PIXELS_MAX, ENLARGED_SIDE_MAX, pageSize, receiptSize, SIDE_MAX } from './scale.js';

const side = fc.integer({ min: 1, max: 50_000 });

describe('the size of a page for recognition', () => {
  test.each([
    ['a small page is enlarged', { width: 300, height: 200 }, { width: 1_600, height: 1_067 }],
    ['a page of 2,500 pixels is kept', { width: 2_000, height: 2_500 }, { width: 2_000, height: 2_500 }],
    ['a page of 2,501 pixels is reduced', { width: 2_000, height: 2_501 }, { width: 1_999, height: 2_500 }],
    ['a receipt is kept', { width: 400, height: 1_000 }, { width: 400, height: 1_000 }],
    ['a strip has at least one pixel', { width: 4, height: 30_000 }, { width: 1, height: 2_500 }],
  ])('%s', (_, source, expected) => {
    expect(pageSize(source)).toEqual(expected);
  });

  test('has no side above 2,500 pixels, whatever the picture', () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        const size = pageSize({ width, height });
        expect(Math.max(size.width, size.height)).toBeLessThanOrEqual(SIDE_MAX);
        expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe('the size of a receipt for its second reading', () => {
  test.each([
    ['1,600 wide', { width: 400, height: 1_000 }, { width: 1_600, height: 4_000 }],
    ['1,600 wide up to 25.6 million pixels', { width: 200, height: 2_000 }, { width: 1_600, height: 16_000 }],
    ['narrower beyond', { width: 200, height: 2_001 }, { width: 1_599, height: 16_003 }],
    ['up to 32,000 high', { width: 20, height: 1_000 }, { width: 640, height: 32_000 }],
    ['narrower where it would be higher', { width: 20, height: 1_001 }, { width: 639, height: 32_000 }],
    ['bounded for a strip', { width: 1, height: 2_500 }, { width: 12, height: 32_000 }],
  ])('is %s', (_, source, expected) => {
    expect(receiptSize(source)).toEqual(expected);
  });

  test('is bounded in pixels and sides, whatever the picture', () => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        const size = receiptSize({ width, height });
        expect(size.width * size.height).toBeLessThanOrEqual(ENLARGED_PIXELS_MAX);
        expect(size.height).toBeLessThanOrEqual(ENLARGED_SIDE_MAX);
        expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
