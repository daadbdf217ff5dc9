import { afterAll, describe, expect, test } from 'vitest';
import { PDFDocument, PDFOperator, StandardFonts } from 'pdf-lib';
import type { PDFOperatorNames, PDFPage } from 'pdf-lib';
import { closeRecogniser } from '../ocr/recogniser.js';
import type { DocumentReading } from '../reading.js';
import { fixture } from '../testing/fixtures.js';
import { asScan } from '../testing/scan-invoice.js';
import { readPdf } from './read-pdf.js';

/** Timeout for recognising text, which takes seconds for a document page on a busy machine. */
const OCR_TIMEOUT_MS = 170_000;

afterAll(closeRecogniser);

const printed = [
  'Thistle & Rowan Ltd',
  'Invoice number: INV-0042-2026',
  'Invoice date: 11 February 2026',
  'Subtotal: GBP 400.00',
  'VAT 20%: GBP 80.00',
  'Grand total: GBP 480.00',
  'IBAN: GB29 NWBK 6016 1331 9268 19',
];

async function draw(page: PDFPage, pdf: PDFDocument, lines: readonly string[]): Promise<void> {
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  lines.forEach((text, index) => page.drawText(text, { x: 60, y: 760 - index * 30, size: 14, font }));
}

/** Creates a file with the image of a printed invoice on a document page, and with further content. */
async function scanned(add: (page: PDFPage, pdf: PDFDocument) => Promise<void>): Promise<DocumentReading> {
  const original = await PDFDocument.create();
  await draw(original.addPage([595, 842]), original, printed);
  const { bytes } = await asScan(200, false)(await original.save());
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([595, 842]);
  page.drawImage(await pdf.embedPng(bytes), { x: 0, y: 0, width: 595, height: 842 });
  await add(page, pdf);
  const outcome = await readPdf(await pdf.save(), { companies: [], today: '2026-11-23' });
  if ('failure' in outcome) throw new Error(outcome.failure.message);
  return outcome.reading;
}

describe('a scan with the unseen text of an earlier OCR', () => {
  const withLayer = (lines: readonly string[]) =>
    scanned(async (page, pdf) => {
      page.pushOperators(PDFOperator.of('Tr' as PDFOperatorNames, ['3']));
      await draw(page, pdf, lines);
    });

  test(
    'is read from its picture, and raises nothing where both say the same',
    async () => {
      expect(await withLayer(printed)).toMatchObject({
        method: 'OCR',
        fields: { gross_amount: { value: '480.00' }, invoice_number: { value: 'INV-0042-2026' } },
        tamperSigns: [],
      });
    },
    OCR_TIMEOUT_MS,
  );

  test(
    'has a sign of tampering where the text says another account than the picture',
    async () => {
      const forged = printed.map((line) => line.replace(/IBAN.*/, 'IBAN: NL91 ABNA 0417 1643 00'));
      const reading = await withLayer(forged);
      expect(reading.fields['supplier.bank_account.iban']?.value).toBe('GB29NWBK60161331926819');
      expect(reading.tamperSigns).toMatchObject([{ kind: 'TEXT_DIFFERS_FROM_PICTURE' }]);
    },
    OCR_TIMEOUT_MS,
  );
});

describe('XML in a PDF whose page is a picture', () => {
  const withXml = (change: (xml: string) => string) =>
    scanned(async (_page, pdf) => {
      const xml = fixture('ubl-uk-account.xml')
        .toString()
        .replace('INV|0042|2026', 'INV-0042-2026')
        .replace('2026-02-11T09:30:00Z', '2026-02-11');
      await pdf.attach(Buffer.from(change(xml)), 'invoice.xml', { mimeType: 'text/xml' });
    });

  test(
    'is compared with what the picture shows, and does not conflict where it says the same',
    async () => {
      const reading = await withXml((xml) => xml);
      expect(reading).toMatchObject({ method: 'XML', embeddedFile: 'invoice.xml', conflicts: [] });
    },
    OCR_TIMEOUT_MS,
  );

  test(
    'conflicts where the picture shows another amount',
    async () => {
      const reading = await withXml((xml) => xml.replaceAll('480.00', '4480.00'));
      expect(reading.conflicts).toEqual([
        { field: 'gross_amount', source: 'XML', machineValue: '4480.00', visibleValue: '480.00' },
      ]);
    },
    OCR_TIMEOUT_MS,
  );
});
