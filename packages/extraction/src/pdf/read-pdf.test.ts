import { describe, expect, test } from 'vitest';
import { PDFDict, PDFDocument, PDFName, PDFOperator, PDFString, StandardFonts, rgb } from 'pdf-lib';
import type { PDFOperatorNames, PDFPage } from 'pdf-lib';
import { attachInvoice } from '../testing/attach-invoice.js';
import { valuesOf } from '../testing/outcomes.js';
import type { ReadingOutcome } from '../reading.js';
import { pagesToRead } from './read-pages.js';
import { readPdf } from './read-pdf.js';

const context = { companies: [], today: '2026-11-23' };

/** Creates a PDF from lines of text, beginning at the top of a page. A line is a list of cells, separated by `|`. */
async function makePdf(
  lines: readonly string[],
  change?: (page: PDFPage, pdf: PDFDocument) => Promise<void> | void,
): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([595, 842]);
  lines.forEach((line, index) =>
    line.split('|').forEach((cell, column) => {
      page.drawText(cell.trim(), { x: 50 + column * 160, y: 790 - index * 16, size: 10, font });
    }),
  );
  await change?.(page, pdf);
  return pdf.save();
}

const invoice = [
  'Ashdown Tools Ltd',
  '12 Mill Lane, Bristol BS1 4ST',
  'VAT Reg No: GB 220 4302 31',
  '',
  'INVOICE',
  'Invoice No: | AT-2024-117',
  'Invoice date: | 14 March 2024',
  '',
  'Hand saw | 2 | 60.00',
  'Subtotal | | £60.00',
  'VAT 20% | | £12.00',
  'Total due | | £72.00',
  'IBAN: GB29 NWBK 6016 1331 9268 19',
];

const ublInvoice = (change: Readonly<Record<string, string>> = {}): string => {
  const value = {
    number: 'AT-2024-117',
    date: '2024-03-14',
    gross: '72.00',
    iban: 'GB29NWBK60161331926819',
    ...change,
  };
  return `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2">
  <cbc:ID>${value.number}</cbc:ID><cbc:IssueDate>${value.date}</cbc:IssueDate><cbc:DocumentCurrencyCode>GBP</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party><cac:PartyTaxScheme><cbc:CompanyID>GB220430231</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
  <cac:PartyLegalEntity><cbc:RegistrationName>Ashdown Tools Ltd</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
  <cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>${value.iban}</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
  <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="GBP">60.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="GBP">${value.gross}</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
</Invoice>`;
};

const attach =
  (...files: readonly (readonly [name: string, xml: string])[]) =>
  async (_page: PDFPage, pdf: PDFDocument): Promise<void> => {
    for (const [name, xml] of files) await pdf.attach(Buffer.from(xml), name, { mimeType: 'text/xml' });
  };

/** Attaches a file to an annotation of the page, as the paper clip of a PDF viewer does. */
const annotate =
  (name: string, content: string) =>
  (page: PDFPage, { context }: PDFDocument): void => {
    const file = context.register(context.stream(content, { Type: 'EmbeddedFile' }));
    const annotation = {
      Type: 'Annot',
      Subtype: 'FileAttachment',
      Rect: [500, 800, 516, 816],
      FS: { Type: 'Filespec', F: PDFString.of(name), UF: PDFString.of(name), EF: { F: file } },
    };
    page.node.addAnnot(context.register(context.obj(annotation)));
  };

function readingOf(outcome: ReadingOutcome) {
  if ('failure' in outcome) throw new Error(`${outcome.failure.reason}: ${outcome.failure.message}`);
  return outcome.reading;
}

/** Draws text lines as `makePdf` does, beginning at the same position. */
async function draw(page: PDFPage, pdf: PDFDocument, lines: readonly string[], x: number, size = 10): Promise<void> {
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  lines.forEach((line, index) =>
    line.split('|').forEach((cell, column) => {
      page.drawText(cell.trim(), { x: x + column * 10 * size, y: 790 - index * 16, size, font });
    }),
  );
}

