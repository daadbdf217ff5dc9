import sharp from 'sharp';
import { firstLanguages, otherLanguage } from '../ocr/languages.js';
import { refusePicture } from '../ocr/read-image.js';
import { PIXELS_MAX, preparePicture, recognisePage } from '../ocr/read-pictures.js';
import { withPdf } from '../pdf/open-pdf.js';
import { rasterPages } from '../pdf/raster.js';
import { readOnePage } from '../pdf/read-pages.js';
import { withReadableTexts } from '../readable-texts.js';
import type { Box } from '../reading.js';
import { boxOf } from '../text/layout.js';
import type { TextPage } from '../text/layout.js';
import { readCells } from '../text/text-document.js';
import type { ReadCell } from '../text/text-document.js';
import type { RenderingOutcome } from './rendering.js';

/** Maximum number of words of a document page that are returned. A densely printed page has about a thousand. */
export const WORDS_MAX = 3_000;

/** A word of a document page with its position, in fractions of the page. */
interface PageWord {
  /** Text as printed. A date, an amount, a bank account and a tax id are one word each, also with blanks in them. */
  readonly text: string;
  /** Text in the form of the invoice fields, such as `1190.00` for `1.190,00`. */
  readonly value: string;
  readonly box: Box;
}

/** The words of a document page, in the order in which they are read. */
export interface PageWords {
  readonly words: readonly PageWord[];
  /** True if the page has more words. */
  readonly isTruncated: boolean;
}

/** Returns the words of a page of a PDF. Pages that are images are read by OCR. */
export async function wordsOfPdfPage(bytes: Uint8Array, number: number): Promise<RenderingOutcome> {
  const read = await withPdf(bytes, async (pdf): Promise<RenderingOutcome | { readonly page: TextPage }> => {
    if (number > pdf.numPages) return { missing: 'PAGE', pages: pdf.numPages };
    const { text, isScan } = await readOnePage(pdf, number);
    if (!isScan) return { page: text };
    const [picture] = await rasterPages(bytes, [number]);
    return { page: picture === undefined ? text : await recognised(picture) };
  });
  return 'page' in read ? shown(read.page) : read;
}

/** Returns the words that OCR recognizes on a page of a document that is an image. */
export async function wordsOfPicture(bytes: Uint8Array, number: number): Promise<RenderingOutcome> {
  const options = { limitInputPixels: PIXELS_MAX, failOn: 'error' as const };
  try {
    const { pages = 1 } = await sharp(bytes, options).metadata();
    if (number > pages) return { missing: 'PAGE', pages };
    const picture = await preparePicture(sharp(bytes, { ...options, page: number - 1 }).rotate(), number);
    return shown(await recognised(picture));
  } catch (error) {
    return refusePicture(error);
  }
}

async function recognised(picture: Parameters<typeof recognisePage>[0]): Promise<TextPage> {
  const languages = firstLanguages([]);
  const { page, words } = await recognisePage(picture, languages);
  const better = otherLanguage(words, languages);
  return better === undefined ? page : (await recognisePage(picture, ['eng', better])).page;
}

function shown(page: TextPage): RenderingOutcome {
  const content = Buffer.from(JSON.stringify(withReadableTexts(wordsOf(page))));
  return { rendering: { mediaType: 'application/json', content } };
}

/** Returns the words of a document page. */
export function wordsOf(page: TextPage): PageWords {
  const { cells } = readCells([page]);
  const words: PageWord[] = [];
  for (const cell of cells) {
    for (const { start, end, value } of partsOf(cell)) {
      if (words.length === WORDS_MAX) return { words, isTruncated: true };
      words.push({ text: cell.text.slice(start, end), value, box: boxOf(cell, start, end, page) });
    }
  }
  return { words, isTruncated: false };
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/**
 * Divides the text of a cell into words. What the recognizers found is one word in the form of the invoice fields; the
 * rest is divided at blanks.
 */
function partsOf({ text, ibans, taxIds, dates, amounts }: ReadCell): readonly Part[] {
  const found = [...ibans, ...taxIds, ...dates.filter(({ isAmbiguous }) => !isAmbiguous), ...amounts].toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  );
  const parts: Part[] = [];
  let at = 0;
  for (const { start, end, value } of found) {
    if (start < at) continue;
    parts.push(...blankSeparated(text, at, start), { start, end, value });
    at = end;
  }
  return [...parts, ...blankSeparated(text, at, text.length)];
}

function blankSeparated(text: string, from: number, to: number): readonly Part[] {
  return [...text.slice(from, to).matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    start: from + index,
    end: from + index + word.length,
    value: word,
  }));
}
