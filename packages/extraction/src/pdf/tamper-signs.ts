import type { TamperSign } from '../reading.js';
import type { ShownText } from './page-marks.js';
import type { PdfPage } from './read-pages.js';

const OBJECTS_MAX = 20;
/** Matches texts that consist of digits and the characters between digits of amounts, accounts and dates. */
const FIGURES = /^[\d.,'\s€$£/-]+$/;
const DIGITS_MIN = 3;

/** Finds signs of editing in the drawing of the document pages (detection reference, 7.6). */
export function findDrawingSigns(pages: readonly PdfPage[]): TamperSign[] {
  const signs: TamperSign[] = [];
  const covered = pages.filter(
    ({ marks }) =>
      marks.hasFiguresUnderPicture || marks.shown.some(({ isOverCover, text }) => isOverCover && /\d/.test(text)),
  );
  if (covered.length > 0) {
    signs.push({ kind: 'OVERLAY', objects: covered.slice(0, OBJECTS_MAX).map(({ object }) => object) });
  }
  if (hasFontOfFigures(pages)) signs.push({ kind: 'FONT_OF_ONE_FIELD', objects: [] });
  return signs;
}

/**
 * Checks whether a font family of a PDF is used only for a few figures while other figures of the document have another
 * font family.
 */
function hasFontOfFigures(pages: readonly PdfPage[]): boolean {
  const families = new Map<string, ShownText[]>();
  for (const shown of pages.flatMap(({ marks }) => marks.shown)) {
    if (shown.hiddenBy !== null) continue;
    const family = familyOf(shown.font);
    const list = families.get(family) ?? [];
    list.push(shown);
    families.set(family, list);
  }
  const isFigures = (list: readonly ShownText[]): boolean =>
    list.every(({ text }) => FIGURES.test(text)) &&
    list
      .map(({ text }) => text)
      .join('')
      .replace(/\D/g, '').length >= DIGITS_MIN;
  const all = [...families.values()];
  return all.some(
    (list) =>
      isFigures(list) && all.some((other) => other !== list && other.some(({ text }) => /\d[.,]\d{2}/.test(text))),
  );
}

/** Removes the prefix of a subset and the style from a font name in a PDF: `ABCDEF+Arial-BoldMT` becomes Arial. */
function familyOf(font: string): string {
  const name = font.replace(/^[A-Z]{6}\+/, '');
  const style = name.search(/[-,]/);
  return (style < 0 ? name : name.slice(0, style)).replace(/(?:PS)?MT$/, '').toLowerCase();
}
