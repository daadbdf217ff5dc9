import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { AckPolicy, DeliverPolicy, JetStreamApiError } from '@nats-io/jetstream';
import type { ConsumerInfo, JsMsg } from '@nats-io/jetstream';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import type { DeadLetter } from '../dead-letters.js';
import type { Logger } from '../logger.js';
import { createAlarm, repeat } from '../repeat.js';
import { count } from '../telemetry.js';
import type { Bus } from './connection.js';
import { reportConsumer } from './consumer-metrics.js';
import { redeliveryPauseMs } from './redelivery.js';
import { isNotFound, isStreamMissing } from './stream.js';
import { measureDelivery, processAttributes } from './trace-headers.js';
import { isNatsUnavailable } from './unavailable.js';

const NANOS_PER_MS = 1_000_000;
const ACK_WAIT_MS = 30_000;
const ACK_PENDING_MAX = 256;
/** Default of the maximum number of events that are handled concurrently. */
const HANDLERS_MAX = 32;

export interface DeadLetters {
  /** Stores an event that could not be handled as a dead letter. An existing dead letter is not changed. */
  store(letter: DeadLetter): Promise<void>;
  /** Returns the number of events that a consumer could not handle and that are stored as dead letters. */
  count(consumer: string): Promise<number>;
}

/** Position of an event consumer, as sequence numbers of its stream. */
export interface ConsumerPosition {
  /**
   * Time when the broker created the consumer. A consumer that was created later under the same name has its own
   * position.
   */
  readonly created: string;
  /** Sequence number up to which the event consumer has acknowledged all events and stored the resulting changes. */
  readonly acknowledgedSeq: number;
  readonly deliveredSeq: number;
}

/**
 * Stores the positions of event consumers in the same database as the changes that the events caused. After the
 * database was restored to an earlier time, positions and changes therefore still fit together.
 */
export interface ConsumerPositions {
  find(consumer: string): Promise<ConsumerPosition | undefined>;
  store(consumer: string, position: ConsumerPosition): Promise<void>;
}

/** Dependencies that all subscriptions of a service share. */
export interface SubscribeDeps {
  readonly bus: Bus;
  readonly deadLetters: DeadLetters;
  /** Store of the positions of event consumers. Absent for a listener that stores nothing when it handles an event. */
  readonly positions?: ConsumerPositions;
  /** Checks whether an error of a handler means that a database or broker is unavailable. */
  readonly isOutage: (error: unknown) => boolean;
  readonly logger: Logger;
}

export interface Subscriber<T extends EventHeader> {
  /** Name of the service that consumes the events. Its replicas share the events. */
  readonly service: string;
  readonly type: EventType<T>;
  /**
   * Function that handles an event, perhaps more than once. It must be idempotent: derive the ids of the documents that
   * it writes from the event id, or compare source versions.
   */
  readonly handle: (event: T) => Promise<void>;
  /**
   * Maximum number of events that are handled concurrently, at most 256. Increase it if handlers share their database
   * commands.
   */
  readonly handlersMax?: number | undefined;
}

export interface Subscription {
  /** Stops receiving events of the subscription and waits until running event handlers end. */
  stop(): Promise<void>;
}

/**
 * Maximum number of polls for the broker to count the acknowledgements that this process has sent. Events that other
 * processes handle, or that wait for a retry, are not acknowledged either, so the process does not wait until no event
 * is pending.
 */
const LAST_ACK_POLLS_MAX = 10;
const LAST_ACK_POLL_EACH_MS = 20;
/**
 * Maximum number of attempts to start an event subscription. Processes that start at the same time conflict, and random
 * delays let one of them go first.
 */
const START_ATTEMPTS_MAX = 10;
const START_RETRY_MS_MAX = 300;
/**
 * Error code of a broker that could not create a consumer, for example while the files of a deleted consumer with the
 * same name are being removed.
 */
const CONSUMER_NOT_CREATED = 10012;
/** Interval at which the process checks whether the broker has lost the consumer or its stream. */
const CHECK_EACH_MS = 5_000;
/** Interval between checks of an event consumer while its stream is missing. */
const STREAM_AGAIN_MS = 1_000;

/**
 * Subscribes to an event durably, with delivery at least once. An event is acknowledged only after its effect is
 * stored. A failed handler is retried with increasing delays; after eight deliveries the event becomes a dead letter
 * and is logged. While a database or another service is unavailable, the event is retried without limit. If the broker
 * loses the consumer, alone or with its stream, the consumer is created again and receives everything that the stream
 * holds. The publisher creates the stream, and the subscription waits until the stream exists. After the database was
 * restored from a backup, the consumer receives all events since that backup again. If the broker is unavailable at the
 * start, the promise resolves all the same, and the subscription begins when the broker becomes available.
 */
