import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { PDFDocument } from 'pdf-lib';
import { PIXELS_MAX, rasterPages, rasterSize } from './raster.js';

describe('the size of the picture of a page', () => {
  test('is that of its resolution up to 12 million pixels, and less beyond', () => {
    expect(rasterSize(3_000, 4_000, 72)).toEqual({ width: 3_000, height: 4_000 });
    expect(rasterSize(3_000, 4_001, 72)).toEqual({ width: 2_999, height: 4_000 });
    expect(rasterSize(14_400, 14_400, 300)).toEqual({ width: 3_464, height: 3_464 });
  });

  test('is bounded and has at least one pixel, whatever the page', () => {
    const side = fc.double({ min: 1e-3, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(side, side, fc.integer({ min: 1, max: 300 }), (width, height, dpi) => {
        const size = rasterSize(width, height, dpi);
        expect(size.width * size.height).toBeLessThanOrEqual(PIXELS_MAX);
        expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test.each([
    ['of less than a point', 0.4, 14_400],
    ['of 200 inches', 14_400, 14_400],
  ])('is drawn for a page %s', async (_, width, height) => {
    const pdf = await PDFDocument.create();
    pdf.addPage([width, height]);
    const [picture] = await rasterPages(await pdf.save(), [1]);
    expect(Math.max(picture?.width ?? 0, picture?.height ?? 0)).toBe(2_500);
  });
});
