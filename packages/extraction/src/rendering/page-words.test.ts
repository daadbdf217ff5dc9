import { afterAll, describe, expect, test } from 'vitest';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import { closeRecogniser } from '../ocr/recogniser.js';
import { layoutPage } from '../text/layout.js';
import { printInvoice } from '../testing/printed-invoice.js';
import { sampleInvoice } from '../testing/sample-invoice.js';
import { WORDS_MAX, wordsOf } from './page-words.js';
import type { PageWords } from './page-words.js';
import { renderDocument } from './render-document.js';
import type { RenderingOutcome } from './rendering.js';

afterAll(closeRecogniser);

function wordsIn(outcome: RenderingOutcome): PageWords {
  if (!('rendering' in outcome)) throw new Error(JSON.stringify(outcome));
  expect(outcome.rendering.mediaType).toBe('application/json');
  return JSON.parse(Buffer.from(outcome.rendering.content).toString()) as PageWords;
}

const read = (
  bytes: Uint8Array,
  page = 1,
  mediaType: 'application/pdf' | 'image/png' | 'application/xml' = 'application/pdf',
) => renderDocument(bytes, mediaType, { kind: 'WORDS', page });

async function pdfOf(texts: readonly string[]): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  const font = await file.embedFont(StandardFonts.Helvetica);
  const page = file.addPage([400, 200]);
  texts.forEach((text, index) => page.drawText(text, { x: 40, y: 150 - index * 30, size: 12, font }));
  return file.save();
}

/** Returns a page with a number of words in lines of a hundred. */
function pageOf(count: number) {
  const runs = Array.from({ length: count }, (_, index) => ({
    text: `w${index}`,
    left: (index % 100) * 30,
    right: (index % 100) * 30 + 10,
    top: Math.floor(index / 100) * 20,
    bottom: Math.floor(index / 100) * 20 + 10,
    size: 10,
    confidence: 1,
  }));
  return layoutPage(runs, { index: 0, number: 1, width: 3_000, height: 700 });
}

describe('the words of a page', () => {
  test('are divided at blanks, and a date, an amount and an account are one word in the form of the fields', async () => {
    const bytes = await pdfOf([
      'Rechnung RE-77 vom 5. September 2026',
      'Betrag 1.190,00 EUR',
      'DE89 3704 0044 0532 0130 00',
    ]);
    const { words, isTruncated } = wordsIn(await read(bytes));
    expect(isTruncated).toBe(false);
    const values = words.map(({ value }) => value);
    for (const value of ['Rechnung', 'RE-77', '2026-09-05', 'Betrag', '1190.00', 'DE89370400440532013000'])
      expect(values).toContain(value);
    expect(words.find(({ value }) => value === '1190.00')?.text).toContain('1.190,00');
  });

  test('have their places as fractions of the page, in the order in which they are read', async () => {
    const { words } = wordsIn(await read(await pdfOf(['First second', 'Third'])));
    expect(words.map(({ text }) => text)).toEqual(['First', 'second', 'Third']);
    const [left = 0, top = 0, right = 0, bottom = 0] = words[0]?.box ?? [];
    expect(left).toBeCloseTo(0.1, 2);
    expect(right).toBeLessThan(words[1]?.box[0] ?? 0);
    expect([top < 0.25 && bottom > 0.2, bottom < (words[2]?.box[1] ?? 0)]).toEqual([true, true]);
  });

  test('are read from a scan by text recognition, at the places that the picture shows', async () => {
    const invoice = sampleInvoice();
    const pdf = Buffer.from(await printInvoice(invoice));
    const drawn = await renderDocument(pdf, 'application/pdf', { kind: 'PAGE', page: 1, width: 1_700 });
    if (!('rendering' in drawn)) throw new Error(JSON.stringify(drawn));
    const placeOf = ({ words }: PageWords) => words.find(({ text }) => text === invoice.truth['number'])?.box ?? [];
    const printed = placeOf(wordsIn(await read(pdf)));
    const scanned = placeOf(wordsIn(await read(drawn.rendering.content, 1, 'image/png')));
    expect(scanned).toHaveLength(4);
    scanned.forEach((share, side) => expect(Math.abs(share - (printed[side] ?? 0))).toBeLessThan(0.02));
  });

  test.each([WORDS_MAX, WORDS_MAX + 1])('are at most 3,000: a page of %i', (count) => {
    const { words, isTruncated } = wordsOf(pageOf(count));
    expect([words.length, isTruncated]).toEqual([WORDS_MAX, count > WORDS_MAX]);
  });

  test('are not there for a page that the document does not have, nor for XML, whose pages are counted as none', async () => {
    const pdf = Buffer.from(await printInvoice(sampleInvoice()));
    expect(await read(pdf, 2)).toEqual({ missing: 'PAGE', pages: 1 });
    expect(await read(Buffer.from('<Invoice/>'), 1, 'application/xml')).toEqual({ missing: 'PAGE', pages: 0 });
  });

  test('of a damaged file are refused with the reason', async () => {
    expect(await read(Buffer.from('%PDF-1.7\nnothing of it'))).toMatchObject({ failure: { reason: 'DAMAGED' } });
    expect(await read(Buffer.from('no picture'), 1, 'image/png')).toMatchObject({ failure: { reason: 'DAMAGED' } });
  });
});
