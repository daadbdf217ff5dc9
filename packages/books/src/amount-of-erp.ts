/**
 * Marks an amount of an ERP record that has no sign, because another field of the record states whether the amount is a
 * credit.
 */
export type Sign = 'unsigned';

/** Maximum number of digits of an amount that an ERP states, including its decimals. */
const DIGITS_MAX = 15;
const DECIMALS_MAX = 6;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Returns an amount from an ERP with at most six decimals. An amount with six decimals or fewer keeps the digits that
 * the ERP sent.
 */
export function readAmount(
  sent: string,
  sign: Sign | undefined,
): { readonly amount: string } | { readonly fault: string } {
  const [, minus, integer = '', fraction = ''] = DECIMAL.exec(sent) ?? [];
  if (minus === undefined) return { fault: 'An amount in the ERP record is not a decimal number.' };
  if (sign === 'unsigned' && minus === '-' && /[1-9]/.test(integer + fraction)) {
    return { fault: 'An amount in the ERP record is negative.' };
  }
  const rounded = roundDecimals(integer, fraction);
  if (rounded.replace('.', '').replace(/^0+(?=\d)/, '').length > DIGITS_MAX) {
    return { fault: `An amount in the ERP record has more than ${DIGITS_MAX} digits.` };
  }
  return { amount: `${/[1-9]/.test(rounded) ? minus : ''}${rounded}` };
}

function roundDecimals(integer: string, fraction: string): string {
  if (fraction.length <= DECIMALS_MAX) return fraction === '' ? integer : `${integer}.${fraction}`;
  const isUp = Number(fraction[DECIMALS_MAX]) >= 5;
  const scaled = String(BigInt(integer + fraction.slice(0, DECIMALS_MAX)) + (isUp ? 1n : 0n)).padStart(
    DECIMALS_MAX + 1,
    '0',
  );
  const decimals = scaled.slice(-DECIMALS_MAX).replace(/(?<!0)0+$/, '');
  return `${scaled.slice(0, -DECIMALS_MAX)}${decimals === '' ? '' : `.${decimals}`}`;
}
