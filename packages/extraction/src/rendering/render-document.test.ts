import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { degrees, PDFDocument, rgb } from 'pdf-lib';
import sharp from 'sharp';
import type { DocumentMediaType } from '../media-type.js';
import { attackFiles } from '../testing/attack-files.js';
import { fixture } from '../testing/fixtures.js';
import { printInvoice } from '../testing/printed-invoice.js';
import { sampleInvoice } from '../testing/sample-invoice.js';
import { renderDocument } from './render-document.js';
import type { RenderingOutcome } from './rendering.js';

const samples = join(process.cwd(), '..', 'shared', 'samples', 'documents');
const RED = { r: 255, g: 0, b: 0 };
const GREEN = { r: 0, g: 128, b: 0 };

function draw(
  bytes: Uint8Array,
  {
    mediaType = 'application/pdf',
    page = 1,
    width = 100,
  }: { mediaType?: DocumentMediaType; page?: number; width?: number } = {},
): Promise<RenderingOutcome> {
  return renderDocument(bytes, mediaType, { kind: 'PAGE', page, width });
}

function contentOf(outcome: RenderingOutcome): Uint8Array {
  if (!('rendering' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome.rendering.content;
}

async function pictureOf(outcome: RenderingOutcome) {
  const { data, info } = await sharp(contentOf(outcome)).raw().toBuffer({ resolveWithObject: true });
  /** Returns the colour at a position, which is given in fractions of the picture size. */
  const colourAt = (x: number, y: number) => {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
    return { r: data[at], g: data[at + 1], b: data[at + 2] };
  };
  const { format } = await sharp(contentOf(outcome)).metadata();
  return { format, width: info.width, height: info.height, colourAt };
}

/** A PDF with pages of 200 by 100 points whose left half is red. */
async function pdfOf(pages: number, change?: (file: PDFDocument) => void): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  for (let count = 0; count < pages; count++) {
    file.addPage([200, 100]).drawRectangle({ x: 0, y: 0, width: 100, height: 100, color: rgb(1, 0, 0) });
  }
  change?.(file);
  return file.save();
}

/** An image of 60 by 30 pixels whose left half is red. */
function picture() {
  const half = { create: { width: 30, height: 30, channels: 3 as const, background: RED } };
  return sharp({ create: { width: 60, height: 30, channels: 3, background: GREEN } }).composite([
    { input: half, left: 0, top: 0 },
  ]);
}

/** Wraps content in a CAdES envelope without signers, in DER. */
function signed(content: Uint8Array): Buffer {
  const element = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
    const body = Buffer.concat(parts);
    const length = Buffer.alloc(5, 0x84);
    length.writeUInt32BE(body.length, 1);
    return Buffer.concat([Buffer.from([tag]), length, body]);
  };
  const identifier = (type: number) =>
    element(0x06, Buffer.from([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, type]));
  const encapsulated = element(0x30, identifier(1), element(0xa0, element(0x04, content)));
  const signedData = element(0x30, element(0x02, Buffer.from([1])), element(0x31), encapsulated);
  return element(0x30, identifier(2), element(0xa0, signedData));
}

describe('a page of a PDF', () => {
  test.each([1, 100, 999, 1_000, 2_000])('is a PNG as wide as asked: %i pixels', async (width) => {
    const drawn = await pictureOf(await draw(await pdfOf(1), { width }));
    expect(drawn).toMatchObject({ format: 'png', width, height: Math.max(1, Math.round(width / 2)) });
    if (width > 1) expect(drawn.colourAt(0.25, 0.5)).toEqual(RED);
  });

  test('is the one that is asked for; beyond the last one it says how many there are', async () => {
    const bytes = await pdfOf(2, (file) => file.insertPage(1, [100, 100]));
    expect(await pictureOf(await draw(bytes, { page: 2 }))).toMatchObject({ width: 100, height: 100 });
    expect(await pictureOf(await draw(bytes, { page: 3 }))).toMatchObject({ width: 100, height: 50 });
    expect(await draw(bytes, { page: 4 })).toEqual({ missing: 'PAGE', pages: 3 });
    expect(await draw(bytes, { page: 999_999 })).toEqual({ missing: 'PAGE', pages: 3 });
  });

  test('is turned as the file says', async () => {
    const bytes = await pdfOf(1, (file) => file.getPage(0).setRotation(degrees(90)));
    const drawn = await pictureOf(await draw(bytes));
    expect([drawn.width, drawn.height]).toEqual([100, 200]);
    expect(drawn.colourAt(0.5, 0.25)).toEqual(RED);
  });

  test('shows what a form was filled with', async () => {
    const bytes = await pdfOf(1, (file) => {
      const field = file.getForm().createTextField('total');
      field.setText('MMMMMMM');
      field.addToPage(file.getPage(0), { x: 110, y: 20, width: 80, height: 60, backgroundColor: rgb(0, 128 / 255, 0) });
    });
    expect((await pictureOf(await draw(bytes, { width: 1_000 }))).colourAt(0.57, 0.3)).toEqual(GREEN);
  });

  test('has black text on white, as a printed invoice', async () => {
    const pdf = await printInvoice(sampleInvoice());
    const { dominant } = await sharp(contentOf(await draw(Buffer.from(pdf), { width: 1_000 }))).stats();
    expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(240);
  });

  test('of any size becomes a picture of at most 8 million pixels', async () => {
    const bytes = await pdfOf(0, (file) => {
      file.addPage([14_400, 14_400]);
      file.addPage([10, 14_400]);
    });
    expect(await pictureOf(await draw(bytes, { width: 2_000 }))).toMatchObject({ width: 2_000, height: 2_000 });
    const strip = await pictureOf(await draw(bytes, { page: 2, width: 2_000 }));
    expect(strip.width).toBeLessThan(100);
    expect(strip.width * strip.height).toBeLessThanOrEqual(8_000_000);
  });

  test.each([
    ['ENCRYPTED', 'needs a password', () => attackFiles.encrypted()],
    ['DAMAGED', 'is cut off', async () => (await pdfOf(1)).subarray(0, 200)],
    ['DAMAGED', 'is nothing but its first bytes', () => Buffer.from('%PDF-1.7\n')],
    [
      'DAMAGED',
      'has no pages',
      () =>
        Buffer.from(
          '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n',
        ),
    ],
  ])('of a file that is refused as %s: it %s', async (reason, _, make) => {
    expect(await draw(await make())).toMatchObject({
      failure: { reason, message: expect.stringMatching(/^[A-Z].{20}/) },
    });
  });

  test('needs no memory for an attachment that unpacks to 300 MB', async () => {
    const before = process.memoryUsage().rss;
    expect(await pictureOf(await draw(attackFiles.attachment()))).toMatchObject({ width: 100 });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });
});

