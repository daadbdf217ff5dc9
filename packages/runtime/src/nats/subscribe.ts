import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { AckPolicy, DeliverPolicy, JetStreamApiError } from '@nats-io/jetstream';
import type { ConsumerInfo, JsMsg } from '@nats-io/jetstream';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import type { DeadLetter } from '../dead-letters.js';
import type { Logger } from '../logger.js';
import { repeat } from '../repeat.js';
import { count } from '../telemetry.js';
import type { Bus } from './connection.js';
import { reportConsumer } from './consumer-metrics.js';
import { redeliveryPauseMs } from './redelivery.js';
import { ensureStream, isNotFound } from './stream.js';
import { measureDelivery, messagingAttributes } from './trace-headers.js';

const NANOS_PER_MS = 1_000_000;
const ACK_WAIT_MS = 30_000;
const ACK_PENDING_MAX = 256;
/** Events that are handled concurrently, unless the subscriber sets another number. */
const HANDLERS_MAX = 32;

export interface DeadLetters {
  /** Stores a dead letter; one that is stored already stays as it is. */
  store(letter: DeadLetter): Promise<void>;
  /** Returns the number of dead letters of a consumer. */
  count(consumer: string): Promise<number>;
}

/** The position of a consumer, as sequence numbers of its stream. */
export interface ConsumerPosition {
  /** Time when the broker created the consumer; another one under its name has another position. */
  readonly created: string;
  /** Everything up to here is acknowledged, so its effects are stored. */
  readonly acknowledgedSeq: number;
  readonly deliveredSeq: number;
}

/** The positions in the database of the effects: when it is restored to an earlier time, both are of the same time. */
export interface ConsumerPositions {
  find(consumer: string): Promise<ConsumerPosition | undefined>;
  store(consumer: string, position: ConsumerPosition): Promise<void>;
}

/** The members that all subscriptions of a service share. */
export interface SubscribeDeps {
  readonly bus: Bus;
  readonly deadLetters: DeadLetters;
  /** Left out by a listener that stores no effects. */
  readonly positions?: ConsumerPositions;
  /** Tells whether an error of a handler means that a store is unavailable. */
  readonly isOutage: (error: unknown) => boolean;
  readonly logger: Logger;
}

export interface Subscriber<T extends EventHeader> {
  /** The consuming service; its replicas share the work. */
  readonly service: string;
  readonly type: EventType<T>;
  /** Must be idempotent: effects have ids derived from the event id, or compare source versions. */
  readonly handle: (event: T) => Promise<void>;
  /** Events that are handled concurrently: more if handlers share their commands, 256 at most. */
  readonly handlersMax?: number | undefined;
}

export interface Subscription {
  /** Takes no more and lets running handlers end. */
  stop(): Promise<void>;
}

/** Events that other processes handle, or that wait for a retry, are pending too and not waited for. */
const LAST_ACK_POLLS_MAX = 10;
const LAST_ACK_POLL_EACH_MS = 20;
/** Processes that start at the same time conflict; after different pauses one comes first. */
const START_ATTEMPTS_MAX = 10;
const START_RETRY_MS_MAX = 300;
/** The broker could not create a consumer, as while the files of a deleted one under its name are being removed. */
const CONSUMER_NOT_CREATED = 10012;
/** A consumer or stream that the broker lost is missed no longer than this. */
const CHECK_EACH_MS = 5_000;

/**
 * Consumes an event durably, at least once; acknowledges only after the effect is done. A failed handler is retried with
 * growing pauses; after eight deliveries the event becomes a dead letter and is named in the log. While a store or
 * another service is unavailable it is retried for ever. A consumer that the broker lost, alone or with its stream, is
 * created again and hears everything that the stream holds. One whose database is behind the broker, because it was
 * restored from a backup, hears again what was handled since.
 */
