import { findAmounts } from '../text/amounts.js';
import { findIbans } from '../text/ibans.js';
import { findLabels } from '../text/labels.js';
import { normaliseText } from '../text/normalise.js';
import type { TextPage } from '../text/layout.js';
import type { Annotation, DrawnPage, GreyPicture, PixelArea } from './pdfium.js';

/** A page of a PDF revision, with its drawing and the text that programs read from it. */
export interface PageView {
  readonly drawn: DrawnPage;
  readonly text: TextPage;
  /** True if the document page is an image, so that its words are unknown. */
  readonly isScan: boolean;
}

/**
 * Difference between two revisions of a document page that a reader can see. EXTENDED: existing content is unchanged,
 * and content was added to an empty area or a blank field was filled in. PAYMENT: as EXTENDED, but the added content
 * states an amount or an account. New signatures, and comments that hide nothing, do not count as a difference.
 */
export type PageDifference = 'NONE' | 'EXTENDED' | 'PAYMENT' | 'CHANGED';

interface Word extends PixelArea {
  readonly text: string;
}

/**
 * Minimum difference between two shades of grey (0 to 255) that counts as a change where the page has text or drawings.
 * Smaller differences are ignored, because the edges of a letter change whenever it is drawn again.
 */
const GREY_DISTANCE_MIN = 64;
/**
 * Minimum difference between two shades of grey that counts as a change where the page was empty before. It is small,
 * so that even light text is noticed.
 */
const PAPER_GREY_DISTANCE_MIN = 24;
/** Shade of grey that separates text and drawings (darker) from the empty background (lighter) on a drawn page. */
const GREY_MIDDLE = 128;
/**
 * Size in pixels of the squares into which a page is divided to find its empty background. A pixel belongs to the
 * background only if the shades of grey in its square and in the neighbouring squares hardly differ.
 */
const BLOCK_PIXELS = 6;
/** Maximum difference between the shades of grey in one square that still counts as empty background. */
const PAPER_DISTANCE_MAX = 32;
/** Maximum thickness of lines below and through the text of a page: 3 points. */
const LINE_PIXELS_MAX = 4;
/** Maximum size of the icon of a PDF note: 26 points and a margin of one pixel. */
const NOTE_PIXELS_MAX = 36;
/** Notes on a PDF page that are closer together than this distance are treated as one drawing. */
const NOTE_DISTANCE_PIXELS = 36;
/** Maximum number of notes on a document page that draw their own appearance. */
export const NOTES_MAX = 12;
/** Maximum size of a visible signature on a PDF page: 300 by 120 points and a margin of one pixel. */
const SIGNATURE_PIXELS_MAX = { width: 402, height: 162 } as const;
/** Maximum size of a handwritten name or the logo of a program in a PDF signature: 108 by 54 points. */
const SCRIBBLE_PIXELS_MAX = { width: 144, height: 72 } as const;
/**
 * Distance by which the letters of a word on a page may extend beyond its box, which is computed for letters of equal
 * width.
 */
const LETTER_MARGIN_PIXELS = { width: 12, height: 3 } as const;
/**
 * Pattern of an account number: digits in one piece or in groups, or with a sort code. Dates and times do not match.
 */
const NUMBER =
  /\d{6}|(?<!\d)\d{2}-\d{2}-\d{2}(?!\d)|(?<![\d.:/-])(?:\d{3,5} \d{3,5}|\d{2,5} \d{2,5} \d{2,5})(?![\d.:/-])/;
/** Names of bank accounts, in addition to the labels that precede an account number on an invoice. */
const ACCOUNT_NAME = /\b(?:acct|sort code|routing|aba|bic|swift)\b/gi;
/** Maximum number of characters between the name of an account and the number of this account. */
const ACCOUNT_CHARACTERS_MAX = 40;
/**
 * Distance from a printed number within which a signature must draw nothing, because a stroke could look like another
 * digit. The distance is about one letter.
 */
const FIGURE_MARGIN_PIXELS = 12;

