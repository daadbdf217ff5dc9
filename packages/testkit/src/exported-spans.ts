import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

export interface ExportedSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly linkedTraceIds: readonly string[];
}

/** Collects in memory the trace spans that would be sent to a collector. */
export function exportedSpans() {
  const exporter = new InMemorySpanExporter();
  return {
    /** Span processor that the test passes to the code that starts telemetry. */
    processor: new SimpleSpanProcessor(exporter),
    /** Returns the trace spans that have ended, in the order of their ends. */
    spans: (): ExportedSpan[] =>
      exporter.getFinishedSpans().map((span) => ({
        name: span.name,
        spanId: span.spanContext().spanId,
        parentSpanId: span.parentSpanContext?.spanId,
        attributes: span.attributes,
        linkedTraceIds: span.links.map(({ context }) => context.traceId),
      })),
    clear: () => exporter.reset(),
  };
}
