/**
 * Relations in which two different notations of an invoice number are the same number. The names are those in the
 * evidence of findings.
 */
const COPIED_NUMBER: ReadonlySet<string> = new Set([
  'IDENT',
  'FORMAT',
  'OCR',
  'YEARLESS',
  'REORDERED',
  'SUFFIX',
  'EXTRA',
]);

export function isCopiedNumber(relation: string): boolean {
  return COPIED_NUMBER.has(relation);
}
