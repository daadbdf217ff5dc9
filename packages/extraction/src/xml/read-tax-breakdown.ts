import type { XmlElement } from 'libxml2-wasm';
import type { TaxBreakdownRow } from '../reading.js';
import { find, textReader } from './find.js';
import { shortened } from './read-printed-parts.js';
import type { Syntax } from './syntax.js';
import { plainDecimal } from './values.js';

/** Maximum number of rows of the VAT breakdown. A breakdown with more rows is not read, because it would not add up. */
export const TAX_ROWS_MAX = 100;

/** Reads the VAT breakdown of an invoice. Returns undefined if the document states none. */
export function readTaxBreakdown(
  root: XmlElement,
  { taxBreakdown, namespaces }: Syntax,
): readonly TaxBreakdownRow[] | undefined {
  if (taxBreakdown === undefined) return undefined;
  if ('sums' in taxBreakdown) return nonEmpty(taxBreakdown.sums.flatMap((sum) => readSum(root, sum, namespaces)));
  const { rows, category, rate, base, tax, reason } = taxBreakdown;
  const nodes = find(root, rows, namespaces);
  if (nodes.length > TAX_ROWS_MAX) return undefined;
  const textsOf = textReader([category, rate, base, tax, reason], namespaces);
  return nonEmpty(nodes.map((node) => readRow(textsOf(node))));
}

function nonEmpty(rows: readonly TaxBreakdownRow[]): readonly TaxBreakdownRow[] | undefined {
  return rows.length === 0 ? undefined : rows;
}

function readRow([category = '', rate = '', base = '', tax = '', reason = '']: readonly string[]): TaxBreakdownRow {
  return {
    category: shortened(category) || null,
    rate: plainDecimal(rate) ?? null,
    base: plainDecimal(base) ?? null,
    tax: plainDecimal(tax) ?? null,
    reason: shortened(reason) || null,
  };
}

function readSum(
  root: XmlElement,
  { category, base, tax }: { readonly category: string; readonly base: string; readonly tax: string },
  namespaces: Syntax['namespaces'],
): TaxBreakdownRow[] {
  const amountOf = (path: string): string | null =>
    plainDecimal(find(root, path, namespaces)[0]?.content ?? '') ?? null;
  const row = { category, rate: null, base: amountOf(base), tax: amountOf(tax), reason: null };
  return row.base === null && row.tax === null ? [] : [row];
}
