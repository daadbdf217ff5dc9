import { PDFiumLibrary } from '@hyzyla/pdfium';
import type { PDFiumDocument } from '@hyzyla/pdfium';
import sharp from 'sharp';
import { pdfMessages } from '../pdf/open-pdf.js';
import { pdfiumProgram } from '../pdf/pdfium-program.js';
import { refuse } from '../refuse.js';
import { pictureSize } from './picture-size.js';
import type { RenderingOutcome } from './rendering.js';

interface PageTarget {
  readonly page: number;
  readonly width: number;
}

const CANNOT_BE_DRAWN = 'The page cannot be drawn: it is damaged or needs too much memory. Read the original file.';

/** Draws a page of a PDF with its annotations and filled form fields. Scripts in the document are not run. */
export async function drawPdfPage(bytes: Uint8Array, target: PageTarget): Promise<RenderingOutcome> {
  try {
    // Each page has its own PDFium instance, so that a failure does not affect later pages.
    const library = await PDFiumLibrary.init({ instantiateWasm: await pdfiumProgram() });
    try {
      const document = await library.loadDocument(bytes);
      try {
        return await drawPage(document, target);
      } finally {
        document.destroy();
      }
    } finally {
      library.destroy();
    }
  } catch (error) {
    return refusalOf(error);
  }
}

async function drawPage(document: PDFiumDocument, { page, width: widthMax }: PageTarget): Promise<RenderingOutcome> {
  const pages = document.getPageCount();
  if (pages === 0) return refuse('DAMAGED', pdfMessages.DAMAGED);
  if (page > pages) return { missing: 'PAGE', pages };
  const loaded = document.getPage(page - 1);
  const { originalWidth, originalHeight } = loaded.getOriginalSize();
  if (!(originalWidth > 0 && originalHeight > 0)) return refuse('DAMAGED', CANNOT_BE_DRAWN);
  const size = pictureSize({ width: originalWidth, height: originalHeight }, widthMax);
  const { data } = await loaded.render({ ...size, scale: 1, render: 'bitmap', renderFormFields: true });
  const content = await sharp(data, { raw: { ...size, channels: 4 } })
    .removeAlpha()
    .png()
    .toBuffer();
  return { rendering: { mediaType: 'image/png', content } };
}

/**
 * Returns the refusal for an error of PDFium. The errors that PDFium throws differ only in their messages, but a crash
 * causes a WebAssembly error.
 */
function refusalOf(error: unknown): RenderingOutcome {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === 'RuntimeError') return refuse('DAMAGED', CANNOT_BE_DRAWN);
  if (/^Password required|^Unsupported security scheme/.test(message)) {
    return refuse('ENCRYPTED', pdfMessages.ENCRYPTED);
  }
  if (/^(?:File not in PDF format|Unknown error|Page not found|PDF Loading = )/.test(message)) {
    return refuse('DAMAGED', pdfMessages.DAMAGED);
  }
  if (message === 'Failed to allocate memory for bitmap') return refuse('TOO_LARGE', CANNOT_BE_DRAWN);
  throw error;
}
