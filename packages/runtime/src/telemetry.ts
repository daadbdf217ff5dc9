import { hostname } from 'node:os';
import { context, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, BatchObservableResult, Counter, Histogram, MetricOptions, Span } from '@opentelemetry/api';
import type { NodeSDKConfiguration } from '@opentelemetry/sdk-node';
import {
  activeRequestId,
  contextOfSpan,
  formatTraceparent,
  keepContext,
  spanContextOf,
  unrecordedSpanContext,
} from './trace-context.js';

/**
 * Tracing and metrics, written by hand at the few places that all work passes through (ADR 0031). They are off unless a
 * collector is configured. The trace context is passed on in any case, so that the trace of a caller continues, and is
 * part of each log line.
 */
const tracer = trace.getTracer('invoicecontrol');
let isOn = false;

/**
 * Starts exporting to an OTLP collector. Without an endpoint, the SDK is not loaded and stopping does nothing. Services
 * that share a process share the exporter of the first one.
 * @param otlpEndpoint base URL of the collector, such as `http://collector:4318`
 * @param exporters replace the exporters to the collector in tests
 */
export async function startTelemetry(
  service: string,
  otlpEndpoint: string | undefined,
  exporters: Pick<Partial<NodeSDKConfiguration>, 'metricReaders' | 'spanProcessors'> = {},
): Promise<{ stop(): Promise<void> }> {
  if (otlpEndpoint === undefined) keepContext();
  if (otlpEndpoint === undefined || isOn) return { stop: async () => {} };
  isOn = true;
  const [{ NodeSDK, resources }, { RuntimeNodeInstrumentation }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-runtime-node'),
  ]);
  const sdk = new NodeSDK({
    serviceName: service,
    // Identifies the replica. Without this attribute, a collector would mix the series of all replicas under one name.
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.instance.id': `${hostname()}:${process.pid}` })),
    // Telemetry patches no module. This instrumentation reads the counters of Node.js for the event loop, garbage
    // collection and the heap.
    instrumentations: [new RuntimeNodeInstrumentation()],
    ...exporters,
  });
  sdk.start();
  return {
    stop: () => {
      isOn = false;
      return sdk.shutdown();
    },
  };
}

/**
 * Histogram boundaries in seconds, as the OpenTelemetry semantic conventions recommend for these names. The recommended
 * boundaries for calls end at 10 s; ours continue, because our longest calls take up to two minutes.
 */
const OF_CALLS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120];
const OF_COMMANDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

const durations = {
  'http.server.request.duration': { description: 'Duration of requests to the gateway.', boundaries: OF_CALLS },
  'rpc.server.call.duration': {
    description: 'Duration of gRPC calls, measured by the called service.',
    boundaries: OF_CALLS,
  },
  'rpc.client.call.duration': { description: 'Duration of gRPC calls, measured by the caller.', boundaries: OF_CALLS },
  'db.client.operation.duration': { description: 'Duration of commands to MongoDB.', boundaries: OF_COMMANDS },
  'messaging.client.operation.duration': { description: 'Duration of publishing an event.', boundaries: OF_CALLS },
  'messaging.process.duration': { description: 'Duration of handling an event.', boundaries: OF_CALLS },
} as const;

export type Duration = keyof typeof durations;

/** A piece of work whose duration is measured. */
export interface Measured {
  /** Trace header that calls to other processes must carry during this work. */
  readonly traceparent: string;
  /**
   * Runs a part of the work. Log lines, spans and events during that part, including those of its promises, belong to
   * the work.
   */
  during<T>(part: () => T): T;
  /**
   * Ends the measurement of the work. Attributes must have low cardinality, because they are also attributes of the
   * duration.
   * @param outcome.name replaces the initial name, if the name is known only at the end
   */
  end(outcome: { failed: boolean; attributes: Attributes; name?: string }): void;
}

export type MeasuredKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';
const spanKinds: Record<MeasuredKind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

export interface MeasuredOptions {
  /** Trace context of the caller that waits for the work. If absent, a new trace begins. */
  readonly parent?: string | undefined;
  /** Trace context of the request that caused the measured work but does not wait for it. */
  readonly link?: string | undefined;
  /** Id of the request that the measured work belongs to. By default that of the current request. */
  readonly requestId?: string | undefined;
  /** Histogram that also records the duration in seconds. */
  readonly duration?: Duration;
}

