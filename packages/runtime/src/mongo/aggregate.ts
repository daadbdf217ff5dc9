import { randomBytes } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { Collection, Filter, OptionalUnlessRequiredId, UpdateFilter, WithId } from 'mongodb';
import { grouped } from '../batched.js';
import type { Clock } from '../clock.js';
import { traced } from '../telemetry.js';
import { activeTrace } from '../trace-context.js';
import { envelopes } from './event-envelope.js';
import type { Announcement, Announcing, OutboxEvent } from './event-envelope.js';
import { bulkWrite, groupedInsert } from './group-commit.js';
import type { Finish, Outbox } from './outbox.js';
import type { Stored } from './stored.js';

/**
 * Members that every aggregate document has in addition to its state (architecture section 5, rules 2 and 3). An
 * aggregate is a document with its state, its version and its events, so that one write changes all of them atomically.
 */
export interface Aggregate extends Announcing {
  readonly organizationId: string;
  /** Id of the batched commit that wrote the MongoDB document, until its events are published. */
  readonly commitId?: string;
}

/** Fields of a stored MongoDB document that only this module writes. */
type Bookkeeping = 'version' | 'outbox' | 'outboxPending' | 'recentEvents' | 'lastEventAt' | 'commitId';

/**
 * Error that is thrown when another writer changed the MongoDB document after it was read. The caller must read the
 * document and decide again.
 */
export class VersionConflict extends Error {
  constructor() {
    super('the document has a newer version');
    this.name = 'VersionConflict';
  }
}

const ATTEMPTS_MAX = 5;
/** Maximum number of documents in one batch of concurrent inserts or of concurrent first commits. */
const BATCH_DOCUMENTS_MAX = 100;
const COMMIT_ID_BYTES = 9;

/**
 * Repeats a change of a document (read, decide and write) after a version conflict. After five attempts the caller gets
 * CONFLICT.
 * @param attemptsMax number of attempts, if it is not five, for documents that many concurrent requests change
 */
export async function retryOnConflict<T>(work: () => Promise<T>, attemptsMax = ATTEMPTS_MAX): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      if (attempts === attemptsMax) {
        throw new DomainError(
          'concurrent_change',
          'Another request is changing the same resource right now. Retry the request.',
          {
            cause: error,
          },
        );
      }
    }
  }
}

/**
 * Condition under which a change of a MongoDB document is written: the document belongs to the given organization and
 * still has the given version.
 */
export interface Guard {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
}

export interface FirstGuard extends Guard {
  readonly version: 1;
}

export interface SaveOptions {
  /** Events that announce the change of a MongoDB document and are stored in the same write. */
  readonly events?: readonly Announcement[];
  /**
   * Work that the change of a MongoDB document requires. When it is done, the fields that mark it as unfinished are
   * removed together with the published events.
   */
  readonly finish?: Finish;
}

/** Options for a guarded change of a stored MongoDB document. */
export interface ChangeOptions<D> extends SaveOptions {
  /** Additional condition of a database write on fields that change independently of the version. */
  readonly onlyIf?: Filter<D>;
}

export interface AggregateStore<D extends Aggregate> {
  /** Stores a new MongoDB document with version 1. A duplicate key error goes to the caller. */
  insert(document: Stored<Omit<D, Bookkeeping>>, options?: SaveOptions): Promise<void>;
  /**
   * Inserts a MongoDB document like {@link insert}, but in one command with concurrent inserts (ADR 0127). A duplicate
   * key error does not name the index.
   */
  insertGrouped(document: Stored<Omit<D, Bookkeeping>>, options?: SaveOptions): Promise<void>;
  /**
   * Writes a change of a MongoDB document if its version is still `guard.version`, and returns the changed document.
   * @throws VersionConflict if no document matches the guard
   */
  save(guard: Guard, change: UpdateFilter<Stored<D>>, options?: ChangeOptions<D>): Promise<WithId<D>>;
  /** Changes a database document like {@link save}, but does not read it back, because it may be large. */
  commit(guard: Guard, change: UpdateFilter<Stored<D>>, options?: ChangeOptions<D>): Promise<void>;
  /**
   * Writes the first change of a MongoDB document that was inserted without events. Like {@link commit}, it does not
   * read the document back. Concurrent first changes are written in one command (ADR 0127).
   */
  commitFirst(guard: FirstGuard, change: UpdateFilter<Stored<D>>, options?: SaveOptions): Promise<void>;
  /**
   * Changes many MongoDB documents in one command, for work that may be repeated. A document with another version was
   * already changed by an earlier run or a concurrent writer, and is not changed again.
   * @returns whether every document was changed
   */
  commitMany(changes: readonly Change<D>[]): Promise<boolean>;
}

