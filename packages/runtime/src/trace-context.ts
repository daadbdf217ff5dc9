import { randomBytes } from 'node:crypto';
import { context, createContextKey, isSpanContextValid, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Span, SpanContext } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

/**
 * The context of the current work: its span and the request that it is done for. Node hands it on through
 * promises and timers, so that log lines, spans and events find it (ADR 0031).
 */
const requestIdKey = createContextKey('request id');

let isKept = false;

/** Keeps the context of the current work while there is no SDK to do it. Before that there is no context at all. */
export function keepContext(): void {
  if (isKept) return;
  isKept = true;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/** @param span need not record */
export function contextOfSpan(span: Span, requestId: string | undefined): Context {
  return trace.setSpan(ROOT_CONTEXT.setValue(requestIdKey, requestId), span);
}

/** Does work that outlives the request in which it is begun, and belongs to none. */
export function outsideRequests<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

/** The trace context of the work that is under way; undefined outside of any. */
export function activeTraceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  return active === undefined ? undefined : formatTraceparent(active);
}

/** The request that the work under way is done for. */
export function activeRequestId(): string | undefined {
  return context.active().getValue(requestIdKey) as string | undefined;
}

/** The trace and the request that something is a part of, where there are any. */
export interface Cause {
  /** W3C trace context. */
  readonly traceparent?: string;
  readonly requestId?: string;
}

/** Returns the trace and the request that the current work is a part of. */
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

/** The header as it came, if it is a valid version 00 trace context; otherwise a new trace begins. */
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

/** Names work while nothing is recorded: its log lines, and those of the services it calls, still have one trace id. */
export function unrecordedSpanContext(): SpanContext {
  const ids = randomBytes(24).toString('hex');
  return { traceId: ids.slice(0, 32), spanId: ids.slice(32), traceFlags: TraceFlags.NONE };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
