/** Size in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Longer sides bring OCR nothing but time. */
export const SIDE_MAX = 2_500;
const SIDE_MIN = 1_600;
const RECEIPT_WIDTH = 1_600;
/** Maximum number of pixels of an enlarged receipt: a till roll of 1,600 pixels in width and ten times that length fits. */
export const ENLARGED_PIXELS_MAX = 25_600_000;
/** tesseract counts pixels in 15 bits. */
export const ENLARGED_SIDE_MAX = 32_000;
/** Higher than this many widths: a receipt. */
const NARROW = 1.6;

export function isNarrow({ width, height }: PictureSize): boolean {
  return height > NARROW * width;
}

/** The size in which a page is recognised: at most 2,500 pixels, small ones enlarged. A receipt keeps its size: see `receiptSize`. */
export function pageSize(source: PictureSize): PictureSize {
  const longest = Math.max(source.width, source.height);
  if (longest > SIDE_MAX) return scaled(source, SIDE_MAX / longest, Math.round);
  return longest < SIDE_MIN && !isNarrow(source) ? scaled(source, SIDE_MIN / longest, Math.round) : source;
}

/** The size in which a receipt is read a second time: 1,600 wide, or less where it would be too long or have too many pixels. */
export function receiptSize(source: PictureSize): PictureSize {
  const factors = [
    RECEIPT_WIDTH / source.width,
    ENLARGED_SIDE_MAX / source.height,
    Math.sqrt(ENLARGED_PIXELS_MAX / (source.width * source.height)),
  ];
  // Rounded down: up would be beyond a limit.
  return scaled(source, Math.min(...factors), (length) => Math.floor(length + 1e-6));
}

/** Whole pixels, at least one a side. */
function scaled({ width, height }: PictureSize, factor: number, round: (length: number) => number): PictureSize {
  return { width: Math.max(1, round(width * factor)), height: Math.max(1, round(height * factor)) };
}
