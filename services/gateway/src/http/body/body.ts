import { setTimeout as delay } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '@invoicecontrol/errors';
import type { BodyReservation } from './body-budget.js';
import { awaitBody, stopReading } from '../connection/connections.js';
import { JsonValueCounter } from './json-value-counter.js';
import { readMediaType } from './media-type.js';
import { ClientGone } from '../response/client-gone.js';
import { HttpRefusal } from '../response/refusal.js';
import { eachInTurns } from './turns.js';

export interface BodyLimits {
  readonly bytesMax: number;
  /**
   * Maximum number of JSON values in a request body (objects, lists, strings, numbers, booleans and nulls at all
   * levels). An empty object or list counts twice.
   */
  readonly valuesMax: number;
  /** Last sentence in the refusal of a request body with too many values. */
  readonly advice: string;
}

/** Limits for a JSON body, unless its route has other limits (HTTP and security reference, section 2). */
export const JSON_BODY_LIMITS: BodyLimits = {
  bytesMax: 256 * 1024,
  valuesMax: 10_000,
  advice: 'Send less in one request.',
};
/** Limits for a JSON body on a route without an API key. Such a request body contains a token and a name. */
export const PUBLIC_BODY_LIMITS: BodyLimits = { ...JSON_BODY_LIMITS, bytesMax: 16 * 1024 };
export const JSON_DEPTH_MAX = 32;
/**
 * Maximum number of fields in one object of a request body, far more than any object of this API has, but few enough to
 * check all of them in one step.
 */
export const JSON_FIELDS_MAX = 1_000;

/** Maximum number of bytes of a refused request body that are discarded, so that the client receives the response. */
const DISCARD_BYTES_MAX = 32 * 1024 * 1024;
const DISCARD_MS_MAX = 1_000;

/**
 * Number of chunks that are joined at once. A request body may arrive byte by byte, and each chunk costs some hundred
 * additional bytes.
 */
const CHUNKS_APART_MAX = 256;

/**
 * Number of chunks that every request body may have (RFC 9112, section 7.1). Chunks are limited, because each costs
 * time in addition to its bytes. A large body may have more chunks, if each has {@link CHUNK_BYTES_MIN} bytes on
 * average. Some encoders write a chunk for each word.
 */
const CHUNKS_MIN = 1_000;
const CHUNK_BYTES_MIN = 40;

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads and parses a JSON body with stricter rules than JSON: one encoding, no byte order mark, no NUL, no unpaired
 * surrogates, no `__proto__`, and limits on size, chunks, values, depth and fields. If a name is repeated, the last
 * value is used.
 * @param reservation reserves memory for the bytes as they arrive; the caller releases it
 * @throws HttpRefusal 415 or 413; DomainError `invalid`; DomainError `unavailable` if too many bytes are reserved at
 *   the moment
 */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  reservation: BodyReservation,
): Promise<unknown> {
  const refusal = refusalOfType(request);
  if (refusal !== undefined) throw refusal;
  return parseJson(await readBytes(request, response, limits, reservation));
}

/**
 * Reads a JSON body like {@link readJsonBody}, but the request body may be absent; an empty body counts as `{}`. The
 * body is always read, because a proxy may announce a body in chunks although it is empty.
 */
export async function readOptionalJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  reservation: BodyReservation,
): Promise<unknown> {
  const refusal = refusalOfType(request);
  const bounds = refusal === undefined ? limits : { ...limits, bytesMax: 0, tooLong: refusal };
  const bytes = await readBytes(request, response, bounds, reservation);
  return bytes.length === 0 ? {} : parseJson(bytes);
}

/**
 * Reads a request body as bytes, without parsing it.
 * @throws the errors of {@link readJsonBody} for a body that is too large
 */
export function readRawBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  reservation: BodyReservation,
): Promise<Buffer> {
  return readBytes(request, response, { bytesMax, valuesMax: Infinity, advice: '' }, reservation);
}

const XML_TYPES: ReadonlySet<string> = new Set(['application/xml', 'text/xml']);

/** Checks whether the body of a request is XML. */
export function isXml(request: IncomingMessage): boolean {
  const { type } = readMediaType(request.headers['content-type']);
  return type !== undefined && XML_TYPES.has(type);
}

/**
 * Reads an XML body unchanged. The XML declares the encoding of the body.
 * @throws HttpRefusal 415 for another type or a compressed body; the errors of {@link readJsonBody} for a body that is
 * too large
 */
export function readXmlBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  reservation: BodyReservation,
): Promise<Buffer> {
  const refusal = refusalOfEncoding(request);
  if (refusal !== undefined) throw refusal;
  if (!isXml(request)) {
    throw new HttpRefusal(415, 'Send the body as XML with Content-Type: application/xml.', {
      Accept: 'application/xml',
    });
  }
  return readRawBody(request, response, bytesMax, reservation);
}

