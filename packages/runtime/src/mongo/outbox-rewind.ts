import type { Collection, Db } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { EventPublisher } from '../nats/publish.js';
import type { Announcing } from './event-envelope.js';

const CHECK_EACH_MS = 10_000;
/** Republishing starts this long before the last surviving message: clocks of broker and database may differ. */
const OVERLAP_MS = 5 * 60_000;
/** A new stream gets what an old one would still hold. */
const STREAM_AGE_MS = 7 * 24 * 3_600_000;
const BATCH_DOCUMENTS = 256;

/** How far the broker had come when we last emptied an outbox. */
interface RelayDocument {
  readonly _id: string;
  readonly created: string;
  readonly lastSeq: number;
}

interface RewindOptions {
  readonly db: Db;
  readonly collectionNames: readonly string[];
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Detects that the broker lost events it had acknowledged (power loss, restored or deleted volume) and republishes the
 * recent ones under the same ids (webhooks-and-events section 2, rule 5). The broker is
 * transport, the database is the record.
 */
export async function watchForRewind(
  options: RewindOptions,
): Promise<{ recordPosition(): Promise<void>; stop(): void }> {
  const { db, publisher, logger } = options;
  const relays = db.collection<RelayDocument>('relay');
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const check = async (): Promise<void> => {
    // The stored position is read first: in the other order, events published in between would look lost.
    const known = await relays.findOne({ _id: publisher.stream });
    const { created, lastSeq, lastAt } = await publisher.position();
    if (known === null) {
      await relays.updateOne({ _id: publisher.stream }, { $setOnInsert: { created, lastSeq: 0 } }, { upsert: true });
      return;
    }
    const isNewStream = known.created !== created;
    if (!isNewStream && lastSeq >= known.lastSeq) return;
    const since =
      isNewStream || lastAt === undefined
        ? options.clock.now().getTime() - STREAM_AGE_MS
        : lastAt.getTime() - OVERLAP_MS;
    logger.warn(
      { stream: publisher.stream, isNewStream, known, lastSeq },
      'the broker lost events; publishing them again',
    );
    const count = await republish(options, new Date(since));
    const now = await publisher.position();
    await relays.updateOne({ _id: publisher.stream }, { $set: { created: now.created, lastSeq: now.lastSeq } });
    logger.info({ stream: publisher.stream, count }, 'lost events were published again');
  };
  const later = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      check()
        .catch((error: unknown) => logger.warn({ error }, 'the stream could not be compared with what was published'))
        .finally(later);
    }, CHECK_EACH_MS);
    timer.unref();
  };
  await check();
  later();
  return {
    /** Stores the newest acknowledged position; before any outbox is emptied. */
    async recordPosition() {
      const { acknowledgedSeq } = publisher;
      if (acknowledgedSeq > 0)
        await relays.updateOne({ _id: publisher.stream }, { $max: { lastSeq: acknowledgedSeq } });
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function republish({ db, collectionNames, publisher }: RewindOptions, since: Date): Promise<number> {
  let count = 0;
  for (const name of collectionNames) {
    const collection: Collection<Announcing> = db.collection<Announcing>(name);
    const documents = collection
      .find({ lastEventAt: { $gte: since } }, { projection: { recentEvents: 1 }, sort: { lastEventAt: 1 } })
      .batchSize(BATCH_DOCUMENTS);
    for await (const { recentEvents = [] } of documents) {
      for (const event of recentEvents) {
        if (event.at < since) continue;
        await publisher.publish(event);
        count++;
      }
    }
  }
  return count;
}