/** Change of one MongoDB document that is written in one command with changes of other documents. */
export interface Change<D extends Aggregate> {
  readonly guard: Guard;
  readonly change: UpdateFilter<Stored<D>>;
  readonly events?: readonly Announcement[];
}

/** Creates a store that writes aggregates (MongoDB documents) with version checks and with their events. */
export function aggregateStore<D extends Aggregate>(
  collection: Collection<D>,
  outbox: Outbox,
  clock: Clock,
): AggregateStore<D> {
  /** A write with events has its own trace span, and its events carry the span to their consumers. */
  const writing = <T>(eventsCount: number, write: () => Promise<T>): Promise<T> => {
    if (eventsCount === 0) return write();
    const spanAttributes = {
      'db.collection.name': collection.collectionName,
      'messaging.batch.message_count': eventsCount,
    };
    return traced('internal', 'outbox write', { parent: activeTrace(), spanAttributes }, write);
  };
  const guarded = async (
    guard: Guard,
    change: UpdateFilter<Stored<D>>,
    { events = [], finish, onlyIf }: ChangeOptions<D>,
    projection: object | undefined,
  ): Promise<WithId<D>> => {
    const version = guard.version + 1;
    const saved = await writing(events.length, () =>
      collection.findOneAndUpdate(
        { ...onlyIf, _id: guard.id, organizationId: guard.organizationId, version: guard.version } as Filter<D>,
        withEvents(change, envelopes({ ...guard, version }, events, clock.now())),
        { returnDocument: 'after', ...(projection === undefined ? {} : { projection }) },
      ),
    );
    if (saved === null) throw new VersionConflict();
    if (saved.outbox !== undefined || finish !== undefined) {
      outbox.nudge(collection.collectionName, { id: guard.id, version, events: saved.outbox ?? [] }, finish);
    }
    return saved;
  };
  const insertWith = async (
    insert: (document: OptionalUnlessRequiredId<D>) => Promise<void>,
    document: Stored<Omit<D, Bookkeeping>>,
    { events = [], finish }: SaveOptions,
  ): Promise<void> => {
    const { _id: id, organizationId } = document;
    const entries = await writing(events.length, async () => {
      const stored = envelopes({ id, organizationId, version: 1 }, events, clock.now());
      const bookkeeping = stored.length === 0 ? {} : { outbox: stored, outboxPending: true };
      await insert({ ...document, version: 1, ...bookkeeping } as unknown as OptionalUnlessRequiredId<D>);
      return stored;
    });
    if (entries.length > 0 || finish !== undefined) {
      outbox.nudge(collection.collectionName, { id, version: 1, events: entries }, finish);
    }
  };
  const insertTogether = groupedInsert(collection, BATCH_DOCUMENTS_MAX);
  const commitTogether = grouped(BATCH_DOCUMENTS_MAX, (changes: readonly FirstChange<D>[]) =>
    writeFirstChanges(collection, changes),
  );
  return {
    insert: (document, options = {}) =>
      insertWith(async (inserted) => void (await collection.insertOne(inserted)), document, options),
    insertGrouped: (document, options = {}) => insertWith(insertTogether, document, options),
    save: (guard, change, options = {}) => guarded(guard, change, options, undefined),
    async commit(guard, change, options = {}) {
      await guarded(guard, change, options, { outbox: 1 });
    },
    async commitFirst(guard, change, { events = [], finish } = {}) {
      const { entries, isStored } = await writing(events.length, async () => {
        const stored = envelopes({ ...guard, version: 2 }, events, clock.now());
        return { entries: stored, isStored: await commitTogether({ guard, update: withEvents(change, stored) }) };
      });
      if (!isStored) throw new VersionConflict();
      if (entries.length > 0 || finish !== undefined) {
        outbox.nudge(collection.collectionName, { id: guard.id, version: 2, events: entries }, finish);
      }
    },
    async commitMany(changes) {
      if (changes.length === 0) return true;
      const at = clock.now();
      const eventsCount = changes.reduce((sum, { events = [] }) => sum + events.length, 0);
      const { entries, matchedCount } = await writing(eventsCount, async () => {
        const stored = changes.map(({ guard, events = [] }) =>
          envelopes({ ...guard, version: guard.version + 1 }, events, at),
        );
        const written = await collection.bulkWrite(
          changes.map(({ guard, change }, index) => ({
            updateOne: {
              filter: { _id: guard.id, organizationId: guard.organizationId, version: guard.version } as Filter<D>,
              update: withEvents(change, stored[index] ?? []),
            },
          })),
          { ordered: false },
        );
        return { entries: stored, matchedCount: written.matchedCount };
      });
      // The MongoDB driver does not report which of the documents were changed, so the outbox relay publishes their new
      // events later.
      if (matchedCount < changes.length) return false;
      for (const [index, { guard }] of changes.entries()) {
        const events = entries[index] ?? [];
        if (events.length === 0) continue;
        outbox.nudge(collection.collectionName, { id: guard.id, version: guard.version + 1, events });
      }
      return true;
    },
  };
}

