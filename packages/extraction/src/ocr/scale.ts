/** Width and height of a picture in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Maximum length of a side of a scanned picture in pixels. Longer sides take more time and do not improve text
 * recognition.
 */
export const SIDE_MAX = 2_500;
const SIDE_MIN = 1_600;
const RECEIPT_WIDTH = 1_600;
/**
 * Maximum number of pixels of an enlarged receipt, enough for a till roll that is 1,600 pixels wide and ten times as
 * long.
 */
export const ENLARGED_PIXELS_MAX = 25_600_000;
/** Maximum length of a picture's side in the OCR program tesseract, which stores lengths in 15 bits. */
export const ENLARGED_SIDE_MAX = 32_000;
/** Ratio of height to width above which a document page counts as a receipt. */
const NARROW = 1.6;

export function isNarrow({ width, height }: PictureSize): boolean {
  return height > NARROW * width;
}

/**
 * Returns the size in which a document page is recognized: at most 2,500 pixels for each side. Small pages are
 * enlarged. A receipt keeps its size (see `receiptSize`).
 */
export function pageSize(source: PictureSize): PictureSize {
  const longest = Math.max(source.width, source.height);
  if (longest > SIDE_MAX) return scaled(source, SIDE_MAX / longest, Math.round);
  return longest < SIDE_MIN && !isNarrow(source) ? scaled(source, SIDE_MIN / longest, Math.round) : source;
}

/**
 * Returns the size in which a receipt is read a second time: 1,600 pixels wide, or less if it would be too long or have
 * too many pixels.
 */
export function receiptSize(source: PictureSize): PictureSize {
  const factors = [
    RECEIPT_WIDTH / source.width,
    ENLARGED_SIDE_MAX / source.height,
    Math.sqrt(ENLARGED_PIXELS_MAX / (source.width * source.height)),
  ];
  // The picture size is rounded down, because rounding up could exceed a limit.
  return scaled(source, Math.min(...factors), (length) => Math.floor(length + 1e-6));
}

/** Rounds the size of a picture to whole pixels, at least one for each side. */
function scaled({ width, height }: PictureSize, factor: number, round: (length: number) => number): PictureSize {
  return { width: Math.max(1, round(width * factor)), height: Math.max(1, round(height * factor)) };
}
