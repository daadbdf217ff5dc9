import { describe, expect, test } from 'vitest';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import type { DocumentReading } from '../reading.js';
import { readPdf } from './read-pdf.js';

const german = ['Adler Bau GmbH', 'Ringstr. 4, 10115 Berlin', 'USt-IdNr. DE136695976', ''];
const polish = ['Wrona sp. z o.o.', 'ul. Lipowa 3, 00-001 Warszawa', 'NIP 5261040828', ''];
const english = ['Ashdown Tools Ltd', '12 Mill Lane, Bristol BS1 4ST', '', 'CREDIT NOTE'];
const credit = ['', 'Subtotal | | £60.00', 'VAT 20% | | £12.00', 'Total credit | | £72.00'];
const bill = [
  'Rechnung Nr. RE-2024-17',
  'Rechnungsdatum: 14.03.2024',
  '',
  'Netto | | 60,00 EUR',
  'USt 19 % | | 11,40 EUR',
];

/** Reads a page whose lines are lists of cells, separated by `|`. */
async function read(lines: readonly string[]): Promise<DocumentReading> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([595, 842]);
  lines.forEach((line, index) =>
    line.split('|').forEach((cell, column) => {
      page.drawText(cell.trim(), { x: 50 + column * 120, y: 790 - index * 16, size: 10, font });
    }),
  );
  const outcome = await readPdf(await pdf.save(), { companies: [], today: '2026-11-23' });
  if ('failure' in outcome) throw new Error(outcome.failure.message);
  return outcome.reading;
}

describe('a correction is read with the difference that it makes', () => {
  const heading = [
    'Faktura korygujaca nr FK/7/2024',
    'Data wystawienia: 2024-03-14',
    'Do faktury nr FV/9/2024 z dnia 2024-02-01',
  ];
  const blockOf = (net: string, tax: string, gross: string): string[] => [
    `Razem netto | ${net}`,
    `VAT 23% | ${tax}`,
    `Razem brutto | ${gross}`,
  ];
  const before = ['Przed korekta', ...blockOf('1000,00', '230,00', '1230,00')];
  const after = ['Po korekcie', ...blockOf('800,00', '184,00', '984,00')];
  const correction = 'Rechnungskorrektur Nr. RK-2024-17';
  test.each([
    [
      'in Polish blocks',
      [
        ...polish,
        ...heading,
        ...before,
        ...after,
        'Roznica',
        ...blockOf('-200,00', '-46,00', '-246,00'),
        'Do zwrotu: 246,00 PLN',
      ],
      ['-200.00', '-46.00', '-246.00'],
    ],
    [
      'in Polish blocks without a difference',
      [...polish, ...heading, ...before, ...after],
      ['-200.00', '-46.00', '-246.00'],
    ],
    [
      'in the columns of a German table',
      [
        ...german,
        correction,
        'Rechnungsdatum: 14.03.2024',
        'zur Rechnung RE-2024-9 vom 03.01.2024',
        '| Bisher | Neu | Differenz',
        'Netto | 1000,00 EUR | 800,00 EUR | -200,00 EUR',
        'USt 19 % | 190,00 EUR | 152,00 EUR | -38,00 EUR',
        'Gesamtbetrag | 1190,00 EUR | 952,00 EUR | -238,00 EUR',
      ],
      ['-200.00', '-38.00', '-238.00'],
    ],
    [
      'in the lines of a Polish table',
      [
        ...polish,
        ...heading,
        '| Netto | VAT | Brutto',
        'Przed korekta | 1000,00 | 230,00 | 1230,00',
        'Po korekcie | 800,00 | 184,00 | 984,00',
        'Korekta | -200,00 | -46,00 | -246,00',
      ],
      ['-200.00', '-46.00', '-246.00'],
    ],
  ])('%s', async (_, lines, amounts) => {
    const { kind, fields } = await read(lines);
    expect(kind).toBe('CORRECTION');
    expect([fields.net_amount?.value, fields.tax_amount?.value, fields.gross_amount?.value]).toEqual(amounts);
    expect(fields.issue_date?.value).toBe('2024-03-14');
  });

  test('and an invoice that compares two prices is no correction', async () => {
    const { kind, fields } = await read([
      ...german,
      ...bill,
      'Gesamtbetrag | | 71,40 EUR',
      'Abschlag | Bisher | Neu',
      'Monatlich | 50,00 EUR | 60,00 EUR',
    ]);
    expect(kind).toBe('INVOICE');
    expect(fields.gross_amount?.value).toBe('71.40');
  });
});

describe('the date of the credited invoice is no issue date', () => {
  test.each([
    [
      'in a column next to its number',
      [
        ...english,
        'Credit note no: | CN-2024-17 | Invoice no | Invoice date',
        'Date: | 14 March 2024 | AT-2024-100 | 3 January 2024',
        ...credit,
      ],
    ],
    [
      'in a table of references',
      [
        ...english,
        'Credit note no: CN-2024-17',
        '14 March 2024',
        'Reference | Invoice date | Amount',
        'AT-2024-100 | 3 January 2024 | £90.00',
        ...credit,
      ],
    ],
    [
      'below its heading',
      [
        ...english,
        'Credit note no: | CN-2024-17',
        'Original invoice',
        'Invoice no: | AT-2024-100',
        'Invoice date: | 3 January 2024',
        'Issued on | 14 March 2024',
        ...credit,
      ],
    ],
  ])('%s', async (_, lines) => {
    expect((await read(lines)).fields.issue_date?.value).toBe('2024-03-14');
  });
});

describe('the end of a discount is no due date', () => {
  const total = [...german, ...bill, 'Gesamtbetrag | | 71,40 EUR'];
  test.each([
    [
      'in two lines',
      ['Zahlbar bis 24.03.2024 abzgl. 2 % Skonto: 69,97 EUR', 'Zahlbar bis 13.04.2024 ohne Abzug'],
      '2024-04-13',
    ],
    [
      'in a table',
      ['Bedingungen | Zahlbar bis | Betrag', '2 % Skonto | 24.03.2024 | 69,97 EUR', 'netto | 13.04.2024 | 71,40 EUR'],
      '2024-04-13',
    ],
    ['in one sentence', ['Bei Zahlung bis 24.03.2024 2 % Skonto, zahlbar bis 13.04.2024 netto'], '2024-04-13'],
    ['alone', ['Zahlbar bis 24.03.2024 mit 2 % Skonto'], undefined],
  ])('%s', async (_, terms, due) => {
    expect((await read([...total, ...terms])).fields.due_date?.value).toBe(due);
  });
});