describe('a page of an image', () => {
  test.each([
    ['image/png', () => picture().png().toBuffer()],
    ['image/jpeg', () => picture().jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()],
    ['image/tiff', () => picture().tiff().toBuffer()],
    ['image/webp', () => picture().webp({ lossless: true }).toBuffer()],
  ] as const)('is a PNG: %s', async (mediaType, make) => {
    const drawn = await pictureOf(await draw(await make(), { mediaType, width: 40 }));
    expect(drawn).toMatchObject({ format: 'png', width: 40, height: 20 });
    expect(drawn.colourAt(0.1, 0.5).r).toBeGreaterThan(240);
    expect(drawn.colourAt(0.9, 0.5).r).toBeLessThan(15);
  });

  test('that is narrower than asked keeps its size', async () => {
    const bytes = await picture().png().toBuffer();
    expect(await pictureOf(await draw(bytes, { mediaType: 'image/png', width: 2_000 }))).toMatchObject({ width: 60 });
  });

  test('is turned as the camera says', async () => {
    const bytes = await picture().jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const drawn = await pictureOf(await draw(bytes, { mediaType: 'image/jpeg' }));
    expect([drawn.width, drawn.height]).toEqual([30, 60]);
    expect(drawn.colourAt(0.5, 0.1).r).toBeGreaterThan(240);
  });

  test('is white where it is transparent, and has eight bits a channel', async () => {
    const clear = sharp({ create: { width: 9, height: 9, channels: 4, background: { ...RED, alpha: 0 } } });
    const bytes = await clear.toColourspace('rgb16').png().toBuffer();
    const outcome = await draw(bytes, { mediaType: 'image/png' });
    expect((await pictureOf(outcome)).colourAt(0.5, 0.5)).toEqual({ r: 255, g: 255, b: 255 });
    expect(await sharp(contentOf(outcome)).metadata()).toMatchObject({ depth: 'uchar', hasAlpha: false });
  });

  test('of a scan of several pages is the one that is asked for', async () => {
    const pages = Buffer.concat([Buffer.alloc(30 * 20 * 3, 255), Buffer.alloc(30 * 20 * 3, 0)]);
    const raw = { width: 30, height: 40, channels: 3, pageHeight: 20 } as const;
    const bytes = await sharp(pages, { raw }).tiff().toBuffer();
    const grey = async (page: number) =>
      (await pictureOf(await draw(bytes, { mediaType: 'image/tiff', page }))).colourAt(0.5, 0.5).r;
    expect([await grey(1), await grey(2)]).toEqual([255, 0]);
    expect(await draw(bytes, { mediaType: 'image/tiff', page: 3 })).toEqual({ missing: 'PAGE', pages: 2 });
  });

  test('carries nothing of what the camera wrote', async () => {
    const bytes = await picture()
      .jpeg()
      .withExif({ IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .toBuffer();
    expect((await sharp(bytes).metadata()).exif).toBeDefined();
    const drawn = await sharp(contentOf(await draw(bytes, { mediaType: 'image/jpeg' }))).metadata();
    expect([drawn.exif, drawn.xmp, drawn.iptc]).toEqual([undefined, undefined, undefined]);
  });

  test('of 16,000 by 16,000 pixels is refused before it is decoded: this one has only few of them', async () => {
    const bytes = await picture().png().toBuffer();
    // These calls set the width, the height and the checksum of the image header.
    bytes.writeUInt32BE(16_000, 16);
    bytes.writeUInt32BE(16_000, 20);
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
    expect(await draw(bytes, { mediaType: 'image/png' })).toMatchObject({ failure: { reason: 'TOO_LARGE' } });
  });

  test('that is damaged is refused', async () => {
    const bytes = (await picture().png().toBuffer()).subarray(0, 60);
    expect(await draw(bytes, { mediaType: 'image/png' })).toMatchObject({ failure: { reason: 'DAMAGED' } });
  });
});

describe('XML', () => {
  test('has no pages', async () => {
    expect(await draw(fixture('ubl-tr.xml'), { mediaType: 'application/xml' })).toEqual({ missing: 'PAGE', pages: 0 });
  });

  test.each([
    ['ubl-credit-note-peppol.xml', 'Credit note'],
    ['cii-facturx-extended.xml', 'Invoice'],
    ['zugferd1-comfort.xml', 'Credit note'],
    ['fatturapa-freelancer.xml', 'Invoice'],
    ['facturae-withholding.xml', 'Invoice'],
    ['fa3-correction.xml', 'Correcting invoice'],
  ])('is shown as a page: %s', async (file, title) => {
    const outcome = await renderDocument(fixture(file), 'application/xml', { kind: 'VIEW' });
    expect(outcome).toMatchObject({ rendering: { mediaType: 'text/html' } });
    expect(Buffer.from(contentOf(outcome)).toString()).toContain(`<h1>${title} <bdi>`);
  });

  test('is shown as a page inside its signature', async () => {
    const outcome = await renderDocument(signed(fixture('fatturapa-freelancer.xml')), 'application/pkcs7-mime', {
      kind: 'VIEW',
    });
    const plain = await renderDocument(fixture('fatturapa-freelancer.xml'), 'application/xml', { kind: 'VIEW' });
    expect(outcome).toEqual(plain);
  });

  test('without required fields is shown with what it states', async () => {
    const text = fixture('ubl-tr.xml')
      .toString()
      .replace(/<cbc:IssueDate>.*?<\/cbc:IssueDate>/, '');
    const outcome = await renderDocument(Buffer.from(text), 'application/xml', { kind: 'VIEW' });
    expect(Buffer.from(contentOf(outcome)).toString()).toContain('<dt>Issue date</dt><dd><span class="absent">');
  });

  test.each([
    ['MALFORMED_XML', '<Invoice>'],
    ['DOCTYPE', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['UNSUPPORTED_FORMAT', '<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>'],
  ])('that cannot be read is refused: %s', async (reason, text) => {
    const outcome = await renderDocument(Buffer.from(text), 'application/xml', { kind: 'VIEW' });
    expect(outcome).toEqual({ failure: { reason, message: expect.stringMatching(/^\S.{10}/) } });
  });

  test('is not in a picture, nor in a PDF without attachments or one that cannot be opened', async () => {
    const view = (bytes: Uint8Array, mediaType: DocumentMediaType) =>
      renderDocument(bytes, mediaType, { kind: 'VIEW' });
    const none = { missing: 'VIEW' };
    expect(await view(await picture().png().toBuffer(), 'image/png')).toEqual(none);
    expect(await view(await pdfOf(1), 'application/pdf')).toEqual(none);
    expect(await view(attackFiles.encrypted(), 'application/pdf')).toEqual(none);
    expect(await view(attackFiles.attachment(), 'application/pdf')).toEqual(none);
  });

  test('inside a PDF is shown, in addition to the pages of the PDF', async () => {
    const file = await PDFDocument.load(await pdfOf(1));
    await file.attach(fixture('cii-facturx-extended.xml'), 'factur-x.xml', { mimeType: 'text/xml' });
    const bytes = await file.save();
    expect(await renderDocument(bytes, 'application/pdf', { kind: 'VIEW' })).toMatchObject({
      rendering: { mediaType: 'text/html' },
    });
    expect(await pictureOf(await draw(bytes))).toMatchObject({ width: 100 });
  });
});

(existsSync(samples) ? describe : describe.skip)('samples of ../shared/samples/documents', () => {
  test.each([
    ['coolblue2.pdf', 'application/pdf'],
    ['EN16931_Einfach.pdf', 'application/pdf'],
    ['sroie_000.jpg', 'image/jpeg'],
  ] as const)('%s is drawn', async (file, mediaType) => {
    const outcome = await draw(readFileSync(join(samples, file)), { mediaType, width: 400 });
    expect(await pictureOf(outcome)).toMatchObject({ format: 'png', width: 400 });
    const { entropy } = await sharp(contentOf(outcome)).stats();
    // A blank page has an entropy of nearly zero.
    expect(entropy).toBeGreaterThan(0.3);
  });
});
