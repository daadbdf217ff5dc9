import { fail } from './errors.js';
import { parseIndexSpec } from './index-spec.js';
import type { Definition, Journal, JournalEntry, LiveState } from './journal.js';
import { encode } from './order.js';
import type { IndexSpec, StoredDocument } from './ordered-index.js';
import { Collection } from './store.js';
import { parse, type Doc } from './values.js';

/** The journal is compacted once it is large and mostly history. */
const COMPACTION_BYTES_MIN = 64 * 1024 * 1024;
const COMPACTION_RATIO = 3;
/** After an error, such as a full disk, compaction waits until the journal has grown by this factor. */
const COMPACTION_RETRY_RATIO = 2;
const COMPACTION_ENTRIES_MIN = 1000;
const COMPACTION_ENTRIES_RATIO = 1.5;

const CURSORS_MAX = 10_000;
const CURSOR_IDLE_MS = 10 * 60 * 1000;
/** MongoDB closes a batch at 16 MB. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024;

/** A snapshot of a query's result. Serialized per batch, so that a long result does not block other commands. */
export interface Results {
  readonly length: number;
  bytesAt(place: number): Buffer;
}

export function resultsOf<T>(found: readonly T[], toBytes: (item: T) => Buffer): Results {
  return { length: found.length, bytesAt: (place) => toBytes(found[place] as T) };
}

/** The result of a query that the client has not fetched yet. */
interface Cursor {
  readonly namespace: string;
  readonly results: Results;
  position: number;
  usedAt: number;
}

export interface Batch {
  readonly documents: readonly Buffer[];
  /** 0 at the end of the result. */
  readonly cursorId: number;
  readonly namespace: string;
}

/**
 * All collections, their journal and the open cursors. All methods are synchronous, which makes commands atomic.
 */
export class Database {
  readonly collections = new Map<string, Collection>();
  readonly #cursors = new Map<number, Cursor>();
  #lastCursorId = 0;
  #isReplaying = false;
  #journal: Journal | undefined;
  #compactionBytesMin = COMPACTION_BYTES_MIN;

