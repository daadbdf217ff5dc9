/**
 * Relations between two invoice numbers that are the same number, possibly in different notations. The names are those
 * in the evidence of findings.
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
