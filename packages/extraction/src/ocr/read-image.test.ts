import { afterAll, describe, expect, test } from 'vitest';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import sharp from 'sharp';
import { rasterPages } from '../pdf/raster.js';
import { readPdf } from '../pdf/read-pdf.js';
import type { ReadingOutcome } from '../reading.js';
import { printInvoice } from '../testing/printed-invoice.js';
import { sampleInvoice } from '../testing/sample-invoice.js';
import { firstLanguages, otherLanguage } from './languages.js';
import { readImage } from './read-image.js';
import { openPictures, PIXELS_MAX } from './read-pictures.js';
import { closeRecogniser } from './recogniser.js';
import type { OcrWord } from './recogniser.js';

const context = { companies: [], today: '2026-11-23' };
/** OCR of a document page takes seconds on a busy machine. */
const OCR_TIMEOUT_MS = 170_000;

afterAll(closeRecogniser);

function readingOf(outcome: ReadingOutcome) {
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  if (reading === null) throw new Error('nothing was read');
  return reading;
}

describe('scans', () => {
  test(
    'of an invoice in a PDF are read by OCR with page, box and the confidence of their words',
    async () => {
      const invoice = sampleInvoice();
      const { number, date, gross, currency } = invoice.truth;
      const truth = { invoice_number: number, issue_date: date, gross_amount: gross, currency };
      const [picture] = await rasterPages(await printInvoice(invoice), [1]);
      if (picture === undefined) throw new Error('no picture');
      const scan = await PDFDocument.create();
      const page = scan.addPage([595, 842]);
      page.drawImage(await scan.embedPng(picture.png), { x: 0, y: 0, width: 595, height: 842 });
      const reading = readingOf(await readPdf(await scan.save(), context));
      expect(reading).toMatchObject({ method: 'OCR', format: 'PDF', pages: 1 });
      for (const field of ['invoice_number', 'issue_date', 'gross_amount', 'currency'] as const) {
        expect({ [field]: reading.fields[field]?.value }).toEqual({ [field]: truth[field] });
        expect(reading.fields[field]).toMatchObject({ page: 1 });
        expect(reading.fields[field]?.confidence).toBeGreaterThan(0.2);
        expect(reading.fields[field]?.confidence).toBeLessThanOrEqual(1);
      }
      const [left, top, right, bottom] = reading.fields.gross_amount?.box ?? [];
      expect([left, top, right, bottom].every((edge) => edge !== undefined && edge > 0 && edge < 1)).toBe(true);
    },
    OCR_TIMEOUT_MS,
  );
});

describe('pictures', () => {
  test(
    'of two invoices are refused',
    async () => {
      const pdf = await PDFDocument.create();
      const font = await pdf.embedFont(StandardFonts.Helvetica);
      const page = pdf.addPage([842, 595]);
      const draw = (x: number, number: string, net: string, tax: string, gross: string): void =>
        [
          'Ashdown Tools Ltd',
          '12 Mill Lane, Bristol',
          'INVOICE',
          `Invoice number: ${number}`,
          'Invoice date: 14 March 2024',
          `Subtotal GBP ${net}`,
          `VAT 20% GBP ${tax}`,
          `Total due GBP ${gross}`,
        ].forEach((text, index) => page.drawText(text, { x, y: 540 - index * 30, size: 16, font }));
      draw(40, 'AT-2024-117', '60.00', '12.00', '72.00');
      draw(480, 'BX-5530', '80.00', '16.00', '96.00');
      const [picture] = await rasterPages(await pdf.save(), [1]);
      if (picture === undefined) throw new Error('no picture');
      expect(await readImage(picture.png, context)).toMatchObject({
        failure: { reason: 'SEVERAL_INVOICES', message: expect.stringContaining('AT-2024-117 on page 1, BX-5530') },
      });
    },
    OCR_TIMEOUT_MS,
  );

  test('are refused above 50 million pixels, before they are decoded', async () => {
    const side = Math.floor(Math.sqrt(PIXELS_MAX));
    const make = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#ffffff' } })
        .png()
        .toBuffer();
    const [within, beyond] = [await make(side, side), await make(side + 1, side + 2)];
    expect(await openPictures(within)).toMatchObject([{ number: 1, width: 2500 }]);
    expect(await readImage(beyond, context)).toMatchObject({ failure: { reason: 'TOO_LARGE' } });
  });

  test(
    'that are strips are recognised in a bounded size',
    async () => {
      // This picture file has 138 bytes. Enlarged to a width of 1,600 pixels, it would have 9,600 million pixels.
      const strip = await sharp({ create: { width: 8, height: 30_000, channels: 3, background: '#ffffff' } })
        .png({ palette: true, compressionLevel: 9 })
        .toBuffer();
      expect(strip.length).toBeLessThan(400);
      expect(await openPictures(strip)).toMatchObject([{ width: 1, height: 2_500 }]);
      expect(await readImage(strip, context)).toMatchObject({ failure: { reason: 'NO_INVOICE' } });
      expect(await readImage(await sharp(strip).rotate(90).png().toBuffer(), context)).toMatchObject({
        failure: { reason: 'NO_INVOICE' },
      });
    },
    OCR_TIMEOUT_MS,
  );

  test('of TIFF and WebP are decoded', async () => {
    const source = sharp({ create: { width: 300, height: 200, channels: 3, background: '#808080' } });
    for (const bytes of [await source.clone().tiff().toBuffer(), await source.clone().webp().toBuffer()]) {
      expect(await openPictures(bytes)).toMatchObject([{ number: 1, width: 1600, height: 1067 }]);
    }
  });

  test.each([
    [
      'truncated',
      async () =>
        (
          await sharp({
            create: {
              width: 400,
              height: 400,
              channels: 3,
              background: '#fff',
              noise: { type: 'gaussian', mean: 128, sigma: 30 },
            },
          })
            .png()
            .toBuffer()
        ).subarray(0, 900),
    ],
    ['only a header', async () => Buffer.from('89504e470d0a1a0a0000', 'hex')],
  ])('that are %s are DAMAGED', async (_name, make) => {
    expect(await readImage(await make(), context)).toMatchObject({ failure: { reason: 'DAMAGED' } });
  });
});

describe('languages', () => {
  const words = (...texts: string[]): OcrWord[] =>
    texts.map((text) => ({ text, confidence: 1, left: 0, right: 1, lineTop: 0, lineBottom: 1 }));

  test('begin with English and that of the company', () => {
    expect(firstLanguages([{ name: 'A', taxId: null, country: 'PL' }])).toEqual(['eng', 'pol']);
    expect(firstLanguages([])).toEqual(['eng', 'deu']);
  });

  test('change to the one that the first pass shows', () => {
    expect(otherLanguage(words('Factuur', 'Factuurdatum:', 'Totaal', 'BTW', 'Aantal'), ['eng', 'deu'])).toBe('nld');
    expect(otherLanguage(words('Invoice', 'date', 'Total', 'amount', 'due'), ['eng', 'deu'])).toBeUndefined();
  });
});
