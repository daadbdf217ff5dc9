import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { MetricData } from '@opentelemetry/sdk-metrics';

export interface ExportedMetrics {
  /** Give it to the code that starts telemetry. */
  readonly reader: PeriodicExportingMetricReader;
  /** The value that is exported now under this name and exactly these attributes; undefined when there is none. */
  value(name: string, attributes?: Readonly<Record<string, unknown>>): Promise<number | undefined>;
}

/** Keeps in memory what a collector would be sent. */
export function exportedMetrics(): ExportedMetrics {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  return {
    reader,
    async value(name, attributes = {}) {
      exporter.reset();
      await reader.forceFlush();
      const points = exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(pointsOf);
      const wanted = sorted(attributes);
      const point = points.find((found) => sorted(found.attributes) === wanted);
      return point === undefined ? undefined : Number(point.value);
    },
  };
}

function pointsOf({ dataPoints }: MetricData): readonly { attributes: object; value: unknown }[] {
  return dataPoints;
}

function sorted(attributes: object): string {
  return JSON.stringify(Object.entries(attributes).sort(([left], [right]) => (left < right ? -1 : 1)));
}
