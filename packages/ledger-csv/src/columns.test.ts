import { describe, expect, test } from 'vitest';
import { columnKey, mapColumns } from './columns.js';
import type { ScanField } from './scan-row.js';

const map = (header: string[], overrides: [ScanField, string][] = []) => mapColumns(header, new Map(overrides));

/** Returns the names of the chosen columns by field. */
function named(header: string[], overrides: [ScanField, string][] = []): Record<string, string | undefined> {
  const { columns, faults } = map(header, overrides);
  expect(faults).toEqual([]);
  return Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, header[column]]));
}

describe('equivalent column names have one key', () => {
  test.each([
    ['Rechnungs-Nr.', 'RECHNUNGSNUMMER', 'rechnungs_nr'],
    ['Invoice Number', 'invoice_no', 'InvoiceNumber', 'Invoice #', 'INVOICE NO.'],
    ['Währung', 'waehrung', 'WÄHRUNG'],
    ['Wartość brutto', 'wartosc_brutto'],
    ['N° de facture', 'No facture', 'n° facture'],
    ['USt-IdNr.', 'ust id nr', 'UStIdNr'],
    ["date d'émission", 'Date Emission'],
  ])('%s', (...names) => {
    expect(new Set(names.map(columnKey)).size).toBe(1);
  });
});

describe('the columns are recognized', () => {
  test('in English', () => {
    expect(
      named(['Vendor Name', 'VAT No.', 'Invoice #', 'Invoice Date', 'Due Date', 'Currency', 'Net', 'Gross Amount', 'PO Number', 'IBAN', 'Sort Code', 'Account Number', 'Voucher No']), // prettier-ignore
    ).toEqual({
      supplierName: 'Vendor Name',
      supplierTaxId: 'VAT No.',
      invoiceNumber: 'Invoice #',
      issueDate: 'Invoice Date',
      currency: 'Currency',
      grossAmount: 'Gross Amount',
      purchaseOrderRef: 'PO Number',
      bankIban: 'IBAN',
      bankSortCode: 'Sort Code',
      bankAccountNumber: 'Account Number',
      externalId: 'Voucher No',
    });
  });

  test.each([
    ['German', 'Kreditor', 'Rechnungsnummer', 'Rechnungsdatum', 'Bruttobetrag', 'Währung'],
    ['Polish', 'Kontrahent', 'Nr faktury', 'Data wystawienia', 'Wartość brutto', 'Waluta'],
    ['French', 'Fournisseur', 'N° facture', 'Date facture', 'Montant TTC', 'Devise'],
    ['Spanish', 'Proveedor', 'Número de factura', 'Fecha factura', 'Importe total', 'Moneda'],
    ['Italian', 'Fornitore', 'Numero fattura', 'Data fattura', 'Totale fattura', 'Valuta'],
    ['Dutch', 'Leverancier', 'Factuurnummer', 'Factuurdatum', 'Bedrag incl. btw', 'Valuta'],
  ])('in %s', (_, supplierName, invoiceNumber, issueDate, grossAmount, currency) => {
    const header = [invoiceNumber, supplierName, currency, issueDate, grossAmount];
    expect(named(header)).toEqual({ supplierName, invoiceNumber, issueDate, grossAmount, currency });
  });

  test('the better of two names is used, and a supplier number is not a supplier name', () => {
    expect(named(['Vendor', 'Vendor Name', 'Invoice No', 'Date', 'Invoice Date', 'Amount', 'Gross'])).toMatchObject({
      supplierName: 'Vendor Name',
      issueDate: 'Invoice Date',
      grossAmount: 'Gross',
    });
  });

  test.each([
    ['Amount (EUR)', 'EUR'],
    ['Betrag in PLN', 'PLN'],
    ['Gross amount GBP', 'GBP'],
    ['Montant TTC (€)', 'EUR'],
    ['Gross', undefined],
  ])('and the currency in the heading of the amounts: %s', (amount, currency) => {
    expect(map(['Supplier', 'Invoice no', 'Date', amount])).toMatchObject({ headingCurrency: currency, faults: [] });
  });

  test('an account number is used only with a sort code', () => {
    const header = ['Supplier', 'Invoice no', 'Date', 'Gross', 'Account number'];
    expect(named(header)['bankAccountNumber']).toBeUndefined();
    expect(named([...header, 'Sort code'])['bankAccountNumber']).toBe('Account number');
  });
});

