import { describe, expect, test } from 'vitest';
import { PDFDocument, StandardFonts, rgb } from 'pdf-lib';
import { attackFiles } from '../testing/attack-files.js';
import { readPdf } from './read-pdf.js';

const context = { companies: [], today: '2026-11-23' };

describe('attack files', () => {
  test.each([
    ['TOO_LARGE', 'attachment'],
    ['ENCRYPTED', 'encrypted'],
  ] as const)('are refused as %s: %s', async (reason, name) => {
    expect(await readPdf(attackFiles[name](), context)).toMatchObject({ failure: { reason } });
  });
});

test('an attachment with many comments before no invoice is looked at once', async () => {
  const bytes = attackFiles.comments();
  expect(bytes.length).toBeLessThan(1_500);
  expect(await readPdf(bytes, context)).toMatchObject({ failure: expect.anything() });
});

describe('signs of editing on the page', () => {
  const make = async (edit: boolean): Promise<Uint8Array> => {
    const pdf = await PDFDocument.create();
    const [font, other] = [await pdf.embedFont(StandardFonts.Helvetica), await pdf.embedFont(StandardFonts.Courier)];
    const page = pdf.addPage([595, 842]);
    const lines = [
      'Ashdown Tools Ltd',
      'Invoice No: AT-7',
      'Invoice date: 14 March 2024',
      'Net 60.00',
      'Total due: GBP 72.00',
    ];
    lines.forEach((text, index) => page.drawText(text, { x: 50, y: 700 - index * 20, size: 10, font }));
    if (edit) {
      page.drawRectangle({ x: 115, y: 617, width: 60, height: 12, color: rgb(1, 1, 1) });
      page.drawText('972.00', { x: 125, y: 620, size: 10, font: other });
    }
    return pdf.save();
  };
  const signsOf = async (bytes: Uint8Array): Promise<readonly string[]> => {
    const outcome = await readPdf(bytes, context);
    const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
    return reading?.tamperSigns.map(({ kind }) => kind) ?? ['nothing was read'];
  };

  test('are a rectangle with text over other text, and a font for figures alone', async () => {
    expect(await signsOf(await make(true))).toEqual(['OVERLAY', 'FONT_OF_ONE_FIELD']);
  });

  test('are absent from a page as it was made', async () => {
    expect(await signsOf(await make(false))).toEqual([]);
  });
});
