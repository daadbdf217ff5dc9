import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';

const NANOS_PER_MS = 1_000_000;
const AGE_MS_MAX = 7 * 24 * 3_600_000;
/** The broker reserves this for each stream, and refuses a stream that it has no room for. */
export const STREAM_BYTES_MAX = 2 * 1024 ** 3;
const DUPLICATE_WINDOW_MS = 10 * 60_000;

/**
 * Creates the stream of one publishing service if it is missing; publisher and subscribers both call it, so that it does not
 * matter who starts first. An existing stream keeps its settings: operators may have raised replicas.
 * @param service `analysis`
 */
export async function ensureStream(manager: JetStreamManager, stream: string, service: string): Promise<void> {
  try {
    await manager.streams.info(stream);
    return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const info = await manager.streams.add({
    name: stream,
    subjects: [`invoicecontrol.${service}.v1.>`],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_age: AGE_MS_MAX * NANOS_PER_MS,
    max_bytes: STREAM_BYTES_MAX,
    duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
  });
  // Old servers take settings they do not know and ignore them silently.
  if (info.config.duplicate_window !== DUPLICATE_WINDOW_MS * NANOS_PER_MS) {
    throw new Error(`The broker did not accept the settings of stream ${stream}.`);
  }
}

/** JetStream's "no such stream or consumer". */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && /not found/i.test(error.message);
}
