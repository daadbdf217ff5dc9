import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RecordFile } from './record-file.js';
import { parse, serialize, type Doc } from './values.js';

/**
 * The append-only file that persists the data. One record per command, written before the reply: after a crash a command
 * is complete or missing. The payload of a record is a list of entries `type, namespace length,
 * namespace, content length, content`.
 *
 * A killed process loses no acknowledged write; a power cut loses at most {@link SYNC_INTERVAL_MS}.
 */

const SYNC_INTERVAL_MS = 100;
/** Bytes per compaction step: a command waits for at most one step. */
const STEP_BYTES = 512 * 1024;
/** Between two steps commands run. */
const PAUSE_MS = 5;

const ENTRY_TYPES = { put: 1, remove: 2, define: 3 } as const;

/** A change of a collection or its indexes, not of documents. */
export interface Definition {
  readonly create?: true;
  readonly drop?: true;
  readonly index?: Doc;
  readonly dropIndex?: string;
}

/** One change of the stored state. */
export type JournalEntry =
  | { readonly type: 'put'; readonly namespace: string; readonly bytes: Buffer }
  | { readonly type: 'remove'; readonly namespace: string; readonly id: unknown }
  | { readonly type: 'define'; readonly namespace: string; readonly definition: Definition };

/** The stored state as journal entries. */
export interface LiveState {
  /** The collections and their indexes as they are now. */
  readonly definitions: readonly JournalEntry[];
  /**
   * The documents of these collections. Read in steps while commands change them, so a document may have its state from the
   * start or a later one.
   */
  readonly documents: Iterable<JournalEntry>;
}

/** What {@link Journal} awaits between two compaction steps. */
type Step = 'pause' | 'sync';

export class Journal {
  readonly #path: string;
  readonly #warn: (message: string) => void;
  readonly #syncing: NodeJS.Timeout;
  #file: RecordFile;
  #pending: Buffer[] = [];
  #isDirty = false;
  #isSyncing = false;
  #isClosed = false;
  /** The file that will replace the journal, during compaction. */
  #next: RecordFile | undefined;

