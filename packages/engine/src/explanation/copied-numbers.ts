/** Relations of two invoice numbers, as evidence names them, that are one number but for how it is written. */
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
