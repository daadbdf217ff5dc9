// Compares the metrics that the services export with their declarations.
import { declarationOf, metrics, metricsOfNode } from '@invoicecontrol/runtime/telemetry/schema';
import type { Metric, MetricName } from '@invoicecontrol/runtime/telemetry/schema';
import type { ReceivedPoint } from './otlp-receiver.js';

/** Maximum number of metric series of one process (operations reference, section 3.5). */
export const SERIES_MAX = { gateway: 8_000, other: 4_000 } as const;

/** Lists the problems of the exported metrics, each problem once. */
export function undeclaredIn(points: readonly ReceivedPoint[]): readonly string[] {
  return [...new Set(points.flatMap(problemsOf))].toSorted();
}

function problemsOf({ name, unit, attributes, boundaries, counts }: ReceivedPoint): string[] {
  if (name in metricsOfNode) return [];
  if (!(name in metrics)) return [`${name} is not declared`];
  const declared = declarationOf(name as MetricName);
  const limits = declared.buckets ?? [];
  const isHistogram = counts.length > 0;
  return [
    ...(unit === declared.unit ? [] : [`${name} has the unit ${unit}`]),
    ...(isHistogram && String(boundaries) !== String(limits) ? [`${name} has the buckets ${String(boundaries)}`] : []),
    ...Object.entries(attributes).flatMap(([attribute, value]) => wrongValue(name, declared, attribute, String(value))),
    ...Object.entries(declared.attributes)
      .filter(([attribute, { isOptional }]) => isOptional !== true && !(attribute in attributes))
      .map(([attribute]) => `${name} lacks ${attribute}`),
  ];
}

function wrongValue(name: string, { attributes }: Metric, attribute: string, value: string): string[] {
  const declared = attributes[attribute];
  if (declared === undefined) return [`${name} has the attribute ${attribute}, which is not declared`];
  const isDeclared = 'values' in declared ? declared.values.includes(value) : declared.pattern.test(value);
  return isDeclared ? [] : [`${name} has ${attribute}=${value}, which is not declared`];
}

/**
 * Returns the number of series that Prometheus would store for the exported metrics: for a histogram, one for each
 * bucket and three more.
 */
export function seriesOf(points: readonly ReceivedPoint[]): number {
  return points.reduce((sum, { counts }) => sum + (counts.length === 0 ? 1 : counts.length + 2), 0);
}
