/** A page of any form becomes a picture of at most this many pixels: 2,000 wide, twice as high. */
const PIXELS_MAX = 8_000_000;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The size in whole pixels of a picture with the form of `source`: as wide as asked, or narrower where it would have too many
 * pixels.
 * @param source in any unit, above zero
 */
export function pictureSize(source: Size, widthMax: number): Size {
  const scale = Math.min(widthMax / source.width, Math.sqrt(PIXELS_MAX / (source.width * source.height)));
  const width = Math.max(1, Math.round(source.width * scale));
  const height = Math.max(1, Math.round(source.height * scale));
  // A strip: one side is rounded up to a pixel.
  return { width: Math.min(width, widthMax), height: Math.min(height, Math.floor(PIXELS_MAX / width)) };
}
