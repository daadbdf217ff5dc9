import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { attachmentPdf } from '../testing/attack-files.js';
import { hasInvoiceRoot, hasOversizedAttachment } from './attachments.js';

const headOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');

describe('the root of an attachment', () => {
  test.each([
    ['an invoice', '<Invoice xmlns="x">'],
    ['a name with a prefix', '<rsm:CrossIndustryInvoice xmlns:rsm="x">'],
    [
      'a declaration, comments and blanks before it',
      '\u00ef\u00bb\u00bf<?xml version="1.0"?>\n<!-- a > b --> <!----><Faktura>',
    ],
  ])('is found in %s', (_, text) => {
    expect(hasInvoiceRoot(headOf(text))).toBe(true);
  });

  test.each([
    ['another element', '<Order>'],
    ['a name that only begins like one', '<InvoiceList>'],
    ['a comment that never ends', '<!-- <Invoice >'],
    ['an instruction that never ends', '<?xml <Invoice >'],
    ['text between a comment and the element', '<!-- --> text <Invoice >'],
    ['nothing', ''],
  ])('is not found in %s', (_, text) => {
    expect(hasInvoiceRoot(headOf(text))).toBe(false);
  });

  test('is looked for in one pass, however many comments come before something else', () => {
    expect(hasInvoiceRoot(headOf(`${'<!---->'.repeat(500)}<`))).toBe(false);
    expect(hasInvoiceRoot(headOf(`${'<??>'.repeat(1_000)}<`))).toBe(false);
    expect(hasInvoiceRoot(headOf(`<${'a.'.repeat(2_000)}`))).toBe(false);
  });
});

describe('attachments that unpack to too much', () => {
  const MIB = 1024 * 1024;
  const packed = (mebibytes: number): Buffer => deflateSync(Buffer.alloc(mebibytes * MIB));

  test('are found by what all of them unpack to together', () => {
    expect(hasOversizedAttachment(attachmentPdf([packed(64)]))).toBe(false);
    expect(hasOversizedAttachment(attachmentPdf([packed(65)]))).toBe(true);
    expect(hasOversizedAttachment(attachmentPdf([packed(32), packed(32)]))).toBe(false);
    expect(hasOversizedAttachment(attachmentPdf([packed(32), packed(33)]))).toBe(true);
  });

  test('are unpacked once, however often their dictionary names their type', () => {
    const name = '/Type /EmbeddedFile ';
    const [once, often] = [1, 100].map((times) => attachmentPdf([packed(1)], name.repeat(times)));
    expect(hasOversizedAttachment(once ?? Buffer.alloc(0))).toBe(false);
    // If each place counted, a hundred times 1 MiB would exceed the limit.
    expect(hasOversizedAttachment(often ?? Buffer.alloc(0))).toBe(false);
  });
});
