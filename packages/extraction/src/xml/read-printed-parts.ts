import type { XmlElement, XmlNode } from 'libxml2-wasm';
import type { PrintedParts, TaxBreakdownRow } from '../reading.js';
import { find, textReader } from './find.js';
import type { Syntax } from './syntax.js';
import { plainDecimal } from './values.js';

/** Maximum number of notes, of payment terms and of lines of an address that are shown. */
export const TEXTS_MAX = 100;
/** Maximum number of rows of the VAT breakdown that are shown. */
export const TAX_ROWS_MAX = 100;
/** Maximum length of a note that is shown. The end of a longer note is cut off. */
export const NOTE_LENGTH_MAX = 5_000;

/** Reads the parts of an invoice that people read, and that no check uses. */
export function readPrintedParts(root: XmlElement, { printedParts, namespaces }: Syntax): PrintedParts {
  const textsOf = (path: string): string[] => find(root, path, namespaces).slice(0, TEXTS_MAX).flatMap(textOf);
  return {
    supplierAddress: printedParts.supplierAddress.flatMap(textsOf).slice(0, TEXTS_MAX),
    buyerAddress: printedParts.buyerAddress.flatMap(textsOf).slice(0, TEXTS_MAX),
    taxBreakdown: [
      ...rowsOf(root, printedParts.taxBreakdown, namespaces),
      ...sumsOf(root, printedParts.taxSums, namespaces),
    ],
    paymentTerms: textsOf(printedParts.paymentTerms),
    notes: textsOf(printedParts.notes),
  };
}

type Namespaces = Syntax['namespaces'];

function rowsOf(
  root: XmlElement,
  rows: Syntax['printedParts']['taxBreakdown'],
  namespaces: Namespaces,
): TaxBreakdownRow[] {
  if (rows === undefined) return [];
  const textsOf = textReader([rows.category, rows.rate, rows.base, rows.tax, rows.reason], namespaces);
  return find(root, rows.rows, namespaces)
    .slice(0, TAX_ROWS_MAX)
    .map((node) => {
      const [category = '', rate = '', base = '', tax = '', reason = ''] = textsOf(node);
      return {
        category: category.trim() || null,
        rate: plainDecimal(rate) ?? null,
        base: plainDecimal(base) ?? null,
        tax: plainDecimal(tax) ?? null,
        reason: shortened(reason) || null,
      };
    });
}

function sumsOf(root: XmlElement, sums: Syntax['printedParts']['taxSums'], namespaces: Namespaces): TaxBreakdownRow[] {
  if (sums === undefined) return [];
  const amountOf = (path: string): string | null =>
    plainDecimal(find(root, path, namespaces)[0]?.content ?? '') ?? null;
  return sums.flatMap(({ category, base, tax }) => {
    const row = { category, rate: null, base: amountOf(base), tax: amountOf(tax), reason: null };
    return row.base === null && row.tax === null ? [] : [row];
  });
}

/** Returns the text of an element. The texts of its child elements are separated by spaces. */
function textOf(node: XmlNode): string[] {
  const children = find(node, './/text()', {});
  const text = shortened(
    children
      .map((child) => child.content.trim())
      .filter(Boolean)
      .join(' '),
  );
  return text === '' ? [] : [text];
}

function shortened(text: string): string {
  const characters = text.trim();
  return characters.length > NOTE_LENGTH_MAX ? `${characters.slice(0, NOTE_LENGTH_MAX)}…` : characters;
}
