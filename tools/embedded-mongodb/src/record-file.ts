import fs from 'node:fs';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

/**
 * An append-only file of records: `marker, payload length, crc32 of the payload, payload`. After a crash only the last
 * record can be torn.
 */

const FILE_HEAD = Buffer.from('ICMDB001');
/** Starts each record, so that whole records can be found after a damaged one. */
const RECORD_MARKER = Buffer.from([0xf7, 0x1c, 0xd0, 0x9e]);
const RECORD_HEAD_BYTES = 12;
/** The largest command (48 MB) can write its documents once and a little around each of them. */
const RECORD_BYTES_MAX = 512 * 1024 * 1024;

const sync = promisify(fs.fdatasync);

export class RecordFile {
  readonly #descriptor: number;
  #path: string;
  #sizeBytes = FILE_HEAD.length;

  /** Opens or creates the file; its records must be read before the first append. */
  constructor(file: string) {
    this.#path = file;
    this.#descriptor = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    // New, or its first write was torn: no record was acknowledged.
    if (fs.fstatSync(this.#descriptor).size >= FILE_HEAD.length) return;
    fs.ftruncateSync(this.#descriptor, 0);
    writeWhole(this.#descriptor, FILE_HEAD, 0);
  }

  /** The end of the last whole record. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds one record. */
  append(payloadParts: readonly Buffer[]): void {
    const record = Buffer.concat([Buffer.alloc(RECORD_HEAD_BYTES), ...payloadParts]);
    const payload = record.subarray(RECORD_HEAD_BYTES);
    if (payload.length === 0) return;
    RECORD_MARKER.copy(record);
    record.writeUInt32LE(payload.length, 4);
    record.writeUInt32LE(zlib.crc32(payload), 8);
    this.#write(record);
  }

  /** Appends a range of whole records of another file. */
  appendFrom(other: RecordFile, start: number, end: number): void {
    if (end > start) this.#write(readAt(other.#descriptor, start, end - start));
  }

  /**
   * Reads every record and cuts off a torn last one (kept in a copy).
   * @throws Error when a record in the middle is damaged: nothing is changed then
   */
  replay(onRecord: (payload: Buffer) => void, warn: (message: string) => void): void {
    const totalBytes = fs.fstatSync(this.#descriptor).size;
    const head = readAt(this.#descriptor, 0, Math.min(FILE_HEAD.length, totalBytes));
    if (!head.equals(FILE_HEAD)) {
      throw new Error(`${this.#path} is not a journal of this server: move it or choose another directory.`);
    }
    let position = FILE_HEAD.length;
    for (;;) {
      const payload = readRecord(this.#descriptor, position, totalBytes);
      if (!payload) break;
      onRecord(payload);
      position += RECORD_HEAD_BYTES + payload.length;
    }
    if (position < totalBytes) this.#cutTornEnd(position, totalBytes, warn);
    this.#sizeBytes = position;
  }

  sync(): void {
    fs.fdatasyncSync(this.#descriptor);
  }

  syncInBackground(): Promise<void> {
    return sync(this.#descriptor);
  }

  moveTo(file: string): void {
    fs.renameSync(this.#path, file);
    this.#path = file;
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }

  /** Closing the last descriptor of a large replaced file frees its blocks, which takes time. */
  closeInBackground(): void {
    fs.close(this.#descriptor);
  }

  #write(bytes: Buffer): void {
    writeWhole(this.#descriptor, bytes, this.#sizeBytes);
    this.#sizeBytes += bytes.length;
  }

  #cutTornEnd(position: number, totalBytes: number, warn: (message: string) => void): void {
    const rest = readAt(this.#descriptor, position, totalBytes - position);
    const whole = findRecord(rest);
    if (whole !== undefined) {
      throw new Error(
        `${this.#path} is damaged at byte ${position}, and whole records follow at byte ${position + whole}. ` +
          'Nothing was changed. Restore the directory from a backup, or delete it to start empty.',
      );
    }
    const copy = `${this.#path}.torn-${Date.now()}`;
    fs.writeFileSync(copy, rest);
    fs.ftruncateSync(this.#descriptor, position);
    warn(`The last write to ${this.#path} was cut short and is dropped (${rest.length} bytes, kept in ${copy}).`);
  }
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

/** The payload of the record at a position; `undefined` if there is no whole record. */
function readRecord(descriptor: number, position: number, totalBytes: number): Buffer | undefined {
  if (position + RECORD_HEAD_BYTES > totalBytes) return undefined;
  const head = readAt(descriptor, position, RECORD_HEAD_BYTES);
  const length = head.readUInt32LE(4);
  const isPlausible = head.subarray(0, 4).equals(RECORD_MARKER) && length > 0 && length <= RECORD_BYTES_MAX;
  if (!isPlausible || position + RECORD_HEAD_BYTES + length > totalBytes) return undefined;
  const payload = readAt(descriptor, position + RECORD_HEAD_BYTES, length);
  return zlib.crc32(payload) === head.readUInt32LE(8) ? payload : undefined;
}

/** The position of the first whole record in these bytes, if any. */
function findRecord(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf(RECORD_MARKER, 1); at >= 0; at = bytes.indexOf(RECORD_MARKER, at + 1)) {
    if (at + RECORD_HEAD_BYTES > bytes.length) return undefined;
    const length = bytes.readUInt32LE(at + 4);
    const payload = bytes.subarray(at + RECORD_HEAD_BYTES, at + RECORD_HEAD_BYTES + length);
    if (length > 0 && payload.length === length && zlib.crc32(payload) === bytes.readUInt32LE(at + 8)) return at;
  }
  return undefined;
}
