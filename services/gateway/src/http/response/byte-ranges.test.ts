import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { parseRange, RANGES_MAX } from './byte-ranges.js';

const range = (first: number, last: number) => ({ first, last });

describe('of a document of 100 bytes, a Range header', () => {
  test.each([
    ['bytes=0-0', [range(0, 0)]],
    ['bytes=0-', [range(0, 99)]],
    ['bytes=-5', [range(95, 99)]],
    ['bytes=95-200', [range(95, 99)]],
    ['bytes=-200', [range(0, 99)]],
    ['bytes=0-0,500-', [range(0, 0)]],
    ['bytes=0-0,-1', [range(0, 0), range(99, 99)]],
    ['bytes=10-19, 0-9', [range(10, 19), range(0, 9)]],
    ['bytes= ,0-0 , ', [range(0, 0)]],
    ['Bytes=1-2', [range(1, 2)]],
    ['bytes=0-99999999999999999999999', [range(0, 99)]],
  ])('%s asks for these bytes', (header, ranges) => {
    expect(parseRange(header, 100)).toEqual(ranges);
  });

  test.each(['bytes=100-', 'bytes=-0', 'bytes=500-600', 'bytes=99999999999999999999-', 'bytes=100-,-0'])(
    '%s has no byte and is 416',
    (header) => {
      expect(() => parseRange(header, 100)).toThrow(
        expect.objectContaining({ status: 416, headers: { 'Content-Range': 'bytes */100' } }),
      );
    },
  );

  test.each([
    'bytes=5-2',
    'bytes=abc',
    'bytes=',
    'bytes',
    '',
    'bytes=1e1-20',
    'bytes=-',
    'bytes=0x1-2',
    'bytes=1-2-3',
    'bytes=0-0,5-2',
    'items=0-5',
    'bytes 0-5',
    'bytes=0-10,5-20',
    'bytes=0-,-1',
  ])('"%s" is ignored', (header) => {
    expect(parseRange(header, 100)).toBeUndefined();
  });

  test(`may have ${RANGES_MAX} ranges; with one more it is ignored`, () => {
    const header = (count: number) => `bytes=${Array.from({ length: count }, (_, at) => `${at * 2}-${at * 2}`).join()}`;
    expect(parseRange(header(RANGES_MAX), 100)).toHaveLength(RANGES_MAX);
    expect(parseRange(header(RANGES_MAX + 1), 100)).toBeUndefined();
  });
});

test('an empty document has no byte in any range', () => {
  for (const header of ['bytes=0-', 'bytes=-1', 'bytes=0-0']) expect(() => parseRange(header, 0)).toThrow(/0 bytes/);
});

test('whatever the header, ranges lie inside of the document and do not overlap', () => {
  const spec = fc.oneof(
    fc.tuple(fc.nat(300), fc.nat(300)).map(([from, to]) => `${from}-${to}`),
    fc.nat(300).map((from) => `${from}-`),
    fc.nat(300).map((length) => `-${length}`),
    fc.string({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(spec, { maxLength: 10 }), fc.nat(200), (specs, size) => {
      let ranges;
      try {
        ranges = parseRange(`bytes=${specs.join(',')}`, size) ?? [];
      } catch (error) {
        expect(error).toMatchObject({ status: 416 });
        return;
      }
      const bytes = ranges.flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, at) => first + at),
      );
      expect(new Set(bytes).size).toBe(bytes.length);
      for (const byte of bytes) expect(byte >= 0 && byte < size).toBe(true);
    }),
  );
});
