/**
 * Maximum number of pixels of a picture of a document page: 2,000 wide and twice as high, whatever the shape of the
 * page.
 */
const PIXELS_MAX = 8_000_000;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size in whole pixels of a picture with the proportions of `source`: as wide as requested, or narrower if
 * it would have too many pixels.
 * @param source size in any unit, above zero
 */
export function pictureSize(source: Size, widthMax: number): Size {
  const scale = Math.min(widthMax / source.width, Math.sqrt(PIXELS_MAX / (source.width * source.height)));
  const width = Math.max(1, Math.round(source.width * scale));
  const height = Math.max(1, Math.round(source.height * scale));
  // The shorter side of a very narrow picture of a page is rounded up to one pixel.
  return { width: Math.min(width, widthMax), height: Math.min(height, Math.floor(PIXELS_MAX / width)) };
}
