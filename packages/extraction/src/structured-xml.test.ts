import { expect, test } from 'vitest';
import { PDFDocument } from 'pdf-lib';
import { structuredXml } from './structured-xml.js';
import { fixture } from './testing/fixtures.js';

const xml = fixture('cii-facturx-extended.xml');

async function pdf(attachment?: string): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  document.addPage();
  if (attachment !== undefined) await document.attach(xml, attachment, { mimeType: 'application/xml' });
  return document.save();
}

test('the XML of a document is itself, or the invoice that is attached to a PDF', async () => {
  expect(await structuredXml(xml, 'application/xml')).toBe(xml);
  const attached = await structuredXml(await pdf('factur-x.xml'), 'application/pdf');
  expect(Buffer.from(attached ?? []).equals(xml)).toBe(true);
});

test.each([
  ['a PDF without an attachment', () => pdf(), 'application/pdf'],
  ['what is no PDF', async () => Buffer.from('%PDF-1.7 nothing'), 'application/pdf'],
  ['what is not signed', async () => Buffer.from('0'), 'application/pkcs7-mime'],
  ['a picture', async () => Buffer.from('x'), 'image/png'],
] as const)('%s has none', async (_, bytes, mediaType) => {
  expect(await structuredXml(await bytes(), mediaType)).toBeNull();
});
