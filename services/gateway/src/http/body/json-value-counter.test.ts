import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { JsonValueCounter } from './json-value-counter.js';

/** Counts the values that `JSON.parse` makes of a text, and the empty objects and lists among them. */
function countParsed(value: unknown): { values: number; empty: number } {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : undefined;
  const sum = { values: 1, empty: members?.length === 0 ? 1 : 0 };
  for (const member of members ?? []) {
    const inner = countParsed(member);
    sum.values += inner.values;
    sum.empty += inner.empty;
  }
  return sum;
}

/** Cuts a JSON text into chunks at the given byte positions. */
function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const ends = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function counted(chunks: readonly Uint8Array[]): number {
  const counter = new JsonValueCounter();
  return chunks.reduce((_, chunk) => counter.add(chunk), 0);
}
const countOf = (text: string) => counted([Buffer.from(text)]);

/**
 * Texts with characters that could be mistaken for structure: brackets, commas, quotation marks and backslashes, also
 * at the end.
 */
const trickyText = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ',', ':', '}', ']', '\n', 'ż', '😀', '\ud83d', 'u', '0') }),
  fc.string({ unit: 'binary' }),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, 0, -1.5e-7),
    trickyText,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(trickyText, tie('value'), { maxKeys: 5 }),
  ),
})).value;

describe('the count of values in a JSON text', () => {
  test('is what JSON.parse makes, the empty objects and lists counted twice, wherever chunks are cut', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), fc.array(fc.nat(), { maxLength: 20 }), (value, indent, positions) => {
        const text = JSON.stringify(value, undefined, indent);
        const { values, empty } = countParsed(JSON.parse(text));
        expect(counted(cut(Buffer.from(text), positions))).toBe(values + empty);
      }),
    );
  });

  test('does not depend on where chunks are cut, for any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 50 }), (text, positions) => {
        expect(counted(cut(text, positions))).toBe(counted([text]));
      }),
    );
  });

  test('is the same for one byte at a time, in the middle of characters and escapes', () => {
    const text = '{"ż\\"😀\\\\":["\\u005b","a,b",{}],"\\\\\\"":[1,[2,"]"]]}';
    const { values, empty } = countParsed(JSON.parse(text));
    expect(counted([...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toBe(values + empty);
  });

  test('covers the values that a repeated name hides from the result', () => {
    expect(countOf('{"a":[1,2,3],"a":[1,2,3],"a":0}')).toBe(10);
  });

  test.each([
    ['objects without members', '{},'],
    ['lists without members', '[],'],
    ['numbers', '1,'],
    ['lists in lists', '[['],
    ['objects in objects', '{"a":'],
    ['fields', '"a":1,'],
  ])('grows with %s, also in a text that never ends', (_, piece) => {
    expect(countOf(`{"unknown":[${piece.repeat(1_000)}`)).toBeGreaterThan(1_000);
  });
});
