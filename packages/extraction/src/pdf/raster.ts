import { PDFiumLibrary } from '@hyzyla/pdfium';
import type { PDFiumPage } from '@hyzyla/pdfium';
import sharp from 'sharp';
import { preparePicture } from '../ocr/read-pictures.js';
import type { Picture } from '../ocr/read-pictures.js';
import { SIDE_MAX } from '../ocr/scale.js';
import type { Area } from './page-marks.js';
import { pdfiumProgram } from './pdfium-program.js';

const DPI = 300;
/** Resolution in DPI for drawing payment codes, whose squares are half a millimetre wide. */
const CODE_DPI = 150;
/** Width in points of the white margin that a payment code needs around it. */
const CODE_MARGIN = 8;
const POINTS_PER_INCH = 72;
/** Maximum number of pixels in the image of a document page. A page in A4 at 150 dpi has 2.2 million pixels. */
export const PIXELS_MAX = 12_000_000;

/** Returns images of the given pages (from 1) of a PDF. Rejects for files that PDFium cannot open. */
export async function rasterPages(bytes: Uint8Array, numbers: readonly number[]): Promise<Picture[]> {
  return withPages(bytes, async (pageOf) => {
    const pictures: Picture[] = [];
    for (const number of numbers) {
      const page = pageOf(number);
      // The image of a PDF page is no larger than text recognition needs. Drawing A4 at 300 dpi and reducing it
      // afterwards takes three times as long.
      const { data, width, height } = await render(page, Math.min(DPI, dpiOfSide(page, SIDE_MAX)));
      const channels = data.length === width * height ? 1 : 4;
      pictures.push(await preparePicture(sharp(data, { raw: { width, height, channels } }), number));
    }
    return pictures;
  });
}

/**
 * The pixels of a part of a document page as red, green, blue and opacity, which is the form that decoders of payment
 * codes require.
 */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Returns images of parts of document pages with a margin. Each page is drawn once for all of its parts. */
export async function rasterAreas(
  bytes: Uint8Array,
  places: readonly { readonly page: number; readonly area: Area }[],
): Promise<Pixels[]> {
  return withPages(bytes, async (pageOf) => {
    const pixels: Pixels[] = [];
    for (const number of new Set(places.map(({ page }) => page))) {
      const page = pageOf(number);
      const { originalHeight } = page.getOriginalSize();
      const drawn = await render(page, CODE_DPI);
      const scale = drawn.height / originalHeight;
      for (const { area } of places.filter((place) => place.page === number)) {
        const left = Math.max(0, Math.floor((area.left - CODE_MARGIN) * scale));
        const top = Math.max(0, Math.floor((originalHeight - area.top - CODE_MARGIN) * scale));
        const right = Math.min(drawn.width, Math.ceil((area.right + CODE_MARGIN) * scale));
        const bottom = Math.min(drawn.height, Math.ceil((originalHeight - area.bottom + CODE_MARGIN) * scale));
        if (right > left && bottom > top) pixels.push(cutOut(drawn, { left, top, right, bottom }));
      }
    }
    return pixels;
  });
}

interface Bitmap {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

function cutOut(
  { data, width, height }: Bitmap,
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
): Pixels {
  const channels = data.length / (width * height);
  const target = new Uint8Array((right - left) * (bottom - top) * 4).fill(255);
  let at = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const grey = data[(y * width + x) * channels] ?? 255;
      target[at] = target[at + 1] = target[at + 2] = grey;
      at += 4;
    }
  }
  return { width: right - left, height: bottom - top, data: target };
}

/** Returns the resolution at which the longer side of the document page has the given number of pixels. */
function dpiOfSide(page: PDFiumPage, side: number): number {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  return (side * POINTS_PER_INCH) / Math.max(originalWidth, originalHeight);
}

/**
 * Returns the size of a document page in whole pixels, at least one pixel on each side. Above `PIXELS_MAX` pixels in
 * total, the resolution is reduced.
 */
export function rasterSize(width: number, height: number, dpi: number): { width: number; height: number } {
  const scale = Math.min(dpi / POINTS_PER_INCH, Math.sqrt(PIXELS_MAX / (width * height)));
  const shorter = Math.max(1, Math.floor(Math.min(width, height) * scale));
  // The shorter side of a narrow document page was rounded up to one pixel, so the longer side is limited separately.
  const longer = Math.max(1, Math.min(Math.floor(Math.max(width, height) * scale), PIXELS_MAX / shorter));
  return width < height ? { width: shorter, height: longer } : { width: longer, height: shorter };
}

async function render(page: PDFiumPage, dpi: number): Promise<Bitmap> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const size = rasterSize(originalWidth, originalHeight, dpi);
  return page.render({ ...size, scale: 1, render: 'bitmap', colorSpace: 'Gray' });
}

async function withPages<T>(
  bytes: Uint8Array,
  use: (pageOf: (number: number) => PDFiumPage) => Promise<T>,
): Promise<T> {
  const library = await PDFiumLibrary.init({ instantiateWasm: await pdfiumProgram() });
  try {
    const document = await library.loadDocument(Buffer.from(bytes));
    try {
      return await use((number) => document.getPage(number - 1));
    } finally {
      document.destroy();
    }
  } finally {
    library.destroy();
  }
}