export async function subscribe<T extends EventHeader>(
  { bus, deadLetters, positions, isOutage, logger }: SubscribeDeps,
  { service, type, handle, handlersMax = HANDLERS_MAX }: Subscriber<T>,
): Promise<Subscription> {
  const durable = `${service}__${type.name}`;
  // Streams of two services may have an event of one name.
  const positionId = `${type.stream}:${durable}`;
  const running = new Set<Promise<void>>();

  const attempt = async (message: JsMsg, isCurrent: () => boolean): Promise<{ isHandled: boolean }> => {
    try {
      await handle(type.codec.fromJSON(message.json()));
      // Positions start again in a new stream: an acknowledgement of the old one would name another event.
      if (isCurrent()) message.ack();
      return { isHandled: true };
    } catch (error) {
      const deliveries = message.info.deliveryCount;
      logger.warn({ error, consumer: durable, deliveries }, 'an event could not be handled');
      const pauseMs = redeliveryPauseMs(error, deliveries, isOutage);
      count('consumer.failures', { consumer: durable, outcome: pauseMs === undefined ? 'dead_letter' : 'retry' });
      if (pauseMs !== undefined) {
        // The broker does not understand a fraction, and then delivers again immediately.
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
    const attributes = { ...messagingAttributes('process', type.subject), 'messaging.consumer.group.name': durable };
    let failed = true;
    try {
      failed = !(await measured.during(() => attempt(message, isCurrent))).isHandled;
    } finally {
      measured.end({ failed, attributes });
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

  /** The position in the database of the consumer that this process found first. */
  let known: Handled | undefined;
  const rewindAfterRestore = async (found: ConsumerInfo): Promise<ConsumerInfo> => {
    // A process that already listens has compared, and its position is up to one check old.
    if (positions === undefined || found.num_waiting > 0) return found;
    const broker = positionOf(found);
    const stored = await positions.find(positionId);
    known = stored?.created === broker.created ? stored : (known ?? NOTHING_HANDLED);
    if (broker.acknowledgedSeq <= known.acknowledgedSeq && broker.deliveredSeq <= known.deliveredSeq) return found;
    const fields = { stream: type.stream, consumer: durable, known, broker };
    logger.warn(fields, 'the database is behind the broker, after a crash or a restore; events are handled again');
    count('consumer.rewound', { stream: type.stream, consumer: durable });
    await bus.manager.consumers.delete(type.stream, durable);
    return addNewConsumer(known);
  };
  /** @throws NotNew for one that begins behind events that are not handled */
  const addNewConsumer = async ({ acknowledgedSeq }: Handled): Promise<ConsumerInfo> => {
    const added = await addConsumer(bus, type, durable, acknowledgedSeq + 1);
    if (positions === undefined || positionOf(added).deliveredSeq <= acknowledgedSeq) return added;
    // Another process created it, recorded that, and listens to it.
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
    // Stored immediately, so that no other process that starts now takes a new consumer for one that the database does not know.
    await recordPosition(consumer);
    return listen(consumer);
  };
  const startBesideOthers = async (): Promise<Listening> => {
    for (let attempts = 1; ; attempts++) {
      try {
        return await start();
      } catch (error) {
        if (!isOfStartingTogether(error) || attempts === START_ATTEMPTS_MAX) throw error;
      }
      await delay(Math.random() * START_RETRY_MS_MAX);
    }
  };

  let listening = await startBesideOthers();
  const check = async (): Promise<void> => {
    if (!bus.isConnected()) return;
    const found = await findConsumer(bus, type, durable);
    if (found?.created === listening.created && listening.isListening()) {
      await recordPosition(found);
      return;
    }
    await listening.abandon();
    const consumer = found ?? (await addConsumer(bus, type, durable));
    if (found === undefined) count('consumer.recreated', { stream: type.stream, consumer: durable });
    const fields = { stream: type.stream, consumer: durable, isRecreated: found === undefined };
    logger.warn(fields, 'the broker lost a consumer, or it stopped; it listens again');
    listening = await listen(consumer);
  };
  /** The broker counts an acknowledgement a moment after it has received it. */
  const consumerAfterLastAck = async (): Promise<ConsumerInfo | undefined> => {
    for (let attempts = 1; ; attempts++) {
      const found = await findConsumer(bus, type, durable);
      if (found === undefined || found.num_ack_pending === 0 || attempts === LAST_ACK_POLLS_MAX) return found;
      await delay(LAST_ACK_POLL_EACH_MS);
    }
  };
  const checks = repeat(CHECK_EACH_MS, check, (error) =>
    logger.warn({ error, consumer: durable }, 'a consumer could not be checked'),
  );
  const closeReport = reportConsumer(
    { bus, type, consumer: durable },
    () => listening.isListening(),
    () => deadLetters.count(durable),
  );
  return {
    async stop() {
      closeReport();
      await checks.stop();
      await listening.close();
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

/** One consumer of the broker that this process takes events from. */
interface Listening {
  /** Another consumer under the same name was created at another time. */
  readonly created: string;
  isListening(): boolean;
  /** Takes no more, and acknowledges nothing of what is being handled. */
  abandon(): Promise<unknown>;
  /** Takes no more. */
  close(): Promise<unknown>;
}

/** Reads the position of a consumer. */
type Handled = Pick<ConsumerPosition, 'acknowledgedSeq' | 'deliveredSeq'>;

const NOTHING_HANDLED: Handled = { acknowledgedSeq: 0, deliveredSeq: 0 };

/**
 * A consumer that was just created and has delivered events: while one process deletes a consumer and another creates it, the
 * broker may give the new one the stored position of the deleted one (nats-server before its pull request 8491).
 */
class NotNew extends Error {
  constructor(durable: string) {
    super(`the broker gave the new consumer ${durable} the position of the deleted one`);
    this.name = 'NotNew';
  }
}

/** Another process that starts now has deleted the consumer to create it again. */
function isOfStartingTogether(error: unknown): boolean {
  const isNotCreated = error instanceof JetStreamApiError && error.code === CONSUMER_NOT_CREATED;
  return error instanceof NotNew || isNotCreated || isNotFound(error);
}

function positionOf({ created, ack_floor, delivered, config }: ConsumerInfo): ConsumerPosition {
  // The broker says zero of a new consumer, also of one that begins in the middle of the stream.
  const passedSeq = (config.opt_start_seq ?? 1) - 1;
  return {
    created,
    acknowledgedSeq: Math.max(ack_floor.stream_seq, passedSeq),
    deliveredSeq: Math.max(delivered.stream_seq, passedSeq),
  };
}

type Consumed = Pick<EventType, 'stream' | 'subject' | 'service'>;

/** A lost stream has lost its consumers, so one check covers both. */
async function findConsumer(bus: Bus, { stream }: Consumed, durable: string): Promise<ConsumerInfo | undefined> {
  try {
    return await bus.manager.consumers.info(stream, durable);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

/** @param fromSeq the first message of the stream that it hears; the first of all unless it says otherwise */
async function addConsumer(
  bus: Bus,
  { stream, subject, service }: Consumed,
  durable: string,
  fromSeq = 1,
): Promise<ConsumerInfo> {
  await ensureStream(bus.manager, stream, service);
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
    // Another process has created it in the meantime, perhaps from another message.
    const existing = await findConsumer(bus, { stream, subject, service }, durable);
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
