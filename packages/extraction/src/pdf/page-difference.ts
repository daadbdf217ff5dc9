import { findAmounts } from '../text/amounts.js';
import { findIbans } from '../text/ibans.js';
import { normaliseText } from '../text/normalise.js';
import type { TextPage } from '../text/layout.js';
import type { Annotation, DrawnPage, GreyPicture, PixelArea } from './pdfium.js';

/** A page of a revision: how it is drawn, and the text that programs read from it. */
export interface PageView {
  readonly drawn: DrawnPage;
  readonly text: TextPage;
  /** A picture, whose words are not known. */
  readonly isScan: boolean;
}

/**
 * What a reader sees of a page in two revisions. EXTENDED: everything is where it was, and something stands where nothing was, or
 * a blank field is filled in. PAYMENT: as EXTENDED, and what was added says an amount or an account. Comments that leave the page as
 * readable as it was, and new signatures, are no difference.
 */
export type PageDifference = 'NONE' | 'EXTENDED' | 'PAYMENT' | 'CHANGED';

interface Word extends PixelArea {
  readonly text: string;
}

/** Greys that differ by less look alike, of 255. */
const GREY_DISTANCE_MIN = 64;
/** Ink is below it, paper above. */
const GREY_MIDDLE = 128;
/** What stands closer to something printed may belong to it: within 6 to 12 pixels, 5 to 9 points. */
const BLOCK_PIXELS = 6;
/** Empty paper is even: its greys differ by less. */
const PAPER_DISTANCE_MAX = 32;
/** Lines under and through text are thinner: 3 points. */
const LINE_PIXELS_MAX = 4;
/** The sign of a note is smaller: 36 points. */
const NOTE_PIXELS_MAX = 48;
/** A figure that is set before another one is at most a letter away. */
const FIGURE_MARGIN_PIXELS = 12;

/**
 * Compares the pictures, the texts and the annotations of a page in two revisions. A page that could be drawn and no longer can be
 * is another page: its boxes or its annotations are beyond those of any invoice.
 */
export function comparePages(
  before: PageView,
  { drawn, ...page }: Omit<PageView, 'drawn'> & { readonly drawn: DrawnPage | undefined },
): PageDifference {
  if (drawn === undefined || !haveOneShape(before.drawn, drawn)) return 'CHANGED';
  const after = { ...page, drawn };
  const content = compareContent(before.drawn.content, after.drawn.content);
  if (content === 'CHANGED') return 'CHANGED';
  const signatures = newSignatures(before.drawn, after.drawn);
  const annotations = compareAnnotations(before, after, signatures);
  if (annotations === 'CHANGED') return 'CHANGED';
  const words = compareWords(before, after, signatures);
  if (words === 'CHANGED' || words === 'PAYMENT') return words;
  return [content, annotations, words].includes('EXTENDED') ? 'EXTENDED' : 'NONE';
}

/**
 * What the texts of a page tell where the earlier page is not drawn. Added words alone may be those of a later signature: they are
 * a difference only when they say an amount or an account.
 */
export function compareUndrawn(before: TextPage, after: TextPage): PageDifference {
  if (!haveOneSize(before, after)) return 'CHANGED';
  const [earlier, later] = [wordsOf(before), wordsOf(after)];
  if (without(earlier, later).length > 0) return 'CHANGED';
  const added = without(later, earlier);
  return saysPayment(added.map(({ text }) => text).join(' ')) ? 'PAYMENT' : 'NONE';
}

/** The words of a page by their text: whether one is missing, and what the added ones say. */
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

/** Whether a text holds an amount or an account. */
export function saysPayment(said: string): boolean {
  const text = normaliseText(said);
  if (findIbans(text).length > 0) return true;
  return findAmounts(text, undefined).some(({ decimals, currency }) => decimals === 2 || currency !== null);
}

/** The text of a page in the order of its lines. */
export function textOf({ lines }: TextPage): string {
  return lines.map(({ cells }) => cells.map(({ text }) => text).join(' ')).join('\n');
}

/** The words of one list that the other does not have, or not as often. */
function without(words: readonly Word[], others: readonly Word[]): Word[] {
  const counts = new Map<string, number>();
  for (const { text } of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return words.filter(({ text }) => {
    const left = counts.get(text) ?? 0;
    counts.set(text, left - 1);
    return left <= 0;
  });
}

/** In pixels of the drawing, or in points; the letters of a cell are taken to be equally wide. */
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
 * With annotations. Both revisions have one content, or one that is extended: what an annotation may do is told by the content
 * below it.
 */
function compareAnnotations(before: PageView, after: PageView, signatures: readonly PixelArea[]): PageDifference {
  const [one, other] = [before.drawn, after.drawn];
  if (one.whole === one.content && other.whole === other.content) return 'NONE';
  const isEmpty = emptyPaperOf(one.content);
  const isEmptyWhole = emptyPaperOf(one.whole);
  const comments = [...one.annotations, ...other.annotations].filter(isComment);
  const blanks = one.annotations.filter(({ kind }) => kind === 'BLANK_FIELD').map(({ area }) => area);
  const figures = wordsOf(before.text, before.drawn)
    .filter(({ text }) => /\d/.test(text))
    .map((word) => grown(word, FIGURE_MARGIN_PIXELS));
  const mayBeSigned = (x: number, y: number): boolean =>
    !before.isScan && !figures.some((figure) => contains(figure, x, y));
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

/** Signatures where none was: a later signature, or an open field that was signed. */
function newSignatures(before: DrawnPage, after: DrawnPage): PixelArea[] {
  const signed = before.annotations.filter(({ kind }) => kind === 'SIGNATURE');
  return after.annotations
    .filter(({ kind, area }) => kind === 'SIGNATURE' && !signed.some((earlier) => overlap(earlier.area, area)))
    .map(({ area }) => area);
}

function isComment({ kind, area }: Annotation): boolean {
  if (kind === 'MARKING') return true;
  return kind === 'NOTE' && area.right - area.left <= NOTE_PIXELS_MAX && area.bottom - area.top <= NOTE_PIXELS_MAX;
}

/** A line across, by the number of pixels above and below that became ink. */
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

/** The largest difference of all pixels that do not look alike. */
function compareGreys(
  before: GreyPicture,
  after: GreyPicture,
  differenceAt: (x: number, y: number) => 'NONE' | 'EXTENDED' | 'CHANGED',
): PageDifference {
  if (Buffer.compare(before.data, after.data) === 0) return 'NONE';
  let found: PageDifference = 'NONE';
  for (let at = 0; at < before.data.length; at += 1) {
    if (Math.abs((before.data[at] ?? 0) - (after.data[at] ?? 0)) < GREY_DISTANCE_MIN) continue;
    const difference = differenceAt(at % before.width, Math.floor(at / before.width));
    if (difference === 'CHANGED') return 'CHANGED';
    if (difference === 'EXTENDED') found = 'EXTENDED';
  }
  return found;
}

/** Whether a pixel lies on even paper, with nothing printed near it. Counted when it is first asked for. */
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

/** By the middle of the word: a line of text is higher than its letters. */
function isWithin({ left, top, right, bottom }: Word, area: PixelArea): boolean {
  return contains(area, (left + right) / 2, (top + bottom) / 2);
}

function overlap(one: PixelArea, other: PixelArea): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

function grown({ left, top, right, bottom }: PixelArea, by: number): PixelArea {
  return { left: left - by, top, right: right + by, bottom };
}
