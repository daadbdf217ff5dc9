import {
  context,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanContext } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

/**
 * Key of the request id in the context of the current work. Node.js passes the context through promises and timers, so
 * that log lines, spans and events can find it (ADR 0031).
 */
const requestIdKey = createContextKey('request id');
const pollKey = createContextKey('poll');

/** Headers of the W3C trace context. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** A run of repeated background work, whose span begins only when the run finds something to do. */
export interface Poll {
  readonly name: string;
  readonly attributes: Attributes;
  /** Start of a trace span in milliseconds since the epoch. */
  readonly startedAt: number;
  span: Span | undefined;
}

/** Creates the context of a run of repeated work. It belongs to no request. */
export function pollContext(poll: Poll): Context {
  return ROOT_CONTEXT.setValue(pollKey, poll);
}

/** Returns the run of repeated work to which the running code belongs. */
export function activePoll(): Poll | undefined {
  return context.active().getValue(pollKey) as Poll | undefined;
}

let isKept = false;

/**
 * Makes Node.js pass the trace context on through promises and timers, unless an SDK already does so. Without this
 * call, no code has a current trace context.
 */
export function keepContext(): void {
  if (isKept) return;
  isKept = true;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/**
 * Creates the trace context of a span.
 * @param span may be a span that is not recorded
 */
export function contextOfSpan(span: Span | undefined, requestId: string | undefined): Context {
  const own = ROOT_CONTEXT.setValue(requestIdKey, requestId);
  return span === undefined ? own : trace.setSpan(own, span);
}

/** Reads the trace headers of a caller with the propagator of the SDK. */
export function contextOfHeaders(headers: TraceHeaders): Context {
  return propagation.extract(ROOT_CONTEXT, headers);
}

/** Writes the trace headers for calls to other processes with the propagator of the SDK. */
export function headersOf(own: Context): TraceHeaders {
  const headers: Record<string, string> = {};
  propagation.inject(own, headers);
  return headers;
}

/** Returns the trace headers of the current work, or undefined if there is no trace. */
export function activeTrace(): TraceHeaders | undefined {
  const active = activeSpanContext();
  if (active === undefined) return undefined;
  const tracestate = active.traceState?.serialize();
  return {
    traceparent: formatTraceparent(active),
    ...(tracestate === undefined || tracestate === '' ? {} : { tracestate }),
  };
}

/** Checks whether the running code belongs to traced work or to a run of polled work. */
export function isWithinWork(): boolean {
  return trace.getSpan(context.active()) !== undefined || activePoll() !== undefined;
}

function activeSpanContext(): SpanContext | undefined {
  const active = context.active();
  return trace.getSpanContext(active) ?? activePoll()?.span?.spanContext();
}

/** Runs work that continues after the request that starts it, and belongs to no request in traces and logs. */
export function outsideRequests<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

/** Returns a function that always runs in the current request and trace, whatever calls it later. */
export function bindToCurrentWork(work: () => void): () => void {
  return context.bind(context.active(), work);
}

/** Returns the trace context of the current work, or undefined if there is none. */
export function activeTraceparent(): string | undefined {
  return activeTrace()?.traceparent;
}

/** Returns the id of the request to which the running code belongs. */
export function activeRequestId(): string | undefined {
  return context.active().getValue(requestIdKey) as string | undefined;
}

/** Trace and request that caused an event or a piece of work, if there are any. */
export interface Cause {
  /** Trace context of the request in the W3C format. */
  readonly traceparent?: string;
  readonly requestId?: string;
}

/** Returns the trace and the request to which the running code belongs. */
export function activeCause(): Cause {
  const traceparent = activeTraceparent();
  const requestId = activeRequestId();
  return { ...(traceparent === undefined ? {} : { traceparent }), ...(requestId === undefined ? {} : { requestId }) };
}

/** Returns the log fields with the trace, the span and the request to which the running code belongs. */
export function activeLogFields(): { traceId?: string; spanId?: string; requestId?: string } {
  const active = activeSpanContext();
  const requestId = activeRequestId();
  return {
    ...(active === undefined ? {} : { traceId: active.traceId, spanId: active.spanId }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Returns the `traceparent` header of a request if it is a valid trace context of version 00. Otherwise returns
 * undefined, so that a new trace begins.
 */
export function readTraceparent(header: string | undefined): string | undefined {
  return spanContextOf(header) === undefined ? undefined : header;
}

export function spanContextOf(traceparent: string | undefined, tracestate?: string): SpanContext | undefined {
  const match = traceparentPattern.exec(traceparent ?? '');
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags = '00'] = match;
  const found: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(found) ? found : undefined;
}

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
