import { randomBytes } from 'node:crypto';
import { context, createContextKey, isSpanContextValid, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Span, SpanContext } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

/**
 * Key of the request id in the context of the current work. Node.js passes the context through promises and timers, so
 * that log lines, spans and events can find it (ADR 0031).
 */
const requestIdKey = createContextKey('request id');

let isKept = false;

/** Activates the context of the current work if no SDK does so. Before this call there is no context. */
export function keepContext(): void {
  if (isKept) return;
  isKept = true;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/**
 * Creates the trace context of a span.
 * @param span may be a span that is not recorded
 */
export function contextOfSpan(span: Span, requestId: string | undefined): Context {
  return trace.setSpan(ROOT_CONTEXT.setValue(requestIdKey, requestId), span);
}

/** Runs work that continues after the request that starts it, and belongs to no request. */
export function outsideRequests<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

/** Returns a function that always runs in the current request and trace, whatever calls it later. */
export function bindToCurrentWork(work: () => void): () => void {
  return context.bind(context.active(), work);
}

/** Returns the trace context of the current work, or undefined if there is none. */
export function activeTraceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  return active === undefined ? undefined : formatTraceparent(active);
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

/** Returns the trace fields of a log line, with the names that OpenTelemetry uses in JSON lines. */
export function activeLogFields(): { trace_id?: string; span_id?: string; requestId?: string } {
  const active = trace.getSpanContext(context.active());
  const requestId = activeRequestId();
  return {
    ...(active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns the header if it is a valid trace context of version 00. Otherwise a new trace begins. */
export function readTraceparent(header: string | undefined): string | undefined {
  return spanContextOf(header) === undefined ? undefined : header;
}

export function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const match = traceparentPattern.exec(traceparent ?? '');
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags = '00'] = match;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}

/** Number of bytes in a trace id and a span id. */
const IDS_BYTES = 24;
/** Number of ids for which random bytes are requested at once, because each request has a high fixed cost. */
const IDS_AT_ONCE = 128;
let randoms: Buffer = Buffer.alloc(0);
let usedBytes = 0;

/**
 * Creates a trace id for work that is not recorded, so that its log lines, and those of the services that it calls,
 * share the id.
 */
export function unrecordedSpanContext(): SpanContext {
  if (usedBytes === randoms.length) {
    randoms = randomBytes(IDS_BYTES * IDS_AT_ONCE);
    usedBytes = 0;
  }
  const ids = randoms.toString('hex', usedBytes, usedBytes + IDS_BYTES);
  usedBytes += IDS_BYTES;
  return { traceId: ids.slice(0, 32), spanId: ids.slice(32), traceFlags: TraceFlags.NONE };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
