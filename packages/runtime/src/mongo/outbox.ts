import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { EventPublisher } from '../nats/publish.js';
import { createKeyLock } from '../key-lock.js';
import { createAlarm, repeat } from '../repeat.js';
import { polled } from '../telemetry.js';
import { outsideRequests } from '../trace-context.js';
import { ensureIndexes } from './ensure-indexes.js';
import type { Announcing, OutboxEvent } from './event-envelope.js';
import { reportOutbox } from './outbox-metrics.js';
import { watchForRewind } from './outbox-rewind.js';

/** Maximum number of documents whose events are published concurrently. */
const IN_FLIGHT_MAX = 64;
/**
 * Maximum number of documents whose events are in memory, until they are published and removed from their outboxes. The
 * outbox relay publishes the events of all others.
 */
const WAITING_MAX = 10_000;
const COMPLETE_EACH_MS = 50;
/** Number of documents with published events for which a write is started without waiting for more. */
const COMPLETE_DOCUMENTS_MIN = 64;
/** Maximum number of documents in one write of the outbox, so that other writes do not wait long. */
const COMPLETE_DOCUMENTS_MAX = 256;
/**
 * Interval at which the outbox relay searches for events that a crash of any replica left. A process publishes the
 * events of its own writes at once.
 */
const RELAY_EACH_MS = 10_000;
/**
 * Interval between searches of the outbox relay while unpublished events may be left: after the start, after a failed
 * publication or a full queue, and until a search finds none.
 */
const RELAY_AGAIN_MS = 1_000;
const RELAY_DOCUMENTS_MAX = 256;
/**
 * Minimum age of events that the outbox relay publishes. The process that stored more recent events is still publishing
 * them.
 */
const RELAY_AGE_MS_MIN = 2_000;
const RECENT_EVENTS_MAX = 32;
/** Age of an unpublished event at which the log names the oldest one. */
const ALERT_AGE_MS = 60_000;

/**
 * Work that a document change requires after the response to its caller, and the document fields that mark the work as
 * unfinished.
 */
export interface Finish {
  /**
   * Promise that resolves when the work is done. After a rejection, the document fields in `unset` stay, and a later
   * job completes the work.
   */
  readonly when: Promise<unknown>;
  readonly unset: readonly string[];
}

/** A document whose outbox has events that were not published yet. */
interface Announced {
  readonly id: string;
  readonly version: number;
  readonly events: readonly OutboxEvent[];
}

export interface Outbox {
  /**
   * Publishes the events of a database write without waiting. After a crash or with a full queue, the relay publishes
   * them.
   */
  nudge(collectionName: string, announced: Announced, finish?: Finish): void;
  /** Resolves when no work on the outbox is in progress, for an orderly stop and for tests. */
  idle(): Promise<void>;
  /** Stops the outbox relay and completes the work in progress. */
  stop(): Promise<void>;
}

export interface OutboxOptions {
  readonly db: Db;
  /** Collections whose documents contain an outbox. */
  readonly collectionNames: readonly string[];
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Interval in milliseconds that replaces both intervals of the outbox relay in tests. */
  readonly relayEachMs?: number;
}

/** Creates the indexes that the outbox relay and the detection of lost events need on a collection of aggregates. */
async function createOutboxIndexes(collection: Collection<Announcing>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { outboxPending: 1 }, sparse: true, name: 'outbox_pending' },
    { key: { lastEventAt: 1 }, sparse: true, name: 'last_event' },
  ]);
}

interface Completion {
  readonly collectionName: string;
  readonly announced: Announced;
  readonly isPublished: boolean;
  readonly unset: readonly string[];
  readonly onEnded: Task['onEnded'];
}

interface Task {
  readonly collectionName: string;
  readonly announced: Announced;
  readonly finish: Finish | undefined;
  /**
   * Function that is called when the relay has handled the document. Its argument is true if the broker has stored the
   * events and they have been removed from the outbox.
   */
  readonly onEnded?: ((isCompleted: boolean) => void) | undefined;
}

/**
 * Publishes events from documents to the broker, at least once. The events of one document are published in their order
 * (webhooks-and-events section 2). An event is removed from an outbox only after the broker has acknowledged it and its
 * position was stored.
 */
