import { afterAll, describe, expect, test } from 'vitest';
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFOperator, PDFString, StandardFonts, rgb } from 'pdf-lib';
import type { PDFOperatorNames, PDFPage } from 'pdf-lib';
import sharp from 'sharp';
import { closeRecogniser } from '../ocr/recogniser.js';
import type { DocumentReading } from '../reading.js';
import { readPdf } from './read-pdf.js';

/** Timeout for recognising text, which takes seconds for a document page on a busy machine. */
const OCR_TIMEOUT_MS = 170_000;
const TOTAL_LINE = 620;

afterAll(closeRecogniser);

/** Creates an invoice over GBP 72.00. `change` applies the forgery to the document page. */
async function forged(change: (page: PDFPage, pdf: PDFDocument) => Promise<void> | void): Promise<DocumentReading> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([595, 842]);
  const put = (text: string, x: number, y: number): void => page.drawText(text, { x, y, size: 11, font });
  put('Ashdown Tools Ltd', 50, 790);
  put('12 Mill Lane, Bristol BS1 4ST', 50, 775);
  put('INVOICE', 50, 740);
  put('Invoice No: AT-2024-117', 50, 720);
  put('Invoice date: 14 March 2024', 50, 705);
  put('Subtotal', 50, 660);
  put('\u00a360.00', 400, 660);
  put('VAT 20%', 50, 640);
  put('\u00a312.00', 400, 640);
  put('Total due', 50, TOTAL_LINE);
  put('\u00a372.00', 400, TOTAL_LINE);
  await change(page, pdf);
  const outcome = await readPdf(await pdf.save(), { companies: [], today: '2026-11-23' });
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  if (reading === null) throw new Error(JSON.stringify(outcome));
  return reading;
}

const operator = (name: string, ...args: readonly string[]) => PDFOperator.of(name as PDFOperatorNames, [...args]);
const gross = (reading: DocumentReading) => reading.fields.gross_amount?.value;
const HIGHER = 'Grand total including VAT \u00a39,999.00';

/** Adds a layer to the file that is shown or hidden when the file is opened. */
function addLayer(page: PDFPage, pdf: PDFDocument, isShown: boolean): void {
  const layer = pdf.context.register(pdf.context.obj({ Type: 'OCG', Name: PDFString.of('Layer') }));
  const state = { Order: [layer], [isShown ? 'ON' : 'OFF']: [layer] };
  pdf.catalog.set(PDFName.of('OCProperties'), pdf.context.obj({ OCGs: [layer], D: state }));
  const resources = page.node.Resources();
  resources?.set(PDFName.of('Properties'), pdf.context.obj({ Layer1: layer }));
}

/** Adds a comment with its own appearance: a white rectangle with a text. */
async function addComment(page: PDFPage, pdf: PDFDocument, text: string, rect: readonly number[]): Promise<void> {
  const font = await pdf.embedFont(StandardFonts.Courier);
  const [left = 0, bottom = 0, right = 0, top = 0] = rect;
  const [width, height] = [right - left, top - bottom];
  const appearance = pdf.context.stream(
    `1 1 1 rg 0 0 ${width} ${height} re f 0 g BT /F0 11 Tf 2 4 Td (${text}) Tj ET`,
    {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, width, height],
      Resources: { Font: { F0: font.ref } },
    },
  );
  const comment = pdf.context.register(
    pdf.context.obj({
      Type: 'Annot',
      Subtype: 'FreeText',
      Rect: [...rect],
      F: 4,
      DA: PDFString.of('/F0 11 Tf'),
      Contents: PDFString.of(text),
      AP: { N: pdf.context.register(appearance) },
    }),
  );
  const annotations = page.node.lookupMaybe(PDFName.of('Annots'), PDFArray) ?? pdf.context.obj([]);
  annotations.push(comment);
  page.node.set(PDFName.of('Annots'), annotations);
}