/**
 * Compares the images, texts and annotations of a document page in two revisions. If the current page cannot be drawn,
 * the page counts as changed, because only a page with more boxes or annotations than any invoice cannot be drawn.
 * @param laterSignatures number of signatures that were added to the file after the earlier revision; if the page has
 *   more new signature fields, none of them counts as a signature
 */
export function comparePages(
  before: PageView,
  { drawn, ...page }: Omit<PageView, 'drawn'> & { readonly drawn: DrawnPage | undefined },
  laterSignatures: number,
): PageDifference {
  if (drawn === undefined || !haveOneShape(before.drawn, drawn)) return 'CHANGED';
  const after = { ...page, drawn };
  const content = compareContent(before.drawn.content, after.drawn.content);
  if (content === 'CHANGED') return 'CHANGED';
  const signatures = newSignatures(before, after, laterSignatures);
  const annotations = compareAnnotations(before, after, signatures);
  if (annotations === 'CHANGED') return 'CHANGED';
  const words = compareWords(before, after, signatures);
  if (words === 'CHANGED' || words === 'PAYMENT') return words;
  return [content, annotations, words].includes('EXTENDED') ? 'EXTENDED' : 'NONE';
}

/**
 * Compares the texts of a document page in two revisions when the earlier page is not drawn. Added words may belong to
 * a later signature, so they are a difference only if they state an amount or an account.
 */
export function compareUndrawn(before: TextPage, after: TextPage): PageDifference {
  if (!haveOneSize(before, after)) return 'CHANGED';
  const [earlier, later] = [wordsOf(before), wordsOf(after)];
  if (without(earlier, later).length > 0) return 'CHANGED';
  const added = without(later, earlier);
  return saysPayment(added.map(({ text }) => text).join(' ')) ? 'PAYMENT' : 'NONE';
}

/**
 * Compares the words of a document page in two revisions: whether a word is missing, and whether the added words state
 * an amount or an account.
 */
function compareWords(before: PageView, after: PageView, signatures: readonly PixelArea[]): PageDifference {
  const [earlier, later] = [wordsOf(before.text, before.drawn), wordsOf(after.text, after.drawn)];
  const isOfSignature = (word: Word): boolean => signatures.some((area) => isWithin(word, area));
  if (without(earlier, later).some((word) => !isOfSignature(word))) return 'CHANGED';
  const added = without(later, earlier);
  if (added.length === 0) return 'NONE';
  const blanks = before.drawn.annotations.filter(({ kind }) => kind === 'BLANK_FIELD').map(({ area }) => area);
  const inNoField = added.filter((word) => !blanks.some((area) => isWithin(word, area)));
  if (saysPayment(inNoField.map(({ text }) => text).join(' '))) return 'PAYMENT';
  return added.every(isOfSignature) ? 'NONE' : 'EXTENDED';
}

/** Checks whether a text contains an amount or an account. */
export function saysPayment(said: string): boolean {
  const text = normaliseText(said);
  if (findIbans(text).length > 0 || saysAccount(text)) return true;
  return findAmounts(text, undefined).some(({ decimals, currency }) => decimals === 2 || currency !== null);
}

/** Checks whether a text contains an account other than an IBAN: a number after the name of an account. */
function saysAccount(text: string): boolean {
  const named = [
    ...findLabels(text).flatMap(({ entries, end }) => (entries.some(({ kind }) => kind === 'iban') ? [end] : [])),
    ...[...text.matchAll(ACCOUNT_NAME)].map(({ 0: name, index }) => index + name.length),
  ];
  return named.some((end) => NUMBER.test(text.slice(end, end + ACCOUNT_CHARACTERS_MAX)));
}

/** Returns the text of a document page, line by line. */
export function textOf({ lines }: TextPage): string {
  return lines.map(({ cells }) => cells.map(({ text }) => text).join(' ')).join('\n');
}