export async function startOutbox(options: OutboxOptions): Promise<Outbox> {
  const { db, collectionNames, publisher, clock, logger, relayEachMs } = options;
  const aggregates = (name: string): Collection<Announcing> => db.collection<Announcing>(name);
  await Promise.all(collectionNames.map((name) => createOutboxIndexes(aggregates(name))));

  const waiting: Task[] = [];
  const withKeyLock = createKeyLock();
  const inFlight = new Set<string>();
  /**
   * Ids of events that are published but still in the outbox. A later change of the same document contains them too.
   */
  const acknowledged = new Set<string>();
  const completions: Completion[] = [];
  let running = 0;
  let completing: Promise<void> | undefined;
  let completeTimer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const alarm = createAlarm();
  /** Requests a search by the outbox relay, because events may be left in documents. */
  const relaySoon = (): void => alarm.ring(relayEachMs ?? RELAY_AGAIN_MS);

  const completeSoon = (): void => {
    if (completions.length >= COMPLETE_DOCUMENTS_MIN) completeNow();
    else if (completions.length > 0) completeTimer ??= setTimeout(completeNow, COMPLETE_EACH_MS);
  };
  /**
   * Only one write that removes published events is in progress at a time. The next write handles the documents whose
   * events are published in the meantime.
   */
  const completeNow = (): void => {
    clearTimeout(completeTimer);
    completeTimer = undefined;
    if (completing !== undefined || completions.length === 0) return;
    const batch = completions.splice(0, COMPLETE_DOCUMENTS_MAX);
    for (const { announced } of batch) for (const { id } of announced.events) acknowledged.delete(id);
    completing = polled('outbox complete', {}, () => complete(batch))
      .then(
        () => true,
        (error: unknown) => {
          logger.warn(
            { error },
            'published events could not be removed from their outboxes; the relay publishes them again',
          );
          return false;
        },
      )
      .then((isCompleted) => {
        completing = undefined;
        for (const { onEnded } of batch) onEnded?.(isCompleted);
        completeSoon();
      });
  };
  const complete = async (batch: readonly Completion[]): Promise<void> => {
    await rewind.recordPosition();
    const at = clock.now();
    for (const name of new Set(batch.map(({ collectionName }) => collectionName))) {
      const completions = batch.filter(({ collectionName }) => collectionName === name);
      const operations = completions.map((completion) => completeOperation(completion, at));
      const { matchedCount } = await aggregates(name).bulkWrite(operations, { ordered: false });
      if (matchedCount === operations.length) continue;
      // The outbox relay of another process may already have removed the events of some documents. The fields of
      // finished work are removed only by this process.
      const marks = completions
        .filter(({ unset }) => unset.length > 0)
        .map((completion) => completeOperation({ ...completion, isPublished: false }, at));
      if (marks.length > 0) await aggregates(name).bulkWrite(marks, { ordered: false });
    }
  };

  const work = async ({ collectionName, announced, finish, onEnded }: Task): Promise<void> => {
    let isPublished = announced.events.length > 0;
    try {
      // Before the comparison with the event stream, nothing is published: new events would hide that the broker lost
      // older events.
      if (!rewind.isCompared())
        throw new Error(
          'The event stream of the message broker has not been compared with the outbox of the service yet.',
        );
      for (const event of announced.events) {
        if (acknowledged.has(event.id)) continue;
        await publisher.publish(event);
        acknowledged.add(event.id);
      }
    } catch (error) {
      isPublished = false;
      relaySoon();
      logger.debug({ error, subject: announced.events[0]?.subject }, 'an event could not be published yet');
    }
    const isFinished =
      finish === undefined
        ? false
        : await finish.when.then(
            () => true,
            () => false,
          );
    const unset = isFinished ? (finish?.unset ?? []) : [];
    if (isPublished || unset.length > 0) {
      completions.push({ collectionName, announced, isPublished, unset, onEnded });
      completeSoon();
    } else onEnded?.(false);
  };
  const next = (): void => {
    while (running < IN_FLIGHT_MAX) {
      const task = waiting.shift();
      if (task === undefined) return;
      running++;
      void withKeyLock(task.announced.id, () => work(task)).then(() => {
        running--;
        inFlight.delete(task.announced.id);
        next();
      });
    }
  };
  const enqueue = (task: Task): void => {
    if (waiting.length + completions.length >= WAITING_MAX) {
      task.onEnded?.(false);
      relaySoon();
      return;
    }
    inFlight.add(task.announced.id);
    waiting.push(task);
    next();
  };

  /**
   * Publishes the events of documents in one collection.
   * @returns whether the collection may have more documents with events: the search found as many documents as it may,
   * and all of them were completed
   */
  const relayOf = async (name: string): Promise<boolean> => {
    const old = clock.now().getTime() - RELAY_AGE_MS_MIN;
    const documents = await aggregates(name)
      .find({ outboxPending: true }, { projection: { outbox: 1, version: 1 }, limit: RELAY_DOCUMENTS_MAX })
      .toArray();
    const relayed: Promise<boolean>[] = [];
    const late: { readonly id: string; readonly oldest: number }[] = [];
    for (const { _id: id, version, outbox: events = [] } of documents) {
      if (inFlight.has(id)) continue;
      relaySoon();
      const oldest = events[0]?.at.getTime() ?? 0;
      if (oldest > old) continue;
      if (oldest < old - ALERT_AGE_MS) late.push({ id, oldest });
      const announced = { id, version, events };
      relayed.push(new Promise((onEnded) => enqueue({ collectionName: name, announced, finish: undefined, onEnded })));
    }
    // The outbox relay logs one warning for all documents with late events, because an outage leaves thousands of them.
    const [first] = late.toSorted((left, right) => left.oldest - right.oldest);
    if (first !== undefined)
      logger.warn({ collection: name, ...first, documents: late.length }, 'an event waits for the broker');
    if (documents.length < RELAY_DOCUMENTS_MAX || relayed.length === 0) return false;
    return (await Promise.all(relayed)).every(Boolean);
  };
  /**
   * Returns the collections that have documents with events. One command asks all of them, because a service has up to
   * ten outboxes, and in an idle service none has events.
   */
  const collectionsWithEvents = async (): Promise<readonly string[]> => {
    const [first, ...others] = collectionNames;
    if (first === undefined) return [];
    const search = (name: string): object[] => [
      { $match: { outboxPending: true } },
      { $limit: 1 },
      { $project: { _id: 0, name: { $literal: name } } },
    ];
    const unions = others.map((coll) => ({ $unionWith: { coll, pipeline: search(coll) } }));
    const found = await aggregates(first)
      .aggregate<{ name: string }>([...search(first), ...unions])
      .toArray();
    return found.map(({ name }) => name);
  };
  /**
   * After an outage, a backlog needs many searches, which follow each other as long as the broker accepts the events.
   */
  const relay = async (): Promise<void> => {
    for (let isMore = true; isMore && !isStopped;) {
      isMore = false;
      for (const name of await collectionsWithEvents()) if (await relayOf(name)) isMore = true;
    }
  };
  const rewind = await watchForRewind({ db, collectionNames, publisher, clock, logger });
  const relaying = repeat(
    relayEachMs ?? RELAY_EACH_MS,
    () => polled('relay', {}, relay),
    (error) => {
      relaySoon();
      logger.warn({ error }, 'the relay could not read the outboxes');
    },
    alarm,
  );
  relaySoon();
  const closeReport = reportOutbox(options, publisher.service);

  const idle = async (): Promise<void> => {
    while (running > 0 || waiting.length > 0 || completing !== undefined || completions.length > 0) {
      completeNow();
      await completing;
      if (running > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    nudge: (collectionName, announced, finish) => {
      finish?.when.catch(() => {});
      // Events are published outside the trace of the request that caused them, because the request does not wait for
      // their publication. Each event carries the trace of its own cause.
      if (!isStopped) outsideRequests(() => enqueue({ collectionName, announced, finish }));
    },
    idle,
    async stop() {
      isStopped = true;
      closeReport();
      await Promise.all([rewind.stop(), relaying.stop(), idle()]);
    },
  };
}

/**
 * Returns the database write after the events of a document were published. It removes the published events from the
 * outbox, and the fields that mark finished work. The write changes nothing if the document has a newer version,
 * because the document then has newer events, which the next round publishes. It also changes nothing if another relay
 * has removed the events, so that they are not added to the recent events a second time.
 */
function completeOperation({ announced, isPublished, unset }: Completion, at: Date): AnyBulkWriteOperation<Announcing> {
  const gone = Object.fromEntries(
    [...unset, ...(isPublished ? ['outbox', 'outboxPending', 'commitId'] : [])].map((key) => [key, '']),
  );
  const kept = {
    $set: { lastEventAt: at },
    $push: { recentEvents: { $each: announced.events, $slice: -RECENT_EVENTS_MAX } },
  };
  return {
    updateOne: {
      filter: {
        _id: announced.id,
        version: announced.version,
        ...(isPublished ? { outboxPending: true as const } : {}),
      },
      update: { $unset: gone, ...(isPublished ? kept : {}) } as object,
    },
  };
}
