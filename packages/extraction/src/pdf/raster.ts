import { PDFiumLibrary } from '@hyzyla/pdfium';
import sharp from 'sharp';
import { preparePicture } from '../ocr/read-pictures.js';
import type { Picture } from '../ocr/read-pictures.js';

const DPI = 300;
const POINTS_PER_INCH = 72;
/** A page of any size becomes a picture of at most this many pixels; A4 at 300 dpi has 8.7 million. */
const PIXELS_MAX = 12_000_000;

/** Pictures of the given pages (from 1) of a PDF. Rejects for files that PDFium does not open. */
export async function rasterPages(bytes: Uint8Array, numbers: readonly number[]): Promise<Picture[]> {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(Buffer.from(bytes));
    try {
      const pictures: Picture[] = [];
      for (const number of numbers) {
        const page = document.getPage(number - 1);
        const { originalWidth, originalHeight } = page.getOriginalSize();
        const fullScale = DPI / POINTS_PER_INCH;
        const pixels = originalWidth * originalHeight * fullScale * fullScale;
        const scale = pixels > PIXELS_MAX ? fullScale * Math.sqrt(PIXELS_MAX / pixels) : fullScale;
        const { data, width, height } = await page.render({ scale, render: 'bitmap', colorSpace: 'Gray' });
        const channels = data.length === width * height ? 1 : 4;
        pictures.push(await preparePicture(sharp(data, { raw: { width, height, channels } }), number));
      }
      return pictures;
    } finally {
      document.destroy();
    }
  } finally {
    library.destroy();
  }
}
