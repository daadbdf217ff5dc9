import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { canonicalAmount, toCommonScale, toMicro } from '@invoicecontrol/values/decimal-amount';
import { otherVatRates, possibleVatRates } from '../data/vat-rates.js';
import type { Candidate } from '../facts/invoice.js';
import { isAdjacentSwap } from '../normalisation/similarity.js';
import type { DuplicateParameters } from '../policy/duplicates.js';

/**
 * Relation between two invoice amounts. OPPOSITE means that exactly one of the two is a credit note; such records are
 * never duplicates of each other.
 */
export type AmountRelation = keyof DuplicateParameters['halfPoints']['amount'] | 'OPPOSITE';

const FULL_BASIS_POINTS = 10_000n;

/**
 * Returns the first relation between two invoice amounts that applies (detection reference, section 5). All amounts are
 * integer numbers of minor units.
 */
export function amountRelation(
  left: Candidate,
  right: Candidate,
  ratesPerEuro: Readonly<Record<string, string>>,
  parameters: DuplicateParameters,
): AmountRelation {
  if (left.currency === right.currency && left.amountMinor === right.amountMinor) return 'EQ';
  const a = BigInt(left.amountMinor);
  const b = BigInt(right.amountMinor);
  if (a * b < 0n) return 'OPPOSITE';
  const high = magnitude(magnitude(a) > magnitude(b) ? a : b);
  const low = magnitude(magnitude(a) > magnitude(b) ? b : a);
  if (left.currency !== right.currency) return relationAcrossCurrencies(left, right, ratesPerEuro, parameters);
  if (isRounded(high, low, left.currency)) return 'ROUND';
  if (isAdjacentSwap(String(high), String(low))) return 'TRANSP';
  if (isNetOfGross(high, low, left, right)) return 'NETGROSS';
  if (parameters.slipFactors.some((factor) => low > 0n && high === low * BigInt(factor))) return 'SLIP';
  return isNear(high, low, parameters) ? 'NEAR' : 'DIFF';
}

/** Checks whether two invoice amounts are less than one whole unit apart and one of them is a whole number of units. */
function isRounded(high: bigint, low: bigint, currency: string): boolean {
  const unit = 10n ** BigInt(minorUnitsOf(currency));
  return high - low < unit && (high % unit === 0n || low % unit === 0n);
}

/**
 * Checks whether the smaller invoice amount is the net amount of the larger. If the invoice with the larger amount
 * states its net amount, that amount is compared. Otherwise the difference between the two amounts must match a legal
 * tax rate. For a reduced rate it must match to the minor unit, because there are many reduced rates and some are low.
 */
function isNetOfGross(high: bigint, low: bigint, left: Candidate, right: Candidate): boolean {
  // No tax rate is above 30 %, so most pairs of amounts do not have to be compared with the rates.
  if (high * 10n > low * 13n + 20n) return false;
  const { netMinor } = magnitude(BigInt(left.amountMinor)) === high ? left : right;
  const net = netMinor === undefined ? high : magnitude(BigInt(netMinor));
  if (net < high) return magnitude(net - low) <= 1n;
  const country = left.taxCountry ?? right.taxCountry;
  const dates = left.issueDate === right.issueDate ? [left.issueDate] : [left.issueDate, right.issueDate];
  const offBy = (rate: number): bigint =>
    magnitude(high * FULL_BASIS_POINTS - low * (FULL_BASIS_POINTS + BigInt(rate)));
  return (
    possibleVatRates(country, dates).some((rate) => offBy(rate) <= FULL_BASIS_POINTS + BigInt(rate)) ||
    otherVatRates(country, dates).some((rate) => 2n * offBy(rate) <= FULL_BASIS_POINTS + BigInt(rate))
  );
}

function isNear(high: bigint, low: bigint, parameters: DuplicateParameters): boolean {
  const difference = high - low;
  return (
    difference <= BigInt(parameters.nearAmountMinor) ||
    difference * FULL_BASIS_POINTS <= high * BigInt(parameters.nearAmountBasisPoints)
  );
}

function relationAcrossCurrencies(
  left: Candidate,
  right: Candidate,
  ratesPerEuro: Readonly<Record<string, string>>,
  parameters: DuplicateParameters,
): AmountRelation {
  const leftRate = ratesPerEuro[left.currency];
  const rightRate = ratesPerEuro[right.currency];
  if (leftRate !== undefined && rightRate !== undefined) {
    // To compare amounts in two currencies, each amount is multiplied by the exchange rate of the other currency, so
    // that both have the same scale. The rate of a pegged currency has more decimals than an amount, and all its
    // decimals are used.
    const [leftFactor, rightFactor] = toCommonScale(rightRate, leftRate);
    const leftValue = magnitude(toMicro(left.grossAmount)) * leftFactor;
    const rightValue = magnitude(toMicro(right.grossAmount)) * rightFactor;
    if (magnitude(leftValue - rightValue) * 100n <= rightValue * BigInt(parameters.fxPercent)) return 'FX';
  }
  return canonicalAmount(left.grossAmount) === canonicalAmount(right.grossAmount) ? 'DIGITS' : 'DIFF';
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}