export async function subscribe<T extends EventHeader>(
  { bus, deadLetters, positions, isOutage, logger }: SubscribeDeps,
  { service, type, handle, handlersMax = HANDLERS_MAX }: Subscriber<T>,
): Promise<Subscription> {
  const durable = `${service}__${type.name}`;
  // The name of the event stream is a part of the id, because the streams of two services may have an event with the
  // same name.
  const positionId = `${type.stream}:${durable}`;
  const running = new Set<Promise<void>>();
  const attributes = { ...processAttributes(type.subject), 'messaging.consumer.group.name': durable };
  const failedAttributes = { ...attributes, 'error.type': 'handler' };
  const spanAttributes = { 'messaging.operation.type': 'process' };

  const attempt = async (message: JsMsg, isCurrent: () => boolean): Promise<{ isHandled: boolean }> => {
    try {
      await handle(type.codec.fromJSON(message.json()));
      // An event is acknowledged only in the stream that delivered it. A stream that was created again numbers its
      // events from the beginning, so the acknowledgement would name another event there.
      if (isCurrent()) message.ack();
      return { isHandled: true };
    } catch (error) {
      const deliveries = message.info.deliveryCount;
      logger.warn({ error, consumer: durable, deliveries }, 'an event could not be handled');
      const pauseMs = redeliveryPauseMs(error, deliveries, isOutage);
      count('invoicecontrol.consumer.failures', {
        consumer: durable,
        outcome: pauseMs === undefined ? 'dead_letter' : 'retry',
      });
      if (pauseMs !== undefined) {
        // The delay before the next delivery of an event is rounded, because NATS does not accept fractions of a
        // millisecond and would deliver the event again immediately.
        if (isCurrent()) message.nak(Math.round(pauseMs * (0.8 + Math.random() * 0.4)));
        return { isHandled: false };
      }
      await deadLetters.store(deadLetterOf(durable, message, error));
      if (isCurrent()) message.term();
      logger.error({ error, consumer: durable, subject: message.subject }, 'an event became a dead letter');
      return { isHandled: false };
    }
  };
  const take = async (message: JsMsg, isCurrent: () => boolean): Promise<void> => {
    const measured = measureDelivery(message.headers, type.subject);
    let failed = true;
    try {
      failed = !(await measured.during(() => attempt(message, isCurrent))).isHandled;
    } finally {
      measured.end({ failed, attributes: failed ? failedAttributes : attributes, spanAttributes });
    }
  };
  const listen = async ({ created }: ConsumerInfo): Promise<Listening> => {
    const consumer = await bus.jetstream.consumers.get(type.stream, durable);
    const messages = await consumer.consume({ max_messages: handlersMax });
    let isListening = true;
    let onHandled = (): void => {};
    const loop = (async () => {
      for await (const message of messages) {
        const handling = take(message, () => isListening)
          .catch((error: unknown) => logger.error({ error, consumer: durable }, 'an event stays for redelivery'))
          .finally(() => {
            running.delete(handling);
            onHandled();
          });
        running.add(handling);
        if (running.size >= handlersMax) await new Promise<void>((resolve) => (onHandled = resolve));
      }
    })();
    loop
      .catch((error: unknown) => logger.error({ error, consumer: durable }, 'a consumer stopped'))
      .finally(() => (isListening = false));
    return {
      created,
      isListening: () => isListening,
      async abandon() {
        isListening = false;
        await messages.close();
      },
      close: () => messages.close(),
    };
  };

  /** Position of the event consumer that was stored when this process started. */
  let known: Handled | undefined;
  const rewindAfterRestore = async (found: ConsumerInfo): Promise<ConsumerInfo> => {
    // If another process already listens to the events, it has compared the positions of the consumer. They are not
    // compared again, because the stored position may be one check interval old.
    if (positions === undefined || found.num_waiting > 0) return found;
    const broker = positionOf(found);
    const stored = await positions.find(positionId);
    known = stored?.created === broker.created ? stored : (known ?? NOTHING_HANDLED);
    if (broker.acknowledgedSeq <= known.acknowledgedSeq && broker.deliveredSeq <= known.deliveredSeq) return found;
    const fields = { stream: type.stream, consumer: durable, known, broker };
    logger.warn(fields, 'the database is behind the broker, after a crash or a restore; events are handled again');
    count('invoicecontrol.consumer.rewound', { consumer: durable });
    await bus.manager.consumers.delete(type.stream, durable);
    return addNewConsumer(known);
  };
  /**
   * Creates an event consumer that begins after the last acknowledged event.
   * @throws NotNew if the created consumer reports later events as delivered already
   */
  const addNewConsumer = async ({ acknowledgedSeq }: Handled): Promise<ConsumerInfo> => {
    const added = await addConsumer(bus, type, durable, acknowledgedSeq + 1);
    if (positions === undefined || positionOf(added).deliveredSeq <= acknowledgedSeq) return added;
    // If the stored position belongs to the event consumer that now exists, another process created the consumer,
    // stored its position and listens to it.
    if ((await positions.find(positionId))?.created === added.created) return added;
    throw new NotNew(durable);
  };
  let recorded: ConsumerPosition | undefined;
  const recordPosition = async (found: ConsumerInfo | undefined): Promise<void> => {
    if (positions === undefined || found === undefined) return;
    const position = positionOf(found);
    if (isDeepStrictEqual(position, recorded)) return;
    await positions.store(positionId, position);
    recorded = position;
  };

  const start = async (): Promise<Listening> => {
    const found = await findConsumer(bus, type, durable);
    const consumer =
      found === undefined ? await addNewConsumer(known ?? NOTHING_HANDLED) : await rewindAfterRestore(found);
    // The position of the event consumer is stored immediately, so that another process that starts now recognizes the
    // new consumer.
    await recordPosition(consumer);
    return listen(consumer);
  };
  const startBesideOthers = async (): Promise<Listening> => {
    for (let attempts = 1; ; attempts++) {
      try {
        return await start();
      } catch (error) {
        if (isStreamMissing(error) || !isOfStartingTogether(error) || attempts === START_ATTEMPTS_MAX) throw error;
      }
      await delay(Math.random() * START_RETRY_MS_MAX);
    }
  };

  let listening: Listening | undefined;
  let isStreamMissed = false;
  const alarm = createAlarm();
  const waitForStream = (): void => {
    if (!isStreamMissed)
      logger.warn(
        { stream: type.stream, consumer: durable, publisher: type.service },
        'the stream does not exist; the consumer starts when its publisher has created it',
      );
    isStreamMissed = true;
    alarm.ring(STREAM_AGAIN_MS);
  };
  try {
    listening = await startBesideOthers();
  } catch (error) {
    if (isStreamMissing(error)) waitForStream();
    else if (!isNatsUnavailable(error)) throw error;
    else
      logger.warn({ error, consumer: durable }, 'the broker is unavailable; the consumer starts when it is available');
  }
  const checkUnlessMissing = async (): Promise<void> => {
    try {
      await check();
      isStreamMissed = false;
    } catch (error) {
      if (!isStreamMissing(error)) throw error;
      waitForStream();
    }
  };
  const check = async (): Promise<void> => {
    if (!bus.isConnected()) return;
    if (listening === undefined) {
      listening = await startBesideOthers();
      logger.info({ consumer: durable }, 'the consumer started');
      return;
    }
    const found = await findConsumer(bus, type, durable);
    if (found?.created === listening.created && listening.isListening()) {
      await recordPosition(found);
      return;
    }
    await listening.abandon();
    const consumer = found ?? (await addConsumer(bus, type, durable));
    if (found === undefined) count('invoicecontrol.consumer.recreated', { consumer: durable });
    const fields = { stream: type.stream, consumer: durable, isRecreated: found === undefined };
    logger.warn(fields, 'the broker lost a consumer, or it stopped; it listens again');
    listening = await listen(consumer);
  };
  /** The broker does not include an acknowledgement in its counts until shortly after it has received it. */
  const consumerAfterLastAck = async (): Promise<ConsumerInfo | undefined> => {
    for (let attempts = 1; ; attempts++) {
      const found = await findConsumer(bus, type, durable);
      if (found === undefined || found.num_ack_pending === 0 || attempts === LAST_ACK_POLLS_MAX) return found;
      await delay(LAST_ACK_POLL_EACH_MS);
    }
  };
  const checks = repeat(
    CHECK_EACH_MS,
    checkUnlessMissing,
    (error) => logger.warn({ error, consumer: durable }, 'a consumer could not be checked'),
    alarm,
  );
  if (listening === undefined) bus.whenConnected(() => alarm.ring(0));
  const closeReport = reportConsumer(
    { bus, type, consumer: durable },
    () => listening?.isListening() ?? false,
    () => deadLetters.count(durable),
  );
  return {
    async stop() {
      closeReport();
      await checks.stop();
      await listening?.close();
      await Promise.all(running);
      if (!bus.isConnected()) return;
      try {
        await recordPosition(await consumerAfterLastAck());
      } catch (error) {
        logger.warn({ error, consumer: durable }, 'the position of a consumer could not be stored');
      }
    },
  };
}

