import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { parse, serialize, type Doc } from './values.js';

/**
 * The append-only file that makes the data outlive the process. One record per command, written before the reply: after
 * a crash a command is there whole or not at all. A record is `marker, payload length, crc32 of the payload, payload`;
 * a payload is a list of entries `type, namespace length, namespace, content length, content`.
 *
 * A killed process loses nothing that was acknowledged; a power cut loses at most {@link SYNC_INTERVAL_MS}.
 */

const FILE_HEAD = Buffer.from('ICMDB001');
/** Starts each record, so that whole records can be found behind a damaged one. */
const RECORD_MARKER = Buffer.from([0xf7, 0x1c, 0xd0, 0x9e]);
const RECORD_HEAD_BYTES = 12;
/** The largest command (48 MB) can write its documents once and a little around each of them. */
const RECORD_BYTES_MAX = 512 * 1024 * 1024;
const SYNC_INTERVAL_MS = 100;
const COMPACTION_RECORD_BYTES = 1024 * 1024;

const ENTRY_TYPES = { put: 1, remove: 2, define: 3 } as const;
type EntryType = (typeof ENTRY_TYPES)[keyof typeof ENTRY_TYPES];

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

export class Journal {
  readonly #file: string;
  readonly #sync: NodeJS.Timeout;
  #descriptor: number;
  #pending: Buffer[] = [];
  #sizeBytes = 0;
  #isDirty = false;
  #isSyncing = false;

  private constructor(file: string) {
    this.#file = file;
    this.#descriptor = openForAppending(file);
    this.#sync = setInterval(() => this.#syncInBackground(), SYNC_INTERVAL_MS).unref();
  }

