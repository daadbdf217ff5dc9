import { afterAll, describe, expect, test } from 'vitest';
import { PDFDocument, rgb, StandardFonts } from 'pdf-lib';
import type { PDFFont, PDFPage } from 'pdf-lib';
import { encodeQR } from 'qr';
import { readKsefCode } from '../ksef-code.js';
import { closeRecogniser } from '../ocr/recogniser.js';
import { readImage } from '../ocr/read-image.js';
import type { DocumentReading, ReadingOutcome } from '../reading.js';
import { asScan } from '../testing/scan-invoice.js';
import { readPdf } from './read-pdf.js';

/** Timeout for recognising text, which takes seconds for a document page on a busy machine. */
const OCR_TIMEOUT_MS = 170_000;
const NUMBER = '5265877635-20250626-010080DD2B5E-26';
const OTHER_NUMBER = '9999999999-20260831-0100C0A3B2F1-45';
const HASH = 'UtQp9Gpc51y-u3xApZjIjgkpZ01js-J8KflSPW8WzIE';
const CODE = {
  sellerNip: '5265877635',
  issueDate: '2025-06-26',
  sha256: Buffer.from(HASH, 'base64url').toString('hex'),
};
const link = (hash = HASH, host = 'qr.ksef.mf.gov.pl') => `https://${host}/invoice/5265877635/26-06-2025/${hash}`;
const context = { companies: [], today: '2026-11-28' };

afterAll(closeRecogniser);

interface Drawn {
  readonly lines?: readonly string[];
  /** Draws additional content on the first document page. */
  readonly draw?: (page: PDFPage, font: PDFFont) => void;
  /** QR codes that the test draws, each on a separate page. The first code is on the first page of the document. */
  readonly codes?: readonly string[];
}

async function pdfOf({ lines = [], draw, codes = [] }: Drawn): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([595, 842]);
  const printed = [
    'Wrona Sp. z o.o.',
    'Faktura VAT nr FV/12/06/2025',
    'NIP: 5265877635',
    'Data wystawienia: 2025-06-26',
    'Netto 100,00 PLN',
    'VAT 23% 23,00 PLN',
    'Razem brutto 123,00 PLN',
    ...lines,
  ];
  printed.forEach((text, index) => page.drawText(text, { x: 50, y: 780 - index * 22, size: 12, font }));
  draw?.(page, font);
  codes.forEach((text, place) => drawCode(place === 0 ? page : pdf.addPage([595, 842]), text));
  return pdf.save();
}

function drawCode(page: PDFPage, text: string, left = 60): void {
  encodeQR(text, 'raw', { border: 1 }).forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (isDark) page.drawRectangle({ x: left + x * 3, y: 300 - y * 3, width: 3, height: 3 });
    }),
  );
}

/** Returns a PDF whose only page is a picture of the first page. */
async function scannedPdf(paper: Uint8Array): Promise<PDFDocument> {
  const { bytes } = await asScan(200, true)(paper);
  const scan = await PDFDocument.create();
  scan.addPage([595, 842]).drawImage(await scan.embedPng(bytes), { x: 0, y: 0, width: 595, height: 842 });
  return scan;
}

function readingOf(outcome: ReadingOutcome): DocumentReading {
  if ('failure' in outcome) throw new Error(outcome.failure.message);
  return outcome.reading;
}

async function read(drawn: Drawn): Promise<DocumentReading> {
  return readingOf(await readPdf(await pdfOf(drawn), context));
}

describe('the KSeF number of a document', () => {
  test.each([
    ['on one line', [`Numer KSeF: ${NUMBER}`]],
    ['broken after a hyphen', ['Numer KSeF:', '5265877635-20250626-', '010080DD2B5E-26']],
    ['written twice', [`KSeF ${NUMBER}`, NUMBER]],
    ['next to the number of another kind', [`${NUMBER}`, 'Zlecenie 2025-06-26-010080DD2B5E-26']],
  ])('is read where it is %s', async (_, lines) => {
    expect((await read({ lines })).ksefNumber).toBe(NUMBER);
  });

  test.each([
    ['has wrong check digits', [`Numer KSeF: ${NUMBER.replace('DD', 'DE')}`]],
    ['is one of several different numbers', [NUMBER, OTHER_NUMBER]],
    ['has more groups than a number', [`${NUMBER}-01`]],
    ['is that of a corrected invoice', [`Numer KSeF faktury korygowanej: ${NUMBER}`]],
  ])('is left out where it %s', async (_, lines) => {
    expect((await read({ lines })).ksefNumber).toBeUndefined();
  });

  test('is the own one of a correction, which names that of the corrected invoice as well', async () => {
    const lines = [`Numer KSeF: ${NUMBER}`, `Numer KSeF faktury korygowanej: ${OTHER_NUMBER}`];
    expect((await read({ lines })).ksefNumber).toBe(NUMBER);
  });

  test('is left out where a reader of the page cannot see it', async () => {
    const reading = await read({
      draw: (page, font) => page.drawText(NUMBER, { x: 50, y: 200, size: 12, font, color: rgb(1, 1, 1) }),
    });
    expect(reading.ksefNumber).toBeUndefined();
  });

  test(
    'is read from a picture, with letters and digits that look alike repaired by its check digits',
    async () => {
      const { bytes } = await asScan(200, false)(await pdfOf({ lines: [`Numer KSeF: ${NUMBER}`] }));
      expect(readingOf(await readImage(bytes, context)).ksefNumber).toBe(NUMBER);
    },
    OCR_TIMEOUT_MS,
  );
});