const secondInvoice = (change: (line: string) => string = (line) => line): string[] =>
  invoice.map((line) =>
    change(
      line
        .replace('AT-2024-117', 'AT-2024-131')
        .replaceAll('60.00', '80.00')
        .replace('72.00', '96.00')
        .replace('12.00', '16.00'),
    ),
  );

describe('a PDF with two invoices is refused, and its pages are named', () => {
  test('one on each page', async () => {
    const bytes = await makePdf(invoice, async (_, pdf) => draw(pdf.addPage([595, 842]), pdf, secondInvoice(), 50));
    expect(await readPdf(bytes, context)).toMatchObject({
      failure: {
        reason: 'SEVERAL_INVOICES',
        message:
          'The file has 2 invoices: AT-2024-117 on page 1, AT-2024-131 on page 2. Send each invoice in its own file.',
      },
    });
  });

  test('the first with an annex', async () => {
    const bytes = await makePdf(invoice, async (_, pdf) => {
      await draw(pdf.addPage([595, 842]), pdf, ['Terms of sale', 'Goods remain ours until they are paid.'], 50);
      await draw(pdf.addPage([595, 842]), pdf, secondInvoice(), 50);
    });
    expect(await readPdf(bytes, context)).toMatchObject({
      failure: { message: expect.stringContaining('AT-2024-117 on pages 1 to 2, AT-2024-131 on page 3') },
    });
  });

  test('both on one page', async () => {
    const bytes = await makePdf([], async (page, pdf) => {
      await draw(page, pdf, invoice, 20, 7);
      await draw(page, pdf, secondInvoice(), 320, 7);
    });
    expect(await readPdf(bytes, context)).toMatchObject({
      failure: { message: expect.stringContaining('AT-2024-117 on page 1, AT-2024-131 on page 1') },
    });
  });

  test.each([
    ['an invoice of two pages', secondInvoice((line) => line.replace('AT-2024-131', 'AT-2024-117'))],
    [
      'an invoice with a list of others',
      [
        'Open items',
        'Invoice No | Invoice date | Amount',
        'AT-2024-090 | 3 January 2024 | £40.00',
        'AT-2024-101 | 9 February 2024 | £50.00',
        'Total | | £90.00',
      ],
    ],
    [
      'an invoice with a delivery note',
      ['Delivery note', 'Delivery note no: | LS-881', 'Delivery date: | 12 March 2024', 'Hand saw | 2'],
    ],
  ])('but not %s', async (_, lines) => {
    const bytes = await makePdf(invoice, async (_page, pdf) => draw(pdf.addPage([595, 842]), pdf, lines, 50));
    expect(valuesOf(await readPdf(bytes, context))).toMatchObject({ invoice_number: 'AT-2024-117' });
  });
});

