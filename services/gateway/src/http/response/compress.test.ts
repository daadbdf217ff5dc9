import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { COMPRESSED_BYTES_MAX, COMPRESSED_BYTES_MIN, COMPRESSIONS_MAX, Compressor } from './compress.js';

const long = (size: number): string => 'ä'.repeat(size / 2);
const accepting = (encodings?: string) => (encodings === undefined ? {} : { 'accept-encoding': encodings });

describe('a response', () => {
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['deflate', undefined],
    ['', undefined],
    ['gzip;q=0', undefined],
    ['br;q=0.1, identity', undefined],
    [undefined, undefined],
  ])('for a caller that accepts %j is sent as %s, and reads as before', async (encodings, encoding) => {
    const text = long(4_000);
    const body = await new Compressor().compress(text, accepting(encodings));
    expect(body?.encoding).toBe(encoding);
    if (body === undefined) return;
    expect(body.bytes.length).toBeLessThan(400);
    const read = body.encoding === 'br' ? brotliDecompressSync(body.bytes) : gunzipSync(body.bytes);
    expect(read.toString('utf8')).toBe(text);
  });

  test.each([
    [COMPRESSED_BYTES_MIN, true],
    [COMPRESSED_BYTES_MIN - 2, false],
    [COMPRESSED_BYTES_MAX, true],
    [COMPRESSED_BYTES_MAX + 2, false],
  ])('of %i bytes is compressed: %s', async (size, isCompressed) => {
    const body = await new Compressor().compress(long(size), accepting('gzip'));
    expect(body !== undefined).toBe(isCompressed);
  });
});

test(`${COMPRESSIONS_MAX} responses are compressed at the same time, one more is sent as it is, and later ones again`, async () => {
  const compressor = new Compressor();
  const compress = () => compressor.compress(long(2_000), accepting('br'));
  const bodies = await Promise.all(Array.from({ length: COMPRESSIONS_MAX + 1 }, compress));
  expect(bodies.map((body) => body?.encoding)).toEqual([
    ...Array.from({ length: COMPRESSIONS_MAX }, () => 'br'),
    undefined,
  ]);
  expect((await compress())?.encoding).toBe('br');
});