/** A consumer of the broker from which this process receives events. */
interface Listening {
  /** Creation time of the event consumer, which distinguishes consumers with the same name. */
  readonly created: string;
  isListening(): boolean;
  /** Stops receiving events of the consumer, and acknowledges no event that is being handled. */
  abandon(): Promise<unknown>;
  /** Ends the event subscription, so that no further events are received. */
  close(): Promise<unknown>;
}

/** The sequence numbers of the position of an event consumer. */
type Handled = Pick<ConsumerPosition, 'acknowledgedSeq' | 'deliveredSeq'>;

const NOTHING_HANDLED: Handled = { acknowledgedSeq: 0, deliveredSeq: 0 };

/**
 * Error that is thrown if a new event consumer seems to have delivered events already. While one process deletes a
 * consumer and another creates it, the broker may give the new consumer the stored position of the deleted one
 * (nats-server before its pull request 8491).
 */
class NotNew extends Error {
  constructor(durable: string) {
    super(`the broker gave the new consumer ${durable} the position of the deleted one`);
    this.name = 'NotNew';
  }
}

/**
 * Checks whether an error arose because another process that starts at the same time has deleted the event consumer to
 * create it again.
 */
function isOfStartingTogether(error: unknown): boolean {
  const isNotCreated = error instanceof JetStreamApiError && error.code === CONSUMER_NOT_CREATED;
  return error instanceof NotNew || isNotCreated || isNotFound(error);
}

