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
 * Tracing and metrics by hand, at the few places that all work passes (ADR 0031). Off unless a collector is configured;
 * then trace context is still handed on, so that a caller's trace does not break at our door, and is in each log line.
 */
const tracer = trace.getTracer('invoicecontrol');
let isOn = false;

/**
 * Starts exporting to an OTLP collector. Without an endpoint nothing of the SDK is loaded, and stopping does nothing.
 * Services that share a process share the exporter of the first one.
 * @param otlpEndpoint base URL of the collector, for example `http://collector:4318`
 * @param exporters in place of those to the collector; for tests
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
    // Replicas report under one name; without this a collector takes their series for one that jumps.
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.instance.id': `${hostname()}:${process.pid}` })),
    // Nothing is patched: it reads what Node itself counts about the event loop, garbage collection and the heap.
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
 * Boundaries in seconds, as the semantic conventions of OpenTelemetry advise them for each of these names. Theirs for calls
 * end at 10 s; our longest take up to two minutes, so ours go on.
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

/** One measured piece of work. */
export interface Measured {
  /** The trace headers that its calls must carry to other processes. */
  readonly traceparent: string;
  /** Runs a part of the work: log lines, spans and events during it, also later ones of its promises, belong to it. */
  during<T>(part: () => T): T;
  /**
   * Ends the work. Attributes of low cardinality only: they are those of the duration as well.
   * @param outcome.name in place of the first one, where only the end knows it
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
  /** The trace context of what caused the work and waits for it; without one a new trace begins. */
  readonly parent?: string | undefined;
  /** The trace context of what caused the work and does not wait for it. */
  readonly link?: string | undefined;
  /** The request that the work is done for; that of the work under way where nothing is said. */
  readonly requestId?: string | undefined;
  /** Measured as well, in seconds. */
  readonly duration?: Duration;
}

/** Begins a span. While telemetry is off nothing is recorded; the trace is handed on all the same. */
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
 * Does work within a span of its own.
 * @param work gets the trace context that its own messages must carry
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

/** A code or the name of a class: messages of errors carry values of documents. */
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

/** Tells whether spans are recorded, for work that would cost something before `measure` is called. */
export function isTelemetryOn(): boolean {
  return isOn;
}

const counters = new Map<string, Counter>();

/** Adds to a counter of the product's own events, such as `limiter_fallback`; attributes of low cardinality only. */
export function count(name: string, attributes: Attributes = {}, amount = 1): void {
  if (!isOn) return;
  let counter = counters.get(name);
  if (counter === undefined) {
    counter = metrics.getMeter('invoicecontrol').createCounter(name);
    counters.set(name, counter);
  }
  counter.add(amount, attributes);
}

/** The current values of one subject, identified by its attributes; a gauge that is left out shows no new value. */
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
