import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';

const NANOS_PER_MS = 1_000_000;
const AGE_MS_MAX = 7 * 24 * 3_600_000;
/** Maximum size of a stream. The broker reserves it, and refuses a stream for which it does not have enough space. */
export const STREAM_BYTES_MAX = 2 * 1024 ** 3;
const DUPLICATE_WINDOW_MS = 10 * 60_000;

/**
 * Creates the stream of a publishing service if it is missing. Publishers and subscribers both call this function, so
 * that it does not matter which of them starts first. An existing stream keeps its settings, because operators may have
 * increased the number of replicas.
 * @param service name of the publishing service, such as `analysis`
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
  // Old servers silently ignore settings that they do not support.
  if (info.config.duplicate_window !== DUPLICATE_WINDOW_MS * NANOS_PER_MS) {
    throw new Error(`The broker did not accept the settings of stream ${stream}.`);
  }
}

/** Checks whether JetStream reported that a stream or consumer does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && /not found/i.test(error.message);
}
