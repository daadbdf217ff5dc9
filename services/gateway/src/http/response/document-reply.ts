import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isKnown } from './etag.js';
import { parseRange, preconditionFailed } from './byte-ranges.js';
import type { ByteRange } from './byte-ranges.js';
import type { Reply } from './reply.js';

/** A stored document that can be sent to the caller. */
export interface OfferedDocument {
  readonly mediaType: string;
  readonly byteSize: number;
  /** SHA-256 hash of the stored document, in hexadecimal digits. */
  readonly sha256: string;
  readonly receivedAt: Date;
  /** Value of the `Content-Disposition` header with which a stored document is sent. */
  readonly disposition: string;
  /** Reads the bytes of a stored document, or the given range of them. */
  read(range: ByteRange | undefined): AsyncIterable<Uint8Array>;
}

interface Request {
  readonly headers: IncomingHttpHeaders;
  readonly isHead: boolean;
}

/**
 * Returns the response to a request for a document, with conditions, ranges and headers (RFC 9110, sections 13 and 14;
 * HTTP and security reference, section 5).
 * @throws HttpRefusal 412, 416
 */
export function documentReply(document: OfferedDocument, { headers, isHead }: Request): Reply {
  const { mediaType, byteSize, sha256, receivedAt, disposition, read } = document;
  const etag = `"document-${sha256}"`;
  const lastModified = receivedAt.toUTCString();
  requirePreconditions(headers, etag, lastModified);
  const known = {
    ETag: etag,
    'Last-Modified': lastModified,
    'Cache-Control': 'private, no-store',
    // The browser shows the stored document, whose content must neither run scripts nor load anything.
    'Content-Security-Policy': "sandbox; default-src 'none'",
  };
  if (isUnchanged(headers, etag, lastModified)) return { status: 304, headers: known };
  const shown = {
    ...known,
    'Accept-Ranges': 'bytes',
    'Content-Type': mediaType,
    'Content-Disposition': disposition,
  };
  const ranges = isHead ? undefined : rangesOf(headers, { byteSize, etag, lastModified });
  if (ranges === undefined) {
    const whole = { ...shown, 'Content-Length': String(byteSize) };
    return isHead ? { status: 200, headers: whole } : { status: 200, headers: whole, content: read(undefined) };
  }
  const [only, ...others] = ranges;
  if (only !== undefined && others.length === 0) {
    const part = { 'Content-Range': contentRange(only, byteSize), 'Content-Length': String(lengthOf(only)) };
    return { status: 206, headers: { ...shown, ...part }, content: read(only) };
  }
  return { status: 206, ...multipart(ranges, document, shown) };
}

function requirePreconditions(headers: IncomingHttpHeaders, etag: string, lastModified: string): void {
  const { 'if-match': ifMatch, 'if-unmodified-since': since } = headers;
  if (ifMatch !== undefined) {
    // ETags of documents are compared strongly, so a weak ETag in a request never matches.
    const tags = ifMatch.split(',').map((tag) => tag.trim());
    if (!tags.includes('*') && !tags.includes(etag)) throw preconditionFailed();
    return;
  }
  const day = since === undefined ? Number.NaN : Date.parse(since);
  if (!Number.isNaN(day) && Date.parse(lastModified) > day) throw preconditionFailed();
}

function isUnchanged(headers: IncomingHttpHeaders, etag: string, lastModified: string): boolean {
  const { 'if-none-match': ifNoneMatch, 'if-modified-since': since } = headers;
  if (ifNoneMatch !== undefined) return isKnown(etag, ifNoneMatch);
  const day = since === undefined ? Number.NaN : Date.parse(since);
  return !Number.isNaN(day) && Date.parse(lastModified) <= day;
}

function rangesOf(
  { range, 'if-range': condition }: IncomingHttpHeaders,
  { byteSize, etag, lastModified }: { byteSize: number; etag: string; lastModified: string },
): readonly ByteRange[] | undefined {
  if (range === undefined) return undefined;
  const ifRange = [condition].flat().join().trim();
  const isCurrent = condition === undefined || ifRange === etag || ifRange === lastModified;
  return isCurrent ? parseRange(range, byteSize) : undefined;
}

function contentRange({ first, last }: ByteRange, byteSize: number): string {
  return `bytes ${first}-${last}/${byteSize}`;
}

function lengthOf({ first, last }: ByteRange): number {
  return last - first + 1;
}

/** Returns several ranges of a document as one response body (RFC 9110, section 14.6). */
function multipart(
  ranges: readonly ByteRange[],
  { mediaType, byteSize, read }: OfferedDocument,
  headers: Readonly<Record<string, string>>,
): Pick<Reply, 'headers' | 'content'> {
  const boundary = randomBytes(18).toString('hex');
  const parts = ranges.map((range) => ({
    range,
    head: Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${mediaType}\r\nContent-Range: ${contentRange(range, byteSize)}\r\n\r\n`,
    ),
  }));
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length = parts.reduce((sum, { head, range }) => sum + head.length + lengthOf(range), end.length);
  const content = async function* (): AsyncIterable<Uint8Array> {
    for (const { head, range } of parts) {
      yield head;
      yield* read(range);
    }
    yield end;
  };
  return {
    headers: {
      ...headers,
      'Content-Type': `multipart/byteranges; boundary=${boundary}`,
      'Content-Length': String(length),
    },
    content: content(),
  };
}