describe('text PDFs', () => {
  test('reads every field with its raw text, page, box, confidence and method', async () => {
    const outcome = await readPdf(await makePdf(invoice), context);
    expect(valuesOf(outcome)).toEqual({
      'supplier.name': 'Ashdown Tools Ltd',
      'supplier.tax_id': 'GB220430231',
      'supplier.bank_account.iban': 'GB29NWBK60161331926819',
      invoice_number: 'AT-2024-117',
      issue_date: '2024-03-14',
      currency: 'GBP',
      net_amount: '60.00',
      tax_amount: '12.00',
      gross_amount: '72.00',
    });
    const { gross_amount: gross, issue_date: date } = readingOf(outcome).fields;
    expect(gross).toMatchObject({ raw: '£72.00', page: 1, method: 'LABEL', xpath: null });
    expect(gross?.confidence).toBeGreaterThan(0.9);
    const [left, top, right, bottom] = gross?.box ?? [];
    expect({ left, top }).toEqual({
      left: expect.closeTo(370 / 595, 2),
      top: expect.closeTo((842 - 790 + 11 * 16 - 8) / 842, 1),
    });
    expect(right).toBeGreaterThan(left ?? 1);
    expect(bottom).toBeGreaterThan(top ?? 1);
    expect(date?.raw).toBe('14 March 2024');
  });

  test('leaves the currency open when its sign is ambiguous, and lists what it may mean', async () => {
    const text = invoice.filter((line) => !/IBAN|VAT Reg|Bristol/.test(line)).map((line) => line.replace('£', '$'));
    const reading = readingOf(await readPdf(await makePdf(text), context));
    expect(reading.fields.currency).toBeUndefined();
    expect(reading.currencyCandidates).toEqual(expect.arrayContaining(['USD', 'CAD', 'AUD']));
  });

  test('never takes the id or the name of an own company for the supplier', async () => {
    const text = [
      'Bramley Foods Ltd',
      'VAT No: GB 220 4302 31',
      ...invoice.filter((line) => !line.startsWith('VAT Reg')),
    ];
    const companies = [{ name: 'Bramley Foods Ltd', taxId: 'GB220430231', country: 'GB' }];
    const values = valuesOf(await readPdf(await makePdf(text), { ...context, companies }));
    expect(values).toMatchObject({
      'supplier.name': 'Ashdown Tools Ltd',
      'buyer.tax_id': 'GB220430231',
      'buyer.name': 'Bramley Foods Ltd',
    });
    expect(values['supplier.tax_id']).toBeUndefined();
  });

  test.each([
    ['a block', ['Remit to:', 'Evil Factoring Ltd', '1 Harbour Road']],
    ['one line', ['Please remit to: Evil Factoring Ltd']],
    ['the payee of a cheque', ['Make checks payable to: Evil Factoring Ltd']],
  ])('reads the supplier from the letterhead when %s names another payee', async (_, payee) => {
    const reading = readingOf(await readPdf(await makePdf([...invoice, '', ...payee]), context));
    expect(reading.fields['supplier.name']?.value).toBe('Ashdown Tools Ltd');
    const [, ...withoutName] = invoice;
    const small = readingOf(await readPdf(await makePdf(['CONTOSO', ...withoutName, '', ...payee]), context));
    expect(small.fields['supplier.name']?.value).toBe('CONTOSO');
  });

  test('reads the payee as the supplier, with little confidence, when nothing else names one', async () => {
    const text = [...invoice.slice(4).filter((line) => !line.startsWith('Hand saw')), 'Remit to: Ashdown Tools Ltd'];
    const { fields } = readingOf(await readPdf(await makePdf(text), context));
    expect(fields['supplier.name']?.value).toBe('Ashdown Tools Ltd');
    expect(fields['supplier.name']?.confidence).toBeLessThan(0.5);
    const confidenceIn = async (lines: readonly string[]) =>
      readingOf(await readPdf(await makePdf(lines), context)).fields['supplier.name']?.confidence ?? 0;
    expect(await confidenceIn([...invoice, 'Remit to: Ashdown Tools Ltd'])).toBeGreaterThanOrEqual(
      await confidenceIn(invoice),
    );
  });

  test.each([
    ['Previous balance', '£500.00', '£572.00'],
    ['Balance brought forward', '£8.40', '£80.40'],
  ])('reads the total that net and tax prove, not the amount due with a %s', async (label, balance, due) => {
    const lines = [...invoice, '', `${label} | | ${balance}`, `Amount due | | ${due}`];
    expect(valuesOf(await readPdf(await makePdf(lines), context))).toMatchObject({
      net_amount: '60.00',
      tax_amount: '12.00',
      gross_amount: '72.00',
    });
  });

  test('reads net and tax of a total that is rounded by a stated amount, and no others', async () => {
    const rounded = (rounding: string) =>
      invoice.flatMap((line) =>
        line.startsWith('Total due') ? [`Rounding | | ${rounding}`, 'Total due | | £72.05'] : [line],
      );
    expect(valuesOf(await readPdf(await makePdf(rounded('£0.05')), context))).toMatchObject({
      net_amount: '60.00',
      tax_amount: '12.00',
      gross_amount: '72.05',
    });
    const unproven = valuesOf(await readPdf(await makePdf(rounded('£0.07')), context));
    expect(unproven['gross_amount']).toBe('72.05');
    expect(unproven['net_amount']).toBeUndefined();
  });

  test('names an IBAN with wrong check digits and does not read it as the account', async () => {
    const text = invoice.map((line) => line.replace('GB29 NWBK', 'GB28 NWBK'));
    const reading = readingOf(await readPdf(await makePdf(text), context));
    expect(reading.fields['supplier.bank_account.iban']).toBeUndefined();
    expect(reading.invalidIban).toBe('GB28 NWBK 6016 1331 9268 19');
  });

  test('lists what is missing and keeps what was read', async () => {
    const outcome = await readPdf(await makePdf(invoice.filter((line) => !line.startsWith('Invoice No'))), context);
    expect(outcome).toMatchObject({ failure: { reason: 'FIELDS_MISSING', missingFields: ['invoice_number'] } });
    expect('failure' in outcome && outcome.failure.reading?.fields.gross_amount?.value).toBe('72.00');
  });

  test('refuses a text that is not an invoice', async () => {
    const outcome = await readPdf(await makePdf(['Dear neighbours,', 'the summer party begins at seven.']), context);
    expect(outcome).toMatchObject({ failure: { reason: 'NO_INVOICE' } });
  });
});

