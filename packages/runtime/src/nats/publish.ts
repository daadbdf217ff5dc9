import type { Bus } from './connection.js';
import { ensureStream } from './stream.js';

const PUBLISH_MS_MAX = 3_000;

/** An event ready to be published. */
interface PublishableEvent {
  readonly id: string;
  readonly subject: string;
  /** Proto JSON. */
  readonly payload: string;
}

/** Publishes the events of one service and knows how far the broker has come. */
export interface EventPublisher {
  readonly stream: string;
  /** The highest position the broker acknowledged to this process. */
  readonly acknowledgedSeq: number;
  /** Resolves when the broker stored the event; rejects at once while the broker is unavailable. A repeat under the same id is stored once within ten minutes. */
  publish(event: PublishableEvent): Promise<void>;
  /** Where the stream stands; a missing stream is created again. */
  position(): Promise<{ created: string; lastSeq: number; lastAt: Date | undefined }>;
}

/** @param service the publishing service, `analysis` */
export async function eventPublisher(bus: Bus, service: string): Promise<EventPublisher> {
  const stream = `INVOICECONTROL_${service.toUpperCase().replaceAll('-', '_')}`;
  await ensureStream(bus.manager, stream, service);
  let acknowledgedSeq = 0;
  return {
    stream,
    get acknowledgedSeq() {
      return acknowledgedSeq;
    },
    async publish({ id, subject, payload }) {
      // Waiting would hold up the work that completes together with the event; the relay retries each second.
      if (!bus.isConnected()) throw new Error('The broker is unavailable.');
      const { seq } = await bus.jetstream.publish(subject, payload, { msgID: id, timeout: PUBLISH_MS_MAX });
      if (seq > acknowledgedSeq) acknowledgedSeq = seq;
    },
    async position() {
      await ensureStream(bus.manager, stream, service);
      const { created, state } = await bus.manager.streams.info(stream);
      // A new stream counts from one, so positions of an earlier stream do not apply to it.
      if (state.last_seq < acknowledgedSeq) acknowledgedSeq = 0;
      return { created, lastSeq: state.last_seq, lastAt: state.last_seq === 0 ? undefined : new Date(state.last_ts) };
    },
  };
}
