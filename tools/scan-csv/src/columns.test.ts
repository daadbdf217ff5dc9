import { describe, expect, test } from '@jest/globals';
import { columnKey, mapColumns } from './columns.js';
import type { ScanField } from './scan-row.js';

const map = (header: string[], overrides: [ScanField, string][] = []) => mapColumns(header, new Map(overrides));

/** The fields by the names of their columns. */
function named(header: string[], overrides: [ScanField, string][] = []): Record<string, string | undefined> {
  const { columns, faults } = map(header, overrides);
  expect(faults).toEqual([]);
  return Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, header[column]]));
}

describe('names of columns are one', () => {
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

  test('the better of two names is taken, the number of a supplier not for its name', () => {
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

  test('an account number counts only beside a sort code', () => {
    const header = ['Supplier', 'Invoice no', 'Date', 'Gross', 'Account number'];
    expect(named(header)['bankAccountNumber']).toBeUndefined();
    expect(named([...header, 'Sort code'])['bankAccountNumber']).toBe('Account number');
  });
});

describe('a document number', () => {
  const header = ['Lieferant', 'Belegnummer', 'Datum', 'Betrag'];

  test('is the own one beside the number of the supplier', () => {
    expect(named([...header, 'Rechnungsnummer'])).toMatchObject({
      invoiceNumber: 'Rechnungsnummer',
      externalId: 'Belegnummer',
    });
    expect(named([...header, 'Externe Belegnummer'])).toMatchObject({
      invoiceNumber: 'Externe Belegnummer',
      externalId: 'Belegnummer',
    });
  });

  test('alone is not taken for the number of the supplier until somebody says so', () => {
    expect(map(header).faults).toEqual([
      'invoiceNumber: no column is recognized. Is it #2 "Belegnummer" (the number that the supplier gave, not one of your own)? Then say so: --map invoiceNumber="Belegnummer"',
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

  test('names columns by name or place, and beats what is recognized', () => {
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
    ['A', 'several columns are called so: #1 "A", #5 "A". Name one by its place, as #1.'],
  ])('that leads nowhere is said: %s', (column, sentence) => {
    expect(map(header, [['supplierName', column]]).faults).toContain(`--map supplierName="${column}": ${sentence}`);
  });
});

test('two columns for one field are a question, with both answers to choose from', () => {
  const { faults } = map(['Supplier', 'Invoice no', 'Date', 'Gross', 'IBAN', 'Supplier IBAN']);
  expect(faults).toEqual([
    'bankIban: #5 "IBAN" and #6 "Supplier IBAN" can both be meant. Choose one: --map bankIban="IBAN", or --map bankIban= to use none.',
  ]);
});

test('what is missing is named, with the columns that may be it', () => {
  expect(map(['Name', 'Reference', 'Posting date', 'Net amount']).faults).toEqual([
    'supplierName: no column is recognized. Is it #1 "Name"? Then say so: --map supplierName="Name"',
    expect.stringContaining('--map invoiceNumber="Reference"'),
    expect.stringContaining('(the date on the invoice)? Then say so: --map issueDate="Posting date"'),
    expect.stringContaining('(the amount to pay, tax included)? Then say so: --map grossAmount="Net amount"'),
  ]);
});
