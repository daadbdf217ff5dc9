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
/** Paths to all amounts of a UBL invoice except tax amounts, because the tax total may be in another currency. */
export const UBL_AMOUNTS_BUT_TAX = pathsTo(AMOUNTS.filter((name) => name !== 'TaxAmount'));

function pathsTo(names: readonly string[]): string {
  return names.map((name) => `//cbc:${name}`).join(' | ');
}
