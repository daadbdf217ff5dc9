import type { XmlElement } from 'libxml2-wasm';
import { canonicalAmount, isDecimalAmount, scaleAmount } from '@invoicecontrol/values/decimal-amount';
import type { InvoiceLine } from '../reading.js';
import { find, textReader } from './find.js';
import type { LineSyntax, Syntax } from './syntax.js';
import { negated, plainDecimal, readName } from './values.js';

/** Maximum number of invoice lines, as in FA(3). No other invoice format has a limit. */
export const LINES_MAX = 10_000;

/** The invoice lines in their order, and their number. If there are more than `LINES_MAX`, no line is read. */
export function readLines(root: XmlElement, syntax: Syntax): { readonly lines: InvoiceLine[]; readonly total: number } {
  const nodes = find(root, syntax.lines.path, syntax.namespaces);
  if (nodes.length > LINES_MAX) return { lines: [], total: nodes.length };
  const textsOf = textReader(pathsOf(syntax.lines), syntax.namespaces);
  return { lines: nodes.map((node) => readLine(textsOf(node))), total: nodes.length };
}

/**
 * Returns the paths in the order in which `readLine` expects them. A path that the syntax does not have is an empty
 * text.
 */
function pathsOf(line: LineSyntax): readonly string[] {
  const NOTHING = "''";
  const { quantity, unit, unitPrice, priceQuantity, netAmount, taxRate, reversed } = line;
  const paths = [quantity, unit, unitPrice, priceQuantity, netAmount, taxRate, reversed].map((path) => path ?? NOTHING);
  return [...paths, ...line.description];
}

function readLine(texts: readonly string[]): InvoiceLine {
  const [quantity = '', unit = '', price = '', priceQuantity = '', netAmount = '', rate = '', reversed = '', ...names] =
    texts;
  const signed = (text: string): string | null => {
    const decimal = plainDecimal(text) ?? null;
    return decimal === null || reversed.trim() === '' ? decimal : negated(decimal);
  };
  return {
    description: firstName(names),
    quantity: signed(quantity),
    unit: unit.trim() === '' ? null : unit.trim(),
    unitPrice: priceOfOne(plainDecimal(price) ?? null, plainDecimal(priceQuantity) ?? null),
    netAmount: signed(netAmount),
    taxRate: plainDecimal(rate) ?? null,
  };
}

function firstName(texts: readonly string[]): string | null {
  for (const text of texts) {
    const name = readName(text);
    if (name !== undefined) return name;
  }
  return null;
}

/**
 * Converts the price on an invoice line for several units (such as 100) to the price of one, rounded to 6 decimals. A
 * price for one unit stays as printed.
 */
function priceOfOne(price: string | null, quantity: string | null): string | null {
  if (price === null || quantity === null || !isDecimalAmount(price) || !isDecimalAmount(quantity)) return price;
  const isPriceOfOne = quantity.startsWith('-') || ['0', '1'].includes(canonicalAmount(quantity));
  return isPriceOfOne ? price : scaleAmount(price, '1', quantity);
}
