import type { Box } from '../reading.js';
import { normaliseText } from './normalise.js';

/** A piece of text with its position from the left and the top of the document page, in points or pixels. */
export interface TextRun {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Height of the font of the text, in the same unit as its position. */
  readonly size: number;
  /** Confidence of the text itself, from 0 to 1. A text layer has 1. */
  readonly confidence: number;
}

interface PlacedRun extends TextRun {
  /** Offset of a text run in the text of its cell on the page. */
  readonly start: number;
}

/** A text cell: text that is close together on a line of the page. The next cell begins after a wider gap. */
export interface TextCell {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly size: number;
  readonly runs: readonly PlacedRun[];
  /** Index of the page in the document, of the line in the page, and of the text cell in the line. */
  readonly page: number;
  readonly line: number;
  readonly index: number;
}

export interface TextLine {
  readonly cells: readonly TextCell[];
  readonly top: number;
  readonly bottom: number;
}

export interface TextPage {
  /** Number of the document page, counted from 1. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly lines: readonly TextLine[];
}

/** Maximum vertical distance between the middles of text runs on one line of a page, in font sizes. */
const SAME_LINE = 0.45;
/** Minimum gap between two text cells, in font sizes and in points. */
const CELL_GAP_SIZES = 1;
const CELL_GAP_MIN = 6;
/**
 * Minimum gap between two text cells in letter widths. In a monospaced font, a space is as wide as a letter, and there
 * is space around the letters.
 */
const CELL_GAP_LETTERS = 1.7;
/** Minimum gap between two letters on a page that counts as a space, in font sizes. */
const BLANK_GAP_SIZES = 0.15;
/**
 * Minimum ratio of a gap to the usual distance between letters for the gap to count as a space, if a PDF places letters
 * one by one.
 */
const BLANK_GAP_OF_SINGLE_LETTERS = 1.6;

/** Arranges the text of a page as lines of text cells (documents reference, section 4). */
export function layoutPage(
  runs: readonly TextRun[],
  page: { readonly index: number; readonly number: number; readonly width: number; readonly height: number },
): TextPage {
  const rows = groupIntoRows(runs.filter(({ text }) => text.trim() !== ''));
  const lines = rows.map((row, line): TextLine => {
    const cells = splitIntoCells(row).map((group, index) => toCell(group, { page: page.index, line, index }));
    return {
      cells,
      top: Math.min(...cells.map(({ top }) => top)),
      bottom: Math.max(...cells.map(({ bottom }) => bottom)),
    };
  });
  return { number: page.number, width: page.width, height: page.height, lines };
}

/** Returns a page whose text cells have the given page index. The index of a page changes when pages are combined. */
export function withIndex(page: TextPage, index: number): TextPage {
  return {
    ...page,
    lines: page.lines.map((line) => ({ ...line, cells: line.cells.map((cell) => ({ ...cell, page: index })) })),
  };
}

/** Returns the position of a part of a cell, in fractions of the document page. */
export function boxOf(cell: TextCell, start: number, end: number, page: TextPage): Box {
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  for (const run of cell.runs) {
    const from = Math.max(start, run.start);
    const to = Math.min(end, run.start + run.text.length);
    if (from >= to) continue;
    const perLetter = (run.right - run.left) / Math.max(run.text.length, 1);
    left = Math.min(left, run.left + (from - run.start) * perLetter);
    right = Math.max(right, run.left + (to - run.start) * perLetter);
    top = Math.min(top, run.top);
    bottom = Math.max(bottom, run.bottom);
  }
  if (left === Infinity) ({ left, right, top, bottom } = cell);
  return [
    fraction(left, page.width),
    fraction(top, page.height),
    fraction(right, page.width),
    fraction(bottom, page.height),
  ];
}

/** Returns the lowest OCR confidence of the text runs within a part of a cell. */
export function confidenceOf(cell: TextCell, start: number, end: number): number {
  const touched = cell.runs.filter((run) => run.start < end && run.start + run.text.length > start);
  return touched.reduce((least, { confidence }) => Math.min(least, confidence), 1);
}

function fraction(value: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, value / whole)) * 10_000) / 10_000;
}

function middle(run: TextRun): number {
  return (run.top + run.bottom) / 2;
}

function groupIntoRows(runs: readonly TextRun[]): TextRun[][] {
  const rows: { middle: number; size: number; runs: TextRun[] }[] = [];
  for (const run of [...runs].sort((one, other) => middle(one) - middle(other) || one.left - other.left)) {
    const row = rows.at(-1);
    if (row !== undefined && Math.abs(middle(run) - row.middle) < SAME_LINE * Math.min(row.size, run.size)) {
      row.runs.push(run);
    } else {
      rows.push({ middle: middle(run), size: run.size, runs: [run] });
    }
  }
  return rows.map((row) => row.runs.sort((one, other) => one.left - other.left));
}

function splitIntoCells(row: readonly TextRun[]): TextRun[][] {
  const groups: TextRun[][] = [];
  for (const run of row) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group === undefined || before === undefined) {
      groups.push([run]);
      continue;
    }
    // Removes text of a page that is printed twice in the same position to look bold.
    if (run.text === before.text && Math.abs(run.left - before.left) < 0.1 * run.size) continue;
    const gap = run.left - before.right;
    const letter = Math.max(widthOfLetter(run), widthOfLetter(before));
    const widest = Math.max(CELL_GAP_MIN, CELL_GAP_SIZES * Math.max(run.size, before.size), CELL_GAP_LETTERS * letter);
    if (gap > widest) groups.push([run]);
    else group.push(run);
  }
  return groups;
}

/**
 * Estimates the width of a letter in a text run. The result is 0 for short words, whose letters show too little about
 * the font.
 */
function widthOfLetter({ text, left, right }: TextRun): number {
  return text.length < 3 ? 0 : (right - left) / text.length;
}

function toCell(group: readonly TextRun[], place: { page: number; line: number; index: number }): TextCell {
  const blankGap = blankGapOf(group);
  const runs: PlacedRun[] = [];
  let text = '';
  for (const run of group) {
    const before = runs.at(-1);
    let piece = normaliseText(run.text);
    if (before === undefined) piece = piece.trimStart();
    else if (run.left - before.right > blankGap(run) && !text.endsWith(' ') && !piece.startsWith(' ')) text += ' ';
    if (text.endsWith(' ')) piece = piece.trimStart();
    runs.push({ ...run, text: piece, start: text.length });
    text += piece;
  }
  return {
    text: text.trimEnd(),
    left: Math.min(...group.map(({ left }) => left)),
    right: Math.max(...group.map(({ right }) => right)),
    top: Math.min(...group.map(({ top }) => top)),
    bottom: Math.max(...group.map(({ bottom }) => bottom)),
    size: Math.max(...group.map(({ size }) => size)),
    runs,
    ...place,
  };
}

function blankGapOf(group: readonly TextRun[]): (run: TextRun) => number {
  const singles = group.filter(({ text }) => text.length === 1).length;
  if (group.length < 6 || singles < group.length * 0.8) return (run) => BLANK_GAP_SIZES * run.size;
  const gaps = group
    .slice(1)
    .map((run, index) => run.left - (group[index]?.right ?? run.left))
    .sort((one, other) => one - other);
  const usual = Math.max(0, gaps[Math.floor(gaps.length / 2)] ?? 0);
  return (run) => Math.max(BLANK_GAP_SIZES * run.size, BLANK_GAP_OF_SINGLE_LETTERS * usual);
}
