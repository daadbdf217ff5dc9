import { context, metrics as api, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Attributes, BatchObservableResult, Context, Meter, Span } from '@opentelemetry/api';
import type { NodeSDKConfiguration } from '@opentelemetry/sdk-node';
import { processResource } from './telemetry/resource.js';
import { declarationOf, MEMORY, metrics, serviceNames } from './telemetry/schema.js';
import type { AttributesOf, MetricName, NameOf, ServiceName } from './telemetry/schema.js';
import {
  activePoll,
  activeRequestId,
  contextOfHeaders,
  contextOfSpan,
  headersOf,
  keepContext,
  pollContext,
  spanContextOf,
} from './trace-context.js';
import type { Poll, TraceHeaders } from './trace-context.js';

/**
 * Records traces and metrics at the few places in the code through which all work passes (ADR 0031). Both are off
 * unless a collector is configured. In any case, the trace context of a caller is passed on, so that the caller's trace
 * continues, and it is written to each log line.
 */
const tracer = trace.getTracer('invoicecontrol');
let isOn = false;
/** True if the sampler never records a span whose parent is not recorded, as all samplers named `parentbased_` do. */
let isParentBased = false;

/**
 * Interval in milliseconds between the samples of the delay of the event loop. The default of 10 ms wakes an idle
 * process a hundred times a second, which costs more CPU time than all other telemetry of the process.
 */
const EVENT_LOOP_SAMPLE_MS = 100;

/**
 * Starts exporting to an OTLP collector. Without an endpoint, the SDK is not loaded, and stopping does nothing. If
 * several services run in one process, all of them use the exporter of the service that started first.
 * @param otlpEndpoint base URL of the collector, such as `http://collector:4318`
 * @param exporters replace the exporters to the collector in tests
 */
export async function startTelemetry(
  service: string,
  otlpEndpoint: string | undefined,
  exporters: Pick<Partial<NodeSDKConfiguration>, 'metricReaders' | 'spanProcessors'> = {},
): Promise<{ stop(): Promise<void> }> {
  if (otlpEndpoint === undefined) keepContext();
  if (otlpEndpoint === undefined || isOn) {
    startCounters(service);
    return { stop: async () => {} };
  }
  isOn = true;
  const [{ NodeSDK, resources }, { RuntimeNodeInstrumentation }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-runtime-node'),
  ]);
  const sdk = new NodeSDK({
    serviceName: service,
    resource: resources.defaultResource().merge(resources.resourceFromAttributes(processResource())),
    // Telemetry patches no module. This instrumentation reads the counters of Node.js for the event loop, garbage
    // collection and the heap.
    instrumentations: [new RuntimeNodeInstrumentation({ monitoringPrecision: EVENT_LOOP_SAMPLE_MS })],
    ...exporters,
  });
  sdk.start();
  isParentBased = !recordsBelowUnrecorded();
  startCounters(service);
  reportProcess();
  return {
    stop: () => {
      isOn = false;
      instruments.clear();
      return sdk.shutdown();
    },
  };
}

export type Duration = NameOf<'histogram'>;

/** Attributes that are recorded when a measured request or job ends: the attributes of its histogram, if it has one. */
type EndAttributes<D extends Duration> = [D] extends [never] ? Attributes : AttributesOf<D>;

/** Request, call or job whose duration is measured. */
export interface Measured<D extends Duration = never> {
  /** Trace headers that calls to other processes must carry during the traced work. */
  readonly headers: TraceHeaders;
  /**
   * Runs a part of the measured work. Log lines, spans and events during that part, including those of its promises,
   * belong to the work.
   */
  during<T>(part: () => T): T;
  /**
   * Ends the measured work. Attributes must have low cardinality, because the metric of the duration has the same
   * attributes.
   * @param outcome.spanAttributes attributes of the span alone
   * @param outcome.name replaces the initial name, if the name is known only at the end
   */
  end(outcome: { failed: boolean; attributes: EndAttributes<D>; spanAttributes?: Attributes; name?: string }): void;
}

export type MeasuredKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';
const spanKinds: Record<MeasuredKind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

export interface MeasuredOptions<D extends Duration = never> {
  /** Trace context of the caller that waits for the measured work. If absent, a new trace begins. */
  readonly parent?: TraceHeaders | undefined;
  /**
   * Trace context that an unknown caller sent. A new trace begins and links to it, so that such a caller cannot decide
   * which requests are recorded.
   */
  readonly stranger?: TraceHeaders | undefined;
  /** Trace context of the request that caused the measured work but does not wait for it. */
  readonly link?: string | undefined;
  /** Id of the request that the measured work belongs to. The default is the id of the current request. */
  readonly requestId?: string | undefined;
  /** Histogram metric that also records the duration in seconds. */
  readonly duration?: D;
}

