import { afterAll, describe, expect, test } from 'vitest';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import type { PDFPage } from 'pdf-lib';
import { encode as encodePayBySquare, PaymentOptions } from 'bysquare/pay';
import { encodeQR } from 'qr';
import sharp from 'sharp';
import { readImage } from '../ocr/read-image.js';
import { closeRecogniser } from '../ocr/recogniser.js';
import type { FieldConflict } from '../reading.js';
import { readPaymentCode } from '../payment-codes/payment-codes.js';
import { rasterPages } from './raster.js';
import { readPdf } from './read-pdf.js';

/** Timeout for recognising text, which takes seconds for a document page on a busy machine. */
const OCR_TIMEOUT_MS = 170_000;
const IBAN = 'DE89370400440532013000';
const OTHER_IBAN = 'NL91ABNA0417164300';
const european = (iban: string, amount: string): string =>
  ['BCD', '002', '1', 'SCT', '', 'Ashdown Werkzeuge GmbH', iban, amount, '', '', 'AT-2024-117'].join('\n');
const swiss = (iban: string, amount: string): string =>
  [
    'SPC',
    '0200',
    '1',
    iban,
    'S',
    'Rüegg AG',
    'Seestrasse',
    '210',
    '8810',
    'Horgen',
    'CH',
    ...Array.from({ length: 7 }, () => ''),
    amount,
    'CHF',
  ].join('\r\n');

/** Encodes a Slovak payment code with the library of a third party. */
const slovak = (iban: string, amount: number, note = 'FAKTURA 117'): string =>
  encodePayBySquare({
    invoiceId: '117',
    payments: [
      {
        type: PaymentOptions.PaymentOrder,
        amount,
        currencyCode: 'EUR',
        variableSymbol: '117',
        paymentNote: note,
        bankAccounts: [{ iban }],
        beneficiary: { name: 'Ashdown Werkzeuge GmbH' },
      },
    ],
  });

const saudi = (values: readonly string[]): string =>
  Buffer.concat(
    values.map((value, index) =>
      Buffer.concat([Buffer.from([index + 1, Buffer.byteLength(value)]), Buffer.from(value)]),
    ),
  ).toString('base64');

afterAll(closeRecogniser);

