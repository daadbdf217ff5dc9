// Receives telemetry over OTLP as JSON on loopback, in place of a telemetry collector.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Id of the parent span. Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** Received telemetry as text, in which tests look for values that must not leave the service. */
  readonly text: string;
}

export interface ReceivedPoint {
  readonly service: string;
  readonly instance: string;
  readonly name: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Boundaries of the histogram buckets. A histogram has one bucket count more than boundaries. */
  readonly boundaries: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  /** Value of a counter or gauge metric; 0 for a histogram. */
  readonly value: number;
}

export interface OtlpReceiver {
  /**
   * Environment variables that make a service send its telemetry to the receiver of the test after a short interval.
   */
  readonly env: Readonly<Record<string, string>>;
  readonly spans: readonly ReceivedSpan[];
  /** Returns the metric data points that each service sent last. */
  points(): readonly ReceivedPoint[];
  /**
   * If called with true, accepts requests without ever responding, as a hanging collector does. If called with false,
   * responds again.
   */
  hang(isHanging: boolean): void;
  close(): Promise<void>;
}

interface Resource {
  readonly resource: { readonly attributes: readonly Attribute[] };
}
interface WireSpan extends Omit<ReceivedSpan, 'service' | 'attributes' | 'links' | 'text' | 'parentSpanId'> {
  readonly parentSpanId?: string;
  readonly attributes?: readonly Attribute[];
  readonly links?: ReceivedSpan['links'];
}
interface WirePoint {
  readonly attributes?: readonly Attribute[];
  readonly explicitBounds?: readonly number[];
  readonly bucketCounts?: readonly (number | string)[];
  readonly sum?: number;
  readonly asInt?: number | string;
  readonly asDouble?: number;
}
interface WireMetric {
  readonly name: string;
  readonly unit?: string;
  readonly gauge?: { readonly dataPoints: readonly WirePoint[] };
  readonly sum?: { readonly dataPoints: readonly WirePoint[] };
  readonly histogram?: { readonly dataPoints: readonly WirePoint[] };
}
interface Sent {
  readonly resourceSpans?: readonly (Resource & {
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  })[];
  readonly resourceMetrics?: readonly (Resource & {
    readonly scopeMetrics: readonly { readonly metrics: readonly WireMetric[] }[];
  })[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const points = new Map<string, ReceivedPoint[]>();
  const receive = ({ resourceSpans = [], resourceMetrics = [] }: Sent): void => {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push(toSpan(service, span));
    }
    for (const { resource, scopeMetrics } of resourceMetrics) {
      const { 'service.name': service, 'service.instance.id': instance } = valuesOf(resource.attributes);
      const of = { service: String(service), instance: String(instance) };
      points.set(
        of.instance,
        scopeMetrics.flatMap(({ metrics }) => metrics).flatMap((metric) => toPoints(of, metric)),
      );
    }
  };
  let isHanging = false;
  const server = createServer((request, response) => {
    if (isHanging) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receive(JSON.parse(Buffer.concat(chunks).toString()) as Sent);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_METRIC_EXPORT_TIMEOUT: '1000',
    },
    spans,
    points: () => [...points.values()].flat(),
    hang(hangs) {
      isHanging = hangs;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toSpan(service: string, { attributes, links = [], parentSpanId = '', ...span }: WireSpan): ReceivedSpan {
  const { traceId, spanId, name } = span;
  const text = JSON.stringify({ attributes, links, ...span });
  return { service, traceId, spanId, parentSpanId, name, attributes: valuesOf(attributes), links, text };
}

function toPoints(of: Pick<ReceivedPoint, 'service' | 'instance'>, metric: WireMetric): ReceivedPoint[] {
  const { name, unit = '', gauge, sum, histogram } = metric;
  const sent = [gauge, sum, histogram].flatMap((data) => data?.dataPoints ?? []);
  return sent.map(({ attributes, explicitBounds = [], bucketCounts = [], sum: total = 0, asInt, asDouble }) => ({
    ...of,
    name,
    unit,
    attributes: valuesOf(attributes),
    boundaries: explicitBounds,
    counts: bucketCounts.map(Number),
    sum: total,
    value: Number(asInt ?? asDouble ?? 0),
  }));
}

function valuesOf(attributes: readonly Attribute[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
