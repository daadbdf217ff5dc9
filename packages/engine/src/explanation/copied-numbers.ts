/**
 * Relations between two invoice numbers, by their names in evidence, in which the two are one number in different
 * notations.
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