describe('payment codes', () => {
  const account = 'supplier.bank_account.iban';
  test.each([
    [
      'European',
      european(IBAN, 'EUR72.5'),
      { [account]: { value: IBAN }, gross_amount: { value: '72.5' }, currency: { value: 'EUR' } },
    ],
    ['European without an amount', european(IBAN, ''), { [account]: { value: IBAN } }],
    [
      'Swiss',
      swiss('CH9300762011623852957', '2605.20'),
      { [account]: { value: 'CH9300762011623852957' }, gross_amount: { value: '2605.20' }, currency: { value: 'CHF' } },
    ],
    [
      'Polish',
      '5261040828|PL|61109010140000071219812874|007250|Wrona|FV 1|||',
      {
        [account]: { value: 'PL61109010140000071219812874' },
        gross_amount: { value: '72.50' },
        currency: { value: 'PLN' },
      },
    ],
    [
      'Czech (SPAYD)',
      'SPD*1.0*ACC:CZ5855000000001265098001+RZBCCZPP*AM:480.50*CC:CZK*MSG:FAKTURA 117',
      {
        [account]: { value: 'CZ5855000000001265098001' },
        gross_amount: { value: '480.50' },
        currency: { value: 'CZK' },
      },
    ],
    [
      'Czech without an amount',
      'SPD*1.0*ACC:CZ5855000000001265098001',
      { [account]: { value: 'CZ5855000000001265098001' } },
    ],
    [
      'Slovenian (UPN)',
      [
        'UPNQR',
        '',
        '',
        '',
        '',
        'Janez Novak',
        'Dolga 1',
        'Kranj',
        '00000012550',
        '',
        '',
        'COST',
        'Racun 117',
        '14.03.2024',
        'SI56020170014356205',
        'SI00117',
        'Podjetje d.o.o.',
        'Lepa 2',
        'Ljubljana',
        '190',
      ].join('\n'),
      { [account]: { value: 'SI56020170014356205' }, gross_amount: { value: '125.50' }, currency: { value: 'EUR' } },
    ],
    [
      'Hungarian',
      ['HCT', '001', '1', 'OTPVHUHB', 'Minta Kft', 'HU42117730161111101800000000', 'HUF12700', '20240314120000+1'].join(
        '\n',
      ),
      {
        [account]: { value: 'HU42117730161111101800000000' },
        gross_amount: { value: '12700' },
        currency: { value: 'HUF' },
      },
    ],
    [
      'Indian (UPI), whose account is an alias',
      'upi://pay?pa=acme%40bank&pn=Acme&am=1180.00&cu=INR&tn=117',
      { gross_amount: { value: '1180.00' }, currency: { value: 'INR' } },
    ],
    [
      'Saudi (ZATCA)',
      saudi(['Acme', '310122393500003', '2024-03-14T10:00:00Z', '1150.00', '150.00']),
      { 'supplier.tax_id': { value: '310122393500003' }, gross_amount: { value: '1150.00' } },
    ],
    [
      'Slovak (PAY by square)',
      slovak('SK3112000000198742637541', 480.5),
      {
        [account]: { value: 'SK3112000000198742637541' },
        gross_amount: { value: '480.5' },
        currency: { value: 'EUR' },
      },
    ],
    ['Slovak, cut off', slovak('SK3112000000198742637541', 480.5).slice(0, -12), undefined],
    ['Slovak, with letters of another code', `0004K0003ME5${'0'.repeat(60)}`, undefined],
    ['digits and capital letters of another kind', '00040000'.repeat(40), undefined],
    ['a link', 'https://pay.example/AT-2024-117', undefined],
    ['cut off', 'BCD\n002', undefined],
  ])('are read: %s', (_, text, expected) => {
    expect(readPaymentCode(text)).toEqual(expected);
  });
});

type Draw = (page: PDFPage, pdf: PDFDocument) => Promise<void> | void;

async function conflictsOf(draw: Draw): Promise<readonly FieldConflict[]> {
  const outcome = await readPdf(await pdfOf(draw), { companies: [], today: '2026-11-23' });
  if ('failure' in outcome) throw new Error(outcome.failure.message);
  return outcome.reading.conflicts;
}

async function pdfOf(draw: Draw, account: readonly string[] = [`IBAN: ${IBAN}`]): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([595, 842]);
  const lines = [
    'Ashdown Werkzeuge GmbH',
    'Rechnung Nr. AT-2024-117',
    'Rechnungsdatum: 14.03.2024',
    'Netto 60,50 EUR',
    'Umsatzsteuer 19 % 12,00 EUR',
    'Gesamtbetrag 72,50 EUR',
    ...account,
  ];
  lines.forEach((text, index) => page.drawText(text, { x: 50, y: 780 - index * 18, size: 11, font }));
  await draw(page, pdf);
  return pdf.save();
}

/** Draws every dark module as a separate square. */
const asSquares = (text: string) => (page: PDFPage) => {
  encodeQR(text, 'raw', { border: 1 }).forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (isDark) page.drawRectangle({ x: 60 + x * 3, y: 400 - y * 3, width: 3, height: 3 });
    }),
  );
};

const asPicture = (text: string) => async (page: PDFPage, pdf: PDFDocument) => {
  const modules = encodeQR(text, 'raw', { border: 2 });
  const pixels = Buffer.from(modules.flat().map((isDark) => (isDark ? 0 : 255)));
  const png = await sharp(pixels, { raw: { width: modules.length, height: modules.length, channels: 1 } })
    .resize(modules.length * 6, undefined, { kernel: 'nearest' })
    .png()
    .toBuffer();
  page.drawImage(await pdf.embedPng(png), { x: 60, y: 300, width: 130, height: 130 });
};

