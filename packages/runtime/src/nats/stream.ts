import { DiscardPolicy, JetStreamApiCodes, JetStreamApiError, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { StreamConfig } from '@nats-io/jetstream';
import type { Logger } from '../logger.js';
import { createAlarm, repeat } from '../repeat.js';
import type { Bus } from './connection.js';

const NANOS_PER_MS = 1_000_000;
const AGE_MS_MAX = 7 * 24 * 3_600_000;
/** Maximum size of a stream. The broker reserves it, and refuses a stream for which it does not have enough space. */
export const STREAM_BYTES_MAX = 2 * 1024 ** 3;
/** The value by which NATS states that a stream has no size limit. */
const UNLIMITED = -1;
/** Interval at which a service compares its event stream with the settings of a new stream. */
const WATCH_EACH_MS = 60_000;
const WATCH_FIRST_MS = 5_000;
const DUPLICATE_WINDOW_MS = 10 * 60_000;

/**
 * Creates the event stream of a publishing service if it is missing. A subscriber never calls this function. It waits
 * for the stream instead, because it would create the stream with the wrong settings, and would need permissions that
 * it should not have (ADR 0142). An existing stream keeps its settings: only the operator changes them ({@link raiseStream}).
 * @param service name of the publishing service, such as `analysis`
 */
export async function ensureStream(
  { manager, streamReplicas }: Pick<Bus, 'manager' | 'streamReplicas'>,
  stream: string,
  service: string,
): Promise<void> {
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
    num_replicas: streamReplicas,
    duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
  });
  // Old NATS servers silently ignore settings of a stream that they do not support, so a setting of the created stream
  // is checked.
  if (info.config.duplicate_window !== DUPLICATE_WINDOW_MS * NANOS_PER_MS) {
    throw new Error(`The message broker did not accept the settings of its stream ${stream}.`);
  }
}

/**
 * Raises the number of servers that store an event stream, and the maximum size of the stream, to the values for new
 * streams. Neither value is lowered, because operators may have chosen more. Only the operator has the right to change
 * a stream.
 */
export async function raiseStream(
  { manager, streamReplicas }: Pick<Bus, 'manager' | 'streamReplicas'>,
  stream: string,
): Promise<void> {
  const { config } = await manager.streams.info(stream);
  if (isRaised(config, streamReplicas)) return;
  await manager.streams.update(stream, {
    num_replicas: Math.max(config.num_replicas, streamReplicas),
    max_bytes: hasBytes(config) ? config.max_bytes : STREAM_BYTES_MAX,
  });
}

/**
 * Logs a warning each minute while an event stream has fewer replicas or less space than a new one would get. Such a
 * stream was created by an earlier release or in a smaller cluster, and the operator has not raised its limits.
 */
export function watchReplicas(bus: Bus, stream: string, logger: Logger): { stop(): Promise<void> } {
  const check = async (): Promise<void> => {
    if (!bus.isConnected()) return;
    const { config } = await bus.manager.streams.info(stream);
    if (isRaised(config, bus.streamReplicas)) return;
    const fields = { stream, replicas: config.num_replicas };
    logger.warn(
      fields,
      'the stream has too few replicas or too little space; run `admin broker-setup` as the operator',
    );
  };
  const alarm = createAlarm();
  const watching = repeat(
    WATCH_EACH_MS,
    check,
    (error) => logger.warn({ error, stream }, 'the replicas of the stream could not be read'),
    alarm,
  );
  bus.whenConnected(() => alarm.ring(WATCH_FIRST_MS));
  return watching;
}

function isRaised(config: StreamConfig, streamReplicas: number): boolean {
  return config.num_replicas >= streamReplicas && hasBytes(config);
}

function hasBytes({ max_bytes: bytes }: StreamConfig): boolean {
  return bytes === UNLIMITED || bytes >= STREAM_BYTES_MAX;
}

/** Checks whether JetStream reported that a stream does not exist. */
export function isStreamMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

/** Checks whether JetStream reported that a stream or consumer does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && /not found/i.test(error.message);
}