test('an invoice that nobody changed raises nothing', async () => {
  expect(await forged(() => undefined)).toMatchObject({ hiddenTexts: [], tamperSigns: [], conflicts: [] });
});

describe('text that nobody sees', () => {
  test.each([
    [
      'of full transparency',
      'COLOUR',
      (page: PDFPage) => page.drawText(HIGHER, { x: 50, y: 300, size: 11, opacity: 0 }),
    ],
    [
      'white on a white rectangle',
      'COLOUR',
      (page: PDFPage) => {
        page.drawRectangle({ x: 40, y: 290, width: 400, height: 24, color: rgb(1, 1, 1) });
        page.drawText(HIGHER, { x: 50, y: 300, size: 11, color: rgb(0.98, 0.98, 0.98) });
      },
    ],
    [
      'outside of a clip',
      'POSITION',
      (page: PDFPage) => {
        page.pushOperators(operator('q'), operator('re', '0', '0', '10', '10'), operator('W'), operator('n'));
        page.drawText(HIGHER, { x: 50, y: 300, size: 11 });
        page.pushOperators(operator('Q'));
      },
    ],
    [
      'on a layer that is off',
      'LAYER',
      (page: PDFPage, pdf: PDFDocument) => {
        page.drawText(' ', { x: 50, y: 310, size: 11 });
        addLayer(page, pdf, false);
        page.pushOperators(operator('BDC', '/OC', '/Layer1'));
        page.drawText(HIGHER, { x: 50, y: 300, size: 11 });
        page.pushOperators(operator('EMC'));
      },
    ],
  ])('%s is reported and never read', async (_, hiddenBy, change) => {
    const reading = await forged((page, pdf) => change(page, pdf));
    expect(gross(reading)).toBe('72.00');
    expect(reading.hiddenTexts).toMatchObject([{ page: 1, hiddenBy, holds: 'AMOUNT' }]);
  });

  test('is not text on a layer that is on, in a clip, or drawn as an outline', async () => {
    const reading = await forged((page, pdf) => {
      page.drawText(' ', { x: 50, y: 310, size: 11 });
      addLayer(page, pdf, true);
      page.pushOperators(operator('BDC', '/OC', '/Layer1'));
      page.drawText('Paid by card: \u00a372.00', { x: 50, y: 300, size: 11 });
      page.pushOperators(
        operator('EMC'),
        operator('q'),
        operator('re', '40', '250', '400', '40'),
        operator('W'),
        operator('n'),
      );
      page.drawText('Thank you for your order of \u00a372.00', { x: 50, y: 260, size: 11 });
      page.pushOperators(operator('Q'), operator('q'), operator('Tr', '1'));
      page.drawText('Paid in full by card, with thanks', { x: 50, y: 220, size: 11, color: rgb(1, 1, 1) });
      page.pushOperators(operator('Q'));
    });
    expect(reading).toMatchObject({ hiddenTexts: [], tamperSigns: [] });
  });

  test.each([
    ['even-odd', ['re', '30', '600', '530', '220'], ['re', '32', '602', '526', '216'], ['f*']],
    ['two directions', ['re', '30', '600', '530', '220'], ['re', '558', '602', '-526', '216'], ['f']],
  ])('is not text in a frame that is drawn as a filled ring (%s)', async (_, ...path) => {
    const pdf = await PDFDocument.create();
    const font = await pdf.embedFont(StandardFonts.Helvetica);
    const page = pdf.addPage([595, 842]);
    page.pushOperators(operator('g', '0'), ...path.map(([name = '', ...args]) => operator(name, ...args)));
    const lines = ['Ashdown Tools Ltd', 'INVOICE', 'Invoice No: AT-2024-117', 'Invoice date: 14 March 2024'];
    [...lines, 'Total due \u00a372.00'].forEach((text, index) =>
      page.drawText(text, { x: 50, y: 790 - index * 20, size: 11, font }),
    );
    // The filled frame hides text of the same colour.
    page.drawText(HIGHER, { x: 50, y: 600.5, size: 1.2, font });
    const outcome = await readPdf(await pdf.save(), { companies: [], today: '2026-11-23' });
    if ('failure' in outcome) throw new Error(outcome.failure.message);
    expect(outcome.reading).toMatchObject({ tamperSigns: [], hiddenTexts: [{ snippet: HIGHER }] });
    expect(gross(outcome.reading)).toBe('72.00');
  });

  test('behind /ActualText, which only some programs extract, is not read', async () => {
    const reading = await forged((page) => {
      page.pushOperators(operator('BDC', '/Span', '<< /ActualText (Grand total including VAT 9,999.00) >>'));
      page.drawText('Thank you', { x: 50, y: 300, size: 11 });
      page.pushOperators(operator('EMC'));
    });
    expect(gross(reading)).toBe('72.00');
  });
});

