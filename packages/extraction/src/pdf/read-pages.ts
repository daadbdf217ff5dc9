import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { layoutPage } from '../text/layout.js';
import type { TextPage, TextRun } from '../text/layout.js';
import { readPageMarks } from './page-marks.js';
import type { Area, Layers, PageMarks, ShownText } from './page-marks.js';

/** Maximum numbers of pages of a PDF that are read: the first 40 and the last 10 (documents reference, section 3). */
const PAGES_FIRST = 40;
const PAGES_LAST = 10;
/**
 * Maximum number of pages that a PDF may state. A file of some kilobytes can state a billion pages that it does not
 * have, and everything that lists the pages would have to list them all.
 */
export const PAGES_STATED_MAX = 10_000;
const TEXT_CHARACTERS_MAX = 500_000;
/**
 * Minimum number of letters and digits on a document page. A page with fewer letters and digits counts as a scan if it
 * has an image.
 */
const LETTERS_MIN = 20;
const SCAN_IMAGE_SHARE = 0.1;
const DRAWN_LETTERS_MIN = 200;

export interface PdfPage {
  /** Text of the PDF page that a reader sees. */
  readonly text: TextPage;
  readonly marks: PageMarks;
  /** Number of the page's object in the PDF file. */
  readonly object: string;
  /**
   * True if OCR must read the text of the page, because the page is an image or because its fonts draw other digits
   * than the characters of its text.
   */
  readonly isScan: boolean;
  /**
   * Text layer of a document page that OCR must read: text that programs can extract but readers cannot see. Null if
   * there is none.
   */
  readonly textLayer: TextPage | null;
  readonly width: number;
  readonly height: number;
}

interface PdfTextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Returns the numbers of the document pages that are read. */
export function pagesToRead(count: number): number[] {
  return count <= PAGES_FIRST + PAGES_LAST
    ? numbersFrom(1, count)
    : [...numbersFrom(1, PAGES_FIRST), ...numbersFrom(count - PAGES_LAST + 1, PAGES_LAST)];
}

function numbersFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Reads the visible text of each document page. Returns TOO_LARGE above 500,000 characters. */
export async function readPages(pdf: PDFDocumentProxy): Promise<PdfPage[] | 'TOO_LARGE'> {
  const pages: PdfPage[] = [];
  const layers = await pdf.getOptionalContentConfig();
  let budget = TEXT_CHARACTERS_MAX;
  for (const [index, number] of pagesToRead(pdf.numPages).entries()) {
    const page = await pdf.getPage(number);
    try {
      const items = await readItems(page, budget);
      budget -= items.reduce((sum, { str }) => sum + str.length, 0);
      // The budget of characters is checked before the drawing operators of a document page are processed, because the
      // number of operators is not limited.
      if (budget < 0) return 'TOO_LARGE';
      pages.push(await readPage(page, items, { index, number, layers }));
    } finally {
      page.cleanup();
    }
  }
  return pages;
}

/** Reads the visible text of one document page, whose number must exist in the PDF. Text beyond the budget is left out. */
export async function readOnePage(pdf: PDFDocumentProxy, number: number): Promise<PdfPage> {
  const layers = await pdf.getOptionalContentConfig();
  const page = await pdf.getPage(number);
  try {
    return await readPage(page, await readItems(page, TEXT_CHARACTERS_MAX), { index: 0, number, layers });
  } finally {
    page.cleanup();
  }
}

/**
 * Reads the text items of a document page and stops when the budget of characters is used up, because a document page
 * may contain 100 MB of text operators.
 */
async function readItems(page: PDFPageProxy, budget: number): Promise<PdfTextItem[]> {
  const reader = page.streamTextContent({ includeMarkedContent: false }).getReader();
  const items: PdfTextItem[] = [];
  let left = budget;
  while (left >= 0) {
    const { value, done } = (await reader.read()) as { value?: { items: PdfTextItem[] }; done: boolean };
    if (done || value === undefined) return items;
    for (const item of value.items) {
      left -= item.str.length;
      items.push(item);
      if (left < 0) break;
    }
  }
  await reader.cancel();
  return items;
}

