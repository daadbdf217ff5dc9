import { randomFrom } from './random.js';
import { share, total } from './score.js';
import type { Rate } from './score.js';

/** Limits of a confidence interval: in 95 of 100 measurements, the detection figure is expected to lie between them. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

const Z = 1.96;
const SAMPLES = 2_000;
const SEED = 95;

/**
 * Returns the Wilson confidence interval of a detection rate, which is also correct for few cases and for rates near 0
 * and 1.
 */
export function wilson({ hits, of }: Rate): Interval {
  if (of === 0) return { low: 0, high: 1 };
  const found = hits / of;
  const spread = Z * Math.sqrt((found * (1 - found)) / of + Z ** 2 / (4 * of ** 2));
  const centre = found + Z ** 2 / (2 * of);
  const scale = 1 + Z ** 2 / of;
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}

/**
 * Returns the confidence interval of a detection figure by the bootstrap method: the figure is computed for many random
 * samples of the customers, drawn with replacement. Customers and not bills are drawn, because the bills of one
 * customer resemble each other.
 */
export function overCustomers<T>(customers: readonly T[], figureOf: (drawn: readonly T[]) => number): Interval {
  const random = randomFrom(SEED);
  const figures = Array.from({ length: SAMPLES }, () => figureOf(customers.map(() => random.pick(customers)))).sort(
    (left, right) => left - right,
  );
  const at = (part: number): number => figures[Math.round(part * (SAMPLES - 1))] ?? 0;
  return { low: at(0.025), high: at(0.975) };
}

/**
 * Returns the confidence interval of a detection rate over several customers. It contains both the bootstrap interval
 * and the Wilson interval, because each alone can be too narrow: the bootstrap interval if most customers have no case,
 * and the Wilson interval because it ignores that bills of one customer resemble each other.
 */
export function intervalOf(rates: readonly Rate[]): Interval {
  const byBill = wilson(total(rates));
  const byCustomer = overCustomers(rates, (drawn) => share(total(drawn)));
  return { low: Math.min(byBill.low, byCustomer.low), high: Math.max(byBill.high, byCustomer.high) };
}
