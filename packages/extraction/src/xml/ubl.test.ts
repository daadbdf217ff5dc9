import { expect, test } from 'vitest';
import { readXml } from './read-xml.js';
import { valuesOf } from '../testing/outcomes.js';

/** A Danish invoice with a prepayment. The parts that tests change are parameters. */
function ublInvoice({ total = '', means = '', head = '', supplier = '', lines = '' } = {}): Uint8Array {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>
  <cbc:ID> 0123 / 4567 </cbc:ID>
  <cbc:IssueDate>2026-01-31+01:00</cbc:IssueDate>
  ${head || '<cbc:DueDate>2026-02-28Z</cbc:DueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>DKK</cbc:DocumentCurrencyCode>'}
  <cac:OrderReference><cbc:ID>PO-77</cbc:ID></cac:OrderReference>
  <cac:AccountingSupplierParty><cac:Party>
    <cac:PartyName><cbc:Name>Nordlys Handel</cbc:Name></cac:PartyName>
    ${
      supplier ||
      `<cac:PartyTaxScheme><cbc:CompanyID>DK16356706</cbc:CompanyID><cac:TaxScheme><cbc:ID> vat </cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
    <cac:PartyLegalEntity><cbc:RegistrationName>Nordlys
       Handel ApS</cbc:RegistrationName><cbc:CompanyID>16356706</cbc:CompanyID></cac:PartyLegalEntity>`
    }
  </cac:Party></cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty><cac:Party>
    <cac:PartyLegalEntity><cbc:RegistrationName>Fjord &amp; Sønner A/S</cbc:RegistrationName><cbc:CompanyID>DK88146328</cbc:CompanyID></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingCustomerParty>
  ${means || '<cac:PaymentMeans><cac:PayeeFinancialAccount><cbc:ID>DK50 0040 0440 1162 43</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>'}
  ${
    total ||
    `<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">33.51</cbc:TaxAmount></cac:TaxTotal>
  <cac:TaxTotal><cbc:TaxAmount currencyID="DKK">250.00</cbc:TaxAmount></cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:TaxExclusiveAmount currencyID="DKK">1000.00</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="DKK">1250.00</cbc:TaxInclusiveAmount>
    <cbc:PrepaidAmount currencyID="DKK">200.00</cbc:PrepaidAmount>
    <cbc:PayableAmount currencyID="DKK">1050.00</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>`
  }
  ${lines}
</Invoice>`);
}

test('reads every field of a UBL invoice with its value, its raw text and its place', () => {
  const outcome = readXml(ublInvoice(), { embeddedInPdf: false });
  expect(valuesOf(outcome)).toEqual({
    'supplier.name': 'Nordlys Handel ApS',
    'supplier.tax_id': 'DK16356706',
    'supplier.bank_account.iban': 'DK5000400440116243',
    invoice_number: '0123 / 4567',
    issue_date: '2026-01-31',
    due_date: '2026-02-28',
    currency: 'DKK',
    net_amount: '1000.00',
    tax_amount: '250.00',
    gross_amount: '1250.00',
    purchase_order_ref: 'PO-77',
    'buyer.name': 'Fjord & Sønner A/S',
    'buyer.tax_id': 'DK88146328',
  });
  expect(outcome).toMatchObject({
    reading: {
      method: 'XML',
      format: 'UBL',
      kind: 'INVOICE',
      payableAmount: '1050.00',
      fields: {
        issue_date: { raw: '2026-01-31+01:00', xpath: '/Invoice/cbc:IssueDate', page: null, box: null, confidence: 1 },
        tax_amount: { raw: '250.00', xpath: '/Invoice/cac:TaxTotal[2]/cbc:TaxAmount', method: 'XML' },
      },
    },
  });
});

test.each([
  ['the sum of net and tax', '<cbc:TaxExclusiveAmount>1000</cbc:TaxExclusiveAmount>', '1250.00'],
  [
    'what is payable and prepaid',
    '<cbc:PrepaidAmount>200</cbc:PrepaidAmount><cbc:PayableAmount>1050.5</cbc:PayableAmount>',
    '1250.5',
  ],
  ['what is payable', '<cbc:PayableAmount>1050.50</cbc:PayableAmount>', '1050.50'],
])('takes %s where no gross amount is stated', (_, amounts, gross) => {
  const total = `<cac:TaxTotal><cbc:TaxAmount>250.00</cbc:TaxAmount></cac:TaxTotal><cac:LegalMonetaryTotal>${amounts}</cac:LegalMonetaryTotal>`;
  expect(valuesOf(readXml(ublInvoice({ total }), { embeddedInPdf: false }))).toMatchObject({ gross_amount: gross });
});

const read = (parts: Parameters<typeof ublInvoice>[0]) => readXml(ublInvoice(parts), { embeddedInPdf: false });
const typeOf = (code: string) =>
  read({
    head: `<cbc:InvoiceTypeCode>${code}</cbc:InvoiceTypeCode><cbc:DocumentCurrencyCode>DKK</cbc:DocumentCurrencyCode>`,
  });

test.each(['81', '83', '261', '262', '296', '308', '381', '396', '420', '458', '502', '503', '532'])(
  'takes type %s for a credit note',
  (code) => {
    expect(typeOf(code)).toMatchObject({ reading: { kind: 'CREDIT_NOTE' } });
  },
);

test.each([
  ['380', 'INVOICE'],
  ['326', 'INVOICE'],
  ['383', 'INVOICE'],
  ['384', 'CORRECTION'],
])('takes type %s for %s', (code, kind) => {
  expect(typeOf(code)).toMatchObject({ reading: { kind } });
});

const amounts = (net: string, gross: string, taxes: string) =>
  `${taxes}<cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount>${net}</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount>${gross}</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>`;
const tax = (amount: string, currency = 'DKK') =>
  `<cac:TaxTotal><cbc:TaxAmount currencyID="${currency}">${amount}</cbc:TaxAmount></cac:TaxTotal>`;

test('adds up the taxes of an invoice, and takes a tax that is stated twice once', () => {
  expect(valuesOf(read({ total: amounts('100', '130', tax('25') + tax('5')) }))).toMatchObject({ tax_amount: '30' });
  expect(valuesOf(read({ total: amounts('100', '125', tax('25') + tax('25')) }))).toMatchObject({ tax_amount: '25' });
});

test('does not take a tax in another currency for that of the invoice', () => {
  expect(valuesOf(read({ total: amounts('100', '125', tax('18.60', 'EUR')) }))).not.toHaveProperty('tax_amount');
});

test('computes the net amount of OIOUBL 2, whose TaxExclusiveAmount is the tax', () => {
  const total = `${tax('245.00')}<cac:LegalMonetaryTotal><cbc:LineExtensionAmount>1000.00</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount>245.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount>1225.00</cbc:TaxInclusiveAmount>
    <cbc:AllowanceTotalAmount>50.00</cbc:AllowanceTotalAmount><cbc:ChargeTotalAmount>30.00</cbc:ChargeTotalAmount></cac:LegalMonetaryTotal>`;
  const invoice = ublInvoice({ total }).toString().replace('urn:cen.eu:en16931:2017', 'OIOUBL-2.02');
  expect(readXml(Buffer.from(invoice), { embeddedInPdf: false })).toMatchObject({
    reading: {
      profile: 'OIOUBL',
      fields: {
        net_amount: { value: '980.00', raw: '1000.00 + 30.00 - 50.00' },
        tax_amount: { value: '245.00' },
        gross_amount: { value: '1225.00' },
      },
    },
  });
});

test('keeps the signs that are printed', () => {
  expect(valuesOf(read({ total: amounts('-100.00', '-125.00', tax('-25.00')) }))).toMatchObject({
    net_amount: '-100.00',
    tax_amount: '-25.00',
    gross_amount: '-125.00',
  });
});

test('does not replace a gross amount that cannot be read by another sum', () => {
  expect(read({ total: amounts('100', '1.250,00', tax('25')) })).toMatchObject({
    failure: { reason: 'FIELDS_MISSING', missingFields: ['gross_amount'], reading: { fields: { net_amount: {} } } },
  });
});

test('names all missing fields at once, with what was read', () => {
  const invoice = ublInvoice()
    .toString()
    .replace(/<cbc:ID> 0123[^]*?<\/cbc:ID>/, '')
    .replace('2026-01-31+01:00', '31.01.2026');
  expect(readXml(Buffer.from(invoice), { embeddedInPdf: false })).toMatchObject({
    failure: {
      reason: 'FIELDS_MISSING',
      message:
        'These fields are missing in the document or illegible: the invoice number (invoice_number), the date of issue (issue_date). Send the invoice again with each of them in its element, or enter the missing values as a correction.',
      missingFields: ['invoice_number', 'issue_date'],
      reading: { fields: { gross_amount: { value: '1250.00' } } },
    },
  });
});

test.each([
  ['XXX', ['DKK', 'EUR']],
  ['XDR', ['DKK', 'EUR']],
  ['CNH', ['CNY', 'DKK', 'EUR']],
])('leaves the currency %s open, with what it may be', (code, candidates) => {
  const outcome = read({ head: `<cbc:DocumentCurrencyCode>${code}</cbc:DocumentCurrencyCode>` });
  expect(valuesOf(outcome)).not.toHaveProperty('currency');
  expect('reading' in outcome && outcome.reading.currencyCandidates.toSorted()).toEqual(candidates);
});

test('takes the currency of the total where the document names none', () => {
  const outcome = read({ head: '<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>' });
  expect(outcome).toMatchObject({
    reading: {
      fields: {
        currency: { value: 'DKK', xpath: '/Invoice/cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount/@currencyID' },
      },
    },
  });
});

const account = (id: string) =>
  `<cac:PaymentMeans><cac:PayeeFinancialAccount><cbc:ID>${id}</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>`;

test('keeps what looks like an IBAN and fails apart', () => {
  const outcome = read({ means: account('IBAN32423940') + account(' DK50 0040 0440 1162 44 ') });
  expect(valuesOf(outcome)).not.toHaveProperty('supplier.bank_account.iban');
  expect(outcome).toMatchObject({ reading: { invalidIban: 'DK50 0040 0440 1162 44' } });
});

test('takes the first IBAN among several accounts', () => {
  const outcome = read({ means: account('DK5000400440116244') + account('440116243') + account('NO9386011117947') });
  expect(outcome).toMatchObject({
    reading: {
      invalidIban: null,
      fields: {
        'supplier.bank_account.iban': {
          value: 'NO9386011117947',
          raw: 'NO9386011117947',
          xpath: expect.stringContaining('PaymentMeans[3]'),
        },
      },
    },
  });
});

test('passes over tax registrations that are no number', () => {
  const supplier = `<cac:PartyTaxScheme><cbc:CompanyID>Godkänd för F-skatt</cbc:CompanyID><cac:TaxScheme><cbc:ID>TAX</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
    <cac:PartyLegalEntity><cbc:RegistrationName>Norrsken AB</cbc:RegistrationName><cbc:CompanyID>556999-9999</cbc:CompanyID></cac:PartyLegalEntity>`;
  expect(valuesOf(read({ supplier }))).toMatchObject({
    'supplier.name': 'Norrsken AB',
    'supplier.tax_id': '556999-9999',
  });
});

const line = (id: number) =>
  `<cac:InvoiceLine><cbc:ID>${id}</cbc:ID><cbc:LineExtensionAmount>1</cbc:LineExtensionAmount></cac:InvoiceLine>`;
const lines = (count: number) => Array.from({ length: count }, (_, index) => line(index)).join('');

test('reads 10,000 lines and refuses one more', () => {
  const most = read({ lines: lines(10_000) });
  expect('reading' in most && most.reading.lines).toHaveLength(10_000);
  expect(read({ lines: lines(10_001) })).toMatchObject({
    failure: { reason: 'TOO_LARGE', message: expect.stringContaining('10001 lines') },
  });
});

test('keeps the values of a line apart, whatever characters they have', () => {
  const item = `<cac:InvoiceLine><cbc:InvoicedQuantity unitCode="a\ue000b">2</cbc:InvoicedQuantity><cbc:LineExtensionAmount>10</cbc:LineExtensionAmount>
    <cac:Item><cbc:Description>only described \ue000\u{1f4a1}</cbc:Description></cac:Item></cac:InvoiceLine>`;
  expect(read({ lines: item })).toMatchObject({
    reading: {
      lines: [
        {
          description: 'only described \u{1f4a1}',
          quantity: '2',
          unit: 'ab',
          unitPrice: null,
          netAmount: '10',
          taxRate: null,
        },
      ],
    },
  });
});

test.each([
  ['Faktor Nord A/S', 'Faktor Nord A/S'],
  ['Nordlys Handel', undefined],
])('names the payee %s only if it is not the supplier', (name, payeeName) => {
  const payee = `<cac:PayeeParty><cac:PartyName><cbc:Name>${name}</cbc:Name></cac:PartyName></cac:PayeeParty>`;
  const outcome = readXml(ublInvoice({ lines: payee }), { embeddedInPdf: false });
  expect('reading' in outcome ? outcome.reading.payeeName : outcome).toBe(payeeName);
});
