import { describe, expect, test } from '@jest/globals';
import { readRevisions } from './revisions.js';

const page = '3 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>\nendobj\n';
const base =
  '%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /AcroForm 8 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n' +
  `${page}4 0 obj\n<< /Length 5 >>\nstream\nBT ET\nendstream\nendobj\n8 0 obj\n<< /Fields [9 0 R] >>\nendobj\n`;
/** Object 7 is drawn on the page, object 11 is how a field looks. */
const drawings =
  '7 0 obj\n<< /Type /XObject /Subtype /Form >>\nstream\nq Q\nendstream\nendobj\n11 0 obj\n<< /Type /XObject /Subtype /Form >>\nstream\nq Q\nendstream\nendobj\n' +
  '13 0 obj\n<< /FT /Tx /T (Note) /AP << /N 11 0 R >> >>\nendobj\n';
const field = '9 0 obj\n<< /FT /Sig /T (Signature) /V 10 0 R >>\nendobj\n';

/** A file whose only signature covers all but its own value. */
function signed(): string {
  const before = `${base}${drawings}${field}10 0 obj\n<< /Type /Sig /SubFilter /adbe.pkcs7.detached /ByteRange [0 AAAAAA BBBBBB CCCCCC] /Contents <`;
  const value = '00'.repeat(20);
  const after = '> >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n';
  const digits = (count: number): string => String(count).padStart(6, '0');
  return `${before}${value}${after}`
    .replace('AAAAAA', digits(before.length - 1))
    .replace('BBBBBB', digits(before.length + value.length + 1))
    .replace('CCCCCC', digits(after.length - 1));
}

const factsOf = (file: string) => readRevisions(Buffer.from(file, 'latin1'));
const update = (objects: string): string => `${objects}trailer << /Root 1 0 R >>\n%%EOF\n`;
const newContent = '4 0 obj\n<< /Length 7 >>\nstream\nBT Q ET\nendstream\nendobj\n';

describe('revisions', () => {
  test('a file in one piece has no signs and no signature', () => {
    expect(factsOf(update(base))).toEqual({ signature: null, signs: [] });
  });

  test('an update that replaces the content of a page is a sign, with the number of the stream', () => {
    expect(factsOf(update(base) + update(newContent)).signs).toEqual([{ kind: 'CONTENT_REPLACED', objects: ['4'] }]);
  });

  test('an update that gives a page another content stream is a sign', () => {
    const other = `${page.replace('4 0 R', '20 0 R')}20 0 obj\n<< >>\nstream\nBT ET\nendstream\nendobj\n`;
    expect(factsOf(update(base) + update(other)).signs).toEqual([{ kind: 'CONTENT_REPLACED', objects: ['4'] }]);
  });

  test('an update that adds a stamp beside the content, or fills a form, is none', () => {
    const stamped = `${page.replace('4 0 R', '[4 0 R 20 0 R]')}20 0 obj\n<< >>\nstream\nBT ET\nendstream\nendobj\n`;
    expect(factsOf(update(base) + update(stamped)).signs).toEqual([]);
    expect(factsOf(update(base) + update('12 0 obj\n<< /FT /Tx /V (x) >>\nendobj\n')).signs).toEqual([]);
  });

  test('the two parts of a linearised file are no update', () => {
    const linearised = base.replace('%PDF-1.7\n', '%PDF-1.7\n99 0 obj\n<< /Linearized 1 >>\nendobj\n');
    expect(factsOf(update(linearised) + update(newContent)).signs).toEqual([]);
  });
});

describe('signatures', () => {
  test('say how much of the file they cover, and that nothing changed', () => {
    expect(factsOf(signed()).signature).toEqual({
      revisions: 1,
      coveragePercent: expect.any(Number),
      changed: 'NOTHING',
    });
    expect(factsOf(signed()).signature?.coveragePercent).toBeGreaterThan(90);
  });

  test.each([
    ['CONTENT', update(newContent)],
    ['CONTENT', update(`${page.replace('4 0 R', '[4 0 R 20 0 R]')}20 0 obj\n<< >>\nstream\nq\nendstream\nendobj\n`)],
    ['CONTENT', newContent],
    [
      'CONTENT',
      update(
        '30 0 obj\n<< /Type /Pages /Kids [31 0 R] /Count 1 >>\nendobj\n1 0 obj\n<< /Type /Catalog /Pages 30 0 R >>\nendobj\n',
      ),
    ],
    ['CONTENT', update('7 0 obj\n<< /Type /XObject /Subtype /Form >>\nstream\nBT ET\nendstream\nendobj\n')],
    ['FORM_OR_VALIDATION', update('11 0 obj\n<< /Type /XObject /Subtype /Form >>\nstream\nBT ET\nendstream\nendobj\n')],
    ['FORM_OR_VALIDATION', update('12 0 obj\n<< /Type /DSS >>\nendobj\n')],
    ['SIGNATURE_REMOVED', update('9 0 obj\n<< /FT /Sig /T (Signature) >>\nendobj\n')],
    ['SIGNATURE_REMOVED', update('8 0 obj\n<< /Fields [] >>\nendobj\n')],
  ])('tell what was done after signing: %s', (changed, later) => {
    expect(factsOf(signed() + later).signature).toMatchObject({ revisions: 2, changed });
  });
});

test('any bytes are read without an error', () => {
  for (const text of [
    '',
    '%PDF',
    '1 0 obj << /Type /ObjStm /N 9 /First 4 >> stream\nxx\nendstream %%EOF',
    '/ByteRange [0 9 9 999999999]',
  ]) {
    expect(factsOf(text)).toEqual({ signature: null, signs: [] });
  }
});
