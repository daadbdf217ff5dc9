import type { AmountUse, DatedNumber } from '../facts/supplier.js';

/** The usual amount of a supplier in one currency, robust against single outliers (detection reference, section 6). */
export interface AmountStatistics {
  readonly sampleSize: number;
  /** Median amount in minor units, for display. */
  readonly medianMinor: string;
  /** Median absolute deviation of the natural logarithms, not below the floor. */
  readonly logMad: number;
  /** The compared amount over the median, two decimals. */
  readonly ratio: number;
  /** Robust z-score of the compared amount, two decimals. */
  readonly z: number;
}

/** Makes the median absolute deviation comparable with a standard deviation. */
const NORMAL_CONSISTENCY = 0.6745;

/**
 * Compares an amount with the stored ones; undefined when there are none or the amount is not positive. The
 * numbers are statistics of amounts, not money: nothing is ever paid or added up from them.
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
 * The `ratio` of {@link amountStatistics} alone. Computing the spread doubles the cost, and few ratios need it.
 */
export function amountRatio(amounts: readonly number[], amount: number): number | undefined {
  if (amounts.length === 0 || amount <= 0) return undefined;
  // The logarithm keeps the order, so only the middle amounts need one.
  const [lower, upper] = middlesOf(amounts);
  return rounded(amount / Math.exp((Math.log(lower) + Math.log(upper)) / 2));
}

/** Stored amounts as numbers of minor units, for statistics only; never to be paid or added up. */
export function amountsOf(uses: readonly AmountUse[]): number[] {
  return uses.map(({ minor }) => Number(minor));
}

/** The most frequent value when it makes up at least `shareMin` of the entries; the smallest of equally frequent ones. */
export function modeOf(entries: readonly DatedNumber[], shareMin: number): number | undefined {
  const counts = new Map<number, number>();
  for (const { value } of entries) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [mode] = [...counts].sort(([leftValue, left], [rightValue, right]) => right - left || leftValue - rightValue);
  return mode !== undefined && mode[1] >= entries.length * shareMin ? mode[0] : undefined;
}

/** Differences between each value and the next one: gaps of days, steps of numbers. */
export function differences(values: readonly number[]): number[] {
  return values.slice(1).map((value, index) => value - (values[index] ?? value));
}

/** The middle of the sorted values, the mean of the two middle ones when their number is even; NaN for none. */
export function median(values: readonly number[]): number {
  const [lower, upper] = middlesOf(values);
  return (lower + upper) / 2;
}

/** The two middle values, one twice when their number is odd. */
function middlesOf(values: readonly number[]): readonly [lower: number, upper: number] {
  const sorted = ascending(values);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return [lower, upper];
}

/**
 * Insertion sort: profiles hold a few dozen values at most, for which this is several times faster than `sort` with a
 * comparator, and medians are most of the work of the engine.
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

/** Two decimals, so that the last bits of a logarithm never decide a threshold. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
