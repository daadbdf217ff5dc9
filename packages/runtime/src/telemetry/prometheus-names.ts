import type { Instrument } from './schema.js';

const unitSuffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

/**
 * Translates the name of a metric to Prometheus in the same way as the OTLP receiver of Prometheus and the
 * OpenTelemetry collector. The Prometheus exporter of the SDK names histograms without their unit, so names must not be
 * copied from it into rules.
 * @returns the name of the metric; a histogram has the series `_bucket`, `_sum` and `_count`
 */
export function prometheusName(name: string, { instrument, unit }: { instrument: Instrument; unit: string }): string {
  const base = name.replaceAll(/[^A-Za-z0-9_]+/g, '_');
  const suffix = unitSuffixes[unit] ?? (unit === '1' && instrument === 'gauge' ? '_ratio' : '');
  const named = base.endsWith(suffix) ? base : `${base}${suffix}`;
  return instrument === 'counter' && !named.endsWith('_total') ? `${named}_total` : named;
}

/** Translates the name of a metric attribute to the label of Prometheus. */
export function prometheusLabel(attribute: string): string {
  return attribute.replaceAll(/[^A-Za-z0-9_]/g, '_');
}