/** Maximum size of an HTML form in a request body, which has a few short fields. */
const FORM_BYTES_MAX = 16 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Reads the fields of an HTML form.
 * @throws HttpRefusal 415 or 413; DomainError `invalid` for a repeated field; DomainError `unavailable`
 */
export async function readFormBody(
  request: IncomingMessage,
  response: ServerResponse,
  reservation: BodyReservation,
): Promise<Readonly<Record<string, string>>> {
  const refusal = refusalOfEncoding(request);
  if (refusal !== undefined) throw refusal;
  if (readMediaType(request.headers['content-type']).type !== FORM_TYPE) {
    throw new HttpRefusal(415, `Send the body as a form with Content-Type: ${FORM_TYPE}.`, { Accept: FORM_TYPE });
  }
  const text = (await readRawBody(request, response, FORM_BYTES_MAX, reservation)).toString('utf8');
  const fields = [...new URLSearchParams(text)];
  if (new Set(fields.map(([name]) => name)).size < fields.length) {
    throw invalid('The form in the body contains a field more than once. Send each field only once.');
  }
  for (const [name, value] of fields) {
    if (name === '__proto__') throw invalid('The body contains a field named __proto__. Remove this field.');
    refuseUnstorable(name);
    refuseUnstorable(value);
  }
  return Object.fromEntries(fields);
}

function refusalOfEncoding(request: IncomingMessage): HttpRefusal | undefined {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  return new HttpRefusal(415, 'Send the body uncompressed, without Content-Encoding.', {
    'Accept-Encoding': 'identity',
  });
}

/** Returns the refusal for a request body with a Content-Type or encoding other than JSON. */
function refusalOfType(request: IncomingMessage): HttpRefusal | undefined {
  const refusal = refusalOfEncoding(request);
  if (refusal !== undefined) return refusal;
  const { type, charsets } = readMediaType(request.headers['content-type']);
  if (type !== 'application/json') {
    return new HttpRefusal(415, 'Send the body as JSON with Content-Type: application/json.', {
      Accept: 'application/json',
    });
  }
  if (charsets.some((charset) => charset !== 'utf-8' && charset !== 'utf8')) {
    return new HttpRefusal(415, 'Send the body in UTF-8, the only charset of JSON.', { Accept: 'application/json' });
  }
  return undefined;
}

interface ReadBounds extends BodyLimits {
  /** Refusal of a request body that is too long. Absent for the usual refusal, which states the maximum length. */
  readonly tooLong?: HttpRefusal;
}

async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  limits: ReadBounds,
  reservation: BodyReservation,
): Promise<Buffer> {
  let isWaiting = request.headers.expect?.toLowerCase() === '100-continue';
  try {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > limits.bytesMax) throw limits.tooLong ?? tooLarge(limits);
    reservation.requireRoom(announced);
    if (isWaiting) response.writeContinue();
    isWaiting = false;
    awaitBody(request.socket, response);
    return await collect(request, limits, reservation);
  } catch (error) {
    reservation.giveBack();
    if (error instanceof ClientGone) throw error;
    if (error instanceof TooManyChunks) stopReading(request.socket);
    else if (!isWaiting) await discard(request);
    // The connection of a refused request is closed after the response, so that unread bytes are never read as another
    // request.
    if (!request.complete) response.setHeader('Connection', 'close');
    throw error;
  }
}

/**
 * Reads the whole request body. Rejects as soon as the body is too long, has too many values or exceeds a limit, and if
 * the client disconnects. After reading, no reference to the body is kept, because otherwise the body would stay in
 * memory until the response is sent.
 */
function collect(
  request: IncomingMessage,
  { bytesMax, valuesMax, advice, tooLong }: ReadBounds,
  reservation: BodyReservation,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const counter = new JsonValueCounter();
    const isChunked = request.headers['transfer-encoding'] !== undefined;
    const chunksMax = chunksMaxOf(bytesMax);
    let joined: Buffer[] = [];
    let chunks: Buffer[] = [];
    let length = 0;
    let count = 0;
    const end = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      joined = [];
      chunks = [];
    };
    const onData = (chunk: Buffer): void => {
      try {
        count += 1;
        length += chunk.length;
        if (isChunked && count > chunksMax) throw new TooManyChunks(chunksMax);
        if (length > bytesMax) throw tooLong ?? tooLarge({ bytesMax });
        if (counter.add(chunk) > valuesMax) throw tooManyValues({ valuesMax, advice });
        reservation.add(chunk.length);
      } catch (error) {
        // Node.js still delivers buffered bytes of a refused body and would keep them if they were not read.
        request.on('data', () => {});
        end();
        reject(error as Error);
        return;
      }
      chunks.push(chunk);
      if (chunks.length < CHUNKS_APART_MAX) return;
      joined.push(Buffer.concat(chunks));
      chunks = [];
    };
    const onEnd = (): void => {
      const body = Buffer.concat([...joined, ...chunks], length);
      end();
      resolve(body);
    };
    const onClose = (): void => {
      end();
      reject(new ClientGone());
    };
    request.on('data', onData).once('end', onEnd).once('close', onClose);
  });
}