/** Starts a span. While telemetry is off, nothing is recorded, but a trace context is still passed on. */
export function measure<D extends Duration = never>(
  kind: MeasuredKind,
  name: string,
  { parent, stranger, link, requestId = activeRequestId(), duration }: MeasuredOptions<D>,
): Measured<D> {
  if (!isOn) return passedOn(parent ?? recordedOnly(stranger), requestId);
  const startedAt = performance.now();
  const recordDuration = (attributes: Attributes): void => {
    if (duration === undefined) return;
    record(duration, (performance.now() - startedAt) / 1_000, attributes as AttributesOf<D>);
  };
  // Creating spans that are never recorded costs more than the metrics of the work.
  if (isParentBased && isUnrecorded(parent)) {
    return { ...passedOn(parent, requestId), end: ({ attributes }) => recordDuration(attributes) };
  }
  const span = startSpan(kind, name, contextOfParent(parent), { link: link ?? stranger?.traceparent, requestId });
  const own = contextOfSpan(span, requestId);
  let headers: TraceHeaders | undefined;
  return {
    get headers() {
      return (headers ??= headersOf(own));
    },
    during: (part) => context.with(own, part),
    end({ failed, attributes, spanAttributes, name: finalName }) {
      span.setAttributes(attributes as Attributes);
      if (spanAttributes !== undefined) span.setAttributes(spanAttributes);
      if (finalName !== undefined) span.updateName(finalName);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      recordDuration(attributes);
    },
  };
}

/**
 * Returns the trace context of an unknown caller only if that caller records the trace. A context with the flag "not
 * sampled" would be passed on to every service, and would keep the instrumentation of an operator from recording.
 */
function recordedOnly(stranger: TraceHeaders | undefined): TraceHeaders {
  const caller = spanContextOf(stranger?.traceparent);
  return stranger !== undefined && caller?.traceFlags === TraceFlags.SAMPLED ? stranger : {};
}

/** Checks whether a caller has a trace that it does not record. */
function isUnrecorded(parent: TraceHeaders | undefined): parent is TraceHeaders {
  return spanContextOf(parent?.traceparent)?.traceFlags === TraceFlags.NONE;
}

/**
 * Checks whether the sampler records work of a caller that is not recorded. The trace id is the lowest one, which every
 * sampler of a share of the traces records.
 */
function recordsBelowUnrecorded(): boolean {
  const caller = { traceId: '1'.padStart(32, '0'), spanId: '1'.padStart(16, '0'), traceFlags: TraceFlags.NONE };
  // The span is never ended, so it is not exported.
  return tracer.startSpan('sampler', {}, trace.setSpanContext(ROOT_CONTEXT, caller)).isRecording();
}

/**
 * Measured work that is not recorded, and passes on the trace context of its caller. If the caller sent no trace
 * context, calls carry no trace header either, because a header that says "not sampled" would keep the instrumentation
 * of an operator from recording.
 */
function passedOn<D extends Duration>(headers: TraceHeaders, requestId: string | undefined): Measured<D> {
  const caller = spanContextOf(headers.traceparent, headers.tracestate);
  const span = caller === undefined ? undefined : trace.wrapSpanContext(caller);
  const own = contextOfSpan(span, requestId);
  return { headers, during: (part) => context.with(own, part), end: () => {} };
}

/**
 * Runs work within a new trace span.
 * @param work receives the trace headers that its messages must carry
 */
export async function traced<T, D extends Duration = never>(
  kind: MeasuredKind,
  name: string,
  {
    attributes = {} as EndAttributes<D>,
    spanAttributes,
    ...options
  }: MeasuredOptions<D> & { readonly attributes?: EndAttributes<D>; readonly spanAttributes?: Attributes },
  work: (headers: TraceHeaders) => Promise<T>,
): Promise<T> {
  const measured = measure(kind, name, options);
  const ending = spanAttributes === undefined ? {} : { spanAttributes };
  try {
    const result = await measured.during(() => work(measured.headers));
    measured.end({ failed: false, attributes, ...ending });
    return result;
  } catch (error) {
    measured.end({ failed: true, attributes: { ...attributes, 'error.type': errorType(error) }, ...ending });
    throw error;
  }
}