describe('hybrid PDFs', () => {
  test('takes the values of the XML and finds no conflict where the page says the same', async () => {
    const reading = readingOf(await readPdf(await makePdf(invoice, attach(['factur-x.xml', ublInvoice()])), context));
    expect(reading).toMatchObject({
      method: 'XML',
      format: 'UBL',
      embeddedFile: 'factur-x.xml',
      pages: 1,
      conflicts: [],
    });
    expect(reading.fields.gross_amount).toMatchObject({ value: '72.00', method: 'XML' });
  });

  test.each([
    ['invoice_number', { number: 'AT-2024-118' }, 'AT-2024-118', 'AT-2024-117'],
    ['issue_date', { date: '2024-03-15' }, '2024-03-15', '2024-03-14'],
    ['gross_amount', { gross: '720.00' }, '720.00', '72.00'],
    ['supplier.bank_account.iban', { iban: 'NL13RABO0377815500' }, 'NL13RABO0377815500', 'GB29NWBK60161331926819'],
  ])('reports that %s differs between XML and page', async (field, change, machineValue, visibleValue) => {
    const reading = readingOf(
      await readPdf(await makePdf(invoice, attach(['xrechnung.xml', ublInvoice(change)])), context),
    );
    expect(reading.conflicts).toEqual([{ field, source: 'XML', machineValue, visibleValue }]);
  });

  test('lists the profile of the metadata when it differs from that of the XML', async () => {
    const customization = '<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>';
    const xml = ublInvoice().replace('<cbc:ID>', `${customization}<cbc:ID>`);
    const profilesBeside = async (level: string) =>
      readingOf(await readPdf(await attachInvoice(await makePdf(invoice), xml, level), context)).declaredProfiles;
    expect(await profilesBeside('EN 16931')).toEqual(['urn:cen.eu:en16931:2017']);
    expect(await profilesBeside('XRECHNUNG')).toEqual(['urn:cen.eu:en16931:2017', 'XRECHNUNG']);
  });

  test('reports that two attached invoices differ', async () => {
    const files = attach(['factur-x.xml', ublInvoice()], ['second.xml', ublInvoice({ gross: '99.00' })]);
    const reading = readingOf(await readPdf(await makePdf(invoice, files), context));
    expect(reading.conflicts).toEqual([
      { field: 'gross_amount', source: 'XML', machineValue: '72.00', visibleValue: '99.00' },
    ]);
  });

  test('reads an account that the XML does not state from the page, with the confidence of the page', async () => {
    const withoutAccount = ublInvoice().replace(/<cac:PaymentMeans>.*<\/cac:PaymentMeans>/, '');
    const reading = readingOf(await readPdf(await makePdf(invoice, attach(['factur-x.xml', withoutAccount])), context));
    expect(reading.fields['supplier.bank_account.iban']).toMatchObject({
      value: 'GB29NWBK60161331926819',
      page: 1,
      xpath: null,
    });
    expect(reading.fields['supplier.bank_account.iban']?.confidence).toBeLessThan(1);
    expect(reading.fields.gross_amount).toMatchObject({ method: 'XML' });
  });

  test('does not replace an account of the XML that has wrong check digits by the one on the page', async () => {
    const xml = ublInvoice({ iban: 'GB28NWBK60161331926819' });
    const reading = readingOf(await readPdf(await makePdf(invoice, attach(['factur-x.xml', xml])), context));
    expect(reading.fields['supplier.bank_account.iban']).toBeUndefined();
    expect(reading.invalidIban).toBe('GB28NWBK60161331926819');
  });

  test('reads an invoice whose name does not end in .xml', async () => {
    const reading = readingOf(await readPdf(await makePdf(invoice, attach(['invoice.dat', ublInvoice()])), context));
    expect(reading).toMatchObject({ method: 'XML', embeddedFile: 'invoice.dat' });
  });

  test('compares an invoice in a FileAttachment annotation with the page', async () => {
    const xml = ublInvoice({ iban: 'NL13RABO0377815500' });
    const reading = readingOf(await readPdf(await makePdf(invoice, annotate('invoice.xml', xml)), context));
    expect(reading).toMatchObject({
      method: 'XML',
      embeddedFile: 'invoice.xml',
      conflicts: [{ field: 'supplier.bank_account.iban', visibleValue: 'GB29NWBK60161331926819' }],
    });
  });

  test.each([
    ['is empty', ''],
    ['is cut off', ublInvoice().slice(0, 400)],
    ['is in a format that is not read', '<Invoice xmlns="http://isdoc.cz/namespace/2013"><ID>1</ID></Invoice>'],
    ['names no format', '<Invoice><Number>1</Number></Invoice>'],
  ])('reads the page and names the attachment when the attached invoice %s', async (_, xml) => {
    const reading = readingOf(await readPdf(await makePdf(invoice, attach(['factur-x.xml', xml])), context));
    expect(reading).toMatchObject({ method: 'TEXT', embeddedFile: 'factur-x.xml' });
    expect(reading.fields.gross_amount?.value).toBe('72.00');
  });

  test('prefers an attachment that can be read to a damaged one', async () => {
    const files = attach(['factur-x.xml', ''], ['second.xml', ublInvoice()]);
    const reading = readingOf(await readPdf(await makePdf(invoice, files), context));
    expect(reading).toMatchObject({ method: 'XML', embeddedFile: 'second.xml' });
  });

  test('refuses a file whose attached invoice has a DOCTYPE, or several invoices, whatever the page shows', async () => {
    for (const xml of [`<!DOCTYPE Invoice>${ublInvoice()}`, `<All>${ublInvoice()}${ublInvoice()}</All>`]) {
      const outcome = await readPdf(await makePdf(invoice, attach(['factur-x.xml', xml])), context);
      expect(outcome).toMatchObject({ failure: { reason: xml.startsWith('<!') ? 'DOCTYPE' : 'SEVERAL_INVOICES' } });
    }
  });

  test('reads the page when the attached XML is not an invoice', async () => {
    const reading = readingOf(await readPdf(await makePdf(invoice, attach(['notes.xml', '<notes/>'])), context));
    expect(reading).toMatchObject({ method: 'TEXT', embeddedFile: null });
  });
});

