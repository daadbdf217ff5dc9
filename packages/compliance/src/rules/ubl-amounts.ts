/** The elements of UBL that hold amounts of money. */
const AMOUNTS = [
  'Amount',
  'BaseAmount',
  'PriceAmount',
  'TaxAmount',
  'TaxableAmount',
  'LineExtensionAmount',
  'TaxExclusiveAmount',
  'TaxInclusiveAmount',
  'AllowanceTotalAmount',
  'ChargeTotalAmount',
  'PrepaidAmount',
  'PayableRoundingAmount',
  'PayableAmount',
];

/** Paths to all amounts of a UBL invoice. */
export const UBL_AMOUNTS = pathsTo(AMOUNTS);
/** Tax amounts are left out, because their total may be in another currency. */
export const UBL_AMOUNTS_BUT_TAX = pathsTo(AMOUNTS.filter((name) => name !== 'TaxAmount'));

function pathsTo(names: readonly string[]): string {
  return names.map((name) => `//cbc:${name}`).join(' | ');
}
