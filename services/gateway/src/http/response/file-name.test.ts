import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { inlineAs, safeFileName } from './file-name.js';

const PDF = 'application/pdf';

describe('the file name of a document', () => {
  test.each([
    ['RE-2026-0147', 'RE-2026-0147.pdf'],
    ['RE-2026.0147', 'RE-2026.0147.pdf'],
    ['a"b\\c.pdf', 'a_b_c.pdf'],
    ['FV/12/2026', 'FV_12_2026.pdf'],
    ['../../etc/passwd', '_.._etc_passwd.pdf'],
    ['CON', 'CON.pdf'],
    ['.htaccess', 'htaccess.pdf'],
    ['x.exe', 'x.exe.pdf'],
    ['x.PDF', 'x.pdf'],
    ['evil\r\nSet-Cookie: a=b', 'evilSet-Cookie_ a=b.pdf'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe.pdf'],
    ['z\u0307o\u0301lw', '\u017c\u00f3lw.pdf'],
    ['\ud800', 'invoice-1.pdf'],
    [' .. ', 'invoice-1.pdf'],
    ['', 'invoice-1.pdf'],
    ['.pdf', 'invoice-1.pdf'],
  ])('from %j is %j', (name, expected) => {
    expect(safeFileName(name, PDF, 'invoice-1')).toBe(expected);
  });

  test('has the extension of what the document is', () => {
    expect(safeFileName('a.pdf', 'application/xml', 'x')).toBe('a.pdf.xml');
    expect(safeFileName('a', 'application/pkcs7-mime', 'x')).toBe('a.p7m');
  });

  test('has at most 120 characters, extension included, and never half of one', () => {
    const name = safeFileName('\u{1F4C4}'.repeat(300), PDF, 'x');
    expect([...name]).toHaveLength(120);
    expect(name.endsWith('\u{1F4C4}.pdf')).toBe(true);
  });

  test('is one header line of visible characters, whatever it was made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(inlineAs(safeFileName(name, PDF, 'invoice-1'))).toMatch(/^inline; filename(\*=UTF-8''|=)[\x20-\x7e]+$/);
      }),
    );
  });
});

test('other than Latin letters are also given by their codes', () => {
  expect(inlineAs('żółć faktura.pdf')).toBe(
    'inline; filename="???? faktura.pdf"; filename*=UTF-8\'\'%C5%BC%C3%B3%C5%82%C4%87%20faktura.pdf',
  );
});
