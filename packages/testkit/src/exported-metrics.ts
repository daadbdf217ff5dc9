import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Histogram, MetricData } from '@opentelemetry/sdk-metrics';

export interface ExportedMetrics {
  /** Metric reader that the test passes to the code that starts telemetry. */
  readonly reader: PeriodicExportingMetricReader;
  /**
   * Returns the current value of the exported metric that has the given name and exactly the given attributes, or
   * undefined if there is none.
   * @param service service to whose scope the metric belongs; by default any service
   */
  value(name: string, attributes?: Readonly<Record<string, unknown>>, service?: string): Promise<number | undefined>;
  /** Returns the current exported histogram that has the given name and exactly the given attributes. */
  histogram(name: string, attributes?: Readonly<Record<string, unknown>>): Promise<ExportedHistogram | undefined>;
}

export interface ExportedHistogram {
  readonly unit: string;
  /** Upper limits of the buckets of an exported histogram. The last bucket has no limit. */
  readonly boundaries: readonly number[];
  readonly counts: readonly number[];
}

/** Collects in memory the metrics that would be sent to a collector. */
export function exportedMetrics(): ExportedMetrics {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const find = async (name: string, attributes: object, service?: string): Promise<Point | undefined> => {
    exporter.reset();
    await reader.forceFlush();
    const wanted = sorted(attributes);
    return exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .filter(({ scope }) => service === undefined || scope.name === `invoicecontrol/${service}`)
      .flatMap(({ metrics }) => metrics)
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(pointsOf)
      .find((point) => sorted(point.attributes) === wanted);
  };
  return {
    reader,
    async value(name, attributes = {}, service) {
      const point = await find(name, attributes, service);
      return point === undefined ? undefined : Number(point.value);
    },
    async histogram(name, attributes = {}) {
      const point = await find(name, attributes);
      if (point === undefined) return undefined;
      const { buckets } = point.value as Histogram;
      return { unit: point.unit, boundaries: buckets.boundaries, counts: buckets.counts };
    },
  };
}

interface Point {
  readonly unit: string;
  readonly attributes: object;
  readonly value: unknown;
}

function pointsOf({ descriptor, dataPoints }: MetricData): Point[] {
  return dataPoints.map(({ attributes, value }) => ({ unit: descriptor.unit, attributes, value }));
}

function sorted(attributes: object): string {
  return JSON.stringify(Object.entries(attributes).sort(([left], [right]) => (left < right ? -1 : 1)));
}
