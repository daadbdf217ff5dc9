import { decodeQR } from 'qr/decode.js';
import { rasterAreas } from './raster.js';
import type { PdfPage } from './read-pages.js';

/**
 * Maximum number of QR codes that are read from a document. An invoice with a payment slip, a link and a parcel label
 * has fewer codes.
 */
const CODES_MAX = 6;
/** Returns the texts of the QR codes on the pages of a PDF. */
export async function readCodes(bytes: Uint8Array, pages: readonly PdfPage[]): Promise<string[]> {
  const areas = pages
    .flatMap(({ text, marks }) => marks.codeAreas.map((area) => ({ page: text.number, area })))
    .slice(0, CODES_MAX);
  if (areas.length === 0) return [];
  const pictures = await rasterAreas(bytes, areas);
  return pictures.map(decode).filter((text) => text !== '');
}

/** Decodes the QR codes in an image. Empty if the image contains no code. */
function decode(picture: Parameters<typeof decodeQR>[0]): string {
  try {
    return decodeQR(picture);
  } catch {
    // The decoder of QR codes throws if there is no code, for example if the square is a logo.
    return '';
  }
}
