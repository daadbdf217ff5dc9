import type { Collection, Db } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { EventPublisher } from '../nats/publish.js';
import { isNatsUnavailable } from '../nats/unavailable.js';
import { createAlarm, repeat } from '../repeat.js';
import type { Announcing } from './event-envelope.js';

const CHECK_EACH_MS = 10_000;
/**
 * Interval at which the stored position is read although the stream has not changed: another replica may have stored
 * the position of events that the broker has lost since.
 */
const READ_EACH_MS = 60_000;
/**
 * Interval at which the outbox is compared with the event stream until the first comparison succeeds. The interval is
 * short, because no event is published before that.
 */
const COMPARE_AGAIN_MS = 1_000;
/**
 * Number of milliseconds before the last event in the stream from which events are published again, because the clocks
 * of the broker and the database may differ.
 */
const OVERLAP_MS = 5 * 60_000;
/**
 * Maximum age of events that are published again to a new event stream. A stream keeps its events for the same time.
 */
const STREAM_AGE_MS = 7 * 24 * 3_600_000;
const BATCH_DOCUMENTS = 256;

/** Position of the event stream when an outbox was last emptied, in its stored form. */
interface RelayDocument {
  readonly _id: string;
  readonly created: string;
  readonly lastSeq: number;
  /**
   * The events of the outbox since this time are being published again. A process that restarts in the meantime
   * publishes them from the beginning. Absent if no events are being published again.
   */
  readonly refillSince?: Date;
}

interface RewindOptions {
  readonly db: Db;
  readonly collectionNames: readonly string[];
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Detects that the broker lost acknowledged events (after a power failure, or a restored or deleted volume), and
 * publishes the recent events again with the same ids (webhooks-and-events section 2, rule 5). The broker only
 * transports events; the database is the record. The promise resolves after the first comparison with the event stream,
 * or when the broker has turned out to be unavailable. It does not wait until the events are published again, so that
 * the service can start.
 */
export async function watchForRewind(
  options: RewindOptions,
): Promise<{ isCompared(): boolean; recordPosition(): Promise<void>; stop(): Promise<void> }> {
  const { db, publisher, logger } = options;
  const { stream } = publisher;
  const relays = db.collection<RelayDocument>('relay');
  const stopping = new AbortController();

  const recordPosition = async (): Promise<void> => {
    const { acknowledgedSeq } = publisher;
    if (acknowledgedSeq > 0) await relays.updateOne({ _id: stream }, { $max: { lastSeq: acknowledgedSeq } });
  };
  /** State of the event stream at the last comparison with the stored position. */
  let compared: { readonly created: string; readonly lastSeq: number; readonly atMs: number } | undefined;
  const isUnchanged = async (): Promise<boolean> => {
    if (compared === undefined || performance.now() > compared.atMs + READ_EACH_MS) return false;
    const { created, lastSeq } = await publisher.position();
    // An event stream that lost exactly the events that were published since the last comparison looks unchanged, so
    // the last acknowledged event is compared with the stream as well.
    return created === compared.created && lastSeq === compared.lastSeq && publisher.acknowledgedSeq <= lastSeq;
  };
  /**
   * A loss of events is recorded before new events are published, because the time of the last event in the stream is
   * the time when the loss began.
   */
  const noteLoss = async (): Promise<Date | undefined> => {
    // The stored position of the event stream is read before the stream. In the other order, events that are published
    // between the two reads would seem lost.
    const known = await relays.findOne({ _id: stream });
    const { created, lastSeq, lastAt } = await publisher.position();
    compared = { created, lastSeq, atMs: performance.now() };
    if (known === null) {
      await relays.updateOne({ _id: stream }, { $setOnInsert: { created, lastSeq: 0 } }, { upsert: true });
      return undefined;
    }
    const isNewStream = known.created !== created;
    if (!isNewStream && known.refillSince !== undefined) {
      compared = undefined;
      return known.refillSince;
    }
    if (!isNewStream && lastSeq >= known.lastSeq) return undefined;
    const refillSince = new Date(
      isNewStream || lastAt === undefined
        ? options.clock.now().getTime() - STREAM_AGE_MS
        : lastAt.getTime() - OVERLAP_MS,
    );
    logger.warn({ stream, isNewStream, known, lastSeq }, 'the broker lost events; publishing them again');
    await relays.updateOne({ _id: stream }, { $set: { created, lastSeq, refillSince } });
    // If publishing the events again fails, the next comparison with the event stream must read the stored position
    // again.
    compared = undefined;
    return refillSince;
  };
  const refill = async (since: Date): Promise<void> => {
    const count = await republish(options, since, stopping.signal);
    if (stopping.signal.aborted) return;
    await recordPosition();
    await relays.updateOne({ _id: stream, refillSince: since }, { $unset: { refillSince: '' } });
    logger.info({ stream, count }, 'lost events were published again');
  };
  let isCompared = false;
  const failed = (error: unknown): void => {
    // Before the first comparison of the event stream, an outage of the broker is logged by the connection to the
    // broker.
    if (isCompared || !isNatsUnavailable(error))
      logger.warn({ error }, 'the stream could not be compared with what was published');
  };
  const compare = async (): Promise<Date | undefined> => {
    const lostSince = await noteLoss();
    isCompared = true;
    return lostSince;
  };
  const alarm = createAlarm();
  let since: Date | undefined;
  try {
    since = await compare();
  } catch (error) {
    if (!isNatsUnavailable(error)) throw error;
    alarm.ring(COMPARE_AGAIN_MS);
  }
  const refilled = since === undefined ? Promise.resolve() : refill(since).catch(failed);
  const check = async (): Promise<void> => {
    await refilled;
    if (!isCompared) alarm.ring(COMPARE_AGAIN_MS);
    if (await isUnchanged()) return;
    const lostSince = await compare();
    if (lostSince !== undefined) await refill(lostSince);
  };
  const checks = repeat(CHECK_EACH_MS, check, failed, alarm);
  return {
    /**
     * Returns false until the event stream was compared with the stored position for the first time. No event may be
     * published before that.
     */
    isCompared: () => isCompared,
    /** Stores the newest acknowledged position, before any outbox is emptied. */
    recordPosition,
    async stop() {
      stopping.abort();
      await Promise.all([refilled, checks.stop()]);
    },
  };
}

async function republish(
  { db, collectionNames, publisher }: RewindOptions,
  since: Date,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for (const name of collectionNames) {
    const collection: Collection<Announcing> = db.collection<Announcing>(name);
    const documents = collection
      .find({ lastEventAt: { $gte: since } }, { projection: { recentEvents: 1 }, sort: { lastEventAt: 1 } })
      .batchSize(BATCH_DOCUMENTS);
    for await (const { recentEvents = [] } of documents) {
      for (const event of recentEvents) {
        if (signal.aborted) return count;
        if (event.at < since) continue;
        await publisher.publish(event);
        count++;
      }
    }
  }
  return count;
}
