import { metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Attributes, BatchObservableResult, Histogram, MetricOptions, Span } from '@opentelemetry/api';
import type { NodeSDKConfiguration } from '@opentelemetry/sdk-node';

/**
 * Tracing and metrics by hand, in the two places that every call passes: the gateway's request handler and the gRPC
 * adapter. Off unless a collector is configured; then trace context is still handed on, so that a caller's trace does
 * not break at our door.
 */
const tracer = trace.getTracer('invoicecontrol');
let isOn = false;

/**
 * Starts exporting to an OTLP collector. Without an endpoint nothing is loaded and the answer does nothing.
 * @param otlpEndpoint base URL of the collector, for example `http://collector:4318`
 * @param exporters in place of those to the collector; for tests
 */
export async function startTelemetry(
  service: string,
  otlpEndpoint: string | undefined,
  exporters: Pick<Partial<NodeSDKConfiguration>, 'metricReaders' | 'spanProcessors'> = {},
): Promise<{ stop(): Promise<void> }> {
  if (otlpEndpoint === undefined) return { stop: async () => {} };
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: service, instrumentations: [], ...exporters });
  sdk.start();
  isOn = true;
  return {
    stop: () => {
      isOn = false;
      return sdk.shutdown();
    },
  };
}

const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The header as it came, if it is a valid version 00 trace context; otherwise a new trace begins. */
export function readTraceparent(header: string | undefined): string | undefined {
  const match = traceparentPattern.exec(header ?? '');
  if (match === null || /^0+$/.test(match[1] ?? '') || /^0+$/.test(match[2] ?? '')) return undefined;
  return header;
}

/** One measured piece of work. `traceparent` is what its own calls must carry. */
export interface Measured {
  readonly traceparent: string | undefined;
  /** Ends the work; attributes of low cardinality only. */
  end(outcome: { failed: boolean; attributes: Attributes }): void;
}

export type MeasuredKind = 'server' | 'client' | 'producer' | 'consumer';
const spanKinds: Record<MeasuredKind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Begins a span and, where a histogram is named, a duration in seconds. Costs nothing while telemetry is off. */
export function measure(
  kind: MeasuredKind,
  name: string,
  parent: string | undefined,
  histogramName?: string,
): Measured {
  if (!isOn) return { traceparent: parent, end: () => {} };
  const startedAt = performance.now();
  const span = tracer.startSpan(name, { kind: spanKinds[kind] }, parentContext(parent));
  return {
    traceparent: formatTraceparent(span),
    end({ failed, attributes }) {
      span.setAttributes(attributes);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      if (histogramName !== undefined) {
        histogram(histogramName).record((performance.now() - startedAt) / 1000, attributes);
      }
    },
  };
}

/** Adds to a counter of the product's own events, such as `limiter_fallback`; attributes of low cardinality only. */
export function count(name: string, attributes: Attributes = {}, amount = 1): void {
  if (isOn) metrics.getMeter('invoicecontrol').createCounter(name).add(amount, attributes);
}

/** What one subject, told by its attributes, shows at the moment; a gauge that is left out shows no new value. */
interface Reading<Name extends string> {
  readonly attributes: Attributes;
  readonly values: Readonly<Partial<Record<Name, number>>>;
}

/**
 * Reports gauges whenever metrics are exported, all of them from one reading. Reads nothing while telemetry is off. Where
 * nothing is reported, because a reading failed, the last value stays.
 * @returns ends the reports
 */
export function reportGauges<Name extends string>(
  names: Readonly<Record<Name, MetricOptions>>,
  read: () => Promise<readonly Reading<Name>[]>,
): () => void {
  if (!isOn) return () => {};
  const meter = metrics.getMeter('invoicecontrol');
  const gauges = (Object.keys(names) as Name[]).map(
    (name) => [name, meter.createObservableGauge(name, names[name])] as const,
  );
  const observe = async (result: BatchObservableResult): Promise<void> => {
    const readings = await read().catch(() => []);
    for (const { attributes, values } of readings) {
      for (const [name, gauge] of gauges) {
        const value = values[name];
        if (value !== undefined) result.observe(gauge, value, attributes);
      }
    }
  };
  const observed = gauges.map(([, gauge]) => gauge);
  meter.addBatchObservableCallback(observe, observed);
  return () => meter.removeBatchObservableCallback(observe, observed);
}

const histograms = new Map<string, Histogram>();
function histogram(name: string): Histogram {
  let found = histograms.get(name);
  if (found === undefined) {
    found = metrics.getMeter('invoicecontrol').createHistogram(name, { unit: 's' });
    histograms.set(name, found);
  }
  return found;
}

function parentContext(traceparent: string | undefined): typeof ROOT_CONTEXT {
  const match = traceparentPattern.exec(traceparent ?? '');
  if (match === null) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = match;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function formatTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
