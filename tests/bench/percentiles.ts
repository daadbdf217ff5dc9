import type { Load } from './load-process.js';

export function percentilesOf(durationsMs: readonly number[]): Pick<Load, 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  const sorted = durationsMs.toSorted((left, right) => left - right);
  const percentile = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { p50Ms: percentile(0.5), p95Ms: percentile(0.95), p99Ms: percentile(0.99) };
}