  /** @param openJournal replays into the given callback and returns the journal; none means memory only */
  constructor(openJournal?: (replay: (entry: JournalEntry) => void) => Journal) {
    if (!openJournal) return;
    let entries = 0;
    this.#isReplaying = true;
    const journal = openJournal((entry) => {
      entries += 1;
      this.#replay(entry);
    });
    let live = 0;
    for (const collection of this.collections.values()) {
      collection.fillIndexes();
      live += collection.documents.size + collection.indexes.size;
    }
    this.#isReplaying = false;
    this.#journal = journal;
    if (entries > live * COMPACTION_ENTRIES_RATIO + COMPACTION_ENTRIES_MIN) journal.compactAtOnce(this.#liveState());
  }

  /** The collection, created by the write that needs it. */
  collectionForWrite(namespace: string): Collection {
    const existing = this.collections.get(namespace);
    if (existing) return existing;
    this.#define(namespace, { create: true });
    return this.collections.get(namespace) ?? fail('NamespaceNotFound', `ns does not exist: ${namespace}`);
  }

  dropCollection(namespace: string): void {
    if (this.collections.has(namespace)) this.#define(namespace, { drop: true });
  }

  /** Whether the index is new. */
  createIndex(collection: Collection, spec: IndexSpec): boolean {
    if (!collection.createIndex(spec)) return false;
    this.#journal?.append({ type: 'define', namespace: collection.namespace, definition: { index: { ...spec } } });
    return true;
  }

  dropIndex(collection: Collection, name: string): void {
    this.#define(collection.namespace, { dropIndex: name });
  }

  insert(collection: Collection, doc: Doc, bytes: Buffer): StoredDocument {
    const stored = collection.insert(doc, bytes);
    this.#journal?.append({ type: 'put', namespace: collection.namespace, bytes });
    return stored;
  }

  /** Whether anything changed. */
  replace(collection: Collection, stored: StoredDocument, doc: Doc): boolean {
    if (!collection.replace(stored, doc)) return false;
    this.#journal?.append({ type: 'put', namespace: collection.namespace, bytes: stored.bytes });
    return true;
  }

  remove(collection: Collection, stored: StoredDocument): void {
    collection.remove(stored);
    this.#journal?.append({ type: 'remove', namespace: collection.namespace, id: stored.doc['_id'] });
  }

  /** Persists the running command; called before its reply. */
  commit(): void {
    this.#journal?.commit();
    if (this.#journal && this.#journal.sizeBytes >= this.#compactionBytesMin) this.#compactIfDue(this.#journal);
  }

  /** Removes expired documents and closes idle cursors. */
  sweep(now: number): void {
    for (const collection of this.collections.values()) {
      for (const stored of collection.expired(now)) this.remove(collection, stored);
    }
    this.commit();
    for (const [id, cursor] of this.#cursors) if (now - cursor.usedAt > CURSOR_IDLE_MS) this.#cursors.delete(id);
  }

  /** The first batch of a result; the rest waits in a cursor. */
  openCursor(namespace: string, results: Results, batchSize: number, isSingleBatch: boolean): Batch {
    const cursor: Cursor = { namespace, results, position: 0, usedAt: Date.now() };
    const batch = nextBatch(cursor, batchSize);
    if (isSingleBatch || cursor.position >= results.length) return { documents: batch, cursorId: 0, namespace };
    if (this.#cursors.size >= CURSORS_MAX) {
      fail('BadValue', `More than ${CURSORS_MAX} cursors are open: close or exhaust them`);
    }
    this.#lastCursorId += 1;
    this.#cursors.set(this.#lastCursorId, cursor);
    return { documents: batch, cursorId: this.#lastCursorId, namespace };
  }

  continueCursor(id: number, batchSize: number): Batch {
    const cursor = this.#cursors.get(id) ?? fail('CursorNotFound', `cursor id ${id} not found`);
    cursor.usedAt = Date.now();
    const documents = nextBatch(cursor, batchSize);
    const isDone = cursor.position >= cursor.results.length;
    if (isDone) this.#cursors.delete(id);
    return { documents, cursorId: isDone ? 0 : id, namespace: cursor.namespace };
  }

  /** Whether the cursor existed. */
  closeCursor(id: number): boolean {
    return this.#cursors.delete(id);
  }

  close(): void {
    this.#journal?.close();
  }

  #define(namespace: string, definition: Definition): void {
    this.#applyDefinition(namespace, definition);
    this.#journal?.append({ type: 'define', namespace, definition });
  }

  #replay(entry: JournalEntry): void {
    if (entry.type === 'define') return this.#applyDefinition(entry.namespace, entry.definition);
    const collection = this.collections.get(entry.namespace);
    if (!collection) throw new Error(`The journal names ${entry.namespace} before it creates it`);
    if (entry.type === 'put') return collection.restore(parse(entry.bytes), entry.bytes);
    const stored = collection.documents.get(encode(entry.id));
    if (stored) collection.remove(stored);
  }

  #applyDefinition(namespace: string, { create, drop, index, dropIndex }: Definition): void {
    if (create) this.collections.set(namespace, new Collection(namespace, this.#isReplaying));
    if (drop) this.collections.delete(namespace);
    if (index) this.collections.get(namespace)?.createIndex(parseIndexSpec(index));
    if (dropIndex !== undefined) this.collections.get(namespace)?.indexes.delete(dropIndex);
  }

  #compactIfDue(journal: Journal): void {
    if (journal.isCompacting) return;
    let liveBytes = 0;
    for (const { sizeBytes } of this.collections.values()) liveBytes += sizeBytes;
    if (journal.sizeBytes <= liveBytes * COMPACTION_RATIO) return;
    void journal.compact(this.#liveState()).then((isDone) => {
      this.#compactionBytesMin = isDone ? COMPACTION_BYTES_MIN : journal.sizeBytes * COMPACTION_RETRY_RATIO;
    });
  }

  #liveState(): LiveState {
    const collections = [...this.collections.values()];
    return {
      definitions: collections.flatMap(({ namespace, indexes }): JournalEntry[] => [
        { type: 'define', namespace, definition: { create: true } },
        ...[...indexes.values()]
          .filter(({ spec }) => spec.name !== '_id_')
          .map(({ spec }): JournalEntry => ({ type: 'define', namespace, definition: { index: { ...spec } } })),
      ]),
      documents: documentsOf(collections),
    };
  }
}

/** Documents added while this is read are included, removed ones are not. */
function* documentsOf(collections: readonly Collection[]): Generator<JournalEntry> {
  for (const { namespace, documents } of collections) {
    for (const { bytes } of documents.values()) yield { type: 'put', namespace, bytes };
  }
}

function nextBatch(cursor: Cursor, batchSize: number): Buffer[] {
  const batch: Buffer[] = [];
  let bytes = 0;
  while (batch.length < batchSize && cursor.position < cursor.results.length) {
    const document = cursor.results.bytesAt(cursor.position);
    if (batch.length > 0 && bytes + document.length > BATCH_BYTES_MAX) break;
    batch.push(document);
    bytes += document.length;
    cursor.position += 1;
  }
  return batch;
}
