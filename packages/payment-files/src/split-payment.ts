import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';

/** The title of a Polish split payment: `/VAT/23,00/IDC/1234567890/INV/FV 12-2026/TXT/...`. */
export interface SplitPayment {
  readonly vat: DecimalAmount;
  /** Tax id of the seller (IDC) in the text of a Polish split payment. */
  readonly taxId: string;
  readonly invoiceNumber: string;
  readonly text: string;
}

/** Maximum number of characters that are read from the title of a split payment. */
const TEXT_LENGTH_MAX = 1_000;

/**
 * Reads the title of a Polish split payment, or returns undefined for any other text. Banks break the title into lines,
 * and the invoice number in it may contain slashes.
 */
export function readSplitPayment(printed: string): SplitPayment | undefined {
  const text = printed.slice(0, TEXT_LENGTH_MAX);
  const vat = markOf(text, 'VAT', 0);
  const taxId = markOf(text, 'IDC', vat?.end ?? 0);
  const invoice = markOf(text, 'INV', taxId?.end ?? 0);
  if (vat === undefined || taxId === undefined || invoice === undefined) return undefined;
  const free = markOf(text, 'TXT', invoice.end);
  const amount = text.slice(vat.end, taxId.start).replace(/\s/g, '').replace(',', '.');
  const number = joinLines(text.slice(invoice.end, free?.start));
  if (!isDecimalAmount(amount) || number === '') return undefined;
  return {
    vat: amount,
    taxId: text.slice(taxId.end, invoice.start).replace(/\s/g, ''),
    invoiceNumber: number,
    text: free === undefined ? '' : joinLines(text.slice(free.end)),
  };
}

function markOf(
  text: string,
  name: string,
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  const mark = `/${name}/`;
  const start = text.toUpperCase().indexOf(mark, from);
  return start < 0 ? undefined : { start, end: start + mark.length };
}

function joinLines(text: string): string {
  return text.replace(/[\r\n]+/g, '').trim();
}