describe('hidden text', () => {
  test.each([
    ['RENDER_MODE', { y: 300, size: 10 }, 'mode'],
    ['COLOUR', { y: 300, size: 10, color: rgb(1, 1, 1) }, 'plain'],
    ['SIZE', { y: 300, size: 0.5 }, 'plain'],
    ['POSITION', { y: -200, size: 10 }, 'plain'],
  ] as const)('is reported and never read as a value: %s', async (hiddenBy, options, kind) => {
    const pdf = await makePdf(invoice, async (page, document) => {
      const font = await document.embedFont(StandardFonts.Helvetica);
      if (kind === 'mode') page.pushOperators(...invisible());
      page.drawText('Grand total including VAT £9,999.00', { x: 50, font, ...options });
    });
    const reading = readingOf(await readPdf(pdf, context));
    expect(reading.fields.gross_amount?.value).toBe('72.00');
    expect(reading.hiddenTexts).toMatchObject([{ page: 1, hiddenBy, holds: 'AMOUNT', isTextLayerOfScan: false }]);
  });

  test('is not white text on a dark ground', async () => {
    const pdf = await makePdf(invoice, (page) => {
      page.drawRectangle({ x: 40, y: 290, width: 400, height: 24, color: rgb(0.1, 0.1, 0.4) });
      page.drawText('Pay £72.00 within 30 days of the date above', { x: 50, y: 300, size: 10, color: rgb(1, 1, 1) });
    });
    expect(readingOf(await readPdf(pdf, context)).hiddenTexts).toEqual([]);
  });
});

