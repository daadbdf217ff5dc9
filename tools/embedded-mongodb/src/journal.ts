import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RecordFile } from './record-file.js';
import { parse, serialize, type Doc } from './values.js';

/**
 * The append-only file that makes the data outlive the process. One record per command, written before the reply: after
 * a crash a command is there whole or not at all. The payload of a record is a list of entries `type, namespace length,
 * namespace, content length, content`.
 *
 * A killed process loses nothing that was acknowledged; a power cut loses at most {@link SYNC_INTERVAL_MS}.
 */

const SYNC_INTERVAL_MS = 100;
/** The journal is written anew in steps of so many bytes: no command waits for more than one of them. */
const STEP_BYTES = 512 * 1024;
/** After each step the commands have their turn. */
const PAUSE_MS = 5;

const ENTRY_TYPES = { put: 1, remove: 2, define: 3 } as const;

/** A change of what a namespace is, rather than of what it holds. */
export interface Definition {
  readonly create?: true;
  readonly drop?: true;
  readonly index?: Doc;
  readonly dropIndex?: string;
}

/** One change of the stored state, as replayed and as written. */
export type JournalEntry =
  | { readonly type: 'put'; readonly namespace: string; readonly bytes: Buffer }
  | { readonly type: 'remove'; readonly namespace: string; readonly id: unknown }
  | { readonly type: 'define'; readonly namespace: string; readonly definition: Definition };

/** What is stored, as the entries that make it again. */
export interface LiveState {
  /** The collections and their indexes as they are now. */
  readonly definitions: readonly JournalEntry[];
  /**
   * The documents of these collections. Read bit by bit while commands change them; each may come as it was when this
   * began or as it is later.
   */
  readonly documents: Iterable<JournalEntry>;
}

/** What {@link Journal} waits for between two steps of writing itself anew. */
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
  /** The file that will take the place of the journal, while it is written. */
  #next: RecordFile | undefined;

  private constructor(directory: string, warn: (message: string) => void) {
    this.#path = path.join(directory, 'journal');
    this.#warn = warn;
    // One that a crash left half written.
    removeFile(this.#nextPath);
    this.#file = new RecordFile(this.#path);
    this.#syncing = setInterval(() => this.#syncInBackground(), SYNC_INTERVAL_MS).unref();
  }

  /**
   * Opens the journal of a directory, replays it, and cuts a torn record off its end (kept beside it).
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

  /** Whether it is being written anew. */
  get isCompacting(): boolean {
    return this.#next !== undefined;
  }

  /** Adds to the record of the running command. */
  append(entry: JournalEntry): void {
    this.#pending.push(...partsOf(entry));
  }

  /** Writes the record of the running command. A write that fails ends the process: memory never runs ahead of the file. */
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

  /** Writes the live state into a new file and puts it in the place of the old one, while nothing else runs. */
  compactAtOnce(state: LiveState): void {
    const steps = this.#compaction(state);
    while (!steps.next().done);
  }

  /**
   * Does the same while commands go on, a step at a time. Until the new file is in its place the old one has everything,
   * so a crash at any moment loses nothing. A fault leaves the old file in its place.
   * @returns whether the new file is in its place
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
      this.#warn(`${this.#path} could not be written anew and goes on as it is: ${String(error)}`);
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
   * First what is stored, which the commands change meanwhile; then the records of these commands, as they stand in the
   * old file. Replaying them once more over what they had changed already ends in the same state: an entry says what a
   * document is, not what became of it. Only definitions are not repeatable, so they are all of the same moment.
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

    // What came meanwhile, then what came while that was synced: the rest that is synced at once is small.
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
    // A background sync that still holds it closes it.
    if (!this.#isSyncing) old.closeInBackground();
    syncDirectory(path.dirname(this.#path));
  }

  /** Copies the records after a position but for a last step. @returns the position after them */
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

/** After this a power cut does not undo that a file took the place of another. */
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