/** Starts a span. While telemetry is off, nothing is recorded, but the trace context is still passed on. */
export function measure(
  kind: MeasuredKind,
  name: string,
  { parent, link, requestId = activeRequestId(), duration }: MeasuredOptions,
): Measured {
  const parentSpan = spanContextOf(parent);
  if (!isOn) {
    const spanContext = parentSpan ?? unrecordedSpanContext();
    const own = contextOfSpan(trace.wrapSpanContext(spanContext), requestId);
    return { traceparent: formatTraceparent(spanContext), during: (part) => context.with(own, part), end: () => {} };
  }
  const startedAt = performance.now();
  const span = startSpan(kind, name, parentSpan, { link, requestId });
  const own = contextOfSpan(span, requestId);
  return {
    traceparent: formatTraceparent(span.spanContext()),
    during: (part) => context.with(own, part),
    end({ failed, attributes, name: finalName }) {
      span.setAttributes(attributes);
      if (finalName !== undefined) span.updateName(finalName);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      if (duration !== undefined) histogram(duration).record((performance.now() - startedAt) / 1000, attributes);
    },
  };
}

/**
 * Runs the given work within a new trace span.
 * @param work receives the trace context that its messages must carry
 */
export async function traced<T>(
  kind: MeasuredKind,
  name: string,
  { attributes = {}, ...options }: MeasuredOptions & { readonly attributes?: Attributes },
  work: (traceparent: string) => Promise<T>,
): Promise<T> {
  const measured = measure(kind, name, options);
  try {
    const result = await measured.during(() => work(measured.traceparent));
    measured.end({ failed: false, attributes });
    return result;
  } catch (error) {
    measured.end({ failed: true, attributes: { ...attributes, 'error.type': errorType(error) } });
    throw error;
  }
}

/**
 * Returns an error code or the name of the error class. Error messages are not used, because they contain values from
 * documents.
 */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? String(code) : error.name;
}

function startSpan(
  kind: MeasuredKind,
  name: string,
  parent: ReturnType<typeof spanContextOf>,
  { link, requestId }: Pick<MeasuredOptions, 'link' | 'requestId'>,
): Span {
  const linked = spanContextOf(link);
  return tracer.startSpan(
    name,
    {
      kind: spanKinds[kind],
      ...(linked === undefined ? {} : { links: [{ context: linked }] }),
      ...(requestId === undefined ? {} : { attributes: { 'request.id': requestId } }),
    },
    parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
  );
}

/** Checks whether spans are recorded, so that callers can skip preparations that are costly. */
export function isTelemetryOn(): boolean {
  return isOn;
}

const counters = new Map<string, Counter>();

/** Adds to a counter of product events, such as `limiter_fallback`. Attributes must have low cardinality. */
export function count(name: string, attributes: Attributes = {}, amount = 1): void {
  if (!isOn) return;
  let counter = counters.get(name);
  if (counter === undefined) {
    counter = metrics.getMeter('invoicecontrol').createCounter(name);
    counters.set(name, counter);
  }
  counter.add(amount, attributes);
}

/**
 * Current values of the gauges of one subject, which the attributes identify. A gauge that is absent reports no new
 * value.
 */
interface Reading<Name extends string> {
  readonly attributes: Attributes;
  readonly values: Readonly<Partial<Record<Name, number>>>;
}

/**
 * Reports gauges whenever metrics are exported, all from one reading. While telemetry is off, nothing is read. If a
 * reading fails, the last value stays.
 * @returns a function that ends the reports
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

const histograms = new Map<Duration, Histogram>();
function histogram(name: Duration): Histogram {
  let found = histograms.get(name);
  if (found === undefined) {
    const { description, boundaries } = durations[name];
    found = metrics.getMeter('invoicecontrol').createHistogram(name, {
      unit: 's',
      description,
      advice: { explicitBucketBoundaries: [...boundaries] },
    });
    histograms.set(name, found);
  }
  return found;
}