/** Returns the words of one page revision that the other revision does not contain, or contains less often. */
function without(words: readonly Word[], others: readonly Word[]): Word[] {
  const counts = new Map<string, number>();
  for (const { text } of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return words.filter(({ text }) => {
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left <= 0;
  });
}

/**
 * Returns the words of a document page with their positions: in pixels if the drawing of the page is given, otherwise
 * in points. All letters of a cell are assumed to have equal width.
 */
function wordsOf(page: TextPage, drawn?: DrawnPage): Word[] {
  const scale = drawn === undefined ? 1 : drawn.content.width / page.width;
  return page.lines.flatMap(({ cells }) =>
    cells.flatMap((cell) => {
      const letter = (cell.right - cell.left) / Math.max(1, cell.text.length);
      return [...cell.text.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
        text,
        left: (cell.left + index * letter) * scale,
        right: (cell.left + (index + text.length) * letter) * scale,
        top: cell.top * scale,
        bottom: cell.bottom * scale,
      }));
    }),
  );
}

function haveOneShape(one: DrawnPage, other: DrawnPage): boolean {
  return one.rotation === other.rotation && haveOneSize(one, other);
}

type Size = Pick<DrawnPage, 'width' | 'height'>;

function haveOneSize(one: Size, other: Size): boolean {
  return Math.abs(one.width - other.width) < 0.5 && Math.abs(one.height - other.height) < 0.5;
}

function compareContent(before: GreyPicture, after: GreyPicture): PageDifference {
  const isEmpty = emptyPaperOf(before);
  return compareGreys(before, after, (x, y) => (isEmpty(x, y) ? 'EXTENDED' : 'CHANGED'));
}

/**
 * Compares the annotations of two revisions of a PDF page. The caller has already found that, without annotations, the
 * later revision has the same content as the earlier one or only adds to it. The content below an annotation decides
 * what the annotation may change.
 */
function compareAnnotations(before: PageView, after: PageView, signatures: readonly PixelArea[]): PageDifference {
  const [one, other] = [before.drawn, after.drawn];
  if (one.whole === one.content && other.whole === other.content) return 'NONE';
  const isEmpty = emptyPaperOf(one.content);
  const isEmptyWhole = emptyPaperOf(one.whole);
  const comments = [...commentsOf(one), ...commentsOf(other)];
  const blanks = one.annotations.filter(({ kind }) => kind === 'BLANK_FIELD').map(({ area }) => area);
  const printed = wordsOf(before.text, before.drawn).map((word) =>
    /\d/.test(word.text) ? grown(word, FIGURE_MARGIN_PIXELS) : grown(word, 0, (word.top - word.bottom) / 4),
  );
  const mayBeSigned = (x: number, y: number): boolean =>
    !before.isScan && !printed.some((word) => contains(word, x, y));
  const isHarmless = (x: number, y: number): boolean => {
    const at = y * one.content.width + x;
    const content = one.content.data[at] ?? 0;
    return [one.whole, other.whole].every((whole) => {
      const isSameSide = content < GREY_MIDDLE === (whole.data[at] ?? 0) < GREY_MIDDLE;
      if (signatures.some((area) => contains(area, x, y))) {
        return isSameSide || isEmpty(x, y) || (content >= GREY_MIDDLE && mayBeSigned(x, y));
      }
      return comments
        .filter(({ area }) => contains(area, x, y))
        .some(({ kind }) =>
          kind === 'NOTE'
            ? isSameSide || isEmpty(x, y)
            : isSameSide || (content >= GREY_MIDDLE && isThin(whole, one.content, x, y)),
        );
    });
  };
  return compareGreys(one.whole, other.whole, (x, y) => {
    if (isHarmless(x, y)) return 'NONE';
    return isEmptyWhole(x, y) || blanks.some((area) => contains(area, x, y)) ? 'EXTENDED' : 'CHANGED';
  });
}

/**
 * Returns the areas of new signatures on a PDF page: of signature fields that were added, and of empty fields that were
 * signed. A new field is taken for a stamp and not returned if it is large, contains a number or draws more than a
 * name. If the page has more new fields than the file has new signatures, no area is returned.
 */