  private constructor(directory: string, warn: (message: string) => void) {
    this.#path = path.join(directory, 'journal');
    this.#warn = warn;
    // Left by a crash during compaction.
    removeFile(this.#nextPath);
    this.#file = new RecordFile(this.#path);
    this.#syncing = setInterval(() => this.#syncInBackground(), SYNC_INTERVAL_MS).unref();
  }

  /**
   * Opens the journal of a directory, replays it, and cuts off a torn last record (kept in a copy).
   * @throws Error when a record in the middle is damaged: nothing is changed then
   */
  static open(directory: string, replay: (entry: JournalEntry) => void, warn: (message: string) => void): Journal {
    fs.mkdirSync(directory, { recursive: true });
    const journal = new Journal(directory, warn);
    try {
      journal.#file.replay((payload) => {
        for (const entry of entriesOf(payload)) replay(entry);
      }, warn);
    } catch (error) {
      journal.close();
      throw error;
    }
    return journal;
  }

  get sizeBytes(): number {
    return this.#file.sizeBytes;
  }

  /** Whether it is being compacted. */
  get isCompacting(): boolean {
    return this.#next !== undefined;
  }

  /** Adds to the record of the running command. */
  append(entry: JournalEntry): void {
    this.#pending.push(...partsOf(entry));
  }

  /** Writes the record of the running command. A failed write ends the process, so that memory is never ahead of the file. */
  commit(): void {
    if (this.#pending.length === 0) return;
    try {
      this.#file.append(this.#pending);
    } catch (error) {
      process.stderr.write(`embedded-mongodb: cannot write ${this.#path}: ${String(error)}. Stopping.\n`);
      process.exit(1);
    }
    this.#pending = [];
    this.#isDirty = true;
  }

  /** Writes the live state into a new file that replaces the old one, synchronously. */
  compactAtOnce(state: LiveState): void {
    const steps = this.#compaction(state);
    while (!steps.next().done);
  }

  /**
   * Does the same in steps, between which commands run. The old file stays complete until it is replaced, so a crash at any
   * time loses nothing. After an error the old file stays.
   * @returns whether the file was replaced
   */
  async compact(state: LiveState): Promise<boolean> {
    try {
      for (const step of this.#compaction(state)) {
        if (step === 'pause') await delay(PAUSE_MS, undefined, { ref: false });
        else await this.#next?.syncInBackground();
        if (this.#isClosed) return false;
      }
      return true;
    } catch (error) {
      if (this.#isClosed) return false;
      this.#warn(`${this.#path} could not be compacted and stays as it is: ${String(error)}`);
      this.#abandonCompaction();
      return false;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#syncing);
    this.#abandonCompaction();
    this.#file.sync();
    this.#file.close();
  }

  /**
   * Writes the stored state, which commands change meanwhile, then copies the records of these commands from the old file.
   * Replaying them over an already changed state is idempotent: an entry has the whole document, not a difference. Only
   * definitions are not idempotent, so they are all from the same moment.
   */
  *#compaction({ definitions, documents }: LiveState): Generator<Step, void> {
    const next = new RecordFile(this.#nextPath);
    this.#next = next;
    let copiedTo = this.#file.sizeBytes;
    next.append(definitions.flatMap(partsOf));

    let parts: Buffer[] = [];
    let bytes = 0;
    for (const entry of documents) {
      const added = partsOf(entry);
      parts.push(...added);
      bytes += added.reduce((sum, { length }) => sum + length, 0);
      if (bytes < STEP_BYTES) continue;
      next.append(parts);
      parts = [];
      bytes = 0;
      yield 'pause';
    }
    next.append(parts);

    // First the records written meanwhile, then those written during that sync, so that the last, synchronous step is small.
    copiedTo = yield* this.#copyInto(next, copiedTo);
    yield 'sync';
    copiedTo = yield* this.#copyInto(next, copiedTo);
    next.appendFrom(this.#file, copiedTo, this.#file.sizeBytes);
    next.sync();
    next.moveTo(this.#path);
    const old = this.#file;
    this.#file = next;
    this.#next = undefined;
    this.#isDirty = false;
    // A running background sync closes it.
    if (!this.#isSyncing) old.closeInBackground();
    syncDirectory(path.dirname(this.#path));
  }

  /** Copies the records after a position except for a last step. @returns the position after them */
  *#copyInto(next: RecordFile, position: number): Generator<Step, number> {
    let copiedTo = position;
    while (this.#file.sizeBytes - copiedTo > STEP_BYTES) {
      next.appendFrom(this.#file, copiedTo, copiedTo + STEP_BYTES);
      copiedTo += STEP_BYTES;
      yield 'pause';
    }
    return copiedTo;
  }

  #abandonCompaction(): void {
    this.#next?.close();
    this.#next = undefined;
    removeFile(this.#nextPath);
  }

  get #nextPath(): string {
    return `${this.#path}.new`;
  }

  #syncInBackground(): void {
    if (!this.#isDirty || this.#isSyncing) return;
    this.#isDirty = false;
    this.#isSyncing = true;
    const file = this.#file;
    file
      .syncInBackground()
      .catch((error: unknown) => this.#warn(`cannot sync ${this.#path}: ${String(error)}`))
      .finally(() => {
        this.#isSyncing = false;
        if (file !== this.#file) file.closeInBackground();
      });
  }
}

function removeFile(file: string): void {
  fs.rmSync(file, { force: true, recursive: true });
}

/** Makes the replacement of a file survive a power cut. */
function syncDirectory(directory: string): void {
  const descriptor = fs.openSync(directory, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

function partsOf(entry: JournalEntry): [head: Buffer, content: Buffer] {
  const name = Buffer.from(entry.namespace);
  const content = contentOf(entry);
  const head = Buffer.alloc(3 + name.length + 4);
  head.writeUInt8(ENTRY_TYPES[entry.type], 0);
  head.writeUInt16LE(name.length, 1);
  name.copy(head, 3);
  head.writeUInt32LE(content.length, 3 + name.length);
  return [head, content];
}

function contentOf(entry: JournalEntry): Buffer {
  switch (entry.type) {
    case 'put':
      return entry.bytes;
    case 'remove':
      return serialize({ _id: entry.id });
    case 'define':
      return serialize({ ...entry.definition });
  }
}

function* entriesOf(payload: Buffer): Generator<JournalEntry> {
  let position = 0;
  while (position < payload.length) {
    const type = payload.readUInt8(position);
    const nameEnd = position + 3 + payload.readUInt16LE(position + 1);
    const namespace = payload.toString('utf8', position + 3, nameEnd);
    const contentEnd = nameEnd + 4 + payload.readUInt32LE(nameEnd);
    const content = payload.subarray(nameEnd + 4, contentEnd);
    if (type === ENTRY_TYPES.put) yield { type: 'put', namespace, bytes: content };
    else if (type === ENTRY_TYPES.remove) yield { type: 'remove', namespace, id: parse(content)['_id'] };
    else yield { type: 'define', namespace, definition: parse(content) as Definition };
    position = contentEnd;
  }
}