interface FirstChange<D> {
  readonly guard: FirstGuard;
  readonly update: UpdateFilter<D>;
}

/**
 * Writes the first changes of several MongoDB documents in one command.
 * @returns whether each change was stored. The database reports only the number of changed documents. If it is too low,
 *   the documents are read back: each change stores an id, which shows whether it was stored.
 */
async function writeFirstChanges<D extends Aggregate>(
  collection: Collection<D>,
  changes: readonly FirstChange<D>[],
): Promise<readonly (boolean | Error)[]> {
  const isAlone = changes.length === 1;
  const commitIds = changes.map(() => randomBytes(COMMIT_ID_BYTES).toString('base64'));
  const { storedCount, refused } = await bulkWrite(
    collection,
    changes.map(({ guard: { id, organizationId, version }, update }, index) => ({
      updateOne: {
        filter: { _id: id, organizationId, version } as Filter<D>,
        update: isAlone
          ? update
          : ({ ...update, $set: { ...update.$set, commitId: commitIds[index] } } as typeof update),
      },
    })),
  );
  if (storedCount === changes.length) return changes.map(() => true);
  if (isAlone) return [refused.get(0) ?? false];
  const ids = changes.map(({ guard }) => guard.id);
  const found = await collection
    .find({ _id: { $in: ids } } as unknown as Filter<D>, { projection: { commitId: 1 } })
    .toArray();
  const stored = new Set(found.map(({ commitId }) => commitId));
  return changes.map((_, index) => refused.get(index) ?? stored.has(commitIds[index]));
}

/** Adds the new version of a MongoDB document and its events to the change that the caller makes to the document. */
function withEvents<D extends Aggregate>(
  change: UpdateFilter<Stored<D>>,
  entries: readonly OutboxEvent[],
): UpdateFilter<D> {
  const update: Record<string, unknown> = { ...change, $inc: { ...change.$inc, version: 1 } };
  if (entries.length > 0) {
    update['$set'] = { ...change.$set, outboxPending: true };
    update['$push'] = { ...change.$push, outbox: { $each: entries } };
  }
  return update as UpdateFilter<D>;
}