describe('a document number', () => {
  const header = ['Lieferant', 'Belegnummer', 'Datum', 'Betrag'];

  test('is the external id when there is an invoice number', () => {
    expect(named([...header, 'Rechnungsnummer'])).toMatchObject({
      invoiceNumber: 'Rechnungsnummer',
      externalId: 'Belegnummer',
    });
    expect(named([...header, 'Externe Belegnummer'])).toMatchObject({
      invoiceNumber: 'Externe Belegnummer',
      externalId: 'Belegnummer',
    });
  });

  test('alone is not used as the invoice number without --map', () => {
    expect(map(header).faults).toEqual([
      'invoiceNumber: no column is recognized. Is it #2 "Belegnummer" (the number from the supplier, not one of your own)? Then use --map invoiceNumber="Belegnummer"',
    ]);
    expect(named(header, [['invoiceNumber', 'belegnr']])).toEqual({
      supplierName: 'Lieferant',
      invoiceNumber: 'Belegnummer',
      issueDate: 'Datum',
      grossAmount: 'Betrag',
    });
  });
});

describe('--map', () => {
  const header = ['A', 'B', 'C', 'D', 'A'];

  test('names columns by name or position, and overrides recognized ones', () => {
    const overrides: [ScanField, string][] = [
      ['supplierName', '#1'],
      ['invoiceNumber', 'b'],
      ['issueDate', 'C'],
      ['grossAmount', '#4'],
    ];
    expect(map(header, overrides).columns).toEqual({
      supplierName: 0,
      invoiceNumber: 1,
      issueDate: 2,
      grossAmount: 3,
    });
    expect(named(['Supplier', 'X', 'Invoice no', 'Date', 'Gross'], [['supplierName', 'X']])['supplierName']).toBe('X');
  });

  test('leaves a field out when it names no column', () => {
    const fields = ['Supplier', 'Invoice no', 'Date', 'Gross', 'Voucher'];
    expect(named(fields, [['externalId', '']])['externalId']).toBeUndefined();
  });

  test.each([
    ['Z', 'the file has no such column.'],
    ['#6', 'the file has columns #1 to #5.'],
    ['#0', 'the file has columns #1 to #5.'],
    ['A', 'several columns have this name: #1 "A", #5 "A". Name one by its position, as #1.'],
  ])('without a matching column is refused: %s', (column, sentence) => {
    expect(map(header, [['supplierName', column]]).faults).toContain(`--map supplierName="${column}": ${sentence}`);
  });
});

test('two columns for one field are refused, with the option that chooses', () => {
  const { faults } = map(['Supplier', 'Invoice no', 'Date', 'Gross', 'IBAN', 'Supplier IBAN']);
  expect(faults).toEqual([
    'bankIban: #5 "IBAN" and #6 "Supplier IBAN" both match. Choose one with --map bankIban="IBAN", or --map bankIban= to use none.',
  ]);
});

test('a missing field is named, with the columns that may match', () => {
  expect(map(['Name', 'Reference', 'Posting date', 'Net amount']).faults).toEqual([
    'supplierName: no column is recognized. Is it #1 "Name"? Then use --map supplierName="Name"',
    expect.stringContaining('--map invoiceNumber="Reference"'),
    expect.stringContaining('(the date on the invoice)? Then use --map issueDate="Posting date"'),
    expect.stringContaining('(the amount to pay, tax included)? Then use --map grossAmount="Net amount"'),
  ]);
});
