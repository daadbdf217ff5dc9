import { describe, expect, test } from 'vitest';
import { signedInvoice, unsignedInvoice } from '../testing/invoice-history.js';
import { firstRevision, withRevision } from '../testing/pdf-history.js';
import { findFreedObjects, findRevisions, isBlank, objectAt } from './revisions.js';

const base = unsignedInvoice();
const endsOf = (file: Buffer): readonly number[] => findRevisions(file).ends;
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('the ends of revisions', () => {
  test('are the end marks, and the end of the file', () => {
    const second = withRevision(base, { 20: '<< >>' });
    const third = withRevision(second, { 20: '<< >>' });
    expect(endsOf(base)).toEqual([base.length]);
    expect(endsOf(third)).toEqual([base.length, second.length, third.length]);
  });

  test('are found without tables of references, as readers repair such files', () => {
    const raw = latin1('%PDF-1.4\n1 0 obj\n<< >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n');
    expect(endsOf(Buffer.concat([raw, raw]))).toEqual([raw.length, 2 * raw.length]);
  });

  test('do not count blanks and zeros behind the last mark, and do count anything else', () => {
    expect(endsOf(Buffer.concat([base, latin1('\r\n\0 ')]))).toEqual([base.length + 4]);
    expect(endsOf(Buffer.concat([base, latin1('1 0 obj')]))).toEqual([base.length, base.length + 7]);
  });

  test('are not those of an attached PDF, with its length stated, stated elsewhere or wrong', () => {
    for (const entries of ['', '/DL 9']) {
      const attached = firstRevision({ 5: { entries, data: withRevision(base, { 20: '<< >>' }) } });
      expect(endsOf(attached)).toEqual([attached.length]);
    }
    const elsewhere = latin1(
      '%PDF-1.4\n5 0 obj\n<< /Length 6 0 R >>\nstream\nstartxref 9 %%EOF 1 0 obj\nendstream\nendobj\ntrailer << >>\nstartxref\n9\n%%EOF\n',
    );
    expect(endsOf(elsewhere)).toEqual([elsewhere.length]);
    expect(endsOf(latin1(elsewhere.toString('latin1').replace('6 0 R', '4')))).toHaveLength(1);
  });

  test('do not count the first part of a linearised file', () => {
    const first = latin1(base.toString('latin1').replace(/startxref\n\d+/, 'startxref\n0'));
    const whole = withRevision(first, { 20: '<< >>' });
    expect(endsOf(whole)).toEqual([whole.length]);
  });

  test('are incomplete where there are more than 1,000 marks, and one less is complete', () => {
    const marks = (count: number): Buffer => latin1('trailer<<>>%%EOF\n'.repeat(count));
    expect(findRevisions(marks(1_000)).isComplete).toBe(true);
    expect(findRevisions(marks(1_001)).isComplete).toBe(false);
  });

  test.each(['%%EOF', '>>stream\n', '>>stream\nendstream ', '/ByteRange [', 'endstream'])(
    'are looked for in time that grows with the file: %j',
    (piece) => {
      expect(findRevisions(latin1(piece.repeat(300_000))).ends.length).toBeGreaterThan(0);
    },
  );
});

describe('the ranges of signatures', () => {
  test('are those within the file, in order', () => {
    const file = signedInvoice();
    const [range] = findRevisions(file).byteRanges;
    expect(range?.[0]).toBe(0);
    expect((range?.[2] ?? 0) + (range?.[3] ?? 0)).toBe(file.length);
    expect(objectAt(file, range?.[1] ?? 0)).toBe(10);
  });

  test.each([
    '/ByteRange [0 9 9 999999999]',
    '/ByteRange [0 9 5 9]',
    '/ByteRange [0 -9 9 9]',
    '/ByteRange [0 1 2]',
    '/ByteRange [0 1 2 3 4]',
    '/ByteRange 0 1 2 3',
    '/ByteRange [',
    '/ByteRange [a b c d]',
  ])('are not %s', (text) => {
    expect(findRevisions(latin1(`${text}${' '.repeat(40)}`)).byteRanges).toEqual([]);
  });
});

test('more than 30 ranges, or 10,000 names of ranges, are incomplete', () => {
  const ranges = (count: number): boolean => findRevisions(latin1('/ByteRange [0 1 2 3] '.repeat(count))).isComplete;
  expect([ranges(30), ranges(31)]).toEqual([true, false]);
  const names = (count: number): boolean => findRevisions(latin1('/ByteRange '.repeat(count))).isComplete;
  expect([names(10_000), names(10_001)]).toEqual([true, false]);
});

test('freed objects are those of later tables alone', () => {
  const file = withRevision(base, { 6: null, 7: '<< >>', 9: null });
  expect([...findFreedObjects(file, base.length)]).toEqual([6, 9]);
  expect([...findFreedObjects(file, file.length)]).toEqual([]);
  expect([...findFreedObjects(latin1('xref\n0 99999999\n0000000000 65535 f \n'), 0)]).toEqual([0]);
});

test('blank is what people do not see in a file', () => {
  expect(isBlank(latin1('ab \r\n\0'), 2)).toBe(true);
  expect(isBlank(latin1('ab c'), 2)).toBe(false);
});