function newSignatures(before: PageView, after: PageView, laterSignatures: number): PixelArea[] {
  const signed = before.drawn.annotations.filter(({ kind }) => kind === 'SIGNATURE');
  const areas = after.drawn.annotations
    .filter(({ kind, area }) => kind === 'SIGNATURE' && !signed.some((earlier) => overlap(earlier.area, area)))
    .map(({ area }) => area);
  if (areas.length === 0 || areas.length > laterSignatures) return [];
  const added = without(wordsOf(after.text, after.drawn), wordsOf(before.text, before.drawn));
  return areas.filter((area) => {
    const words = added.filter((word) => isWithin(word, area));
    return (
      isAtMost(area, SIGNATURE_PIXELS_MAX) &&
      !NUMBER.test(normaliseText(words.map(({ text }) => text).join(' '))) &&
      isAtMost(drawingIn(area, { before: before.drawn.whole, after: after.drawn.whole, words }), SCRIBBLE_PIXELS_MAX)
    );
  });
}

/** Returns the box around all newly drawn content in an area of a PDF page, except words, a background and a frame. */
function drawingIn(
  area: PixelArea,
  {
    before,
    after,
    words,
  }: { readonly before: GreyPicture; readonly after: GreyPicture; readonly words: readonly Word[] },
): PixelArea {
  const [left, top] = [Math.max(0, area.left), Math.max(0, area.top)];
  const [right, bottom] = [Math.min(after.width - 1, area.right), Math.min(after.height - 1, area.bottom)];
  const boxes = words.map((word) => grown(word, LETTER_MARGIN_PIXELS.width, LETTER_MARGIN_PIXELS.height));
  const isNew = (x: number, y: number): boolean => {
    if (x < left || x > right || y < top || y > bottom) return false;
    const at = y * after.width + x;
    return Math.abs((before.data[at] ?? 0) - (after.data[at] ?? 0)) >= PAPER_GREY_DISTANCE_MIN;
  };
  const isLine = (x: number, y: number, [stepX, stepY, length]: readonly [number, number, number]): boolean => {
    let pixels = 1;
    for (let step = 1; pixels < length && isNew(x + step * stepX, y + step * stepY); step += 1) pixels += 1;
    for (let step = 1; pixels < length && isNew(x - step * stepX, y - step * stepY); step += 1) pixels += 1;
    return pixels >= length;
  };
  let box: PixelArea = { left: right, top: bottom, right: left, bottom: top };
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) {
      if (!isNew(x, y) || boxes.some((word) => contains(word, x, y))) continue;
      if (isLine(x, y, [1, 0, (right - left) / 2]) || isLine(x, y, [0, 1, (bottom - top) / 2])) continue;
      box = {
        left: Math.min(box.left, x),
        top: Math.min(box.top, y),
        right: Math.max(box.right, x),
        bottom: Math.max(box.bottom, y),
      };
    }
  }
  return box;
}

/**
 * Returns the comments on a PDF page: all highlights, and the notes that are small and apart from each other if the
 * page has only few notes.
 */
function commentsOf({ annotations }: DrawnPage): Annotation[] {
  const notes = annotations.filter(({ kind }) => kind === 'NOTE');
  const isApart = (note: Annotation): boolean => {
    const around = grown(note.area, NOTE_DISTANCE_PIXELS, NOTE_DISTANCE_PIXELS);
    return notes.every((other) => other === note || !overlap(around, other.area));
  };
  const isNote = (note: Annotation): boolean =>
    notes.length <= NOTES_MAX &&
    isAtMost(note.area, { width: NOTE_PIXELS_MAX, height: NOTE_PIXELS_MAX }) &&
    isApart(note);
  return annotations.filter((one) => one.kind === 'MARKING' || (one.kind === 'NOTE' && isNote(one)));
}

function isAtMost({ left, top, right, bottom }: PixelArea, { width, height }: Size): boolean {
  return right - left <= width && bottom - top <= height;
}

/**
 * Checks whether a change between two drawn PDF pages is a horizontal line, by the number of pixels above and below the
 * line that became dark.
 */
