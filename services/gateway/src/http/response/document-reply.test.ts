import { describe, expect, test } from 'vitest';
import { documentReply } from './document-reply.js';
import type { OfferedDocument } from './document-reply.js';

const bytes = Buffer.from(Array.from({ length: 100 }, (_, at) => at));
const etag = '"document-5ha"';
const modified = 'Thu, 05 Mar 2026 10:00:00 GMT';
const offered: OfferedDocument = {
  mediaType: 'application/pdf',
  byteSize: bytes.length,
  sha256: '5ha',
  receivedAt: new Date(modified),
  disposition: 'inline; filename="a.pdf"',
  async *read(range) {
    yield range === undefined ? bytes : bytes.subarray(range.first, range.last + 1);
  },
};

const reply = (headers: Record<string, string> = {}, isHead = false) => documentReply(offered, { headers, isHead });

async function bodyOf(content: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('a document', () => {
  test('is sent whole, with what a viewer and a cache need, and may neither run nor load anything', async () => {
    const { status, headers, content } = reply();
    expect({ status, headers }).toEqual({
      status: 200,
      headers: {
        ETag: etag,
        'Last-Modified': modified,
        'Cache-Control': 'private, no-store',
        'Content-Security-Policy': "sandbox; default-src 'none'",
        'Accept-Ranges': 'bytes',
        'Content-Type': 'application/pdf',
        'Content-Disposition': 'inline; filename="a.pdf"',
        'Content-Length': '100',
      },
    });
    expect(await bodyOf(content)).toEqual(bytes);
  });

  test('has the same headers for HEAD, no body, and no ranges', () => {
    const head = reply({ range: 'bytes=0-0' }, true);
    expect(head.content).toBeUndefined();
    expect({ ...head, content: undefined }).toEqual({ ...reply(), content: undefined });
  });

  test('is sent in part', async () => {
    const { status, headers, content } = reply({ range: 'bytes=10-19' });
    expect(status).toBe(206);
    expect(headers).toMatchObject({ 'Content-Range': 'bytes 10-19/100', 'Content-Length': '10', ETag: etag });
    expect(await bodyOf(content)).toEqual(bytes.subarray(10, 20));
  });

  test('is sent in several parts, each with its range, of exactly the length that is announced', async () => {
    const { status, headers = {}, content } = reply({ range: 'bytes=0-0,-1' });
    expect(status).toBe(206);
    const [, boundary = ''] =
      /^multipart\/byteranges; boundary=([0-9a-f]{36})$/.exec(headers['Content-Type'] ?? '') ?? [];
    const body = await bodyOf(content);
    expect(headers['Content-Length']).toBe(String(body.length));
    expect(body.toString('latin1').split(`--${boundary}`)).toEqual([
      '\r\n',
      '\r\nContent-Type: application/pdf\r\nContent-Range: bytes 0-0/100\r\n\r\n\0\r\n',
      '\r\nContent-Type: application/pdf\r\nContent-Range: bytes 99-99/100\r\n\r\nc\r\n',
      '--\r\n',
    ]);
    expect(reply({ range: 'bytes=0-0,-1' }).headers?.['Content-Type']).not.toBe(headers['Content-Type']);
  });

  test.each([
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"other", W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-none-match': '"other"', 'if-modified-since': modified }, 200],
    [{ 'if-modified-since': modified }, 304],
    [{ 'if-modified-since': 'Wed, 04 Mar 2026 10:00:00 GMT' }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
    [{ 'if-match': `"other", ${etag}` }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-unmodified-since': modified }, 200],
    [{ 'if-match': etag, 'if-unmodified-since': 'Wed, 04 Mar 2026 10:00:00 GMT' }, 200],
    [{ 'if-match': etag, 'if-none-match': etag }, 304],
    [{ 'if-none-match': etag, range: 'bytes=500-' }, 304],
    [{ range: 'bytes=0-0', 'if-range': etag }, 206],
    [{ range: 'bytes=0-0', 'if-range': modified }, 206],
    [{ range: 'bytes=0-0', 'if-range': `W/${etag}` }, 200],
    [{ range: 'bytes=0-0', 'if-range': '"other"' }, 200],
    [{ range: 'bytes=500-', 'if-range': '"other"' }, 200],
    [{ range: 'bytes=0-10,5-20' }, 200],
  ])('asked for with %j is answered with %i', (headers, status) => {
    expect(reply(headers).status).toBe(status);
  });

  test.each([
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-match': `W/${etag}` }, 412],
    [{ 'if-unmodified-since': 'Wed, 04 Mar 2026 10:00:00 GMT' }, 412],
    [{ 'if-match': '"other"', 'if-none-match': etag }, 412],
    [{ range: 'bytes=100-' }, 416],
  ])('asked for with %j is refused with %i', (headers, status) => {
    expect(() => reply(headers)).toThrow(expect.objectContaining({ status, code: 'INVALID_REQUEST' }));
  });

  test('304 repeats what identifies the document, and nothing of its content', () => {
    expect(Object.keys(reply({ 'if-none-match': etag }).headers ?? {})).toEqual([
      'ETag',
      'Last-Modified',
      'Cache-Control',
      'Content-Security-Policy',
    ]);
  });
});
