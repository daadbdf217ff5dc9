import { describe, expect, test } from 'vitest';
import type { LedgerRecord } from './ledger-record.js';
import { readRows } from './rows.js';
import type { Conventions } from './rows.js';

const conventions: Conventions = { decimal: 'point', dates: 'dmy', currency: undefined, negate: false };
const cells = { supplierName: 'A', invoiceNumber: '1', issueDate: '2025-01-31', grossAmount: '5.00' };
const row = { ...cells, sourceRowNumber: 7 };

function read(more: LedgerRecord['cells'], options: Partial<Conventions> = {}) {
  return readRows([{ line: 7, cells: { ...cells, ...more }, repeatsHeading: false }], { ...conventions, ...options });
}

const rowOf = (...given: Parameters<typeof read>) => read(...given).rows[0];
const faultOf = (...given: Parameters<typeof read>) => {
  const [fault] = read(...given).faults;
  return fault && `${fault.field}: ${fault.message}`;
};

describe('a row', () => {
  test('has the values of its cells and its first line', () => {
    expect(
      rowOf({ supplierTaxId: 'DE1', purchaseOrderRef: 'PO', bankIban: 'DE89', externalId: 'X', currency: 'eur' }),
    ).toEqual(
      { ...row, supplierTaxId: 'DE1', purchaseOrderRef: 'PO', bankIban: 'DE89', externalId: 'X', currency: 'EUR' }, // prettier-ignore
    );
  });

  test.each(['-', 'n/a', 'N/A', '#N/A', 'NULL', '–'])('has no optional field for the placeholder %s', (placeholder) => {
    expect(rowOf({ bankIban: placeholder, currency: placeholder })).toEqual(row);
  });

  test('has the opposite sign with --negate', () => {
    expect(rowOf({ grossAmount: '-5.00' }, { negate: true })).toEqual(row);
  });

  test('has a UK account only with both parts, leading zeros restored', () => {
    expect(rowOf({ bankSortCode: '40-00-04', bankAccountNumber: '1234 5678' })).toMatchObject({
      bankSortCode: '400004',
      bankAccountNumber: '12345678',
    });
    expect(rowOf({ bankSortCode: '40004', bankAccountNumber: '12345678' })).toMatchObject({ bankSortCode: '040004' });
    expect(rowOf({ bankAccountNumber: '123' })).toEqual(row);
  });
});

describe('the currency of a row', () => {
  test.each([
    ['the column', { currency: 'PLN' }, undefined, 'PLN'],
    ['the column, by its sign', { currency: 'zł' }, undefined, 'PLN'],
    ['the amount', { grossAmount: '5.00 €' }, 'PLN', 'EUR'],
    ['--currency', {}, 'PLN', 'PLN'],
    ['$ alone', { grossAmount: '$5.00' }, undefined, 'USD'],
    ['$ with --currency', { grossAmount: '$5.00' }, 'CAD', 'CAD'],
    ['$ with a column', { grossAmount: '$5.00', currency: 'AUD' }, undefined, 'AUD'],
    ['nothing', {}, undefined, undefined],
  ])('comes from %s', (_, more, fallback, currency) => {
    expect(rowOf(more, { currency: fallback })?.currency).toBe(currency);
  });

  test.each([
    [{ currency: 'EURO' }, 'currency: "EURO" is not a currency: use an ISO 4217 code such as EUR'],
    [{ grossAmount: '5 kr' }, 'grossAmount: "kr" can be SEK, NOK, DKK, ISK: choose with --currency'],
    [{ grossAmount: '5 €', currency: 'USD' }, 'grossAmount: is in EUR, but the currency column says USD'],
    [{ currency: 'HRK' }, 'currency: HRK was withdrawn on'],
  ])('that is invalid is a fault: %j', (more, message) => {
    expect(faultOf(more)).toContain(message);
  });
});

describe('a cell that cannot be sent is a fault', () => {
  test.each([
    [{ invoiceNumber: undefined }, 'invoiceNumber: is empty'],
    [{ issueDate: '31.02.2025' }, 'issueDate: "31.02.2025" is not a date (day, month, year)'],
    [{ grossAmount: 'see note' }, 'grossAmount: "see note" is not an amount with a decimal point'],
    [{ invoiceNumber: '1.23457E+11' }, 'invoiceNumber: "1.23457E+11" was shortened by a spreadsheet'],
    [{ supplierName: 'x'.repeat(401) }, 'supplierName: has more than 400 characters'],
    [{ purchaseOrderRef: 'x'.repeat(201) }, 'purchaseOrderRef: has more than 200 characters'],
    [{ bankSortCode: '1234567', bankAccountNumber: '12345678' }, 'bankSortCode: "1234567" is not a sort code'],
    [{ bankSortCode: '123456', bankAccountNumber: '12' }, 'bankAccountNumber: "12" is not an account number'],
  ])('%j', (more, message) => {
    expect(faultOf(more as LedgerRecord['cells'])).toContain(message);
  });

  test('and every fault of a row is reported', () => {
    const { faults, rows } = read({ issueDate: 'x', grossAmount: 'y' });
    expect(faults.map(({ line, field }) => [line, field])).toEqual([
      [7, 'issueDate'],
      [7, 'grossAmount'],
    ]);
    expect(rows).toEqual([]);
  });
});

test('totals, notes and repeated headings are skipped', () => {
  const records: LedgerRecord[] = [
    { line: 2, cells: { grossAmount: '100' }, repeatsHeading: false },
    { line: 3, cells: { supplierName: 'Total', grossAmount: '100' }, repeatsHeading: false },
    { line: 4, cells: { supplierName: 'Supplier', invoiceNumber: 'Invoice no' }, repeatsHeading: true },
    { line: 5, cells, repeatsHeading: false },
  ];
  expect(readRows(records, conventions)).toEqual({
    rows: [{ ...cells, sourceRowNumber: 5 }],
    skipped: [
      { line: 2, reason: 'NOT_AN_INVOICE' },
      { line: 3, reason: 'NOT_AN_INVOICE' },
      { line: 4, reason: 'HEADING_REPEATED' },
    ],
    faults: [],
  });
});