function isThin(whole: GreyPicture, content: GreyPicture, x: number, y: number): boolean {
  const isInk = (row: number): boolean => {
    const at = row * whole.width + x;
    return (whole.data[at] ?? 255) < GREY_MIDDLE && (content.data[at] ?? 0) >= GREY_MIDDLE;
  };
  let pixels = 1;
  for (let row = y - 1; row >= 0 && pixels <= LINE_PIXELS_MAX && isInk(row); row -= 1) pixels += 1;
  for (let row = y + 1; row < whole.height && pixels <= LINE_PIXELS_MAX && isInk(row); row += 1) pixels += 1;
  return pixels <= LINE_PIXELS_MAX;
}

/**
 * Returns the largest kind of difference between two drawn pages. `differenceAt` rates each pixel that looks different.
 */
function compareGreys(
  before: GreyPicture,
  after: GreyPicture,
  differenceAt: (x: number, y: number) => 'NONE' | 'EXTENDED' | 'CHANGED',
): PageDifference {
  if (Buffer.compare(before.data, after.data) === 0) return 'NONE';
  const isEmpty = emptyPaperOf(before);
  let found: PageDifference = 'NONE';
  for (let at = 0; at < before.data.length; at += 1) {
    const distance = Math.abs((before.data[at] ?? 0) - (after.data[at] ?? 0));
    if (distance < PAPER_GREY_DISTANCE_MIN) continue;
    const [x, y] = [at % before.width, Math.floor(at / before.width)];
    if (distance < GREY_DISTANCE_MIN && !isEmpty(x, y)) continue;
    const difference = differenceAt(x, y);
    if (difference === 'CHANGED') return 'CHANGED';
    if (difference === 'EXTENDED') found = 'EXTENDED';
  }
  return found;
}

/**
 * Returns a function that checks whether a pixel of a drawn page belongs to its empty background. The page is analyzed
 * at the first call.
 */
function emptyPaperOf({ width, height, data }: GreyPicture): (x: number, y: number) => boolean {
  const [columns, rows] = [Math.ceil(width / BLOCK_PIXELS), Math.ceil(height / BLOCK_PIXELS)];
  let blocks: { readonly least: Uint8Array; readonly most: Uint8Array } | undefined;
  const count = () => {
    const least = new Uint8Array(columns * rows).fill(255);
    const most = new Uint8Array(columns * rows);
    for (let y = 0, at = 0; y < height; y += 1) {
      const row = Math.floor(y / BLOCK_PIXELS) * columns;
      for (let x = 0; x < width; x += 1, at += 1) {
        const block = row + Math.floor(x / BLOCK_PIXELS);
        const grey = data[at] ?? 0;
        if (grey < (least[block] ?? 0)) least[block] = grey;
        if (grey > (most[block] ?? 0)) most[block] = grey;
      }
    }
    return { least, most };
  };
  return (x, y) => {
    blocks ??= count();
    const [column, row] = [Math.floor(x / BLOCK_PIXELS), Math.floor(y / BLOCK_PIXELS)];
    let [least, most] = [255, 0];
    for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
      for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c += 1) {
        least = Math.min(least, blocks.least[r * columns + c] ?? 255);
        most = Math.max(most, blocks.most[r * columns + c] ?? 0);
      }
    }
    return most - least <= PAPER_DISTANCE_MAX;
  };
}

function contains({ left, top, right, bottom }: PixelArea, x: number, y: number): boolean {
  return left <= x && x <= right && top <= y && y <= bottom;
}

/**
 * Checks whether a word is in an area of a PDF page. The middle of the word decides, because a line of text is higher
 * than its letters.
 */
function isWithin({ left, top, right, bottom }: Word, area: PixelArea): boolean {
  return contains(area, (left + right) / 2, (top + bottom) / 2);
}

function overlap(one: PixelArea, other: PixelArea): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Extends an area of a drawn page by a number of pixels on each side. A negative number reduces it. */
function grown({ left, top, right, bottom }: PixelArea, by: number, byHeight = 0): PixelArea {
  return { left: left - by, top: top - byHeight, right: right + by, bottom: bottom + byHeight };
}