async function readPage(
  page: PDFPageProxy,
  items: readonly PdfTextItem[],
  { layers, ...place }: { readonly index: number; readonly number: number; readonly layers: Layers },
): Promise<PdfPage> {
  const viewport = page.getViewport({ scale: 1 });
  const marks = await readPageMarks(page, layers);
  const hidden = marks.shown.filter(({ hiddenBy }) => hiddenBy !== null);
  const runs = items
    .filter(({ str }) => str.trim() !== '')
    .filter((item) => !isHidden(item, hidden))
    .map((item) => toRun(item, viewport.transform as number[]));
  const annotated = marks.shown
    .filter(({ isAnnotation, hiddenBy }) => isAnnotation && hiddenBy === null)
    .map((text) => toRunOfShown(text, viewport.transform as number[]));
  const upright = [...runs, ...annotated].filter(
    ({ left, right, top, bottom }) => left < viewport.width && right > 0 && top < viewport.height && bottom > 0,
  );
  const text = layoutPage(upright, { ...place, width: viewport.width, height: viewport.height });
  const letters = upright.reduce((sum, run) => sum + (run.text.match(/[\p{L}\p{N}]/gu) ?? []).length, 0);
  // A document page with hardly any text is an image, or its letters are drawn as paths. In both cases OCR reads the
  // page.
  const isPicture =
    letters < LETTERS_MIN && (marks.imageShare > SCAN_IMAGE_SHARE || marks.drawings > DRAWN_LETTERS_MIN);
  const isScan = isPicture || marks.hasRemappedDigits;
  const layer = marks.hasRemappedDigits
    ? upright
    : isPicture
      ? hidden.map((shown) => toRunOfShown(shown, viewport.transform as number[]))
      : [];
  return {
    text,
    marks,
    object: String(page.ref?.num ?? ''),
    isScan,
    textLayer:
      layer.length === 0 ? null : layoutPage(layer, { ...place, width: viewport.width, height: viewport.height }),
    width: viewport.width,
    height: viewport.height,
  };
}

/**
 * Converts coordinates of the document page, measured from the bottom, to coordinates measured from the top. Pages may
 * be rotated.
 */
function toRun(item: PdfTextItem, view: readonly number[]): TextRun {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform;
  const size = Math.hypot(c, d) || Math.hypot(a, b) || 1;
  const [originX, originY] = apply(view, x, y);
  const along = Math.hypot(a, b) || 1;
  const [endX, endY] = apply(view, x + (a / along) * item.width, y + (b / along) * item.width);
  const isUpright = Math.abs(endY - originY) <= Math.abs(endX - originX);
  const left = Math.min(originX, endX);
  const right = Math.max(originX, endX);
  return {
    text: item.str,
    left,
    right,
    top: isUpright ? originY - size * 0.8 : Math.min(originY, endY),
    bottom: isUpright ? originY + size * 0.2 : Math.max(originY, endY),
    size,
    confidence: 1,
  };
}

/**
 * Converts a text that pdf.js does not return (a comment, a stamp, a form field, or the text layer of a scan) to the
 * form in which the texts of a page are read.
 */
function toRunOfShown({ text, left, bottom, right, top }: ShownText, view: readonly number[]): TextRun {
  const [oneX, oneY] = apply(view, left, bottom);
  const [otherX, otherY] = apply(view, right, top);
  const size = Math.abs(otherY - oneY) / 0.7;
  const baseline = Math.max(oneY, otherY);
  return {
    text,
    left: Math.min(oneX, otherX),
    right: Math.max(oneX, otherX),
    top: baseline - size * 0.8,
    bottom: baseline + size * 0.2,
    size: size || 1,
    confidence: 1,
  };
}

function apply(view: readonly number[], x: number, y: number): readonly [number, number] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = view;
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Checks whether a text item of a PDF page is part of a hidden text, which has the same content at the same place. */
function isHidden(item: PdfTextItem, hidden: readonly ShownText[]): boolean {
  const [, , , , x = 0, y = 0] = item.transform;
  const size = Math.hypot(item.transform[2] ?? 0, item.transform[3] ?? 0);
  const area: Area = { left: x, right: x + item.width, bottom: y, top: y + size * 0.7 };
  return hidden.some((text) => {
    const isHere =
      text.left < area.right + 0.5 &&
      area.left < text.right + 0.5 &&
      Math.abs(text.bottom - area.bottom) < Math.max(0.5 * size, 0.5);
    if (!isHere) return false;
    const [mine, theirs] = [letters(item.str), letters(text.text)];
    return mine.includes(theirs) || theirs.includes(mine);
  });
}

function letters(text: string): string {
  return text.normalize('NFKC').replace(/\s/g, '');
}