  /**
   * Opens the journal of a directory, replays it, and cuts a torn record off its end (kept beside it).
   * @throws Error when a record in the middle is damaged: nothing is changed then
   */
  static open(directory: string, replay: (entry: JournalEntry) => void, warn: (message: string) => void): Journal {
    fs.mkdirSync(directory, { recursive: true });
    const journal = new Journal(path.join(directory, 'journal'));
    try {
      journal.#replay(replay, warn);
    } catch (error) {
      journal.close();
      throw error;
    }
    return journal;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds to the record of the running command. */
  append(entry: JournalEntry): void {
    switch (entry.type) {
      case 'put':
        return this.#push(ENTRY_TYPES.put, entry.namespace, entry.bytes);
      case 'remove':
        return this.#push(ENTRY_TYPES.remove, entry.namespace, serialize({ _id: entry.id }));
      case 'define':
        return this.#push(ENTRY_TYPES.define, entry.namespace, serialize({ ...entry.definition }));
    }
  }

  /** Writes the record of the running command. A write that fails ends the process: memory never runs ahead of the file. */
  commit(): void {
    if (this.#pending.length === 0) return;
    const record = Buffer.concat([Buffer.alloc(RECORD_HEAD_BYTES), ...this.#pending]);
    this.#pending = [];
    const payload = record.subarray(RECORD_HEAD_BYTES);
    RECORD_MARKER.copy(record);
    record.writeUInt32LE(payload.length, 4);
    record.writeUInt32LE(zlib.crc32(payload), 8);
    try {
      writeWhole(this.#descriptor, record, this.#sizeBytes);
    } catch (error) {
      process.stderr.write(`embedded-mongodb: cannot write ${this.#file}: ${String(error)}. Stopping.\n`);
      process.exit(1);
    }
    this.#sizeBytes += record.length;
    this.#isDirty = true;
  }

  /** Writes the live state into a new file and puts it in the place of the old one. */
  compact(liveEntries: Iterable<JournalEntry>): void {
    const next = `${this.#file}.new`;
    // One that a crash left half written.
    fs.rmSync(next, { force: true });
    const old = this.#descriptor;
    this.#descriptor = openForAppending(next);
    this.#sizeBytes = FILE_HEAD.length;
    let pendingBytes = 0;
    for (const entry of liveEntries) {
      this.append(entry);
      pendingBytes += entry.type === 'put' ? entry.bytes.length : 0;
      if (pendingBytes < COMPACTION_RECORD_BYTES) continue;
      this.commit();
      pendingBytes = 0;
    }
    this.commit();
    fs.fsyncSync(this.#descriptor);
    fs.renameSync(next, this.#file);
    syncDirectory(path.dirname(this.#file));
    this.#isDirty = false;
    // A background sync may still hold the old file.
    if (this.#isSyncing) setTimeout(() => fs.closeSync(old), SYNC_INTERVAL_MS * 100).unref();
    else fs.closeSync(old);
  }

  close(): void {
    clearInterval(this.#sync);
    fs.fdatasyncSync(this.#descriptor);
    fs.closeSync(this.#descriptor);
  }

  #push(type: EntryType, namespace: string, content: Buffer): void {
    const name = Buffer.from(namespace);
    const head = Buffer.alloc(3 + name.length + 4);
    head.writeUInt8(type, 0);
    head.writeUInt16LE(name.length, 1);
    name.copy(head, 3);
    head.writeUInt32LE(content.length, 3 + name.length);
    this.#pending.push(head, content);
  }

  #syncInBackground(): void {
    if (!this.#isDirty || this.#isSyncing) return;
    this.#isDirty = false;
    this.#isSyncing = true;
    fs.fdatasync(this.#descriptor, (error) => {
      this.#isSyncing = false;
      if (error) process.stderr.write(`embedded-mongodb: cannot sync ${this.#file}: ${error.message}\n`);
    });
  }

  #replay(replay: (entry: JournalEntry) => void, warn: (message: string) => void): void {
    const totalBytes = fs.fstatSync(this.#descriptor).size;
    const head = readAt(this.#descriptor, 0, Math.min(FILE_HEAD.length, totalBytes));
    if (!head.equals(FILE_HEAD)) {
      throw new Error(`${this.#file} is not a journal of this server: move it away or choose another directory.`);
    }
    let position = FILE_HEAD.length;
    for (;;) {
      const payload = readRecord(this.#descriptor, position, totalBytes);
      if (!payload) break;
      for (const entry of entriesOf(payload)) replay(entry);
      position += RECORD_HEAD_BYTES + payload.length;
    }
    if (position < totalBytes) this.#cutTornEnd(position, totalBytes, warn);
    this.#sizeBytes = position;
  }

  #cutTornEnd(position: number, totalBytes: number, warn: (message: string) => void): void {
    const rest = readAt(this.#descriptor, position, totalBytes - position);
    const whole = findRecord(rest);
    if (whole !== undefined) {
      throw new Error(
        `${this.#file} is damaged at byte ${position}, and whole records follow at byte ${position + whole}. ` +
          'Nothing was changed. Restore the directory from a copy, or delete it to start empty.',
      );
    }
    const copy = `${this.#file}.torn-${Date.now()}`;
    fs.writeFileSync(copy, rest);
    fs.ftruncateSync(this.#descriptor, position);
    warn(`The last write to ${this.#file} was cut short and is dropped (${rest.length} bytes, kept in ${copy}).`);
  }
}

function openForAppending(file: string): number {
  const descriptor = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
  if (fs.fstatSync(descriptor).size < FILE_HEAD.length) {
    // New, or its very first write was cut short: no record can have been acknowledged.
    fs.ftruncateSync(descriptor, 0);
    writeWhole(descriptor, FILE_HEAD, 0);
    fs.fsyncSync(descriptor);
  }
  return descriptor;
}

function writeWhole(descriptor: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += fs.writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const count = fs.readSync(descriptor, bytes, done, length - done, position + done);
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}

/** The payload of the record at a position; `undefined` where no whole record is. */
function readRecord(descriptor: number, position: number, totalBytes: number): Buffer | undefined {
  if (position + RECORD_HEAD_BYTES > totalBytes) return undefined;
  const head = readAt(descriptor, position, RECORD_HEAD_BYTES);
  const length = head.readUInt32LE(4);
  const isPlausible = head.subarray(0, 4).equals(RECORD_MARKER) && length > 0 && length <= RECORD_BYTES_MAX;
  if (!isPlausible || position + RECORD_HEAD_BYTES + length > totalBytes) return undefined;
  const payload = readAt(descriptor, position + RECORD_HEAD_BYTES, length);
  return zlib.crc32(payload) === head.readUInt32LE(8) ? payload : undefined;
}

/** Where in these bytes a whole record starts, if one does. */
function findRecord(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf(RECORD_MARKER, 1); at >= 0; at = bytes.indexOf(RECORD_MARKER, at + 1)) {
    if (at + RECORD_HEAD_BYTES > bytes.length) return undefined;
    const length = bytes.readUInt32LE(at + 4);
    const payload = bytes.subarray(at + RECORD_HEAD_BYTES, at + RECORD_HEAD_BYTES + length);
    if (length > 0 && payload.length === length && zlib.crc32(payload) === bytes.readUInt32LE(at + 8)) return at;
  }
  return undefined;
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

function syncDirectory(directory: string): void {
  const descriptor = fs.openSync(directory, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}
