import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { cleanLine, cleanNote, faultOfLine, faultOfNote, normaliseNote, showLine } from './readable-text.js';

const LENGTH_MAX = 100;

const hidden: readonly (readonly [what: string, character: string])[] = [
  ['NUL', '\0'],
  ['an escape', '\u001b'],
  ['a control of the upper half', '\u009b'],
  ['an override of the direction', '\u202e'],
  ['an isolate', '\u2066'],
  ['a mark of the direction', '\u200f'],
  ['an Arabic mark of the direction', '\u061c'],
  ['a zero-width blank', '\u200b'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a joiner', '\u200d'],
  ['a variation selector', '\ufe0e'],
  ['a further variation selector', '\u{e0101}'],
  ['a tag', '\u{e0041}'],
  ['a filler', '\u3164'],
  ['an annotation', '\ufff9'],
];
const broken: readonly (readonly [what: string, character: string])[] = [
  ['half of a surrogate pair', '\ud800'],
  ['a noncharacter', '\uffff'],
  ['a noncharacter of another plane', '\u{1fffe}'],
];
const breaks: readonly (readonly [what: string, text: string])[] = [
  ['a line feed', '\n'],
  ['a carriage return', '\r'],
  ['both', '\r\n'],
  ['a tab', '\t'],
  ['a form feed', '\f'],
  ['a next line', '\u0085'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
];
const readable: readonly (readonly [what: string, text: string])[] = [
  ['blanks of any kind', 'Acme\u00a0GmbH \u3000 & Co'],
  ['a decomposed letter', 'Cafe\u0301'],
  ['Persian with a non-joiner', 'می\u200cخواهم'],
  ['Hindi with a joiner', 'क्\u200dष'],
  ['a family of emoji', '👨\u200d👩\u200d👧'],
  ['a heart in colour', '❤\ufe0f'],
  ['a couple with a heart', '👩\u200d❤\ufe0f\u200d👨'],
  ['an astronaut with a skin', '👩🏽\u200d🚀'],
  ['a keycap', '1\ufe0f\u20e3'],
  ['a variant of a Han letter', '葛\u{e0100}城'],
  ['Hebrew and Arabic', 'שלום سلام'],
  ['a replacement character', 'A\ufffdB'],
];

describe('a line', () => {
  test.each([...hidden, ...broken])('with %s is refused, and the sentence names it and where it is', (_, character) => {
    const number = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    expect(faultOfLine(`😀Ac${character}me`)).toBe(
      `Must not contain invisible characters (U+${number}, at position 4). Remove them.`,
    );
  });

  test.each(breaks)('with %s is refused', (_, text) => {
    expect(faultOfLine(`Ac${text}me`)).toMatch(
      /^Must be a single line without line breaks or tabs \(U\+.*at position 3\)/,
    );
  });

  test.each(readable)('with %s is taken', (_, text) => {
    expect(faultOfLine(text)).toBeUndefined();
    expect(cleanLine(text, LENGTH_MAX)).toBe(text);
    expect(showLine(text, LENGTH_MAX)).toBe(text);
  });

  test('may have blanks and breaks around it, which are not stored', () => {
    expect(faultOfLine(' \r\nAcme\t\ufeff')).toBeUndefined();
  });
});

describe('a note', () => {
  test('keeps lines and tabs, and every line break is stored as one character', () => {
    const note = ' one\r\ntwo\rthree\u2028four\n\tfive \n';
    expect(faultOfNote(note)).toBeUndefined();
    expect(normaliseNote(note)).toBe('one\ntwo\nthree\nfour\n\tfive');
  });

  test.each([...hidden, ...broken])('with %s is refused', (_, character) => {
    expect(faultOfNote(`one\ntw${character}o`)).toMatch(/at position 7\)\. Remove them\.$/);
  });
});

describe('a cleaned line', () => {
  test.each(hidden)('is without %s', (_, character) => {
    expect(cleanLine(`Ac${character}me`, LENGTH_MAX)).toBe('Acme');
  });

  test.each(broken)('has a replacement in the place of %s', (_, character) => {
    expect(cleanLine(`Ac${character}me`, LENGTH_MAX)).toBe('Ac\ufffdme');
  });

  test.each(breaks)('has a blank in the place of %s with blanks around it', (_, text) => {
    expect(cleanLine(`Ac  ${text}   me`, LENGTH_MAX)).toBe('Ac me');
  });

  test('has at most so many characters, and shows that it was longer', () => {
    const longest = '😀'.repeat(LENGTH_MAX);
    expect(cleanLine(longest, LENGTH_MAX)).toBe(longest);
    expect(cleanLine(`${longest}x`, LENGTH_MAX)).toBe(`${'😀'.repeat(LENGTH_MAX - 1)}…`);
  });

  test('has nothing that is refused, and stays as it is when it is cleaned again, whatever the text was', () => {
    const unit = fc.oneof(
      fc.constantFrom(...[...hidden, ...broken, ...breaks, ...readable].map(([, text]) => text)),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), (parts) => {
        const cleaned = cleanLine(parts.join(''), LENGTH_MAX);
        expect(faultOfLine(cleaned)).toBeUndefined();
        expect(cleanLine(cleaned, LENGTH_MAX)).toBe(cleaned);
        expect(faultOfLine(showLine(parts.join(''), LENGTH_MAX))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  test('takes time that grows with the length alone', () => {
    const long = `${' '.repeat(200_000)}x\u200b${'\n '.repeat(100_000)}x`;
    expect(cleanLine(long, LENGTH_MAX)).toBe('x x');
  });
});

test('a cleaned note keeps its lines', () => {
  expect(cleanNote(' one\r\n\ttw\u200bo\0 \ud800 ')).toBe('one\n\ttwo \ufffd');
});

test('a shown line tells by its number what nobody sees', () => {
  expect(showLine(' A\u202eB\0C\ud800D\nE ', LENGTH_MAX)).toBe('A[U+202E]B[U+0000]C[U+D800]D E');
});