describe('the QR code of KSeF', () => {
  test('is read from a page, and is no payment code', async () => {
    expect(await read({ codes: [link()] })).toMatchObject({ ksefCode: CODE, conflicts: [] });
  });

  test('is read where it is printed twice', async () => {
    expect((await read({ codes: [link(), link()] })).ksefCode).toEqual(CODE);
  });

  test('is left out where two codes differ', async () => {
    const other = HASH.replace('Ut', 'Uu');
    expect((await read({ codes: [link(), link(other)] })).ksefCode).toBeUndefined();
  });

  test.each([
    ['clean, at 100 dpi', 100, false],
    ['turned, blurred and grainy, at 150 dpi', 150, true],
    ['turned, blurred and grainy, at 300 dpi', 300, true],
  ])(
    'is read from a picture that is %s',
    async (_, dpi, isRough) => {
      const { bytes } = await asScan(dpi, isRough)(await pdfOf({ codes: [link()] }));
      expect(readingOf(await readImage(bytes, context)).ksefCode).toEqual(CODE);
    },
    OCR_TIMEOUT_MS,
  );

  test(
    'is read from a scanned page of a PDF next to a payment code, and one on another page must be the same',
    async () => {
      const paper = await PDFDocument.load(await pdfOf({ codes: [link()] }));
      const [page] = paper.getPages();
      if (page !== undefined) drawCode(page, '|PL|61109010140000071219812874|012300|Wrona|FV/12/06/2025|||', 350);
      const scan = await scannedPdf(await paper.save());
      expect(readingOf(await readPdf(await scan.save(), context))).toMatchObject({ method: 'OCR', ksefCode: CODE });
      drawCode(scan.addPage([595, 842]), link(HASH.replace('Ut', 'Uu')));
      expect(readingOf(await readPdf(await scan.save(), context)).ksefCode).toBeUndefined();
    },
    OCR_TIMEOUT_MS,
  );

  test.each([
    ['no code', () => {}],
    [
      'a code of something else',
      (page: PDFPage) => drawCode(page, 'https://wrona.example/invoice/5265877635/26-06-2025'),
    ],
    [
      'a code that is half covered',
      (page: PDFPage) => {
        drawCode(page, link());
        page.drawRectangle({ x: 60, y: 150, width: 90, height: 170, color: rgb(1, 1, 1) });
      },
    ],
  ])(
    'is absent from a picture with %s, which is read as without it',
    async (_, draw) => {
      const { bytes } = await asScan(200, false)(await pdfOf({ draw }));
      const reading = readingOf(await readImage(bytes, context));
      expect(reading).not.toHaveProperty('ksefCode');
      expect(reading.fields.invoice_number?.value).toBe('FV/12/06/2025');
    },
    OCR_TIMEOUT_MS,
  );

  test.each(['qr.ksef.mf.gov.pl', 'qr-test.ksef.mf.gov.pl', 'qr-demo.ksef.mf.gov.pl'])('may name %s', (host) => {
    expect(readKsefCode(link(HASH, host))).toEqual(CODE);
  });

  test.each([
    ['of another host', link(HASH, 'qr.ksef.mf.gov.pl.example')],
    ['without TLS', link().replace('https', 'http')],
    ['of a certificate', link().replace('invoice', 'certificate')],
    ['with a date that does not exist', link().replace('26-06', '31-02')],
    ['with a hash that is too short', link(HASH.slice(1))],
    ['with more behind the hash', `${link()}/12`],
    ['with credentials', link().replace('https://', 'https://user@')],
  ])('is not a link %s', (_, text) => {
    expect(readKsefCode(text)).toBeUndefined();
  });
});

describe('the kind of a sales document', () => {
  test.each([
    ['Paragon fiskalny', 'RECEIPT'],
    ['Bilet jednorazowy', 'TICKET'],
    ['Oplata za przejazd autostrada A4', 'TOLL'],
  ])('is that of its title: %s', async (title, kind) => {
    expect((await read({ lines: [title] })).salesDocument).toBe(kind);
  });

  test.each([
    'Za bilety i przejazdy',
    'Faktura do paragonu 12/2025',
    'Receipts are sent by e-mail after the payment of the invoice was booked',
  ])('is not that of a word on the page: %s', async (text) => {
    expect((await read({ lines: [text] })).salesDocument).toBeUndefined();
  });
});