describe('a total that is covered', () => {
  test('by a rectangle with another total is not read; the other is, and the cover is a sign', async () => {
    const reading = await forged((page) => {
      page.drawRectangle({ x: 390, y: TOTAL_LINE - 4, width: 80, height: 16, color: rgb(1, 1, 1) });
      page.drawText('\u00a3972.00', { x: 400, y: TOTAL_LINE, size: 11 });
    });
    expect(gross(reading)).toBe('972.00');
    expect(reading.tamperSigns).toMatchObject([{ kind: 'OVERLAY' }]);
  });

  test('by a picture is not read, and the cover is a sign', async () => {
    const picture = await sharp({ create: { width: 80, height: 16, channels: 3, background: '#eeeeee' } })
      .jpeg()
      .toBuffer();
    const reading = await forged(async (page, pdf) => {
      page.drawImage(await pdf.embedJpg(picture), { x: 390, y: TOTAL_LINE - 4, width: 80, height: 16 });
    });
    expect(gross(reading)).not.toBe('72.00');
    expect(reading.tamperSigns).toMatchObject([{ kind: 'OVERLAY' }]);
  });

  test('by a comment is not read; what the comment says is, and the cover is a sign', async () => {
    const reading = await forged((page, pdf) =>
      addComment(page, pdf, '972.00', [390, TOTAL_LINE - 4, 470, TOTAL_LINE + 12]),
    );
    expect(gross(reading)).toBe('972.00');
    expect(reading.tamperSigns.map(({ kind }) => kind)).toContain('OVERLAY');
  });
});

test('the value of a form field is read where a reader sees it', async () => {
  const reading = await forged((page, pdf) => {
    page.drawText('Purchase order:', { x: 50, y: 560, size: 11 });
    const field = pdf.getForm().createTextField('order');
    field.setText('PO-88123');
    field.addToPage(page, { x: 150, y: 556, width: 120, height: 18 });
  });
  expect(reading.fields.purchase_order_ref?.value).toBe('PO-88123');
  expect(reading).toMatchObject({ hiddenTexts: [], tamperSigns: [] });
});

test(
  'a font that shows other digits than programs extract is read as a reader sees it, and is a sign',
  async () => {
    const reading = await forged(async (page, pdf) => {
      await pdf.flush();
      const resources = page.node.Resources();
      const fonts = resources?.lookup(PDFName.of('Font'), PDFDict);
      for (const [, reference] of fonts?.entries() ?? []) {
        const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def
1 begincodespacerange <00> <ff> endcodespacerange
2 beginbfrange <20> <36> <0020> <38> <7e> <0038> endbfrange
1 beginbfchar <37> <0039> endbfchar endcmap end end`;
        pdf.context
          .lookup(reference, PDFDict)
          .set(PDFName.of('ToUnicode'), pdf.context.register(pdf.context.stream(map)));
      }
    });
    expect(reading.method).toBe('OCR');
    expect(gross(reading)).toBe('72.00');
    expect(reading.tamperSigns).toMatchObject([{ kind: 'TEXT_DIFFERS_FROM_PICTURE' }]);
  },
  OCR_TIMEOUT_MS,
);