/** Refusal of a request body that has too many chunks. The rest of such a body is not read. */
class TooManyChunks extends HttpRefusal {
  constructor(chunksMax: number) {
    super(413, `The body has more than ${chunksMax} chunks. Send fewer, larger chunks.`);
  }
}

/** Returns the maximum number of chunks for a request body with the given maximum length. */
export function chunksMaxOf(bytesMax: number): number {
  return Math.max(CHUNKS_MIN, Math.ceil(bytesMax / CHUNK_BYTES_MIN));
}

function tooLarge({ bytesMax }: Pick<BodyLimits, 'bytesMax'>): HttpRefusal {
  const limit = bytesMax >= 1024 * 1024 ? `${bytesMax / (1024 * 1024)} MiB` : `${bytesMax / 1024} KiB`;
  return new HttpRefusal(413, `The body is larger than ${limit}. Send less in one request.`);
}

function tooManyValues({ valuesMax, advice }: Pick<BodyLimits, 'valuesMax' | 'advice'>): HttpRefusal {
  return new HttpRefusal(413, `The body has more than ${valuesMax} values. ${advice}`);
}

/**
 * Discards the rest of a refused request body, so that the client receives the response, and closes the connection
 * after the response.
 */
export async function discardRest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.complete || request.destroyed) return;
  const isUnasked = request.headers.expect?.toLowerCase() === '100-continue' && request.readableDidRead === false;
  if (!isUnasked) await discard(request);
  if (!request.complete) response.setHeader('Connection', 'close');
}

/**
 * Reads and discards the rest of a request body up to a limit. Closing a connection with unread bytes resets it, and
 * the client may lose the response.
 */
async function discard(request: IncomingMessage): Promise<void> {
  const timeIsUp = new AbortController();
  const drained = new Promise<void>((resolve) => {
    let left = DISCARD_BYTES_MAX;
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) resolve();
    });
    request.once('end', resolve);
    request.once('close', resolve);
    request.once('error', () => resolve());
    request.resume();
  });
  const late = delay(DISCARD_MS_MAX, undefined, { signal: timeIsUp.signal }).catch(() => {});
  await Promise.race([drained, late]);
  timeIsUp.abort();
  if (!request.complete) request.pause();
}

/** Parses the JSON of a request body according to the rules of {@link readJsonBody}. */
export async function parseJson(bytes: Buffer): Promise<unknown> {
  if (bytes.length === 0) throw invalid('The body is empty. Send a JSON object.');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw invalid('The body begins with a byte order mark. Send the JSON without a byte order mark.');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('The body is not valid UTF-8. Send JSON in UTF-8.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    throw invalid(`The body is not valid JSON${position === undefined ? '' : ` (at position ${position})`}.`);
  }
  await eachInTurns(partsOf(value), ({ part, depth }) => refuseHarmful(part, depth));
  return value;
}

/**
 * Yields the members of a request body with their level, and the items of lists one by one, because some bodies are one
 * long list.
 */
function* partsOf(body: unknown): Generator<{ part: unknown; depth: number }> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    yield { part: body, depth: 1 };
    return;
  }
  for (const member of membersOf(body)) {
    if (!Array.isArray(member)) yield { part: member, depth: 2 };
    else for (const item of member as unknown[]) yield { part: item, depth: 3 };
  }
}

function refuseHarmful(value: unknown, depth: number): void {
  if (typeof value === 'string') return refuseUnstorable(value);
  if (typeof value !== 'object' || value === null) return;
  if (depth > JSON_DEPTH_MAX)
    throw invalid(
      `The JSON in the body is nested more than ${JSON_DEPTH_MAX} levels deep. Send JSON with fewer levels.`,
    );
  if (Array.isArray(value)) {
    for (const item of value) refuseHarmful(item, depth + 1);
    return;
  }
  for (const member of membersOf(value)) refuseHarmful(member, depth + 1);
}

/** Returns the members of a JSON object, and refuses too many members and dangerous names. */
function membersOf(object: object): unknown[] {
  const names = Object.keys(object);
  if (names.length > JSON_FIELDS_MAX) {
    throw invalid(`The body contains an object with more than ${JSON_FIELDS_MAX} fields. Send fewer fields.`);
  }
  for (const name of names) {
    if (name === '__proto__') throw invalid('The body contains a field named __proto__. Remove this field.');
    refuseUnstorable(name);
  }
  return Object.values(object);
}

/**
 * Refuses JSON texts with NUL or an unpaired surrogate: XML cannot contain NUL, and UTF-8 cannot contain an unpaired
 * surrogate, so neither could be stored and exported.
 */
function refuseUnstorable(text: string): void {
  if (text.includes('\u0000'))
    throw invalid('The body contains a string with the character U+0000. Remove this character.');
  if (LONE_SURROGATE.test(text))
    throw invalid('The body contains a string with half of a UTF-16 surrogate pair. Send complete characters.');
}

function invalid(message: string): DomainError {
  return new DomainError('invalid', message);
}