describe.each([
  ['of squares', asSquares],
  ['that is a picture', asPicture],
])('a payment code %s', (_, drawn) => {
  test('that says what the page says is no conflict', async () => {
    expect(await conflictsOf(drawn(european(IBAN, 'EUR72.50')))).toEqual([]);
  });

  test('with another account is a conflict', async () => {
    expect(await conflictsOf(drawn(european(OTHER_IBAN, 'EUR72.50')))).toEqual([
      { field: 'supplier.bank_account.iban', source: 'QR', machineValue: OTHER_IBAN, visibleValue: IBAN },
    ]);
  });

  test('that is a Czech SPAYD with another account is a conflict', async () => {
    expect(await conflictsOf(drawn(`SPD*1.0*ACC:${OTHER_IBAN}+ABNANL2A*AM:72.50*CC:EUR`))).toEqual([
      { field: 'supplier.bank_account.iban', source: 'QR', machineValue: OTHER_IBAN, visibleValue: IBAN },
    ]);
  });

  test('that is a Slovak PAY by square with another account is a conflict', async () => {
    expect(await conflictsOf(drawn(slovak(OTHER_IBAN, 72.5)))).toEqual([
      { field: 'supplier.bank_account.iban', source: 'QR', machineValue: OTHER_IBAN, visibleValue: IBAN },
    ]);
  });

  test('with another amount is a conflict', async () => {
    expect(await conflictsOf(drawn(european(IBAN, 'EUR725.00')))).toEqual([
      { field: 'gross_amount', source: 'QR', machineValue: '725.00', visibleValue: '72.50' },
    ]);
  });
});

test('the account of a payment code is read if the page states none, unless two codes differ', async () => {
  const accountOf = async (draw: Draw, account: readonly string[] = []): Promise<unknown> => {
    const outcome = await readPdf(await pdfOf(draw, account), { companies: [], today: '2026-11-23' });
    return 'reading' in outcome ? outcome.reading.fields['supplier.bank_account.iban'] : outcome;
  };
  const code = asPicture(european(OTHER_IBAN, 'EUR72.50'));
  expect(await accountOf(code)).toMatchObject({ value: OTHER_IBAN, page: 1, confidence: 0.95, method: 'PATTERN' });
  expect(await accountOf(code, [`IBAN: ${IBAN}`])).toMatchObject({ value: IBAN });
  const both: Draw = async (page, pdf) => {
    await code(page, pdf);
    asSquares(european(IBAN, 'EUR72.50'))(page);
  };
  expect(await accountOf(both)).toBeUndefined();
});

test(
  'a payment code on a page that is a picture is compared too',
  async () => {
    const [picture] = await rasterPages(await pdfOf(asPicture(european(OTHER_IBAN, 'EUR72.50'))), [1]);
    if (picture === undefined) throw new Error('no picture');
    const scan = await PDFDocument.create();
    scan.addPage([595, 842]).drawImage(await scan.embedPng(picture.png), { x: 0, y: 0, width: 595, height: 842 });
    const context = { companies: [{ name: 'Bramley Foods', taxId: null, country: 'DE' }], today: '2026-11-23' };
    for (const outcome of [await readPdf(await scan.save(), context), await readImage(picture.png, context)]) {
      expect(outcome).toMatchObject({
        reading: {
          method: 'OCR',
          conflicts: [
            { field: 'supplier.bank_account.iban', source: 'QR', machineValue: OTHER_IBAN, visibleValue: IBAN },
          ],
        },
      });
    }
  },
  OCR_TIMEOUT_MS,
);

test('a square logo is no payment code', async () => {
  const logo = await sharp({ create: { width: 100, height: 100, channels: 3, background: '#c03030' } })
    .png()
    .toBuffer();
  expect(
    await conflictsOf(async (page, pdf) => {
      page.drawImage(await pdf.embedPng(logo), { x: 450, y: 740, width: 80, height: 80 });
    }),
  ).toEqual([]);
});
