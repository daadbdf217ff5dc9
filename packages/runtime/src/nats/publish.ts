import { headers } from '@nats-io/transport-node';
import { traced } from '../telemetry.js';
import type { Cause } from '../trace-context.js';
import type { Bus } from './connection.js';
import { publishAttributes, REQUEST_ID_HEADER, TRACEPARENT_HEADER, TRACESTATE_HEADER } from './trace-headers.js';
import { ensureStream } from './stream.js';
import { isNatsUnavailable } from './unavailable.js';

const PUBLISH_MS_MAX = 3_000;

/** An event that is ready to be published to the broker. */
interface PublishableEvent {
  readonly id: string;
  readonly subject: string;
  /** Payload of the published event as proto JSON. */
  readonly payload: string;
  readonly cause?: Cause;
}

/** Publishes the events of one service and reads the last position of its event stream. */
export interface EventPublisher {
  readonly service: string;
  readonly stream: string;
  /** Highest stream position of an event that the broker acknowledged to this process. */
  readonly acknowledgedSeq: number;
  /** Reason why the last event of a service could not be published, or undefined if it was published. */
  readonly lastError: string | undefined;
  /**
   * Resolves when the broker has stored the event. Rejects immediately while the broker is unavailable. An event that
   * is published again with the same id within ten minutes is stored once.
   */
  publish(event: PublishableEvent): Promise<void>;
  /** Returns the position of the last event in the stream of the service. A missing stream is created. */
  position(): Promise<{ created: string; lastSeq: number; lastAt: Date | undefined }>;
}

/**
 * Creates the publisher for the events of a service.
 * @param service name of the publishing service, such as `analysis`
 */
export async function eventPublisher(bus: Bus, service: string): Promise<EventPublisher> {
  const stream = `INVOICECONTROL_${service.toUpperCase().replaceAll('-', '_')}`;
  try {
    await ensureStream(bus, stream, service);
  } catch (error) {
    // If the broker is unavailable now, the function `position` creates the stream later, because it is called before
    // the first publication of a service.
    if (!isNatsUnavailable(error)) throw error;
  }
  let acknowledgedSeq = 0;
  let lastError: string | undefined;
  return {
    service,
    stream,
    get acknowledgedSeq() {
      return acknowledgedSeq;
    },
    get lastError() {
      return lastError;
    },
    async publish({ id, subject, payload, cause: { traceparent, requestId } = {} }) {
      // A publication fails at once while the broker is unavailable, because waiting would delay the work that
      // completes together with the event. The outbox relay retries every second.
      if (!bus.isConnected()) throw new Error('The message broker is unavailable.');
      const options = {
        parent: { traceparent },
        requestId,
        duration: 'messaging.client.operation.duration',
        attributes: publishAttributes(subject),
        spanAttributes: { 'messaging.operation.type': 'send', 'messaging.message.id': id },
      } as const;
      const failed = (error: unknown): never => {
        lastError = error instanceof Error ? error.message : String(error);
        throw error;
      };
      await traced('producer', `publish ${subject}`, options, async (trace) => {
        const carried = headers();
        if (trace.traceparent !== undefined) carried.set(TRACEPARENT_HEADER, trace.traceparent);
        if (trace.tracestate !== undefined) carried.set(TRACESTATE_HEADER, trace.tracestate);
        if (requestId !== undefined) carried.set(REQUEST_ID_HEADER, requestId);
        const publishing = { msgID: id, headers: carried, timeout: PUBLISH_MS_MAX };
        const { seq } = await bus.jetstream.publish(subject, payload, publishing);
        if (seq > acknowledgedSeq) acknowledgedSeq = seq;
        lastError = undefined;
      }).catch(failed);
    },
    async position() {
      await ensureStream(bus, stream, service);
      const { created, state } = await bus.manager.streams.info(stream);
      // Positions in a new event stream start from one, so a position that was acknowledged in an earlier stream does
      // not apply.
      if (state.last_seq < acknowledgedSeq) acknowledgedSeq = 0;
      return { created, lastSeq: state.last_seq, lastAt: state.last_seq === 0 ? undefined : new Date(state.last_ts) };
    },
  };
}
