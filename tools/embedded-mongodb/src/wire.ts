import { deserialize } from 'bson';
import type { BatchReply, Reply } from './command.js';
import { helloReply, MESSAGE_BYTES_MAX, type CommandMessage } from './commands.js';
import { parse, serialize } from './values.js';

/** MongoDB's wire protocol: OP_MSG, and OP_QUERY for the first hello of a driver. */

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEAD_BYTES = 16;
/** A message may be a little larger than the largest batch of documents in it. */
const FRAME_BYTES_MAX = MESSAGE_BYTES_MAX + 16 * 1024 * 1024;

const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
const BODY_SECTION = 0;
const SEQUENCE_SECTION = 1;

export type Request =
  | { readonly kind: 'command'; readonly id: number; readonly message: CommandMessage; readonly wantsReply: boolean }
  | { readonly kind: 'greeting'; readonly id: number };

/** A protocol violation; the connection is closed. */
export class WireError extends Error {}

/** Splits a stream of bytes into messages. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #wantedBytes = HEAD_BYTES;

  /** @throws WireError for an invalid message length */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#wantedBytes) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#bytes);
    this.#wantedBytes = HEAD_BYTES;
    while (rest.length >= HEAD_BYTES) {
      const length = rest.readInt32LE(0);
      if (length < HEAD_BYTES || length > FRAME_BYTES_MAX) throw new WireError(`a message of ${length} bytes`);
      this.#wantedBytes = length;
      if (rest.length < length) break;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
      this.#wantedBytes = HEAD_BYTES;
    }
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
  }
}

/** @throws WireError for an operation that no supported driver sends */
export function readRequest(frame: Buffer): Request {
  const id = frame.readInt32LE(4);
  const operation = frame.readInt32LE(12);
  if (operation === OP_QUERY) return readGreeting(frame, id);
  if (operation !== OP_MSG) throw new WireError(`operation ${operation}`);
  const flags = frame.readUInt32LE(HEAD_BYTES);
  const end = frame.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  return {
    kind: 'command',
    id,
    message: readSections(frame, HEAD_BYTES + 4, end),
    wantsReply: !(flags & MORE_TO_COME),
  };
}

function readGreeting(frame: Buffer, id: number): Request {
  const collectionEnd = frame.indexOf(0, HEAD_BYTES + 4);
  const query = frame.subarray(collectionEnd + 1 + 8);
  const [name = ''] = query.length > 5 ? Object.keys(parse(query.subarray(0, query.readInt32LE(0)))) : [];
  if (!/^(ismaster|hello)$/i.test(name)) throw new WireError(`an OP_QUERY for '${name}'`);
  return { kind: 'greeting', id };
}

function readSections(frame: Buffer, start: number, end: number): CommandMessage {
  let body: CommandMessage['body'] | undefined;
  const sequences = new Map<string, Buffer[]>();
  let position = start;
  while (position < end) {
    const kind = frame.readUInt8(position);
    const length = frame.readInt32LE(position + 1);
    const section = frame.subarray(position + 1, position + 1 + length);
    if (length < 5 || section.length < length) throw new WireError('a section beyond its message');
    if (kind === BODY_SECTION) body = readBody(section);
    else if (kind === SEQUENCE_SECTION) readSequence(section, sequences);
    else throw new WireError(`section kind ${kind}`);
    position += 1 + length;
  }
  if (!body) throw new WireError('a message without a body');
  return { body, sequences };
}

function readBody(section: Buffer): CommandMessage['body'] {
  const nameEnd = section.indexOf(0, 5);
  const isInsert = section.toString('latin1', 5, nameEnd) === 'insert';
  // A driver puts a single document inside the body. It is kept as bytes, so that it is stored unchanged.
  return deserialize(section, {
    promoteBuffers: false,
    promoteLongs: false,
    bsonRegExp: true,
    ...(isInsert ? { fieldsAsRaw: { documents: true } } : {}),
  });
}

function readSequence(section: Buffer, sequences: Map<string, Buffer[]>): void {
  const nameEnd = section.indexOf(0, 4);
  const documents: Buffer[] = [];
  for (let position = nameEnd + 1; position < section.length;) {
    const length = section.readInt32LE(position);
    if (length < 5 || position + length > section.length) throw new WireError('a document beyond its section');
    documents.push(section.subarray(position, position + length));
    position += length;
  }
  sequences.set(section.toString('latin1', 4, nameEnd), documents);
}

let lastReplyId = 0;

export function writeReply(requestId: number, reply: Reply): Buffer {
  const parts = reply.kind === 'batch' ? batchDocument(reply) : [serialize(reply.doc)];
  const head = Buffer.alloc(HEAD_BYTES + 5);
  writeHead(head, head.length + sizeOf(parts), requestId, OP_MSG);
  return Buffer.concat([head, ...parts]);
}

/** The answer to the only OP_QUERY that drivers still send. */
export function writeGreeting(requestId: number): Buffer {
  const doc = serialize(helloReply());
  const head = Buffer.alloc(HEAD_BYTES + 20);
  writeHead(head, head.length + doc.length, requestId, OP_REPLY);
  const awaitCapable = 8;
  head.writeInt32LE(awaitCapable, HEAD_BYTES);
  head.writeInt32LE(1, HEAD_BYTES + 16);
  return Buffer.concat([head, doc]);
}

function writeHead(head: Buffer, length: number, requestId: number, operation: number): void {
  lastReplyId = (lastReplyId + 1) % 0x7fffffff;
  head.writeInt32LE(length, 0);
  head.writeInt32LE(lastReplyId, 4);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(operation, 12);
}

const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((size, part) => size + part.length, 0);

const BSON_DOUBLE = 1;
const BSON_STRING = 2;
const BSON_DOCUMENT = 3;
const BSON_ARRAY = 4;
const BSON_INT64 = 18;

/** `{ cursor: { <name>: [...], id, ns }, ok: 1 }`, built around the stored bytes without parsing them. */
function batchDocument({ name, batch }: BatchReply): Buffer[] {
  const elements = batch.documents.flatMap((bytes, place) => [elementHead(BSON_DOCUMENT, String(place)), bytes]);
  const id = Buffer.alloc(8);
  id.writeBigInt64LE(BigInt(batch.cursorId));
  const namespace = Buffer.from(`${batch.namespace}\0`);
  const cursor = document([
    elementHead(BSON_ARRAY, name),
    ...document(elements),
    elementHead(BSON_INT64, 'id'),
    id,
    elementHead(BSON_STRING, 'ns'),
    int32(namespace.length),
    namespace,
  ]);
  const one = Buffer.alloc(8);
  one.writeDoubleLE(1);
  return document([elementHead(BSON_DOCUMENT, 'cursor'), ...cursor, elementHead(BSON_DOUBLE, 'ok'), one]);
}

const elementHead = (type: number, name: string): Buffer =>
  Buffer.from(`${String.fromCharCode(type)}${name}\0`, 'latin1');

const document = (elements: readonly Buffer[]): Buffer[] => [
  int32(4 + sizeOf(elements) + 1),
  ...elements,
  Buffer.alloc(1),
];

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