/**
 * Returns for a span the error code or the name of the error class. Error messages are not used, because they contain
 * values from documents.
 */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? String(code) : error.name;
}

/**
 * Runs repeated work that often finds nothing to do, such as a poll. Its trace span begins when the run finds something
 * to do. A run that finds nothing has no span.
 */
export async function polled<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (!isOn) return context.with(ROOT_CONTEXT, work);
  const poll: Poll = { name, attributes, startedAt: Date.now(), span: undefined };
  try {
    const result = await context.with(pollContext(poll), work);
    poll.span?.end();
    return result;
  } catch (error) {
    const span = spanOfPoll(poll);
    span.setAttribute('error.type', errorType(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    throw error;
  }
}

function spanOfPoll(poll: Poll): Span {
  const { name, attributes, startedAt: startTime } = poll;
  poll.span ??= tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes, startTime }, ROOT_CONTEXT);
  return poll.span;
}

function startSpan(
  kind: MeasuredKind,
  name: string,
  parent: Context,
  { link, requestId, startTime }: Pick<MeasuredOptions, 'link' | 'requestId'> & { readonly startTime?: number },
): Span {
  const linked = spanContextOf(link);
  return tracer.startSpan(
    name,
    {
      kind: spanKinds[kind],
      ...(startTime === undefined ? {} : { startTime }),
      ...(linked === undefined ? {} : { links: [{ context: linked }] }),
      ...(requestId === undefined ? {} : { attributes: { 'request.id': requestId } }),
    },
    parent,
  );
}

/**
 * Returns the trace context of the caller. If the caller has none, work within a run of polled work belongs to the span
 * of the run.
 */
function contextOfParent(parent: TraceHeaders | undefined): Context {
  if (parent?.traceparent !== undefined) return contextOfHeaders(parent);
  const poll = activePoll();
  return poll === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, spanOfPoll(poll));
}

/** Checks whether trace spans are recorded, so that callers can skip preparations that are costly. */
export function isTelemetryOn(): boolean {
  return isOn;
}

/** Methods of the metric instruments. A metric has the method of its kind of instrument. */
interface Recording {
  add?(value: number, attributes?: Attributes): void;
  record?(value: number, attributes?: Attributes): void;
}

const instruments = new Map<string, Recording>();

/** If several services of one process have the same metric, the scope of the metric names the service. */
function meterOf(service: string | undefined): Meter {
  return api.getMeter(service === undefined ? 'invoicecontrol' : `invoicecontrol/${service}`);
}

/** Returns the instrument of a declared metric. This is the only place that creates instruments for recording. */
function instrumentOf(name: MetricName, service: string | undefined): Recording {
  const key = service === undefined ? name : `${service} ${name}`;
  let found = instruments.get(key);
  if (found === undefined) {
    found = create(name, meterOf(service));
    instruments.set(key, found);
  }
  return found;
}

function create(name: MetricName, meter: Meter): Recording {
  const { instrument, unit, description, buckets } = declarationOf(name);
  switch (instrument) {
    case 'counter':
      return meter.createCounter(name, { unit, description });
    case 'liveGauge':
      return meter.createUpDownCounter(name, { unit, description });
    case 'histogram':
      return meter.createHistogram(name, {
        unit,
        description,
        ...(buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } }),
      });
    case 'gauge':
      throw new TypeError(
        `The value of the metric ${name} is read at each export of metrics. Report the metric with reportGauges.`,
      );
  }
}

/**
 * Adds to a counter metric.
 * @param service scope of a metric that several services of one process have
 */
export function count<Name extends NameOf<'counter'>>(
  name: Name,
  attributes: AttributesOf<Name>,
  amount = 1,
  service?: string,
): void {
  if (isOn) instrumentOf(name, service).add?.(amount, attributes as Attributes);
}

/** Records a value in the histogram of a metric, in its unit: seconds for a duration. */
export function record<Name extends NameOf<'histogram'>>(
  name: Name,
  value: number,
  attributes: AttributesOf<Name>,
  service?: string,
): void {
  if (isOn) instrumentOf(name, service).record?.(value, attributes as Attributes);
}

/** Raises or lowers a metric that counts things in progress. */
export function change<Name extends NameOf<'liveGauge'>>(
  name: Name,
  difference: number,
  attributes: AttributesOf<Name>,
): void {
  if (isOn) instrumentOf(name, undefined).add?.(difference, attributes as Attributes);
}

/** Maximum number of combinations of attribute values for which a counter metric starts at zero. */
const ZEROS_MAX = 500;

