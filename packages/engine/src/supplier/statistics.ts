import type { AmountUse, DatedNumber } from '../facts/supplier.js';

/**
 * Statistics about a supplier's amounts in one currency. The statistics are robust against single outliers (detection
 * reference, section 6).
 */
export interface AmountStatistics {
  readonly sampleSize: number;
  /** Median amount of the supplier in minor units, for display. */
  readonly medianMinor: string;
  /**
   * Median absolute deviation of the natural logarithms of a supplier's amounts. The deviation is never less than a
   * minimum.
   */
  readonly logMad: number;
  /** The compared invoice amount divided by the median amount, with two decimals. */
  readonly ratio: number;
  /** Robust z-score of the compared invoice amount, with two decimals. */
  readonly z: number;
}

/** Factor that makes the median absolute deviation of amounts comparable with a standard deviation. */
const NORMAL_CONSISTENCY = 0.6745;

/**
 * Compares an invoice amount with the supplier's stored amounts. Undefined if the supplier has no amounts or the amount
 * is not positive. The numbers are statistics and not money: they are never paid or added up.
 */
export function amountStatistics(
  uses: readonly AmountUse[],
  amountMinor: string,
  logMadFloor: number,
): AmountStatistics | undefined {
  const amount = Number(amountMinor);
  if (uses.length === 0 || amount <= 0) return undefined;
  const logs = amountsOf(uses).map(Math.log);
  const middle = median(logs);
  const logMad = Math.max(median(logs.map((log) => Math.abs(log - middle))), logMadFloor);
  return {
    sampleSize: uses.length,
    medianMinor: String(Math.round(Math.exp(middle))),
    logMad: rounded(logMad),
    ratio: rounded(amount / Math.exp(middle)),
    z: rounded((NORMAL_CONSISTENCY * (Math.log(amount) - middle)) / logMad),
  };
}

/**
 * Returns only the ratio of an invoice amount to the median from {@link amountStatistics}. Computing the spread doubles
 * the cost, and most callers do not need it.
 */
export function amountRatio(amounts: readonly number[], amount: number): number | undefined {
  if (amounts.length === 0 || amount <= 0) return undefined;
  // Logarithms do not change the order of amounts, so only the logarithms of the middle amounts are computed.
  const [lower, upper] = middlesOf(amounts);
  return rounded(amount / Math.exp((Math.log(lower) + Math.log(upper)) / 2));
}

/**
 * Returns the supplier's stored amounts as numbers of minor units. The numbers are for statistics only and must not be
 * paid or added up.
 */
export function amountsOf(uses: readonly AmountUse[]): number[] {
  return uses.map(({ minor }) => Number(minor));
}

/** Returns the median of a supplier's amounts, or the larger of the two middle amounts. */
export function medianAmount(uses: readonly AmountUse[]): bigint {
  const sorted = uses
    .map(({ minor }) => BigInt(minor))
    .sort((left, right) => (left < right ? -1 : Number(left > right)));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}

/**
 * Returns the most frequent value in a supplier's history if at least `shareMin` of the entries have it. If several
 * values are equally frequent, the smallest is returned.
 */
export function modeOf(entries: readonly DatedNumber[], shareMin: number): number | undefined {
  const counts = new Map<number, number>();
  for (const { value } of entries) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [mode] = [...counts].sort(([leftValue, left], [rightValue, right]) => right - left || leftValue - rightValue);
  return mode !== undefined && mode[1] >= entries.length * shareMin ? mode[0] : undefined;
}

/**
 * Returns the differences between neighbouring values of a supplier, such as days between bills or steps between
 * invoice numbers.
 */
export function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, index) => value - (values[index] ?? value));
}

/**
 * Returns the median of sorted numbers: the middle value, or the mean of the two middle values. NaN if there are no
 * values.
 */
export function median(values: readonly number[]): number {
  const [lower, upper] = middlesOf(values);
  return (lower + upper) / 2;
}

/**
 * Returns the two middle values of a list of numbers. If the number of values is odd, the middle value is returned
 * twice.
 */
function middlesOf(values: readonly number[]): readonly [lower: number, upper: number] {
  const sorted = ascending(values);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return [lower, upper];
}

/**
 * Sorts numbers by insertion. Supplier profiles contain a few dozen values at most, for which this is several times
 * faster than `sort` with a comparator, and the engine spends most of its time on medians.
 */
function ascending(values: readonly number[]): number[] {
  const sorted: number[] = [];
  for (const value of values) {
    let place = sorted.length;
    for (; place > 0; place -= 1) {
      const before = sorted[place - 1] ?? value;
      if (before <= value) break;
      sorted[place] = before;
    }
    sorted[place] = value;
  }
  return sorted;
}

/**
 * Rounds a statistic of amounts to two decimals, so that the last bits of a logarithm never determine whether a
 * threshold is reached.
 */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