/** Sets text rendering mode 3 outside of a text object, so that it applies to the next one. */
function invisible() {
  return [PDFOperator.of('Tr' as PDFOperatorNames, ['3'])];
}

describe('pages', () => {
  test('are all read up to 50; of more, the first 40 and the last 10', () => {
    expect(pagesToRead(50)).toHaveLength(50);
    const ofMore = pagesToRead(51);
    expect(ofMore).toHaveLength(50);
    expect([ofMore[39], ofMore[40], ofMore[49]]).toEqual([40, 42, 51]);
  });

  /** A small PDF with 50 pages, between which its page tree states more pages that the file does not have. */
  const stating = async (count: number) =>
    makePdf(invoice, (page, { catalog, context: objects }) => {
      const root = catalog.get(PDFName.of('Pages'));
      const add = (entries: object) => objects.register(objects.obj({ Parent: root, ...entries }));
      const blank = () => add({ Type: 'Page', MediaBox: [0, 0, 595, 842], Resources: {} });
      const unseen = add({ Type: 'Pages', Kids: [], Count: count - 50 });
      const kids = [page.ref, ...Array.from({ length: 39 }, blank), unseen, ...Array.from({ length: 10 }, blank)];
      const pages = catalog.lookup(PDFName.of('Pages'), PDFDict);
      pages.set(PDFName.of('Kids'), objects.obj(kids));
      pages.set(PDFName.of('Count'), objects.obj(count));
    });

  test('can be 10,000, and a small file that states one more, or billions, is refused before anything lists them', async () => {
    const { pages } = readingOf(await readPdf(await stating(10_000), context));
    expect(pages).toBe(10_000);
    for (const count of [10_001, 4_000_000_000]) {
      expect(await readPdf(await stating(count), context)).toMatchObject({
        failure: { reason: 'TOO_LARGE', message: expect.stringContaining('more than 10,000 pages') },
      });
    }
  });
});

describe('files that cannot be read', () => {
  test.each([
    ['random bytes', Uint8Array.from({ length: 2000 }, (_, index) => (index * 7919) % 256)],
    ['nothing but a header', Buffer.from('%PDF-1.7\n')],
  ])('are DAMAGED: %s', async (_name, bytes) => {
    expect(await readPdf(bytes, context)).toMatchObject({ failure: { reason: 'DAMAGED' } });
  });

  test('with an attachment that unpacks to more than is read are TOO_LARGE, before it is unpacked', async () => {
    const pdf = await makePdf(invoice, async (_page, document) => {
      await document.attach(new Uint8Array(80 * 1024 * 1024), 'bomb.xml');
    });
    expect(pdf.length).toBeLessThan(1_000_000);
    expect(await readPdf(pdf, context)).toMatchObject({ failure: { reason: 'TOO_LARGE' } });
  });
});