function positionOf({ created, ack_floor, delivered, config }: ConsumerInfo): ConsumerPosition {
  // For a new event consumer, the broker reports the position zero, even if the consumer begins in the middle of the
  // stream.
  const passedSeq = (config.opt_start_seq ?? 1) - 1;
  return {
    created,
    acknowledgedSeq: Math.max(ack_floor.stream_seq, passedSeq),
    deliveredSeq: Math.max(delivered.stream_seq, passedSeq),
  };
}

type Consumed = Pick<EventType, 'stream' | 'subject'>;

/** Creates a durable consumer from the first event of its stream, unless it exists. */
export async function ensureConsumer(bus: Bus, type: Consumed, durable: string): Promise<void> {
  if ((await findConsumer(bus, type, durable)) === undefined) await addConsumer(bus, type, durable);
}

/** Returns the event consumer, if it exists. A lost stream has lost its consumers, so one check covers both. */
async function findConsumer(bus: Bus, { stream }: Consumed, durable: string): Promise<ConsumerInfo | undefined> {
  try {
    return await bus.manager.consumers.info(stream, durable);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

/**
 * Creates a durable consumer in the broker.
 * @param fromSeq first sequence number that the consumer receives; by default the first of the stream
 * @throws JetStreamApiError if the stream does not exist
 */
async function addConsumer(
  bus: Bus,
  { stream, subject }: Consumed,
  durable: string,
  fromSeq = 1,
): Promise<ConsumerInfo> {
  try {
    return await bus.manager.consumers.add(stream, {
      durable_name: durable,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      ...(fromSeq === 1
        ? { deliver_policy: DeliverPolicy.All }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: fromSeq }),
      ack_wait: ACK_WAIT_MS * NANOS_PER_MS,
      max_ack_pending: ACK_PENDING_MAX,
      max_deliver: -1,
    });
  } catch (error) {
    // The event consumer already exists. Another process created it in the meantime, perhaps with another start
    // position.
    const existing = await findConsumer(bus, { stream, subject }, durable);
    if (existing === undefined) throw error;
    return existing;
  }
}

function deadLetterOf(durable: string, message: JsMsg, error: unknown): DeadLetter {
  return {
    id: `${durable}:${message.headers?.get('Nats-Msg-Id') ?? `${message.info.stream}:${message.seq}`}`,
    subject: message.subject,
    payload: message.string(),
    error: error instanceof Error ? error.message : String(error),
    at: new Date(),
  };
}
