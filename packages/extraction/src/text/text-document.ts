import { dateOrderOf, findDates } from './dates.js';
import type { DateMatch, DateOrder } from './dates.js';
import { decimalMarkOf, findAmounts } from './amounts.js';
import type { AmountMatch } from './amounts.js';
import { findIbans } from './ibans.js';
import type { IbanMatch } from './ibans.js';
import { findLabels } from './labels.js';
import type { LabelHit, LabelKind } from './labels.js';
import type { TextCell, TextLine, TextPage } from './layout.js';
import { findTaxIds } from './tax-ids.js';
import type { TaxIdMatch } from './tax-ids.js';

/** A text cell with the labels, amounts, dates and ids that were found in it. */
export interface ReadCell extends TextCell {
  readonly labels: readonly LabelHit[];
  readonly dates: readonly DateMatch[];
  readonly amounts: readonly AmountMatch[];
  readonly ibans: readonly IbanMatch[];
  readonly taxIds: readonly TaxIdMatch[];
}

export interface ReadLine extends TextLine {
  readonly cells: readonly ReadCell[];
  /** True for a heading of the table of invoice items. The cells below such a heading belong to single items. */
  readonly isItemHeader: boolean;
}

/** The pages of a document's text with everything that the recognizers found. All field readers use it. */
export interface TextDocument {
  readonly pages: readonly TextPage[];
  /** True if the text comes from OCR, which may have misread letters. */
  readonly isOcr: boolean;
  readonly lines: readonly (readonly ReadLine[])[];
  readonly cells: readonly ReadCell[];
  readonly dateOrder: DateOrder | undefined;
}

/**
 * Signs that an invoice comes from a country in which the day is written before the month: a currency, an id, or an
 * address with a British postcode.
 */
const DAY_FIRST =
  /[€£]|\b(?:EUR|GBP|AUD|NZD|INR|ZAR|SGD|PLN|CHF|BRL|R\$)(?![A-Za-z])|\b(?:ABN|GSTIN|CNPJ|NIPC|P\.? ?IVA)\b|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/;
/** Maximum length of a text cell that the recognizers examine. Longer cells contain running text. */
const CELL_LENGTH_MAX = 2000;
const LABELS_OF_ITEM_HEADER_MIN = 3;

export function readCells(pages: readonly TextPage[], isOcr = false): TextDocument {
  const texts = pages.flatMap(({ lines }) => lines.flatMap(({ cells }) => cells.map(({ text }) => text)));
  const mark = decimalMarkOf(texts);
  const isAmerican =
    texts.some((text) => /\b[A-Z]{2} \d{5}(?:-\d{4})?\b/.test(text)) && texts.some((text) => /\$|\bUSD\b/.test(text));
  const isElsewhere = texts.some((text) => DAY_FIRST.test(text));
  const dateOrder = dateOrderOf(texts) ?? (isAmerican ? 'MONTH_FIRST' : isElsewhere ? 'DAY_FIRST' : undefined);
  const lines = pages.map((page) =>
    page.lines.map((line): ReadLine => {
      const cells = line.cells.map((cell): ReadCell => {
        const text = cell.text.slice(0, CELL_LENGTH_MAX);
        const ibans = findIbans(text, isOcr);
        const withoutAccounts = blank(text, ibans);
        const taxIds = findTaxIds(withoutAccounts, isOcr);
        const dates = findDates(withoutAccounts, dateOrder);
        const amounts = findAmounts(blank(withoutAccounts, [...taxIds, ...dates]), mark);
        return { ...cell, labels: findLabels(text), dates, amounts, ibans, taxIds };
      });
      return { ...line, cells, isItemHeader: isItemHeader(cells) };
    }),
  );
  return { pages, isOcr, lines, cells: lines.flat().flatMap(({ cells }) => cells), dateOrder };
}

export function hasKind(hit: LabelHit, ...kinds: readonly LabelKind[]): boolean {
  return hit.entries.some(({ kind }) => kinds.includes(kind));
}

/** Returns the label at the beginning of a text cell. */
export function leadingLabel(cell: ReadCell): LabelHit | undefined {
  return cell.labels.find(({ start }) => start <= 1);
}

function isItemHeader(cells: readonly ReadCell[]): boolean {
  const leading = cells.map(leadingLabel).filter((hit) => hit !== undefined);
  const withDigits = cells.filter(({ text }) => /\d/.test(text)).length;
  return (
    leading.length >= LABELS_OF_ITEM_HEADER_MIN &&
    withDigits === 0 &&
    leading.filter((hit) => hit.entries.every(({ kind }) => kind === 'otherNumber')).length >= 2
  );
}

/** Replaces text of a document without changing its length, so that positions in the text stay valid. */
function blank(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  let blanked = text;
  for (const { start, end } of spans) {
    blanked = `${blanked.slice(0, start)}${'\u0000'.repeat(end - start)}${blanked.slice(end)}`;
  }
  return blanked;
}