/**
 * Starts the counter metrics of a service at zero for each combination of attribute values, if the possible values are
 * known. Otherwise the series of a combination would begin with its first event, and rates would not include this
 * event.
 */
function startCounters(service: string): void {
  if (!isOn || !(serviceNames as readonly string[]).includes(service)) return;
  for (const name of Object.keys(metrics) as MetricName[]) {
    const { instrument, attributes, owners } = declarationOf(name);
    if (instrument !== 'counter' || !owners.includes(service as ServiceName) || isObserved(name)) continue;
    const combinations = combine(attributes);
    if (combinations === undefined || combinations.length > ZEROS_MAX) continue;
    for (const one of combinations) instrumentOf(name, undefined).add?.(0, one);
  }
}

/** Names of the counter metrics whose values are read from the process at each export instead of being added up. */
const observed = new Set<MetricName>(['process.cpu.time']);
function isObserved(name: MetricName): boolean {
  return observed.has(name);
}

/**
 * Returns all combinations of the attribute values of a metric, or undefined if the values of an attribute are not a
 * closed set.
 */
function combine(attributes: ReturnType<typeof declarationOf>['attributes']): Attributes[] | undefined {
  let combined: Attributes[] = [{}];
  for (const [attribute, declared] of Object.entries(attributes)) {
    if (!('values' in declared)) return undefined;
    combined = combined.flatMap((one) => declared.values.map((value) => ({ ...one, [attribute]: value })));
  }
  return combined;
}

function reportProcess(): void {
  const { unit, description } = declarationOf('process.cpu.time');
  meterOf(undefined)
    .createObservableCounter('process.cpu.time', { unit, description })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage();
      result.observe(user / 1e6, { 'cpu.mode': 'user' });
      result.observe(system / 1e6, { 'cpu.mode': 'system' });
    });
  reportGauges([MEMORY], async () => [{ attributes: {}, values: { [MEMORY]: process.memoryUsage.rss() } }]);
}

/**
 * The current values of the gauge metrics of one subject, which its attributes identify. A gauge that is absent reports
 * no new value.
 */
interface Reading<Name extends NameOf<'gauge'>> {
  readonly attributes: AttributesOf<Name>;
  readonly values: Readonly<Partial<Record<Name, number>>>;
}

/**
 * Reports gauge metrics. Whenever metrics are exported, one reading supplies the values of all these gauges. While
 * telemetry is off, nothing is read. If a reading fails, the last value stays.
 * @param service scope of gauges that several services of one process have
 * @returns a function that ends the reports
 */
export function reportGauges<Name extends NameOf<'gauge'>>(
  names: readonly Name[],
  read: () => Promise<readonly Reading<NoInfer<Name>>[]>,
  service?: string,
): () => void {
  if (!isOn) return () => {};
  const meter = meterOf(service);
  const gauges = names.map((name) => {
    const { unit, description } = declarationOf(name);
    return [name, meter.createObservableGauge(name, { unit, description })] as const;
  });
  const observe = async (result: BatchObservableResult): Promise<void> => {
    const readings = await read().catch(() => []);
    for (const { attributes, values } of readings) {
      for (const [name, gauge] of gauges) {
        const value = values[name];
        if (value !== undefined) result.observe(gauge, value, attributes as Attributes);
      }
    }
  };
  const reported = gauges.map(([, gauge]) => gauge);
  meter.addBatchObservableCallback(observe, reported);
  return () => meter.removeBatchObservableCallback(observe, reported);
}

/**
 * Records a command of MongoDB that has ended. Within a run of polled work, a command that found nothing to do leaves
 * no span.
 */
export function commandEnded(
  { name, startedAt, startTime, isWork }: EndedCommand,
  attributes: AttributesOf<'db.client.operation.duration'>,
  spanAttributes: Attributes,
): void {
  record('db.client.operation.duration', (performance.now() - startedAt) / 1_000, attributes);
  const active = context.active();
  const within = trace.getSpan(active) ?? activePoll()?.span;
  if (within === undefined ? !isWork : !within.isRecording()) return;
  const parent = trace.getSpan(active) === undefined ? contextOfParent(undefined) : active;
  const span = startSpan('client', name, parent, { requestId: activeRequestId(), startTime });
  span.setAttributes(attributes as Attributes).setAttributes(spanAttributes);
  if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

interface EndedCommand {
  readonly name: string;
  /** Start of the database command by `performance.now()`, and as the time of day. */
  readonly startedAt: number;
  readonly startTime: number;
  /** True if the database command changed something or failed. */
  readonly isWork: boolean;
}
