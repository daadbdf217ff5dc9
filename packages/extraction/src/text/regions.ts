import type { LabelHit, LabelKind } from './labels.js';
import { hasKind, leadingLabel } from './text-document.js';
import type { ReadCell, TextDocument } from './text-document.js';

/** A part of a text cell that may contain the value of a label on a document. `base` is its likelihood. */
export interface Region {
  readonly cell: ReadCell;
  readonly start: number;
  readonly end: number;
  readonly base: number;
}

/** A label in a document with the possible positions of its value, best position first. */
export interface LabelPlace {
  readonly hit: LabelHit;
  readonly cell: ReadCell;
  readonly isSpecific: boolean;
  /**
   * Weight of the label on a document (documents reference, 10.1). A more specific or longer label has a higher weight.
   */
  readonly weight: number;
  readonly regions: readonly Region[];
}

const CELLS_TO_THE_RIGHT_MAX = 5;
const LINES_BELOW_MAX = 4;
/** Maximum vertical distance of a value below its label as a share of the document page height: 60 points on A4. */
const BELOW_MAX = 60 / 842;
const FAR_TO_THE_RIGHT = 0.5;

/** Returns the positions of all labels in a document that announce one kind of value. */
export function placesOf(document: TextDocument, kind: LabelKind): LabelPlace[] {
  const places: LabelPlace[] = [];
  for (const cell of document.cells) {
    for (const hit of cell.labels) {
      const entry = hit.entries.find((candidate) => candidate.kind === kind);
      if (entry === undefined) continue;
      const weight = (entry.isSpecific ? 0.7 : 0.35) + Math.min(entry.length / 60, 0.3) + (hit.start <= 1 ? 0.05 : 0);
      places.push({ hit, cell, isSpecific: entry.isSpecific, weight, regions: regionsOf(document, cell, hit, kind) });
    }
  }
  return places;
}

function regionsOf(document: TextDocument, cell: ReadCell, hit: LabelHit, kind: LabelKind): Region[] {
  const line = document.lines[cell.page]?.[cell.line];
  if (line === undefined || line.isItemHeader) return [];
  const end = endOfRest(cell, hit);
  const regions: Region[] = [{ cell, start: hit.end, end, base: 1 }];
  if (end < cell.text.length) return regions;
  const hasRest = /[\p{L}\d]/u.test(cell.text.slice(hit.end, end));
  const right = cellsToTheRight(document, cell, kind, line.cells);
  regions.push(...right);
  const below = cellsBelow(document, cell);
  const isHead = !hasRest && right.length === 0;
  below.forEach((lower, index) => {
    const base = isHead ? 0.9 - 0.2 * index : 0.6 - 0.15 * index;
    if (base > 0) regions.push({ cell: lower, start: 0, end: endOfValue(lower), base });
  });
  return regions;
}

/**
 * Returns the rest of the text cell up to the next label. Labels that follow each other directly ("No. / Date:") share
 * the rest.
 */
function endOfRest(cell: ReadCell, hit: LabelHit): number {
  for (const next of cell.labels) {
    if (next.start < hit.end) continue;
    if (/\d/.test(cell.text.slice(hit.end, next.start)) || /[\p{L}]{2}/u.test(cell.text.slice(hit.end, next.start)))
      return next.start;
    // The labels in `Number and date: 12 / 1.2.2024` share the values after them. The labels in `Invoice No. PO` share
    // none, because no digits follow.
    if (/\d/.test(cell.text.slice(next.end))) continue;
  }
  return cell.text.length;
}

function endOfValue(cell: ReadCell): number {
  const next = cell.labels.find(({ start }) => start > 1 && /\d/.test(cell.text.slice(0, start)));
  return next?.start ?? cell.text.length;
}

function cellsToTheRight(
  document: TextDocument,
  cell: ReadCell,
  kind: LabelKind,
  cells: readonly ReadCell[],
): Region[] {
  const regions: Region[] = [];
  const width = document.pages[cell.page]?.width ?? 1;
  for (let index = cell.index + 1; index < cells.length && regions.length < CELLS_TO_THE_RIGHT_MAX; index += 1) {
    const next = cells[index];
    if (next === undefined) break;
    const label = leadingLabel(next);
    if (label !== undefined && !hasKind(label, kind) && !isValue(next, label)) break;
    const before = cells[index - 1];
    const isFar = before !== undefined && next.left - before.right > FAR_TO_THE_RIGHT * width;
    const base = 0.95 - 0.1 * regions.length - (isFar ? 0.15 : 0);
    regions.push({ cell: next, start: 0, end: endOfValue(next), base });
  }
  return regions;
}

/**
 * Checks whether the label at the beginning of a text cell is itself part of a value. In `EUR 1234`, the currency is
 * part of an amount and not the label of another value.
 */
function isValue(cell: ReadCell, label: LabelHit): boolean {
  return label.entries.every(({ kind }) => kind === 'currency') && /\d/.test(cell.text.slice(label.end));
}

function cellsBelow(document: TextDocument, cell: ReadCell): ReadCell[] {
  const found: ReadCell[] = [];
  const page = document.pages[cell.page];
  const lines = document.lines[cell.page] ?? [];
  const limit = cell.bottom + BELOW_MAX * (page?.height ?? 842);
  for (let index = cell.line + 1; index < lines.length && index <= cell.line + LINES_BELOW_MAX * 2; index += 1) {
    const line = lines[index];
    if (line === undefined || line.top > limit || found.length === 2) break;
    const lower = line.cells.find(({ left, right }) => left < cell.right + cell.size && right > cell.left - cell.size);
    if (lower === undefined) continue;
    if (leadingLabel(lower) !== undefined && !/^\W*(?:(?:no|nr|n)\W*)?\d/i.test(lower.text)) break;
    found.push(lower);
  }
  return found;
}
