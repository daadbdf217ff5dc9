import { minorUnitsOf } from '@invoicecontrol/values/currency';
import type { Candidate } from '../facts/invoice.js';
import type { DuplicateParameters } from '../policy/duplicates.js';

type Amounts = Pick<Candidate, 'amountMinor' | 'netMinor' | 'currency'>;

/**
 * Returns the number of significant digits, without trailing zeros, of the gross or net amount of an invoice, whichever
 * has fewer. A price of 19.99 counts as 20.
 */
export function significantDigits({ amountMinor, netMinor, currency }: Amounts): number {
  const unit = 10n ** BigInt(minorUnitsOf(currency));
  const stated = [amountMinor, ...(netMinor === undefined ? [] : [netMinor])];
  return Math.min(
    ...stated.map(
      (minor) => String(withoutPricePoint(BigInt(minor.replace('-', '')), unit)).replace(/(?<!0)0+$/, '').length,
    ),
  );
}

/**
 * Checks whether an amount has so many significant digits, down to the cents, that two separate bills hardly have it by
 * chance. An amount without cents does not count, because it may be a round fee with VAT.
 */
export function isOddAmount(record: Amounts, { oddAmountDigitsMin }: DuplicateParameters): boolean {
  const decimals = minorUnitsOf(record.currency);
  const isWhole = decimals > 0 && BigInt(record.amountMinor) % 10n ** BigInt(decimals) === 0n;
  return !isWhole && significantDigits(record) >= oddAmountDigitsMin;
}

function withoutPricePoint(minor: bigint, unit: bigint): bigint {
  const toNext = unit - (minor % unit);
  return toNext * 20n <= unit ? minor + toNext : minor;
}
