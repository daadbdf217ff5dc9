import { expect, test } from 'vitest';
import type { DocumentReading, InvoiceLine } from '../reading.js';
import { fixture } from '../testing/fixtures.js';
import { valuesOf } from '../testing/outcomes.js';
import { CORRECTED_INVOICES_MAX } from './read-corrected.js';
import { readXml } from './read-xml.js';

interface Expected {
  readonly file: string;
  readonly says: Partial<DocumentReading>;
  readonly values: Readonly<Record<string, string>>;
  readonly lines: readonly (readonly [
    description: string | null,
    quantity: string | null,
    unit: string | null,
    unitPrice: string | null,
    netAmount: string | null,
    taxRate: string | null,
  ])[];
}

const expectations: readonly Expected[] = [
  {
    file: 'ubl-credit-note-peppol.xml',
    says: { format: 'UBL', profile: 'PEPPOL_BIS', kind: 'CREDIT_NOTE', payableAmount: null, invalidIban: null },
    values: {
      'supplier.name': 'Drukkerij Ganzeveer BV',
      'supplier.tax_id': 'BE 0999.000.228',
      'supplier.bank_account.iban': 'BE68539007547034',
      invoice_number: 'CN-2026/0041',
      issue_date: '2026-03-09',
      due_date: '2026-04-09',
      currency: 'EUR',
      net_amount: '120.00',
      tax_amount: '25.20',
      gross_amount: '145.20',
      'buyer.name': 'Stadsarchief Leuven',
      'buyer.tax_id': '0999000327',
    },
    lines: [['Folder A5, gevouwen', '2000', 'C62', '0.06', '120.00', '21']],
  },
  {
    file: 'ubl-pint-aunz.xml',
    says: { format: 'UBL', profile: 'PEPPOL_PINT', kind: 'INVOICE', payableAmount: '1649.50' },
    values: {
      'supplier.name': 'Wattle Creek Joinery',
      'supplier.tax_id': '91 888 222 000',
      invoice_number: '0000765432',
      issue_date: '2026-05-02',
      due_date: '2026-06-01',
      currency: 'AUD',
      net_amount: '1499.50',
      tax_amount: '149.95',
      gross_amount: '1649.45',
      purchase_order_ref: '4500012345',
      'buyer.name': 'Harbour Schools Trust',
    },
    lines: [['Shelving, blackwood', '5', 'EA', '299.9', '1499.50', null]],
  },
  {
    file: 'ubl-uk-account.xml',
    says: { format: 'UBL', profile: 'PLAIN', kind: 'INVOICE', payableAmount: null, declaredProfiles: [] },
    values: {
      'supplier.name': 'Thistle & Rowan Ltd',
      'supplier.bank_account.sort_code': '601613',
      'supplier.bank_account.account_number': '31926819',
      invoice_number: 'INV|0042|2026',
      issue_date: '2026-02-11',
      due_date: '2026-03-13',
      currency: 'GBP',
      gross_amount: '480.00',
    },
    lines: [],
  },
  {
    file: 'ubl-tr.xml',
    says: { format: 'UBL', profile: 'UBL_TR', kind: 'INVOICE', payableAmount: null },
    values: {
      'supplier.name': 'Ayşe Yılmaz',
      'supplier.tax_id': '11111111110',
      invoice_number: 'GIB2026000000019',
      issue_date: '2026-01-15',
      currency: 'TRY',
      net_amount: '1000',
      tax_amount: '200',
      gross_amount: '1200',
      'buyer.name': 'Örnek Ticaret A.Ş.',
      'buyer.tax_id': '1288331521',
    },
    lines: [],
  },
  {
    file: 'ubl-zatca.xml',
    says: { format: 'UBL', profile: 'ZATCA', kind: 'INVOICE', payableAmount: null },
    values: {
      'supplier.name': 'شركة توريد التكنولوجيا المحدودة',
      'supplier.tax_id': '399999999900003',
      invoice_number: 'SME00023',
      issue_date: '2026-08-07',
      currency: 'SAR',
      net_amount: '201.00',
      tax_amount: '30.15',
      gross_amount: '231.15',
    },
    lines: [],
  },
  {
    file: 'cii-facturx-extended.xml',
    says: { format: 'CII', profile: 'FACTURX', kind: 'INVOICE', payableAmount: '380.00' },
    values: {
      'supplier.name': 'Savonnerie des Calanques SARL',
      'supplier.tax_id': 'FR11999999998',
      'supplier.bank_account.iban': 'FR1420041010050500013M02606',
      invoice_number: 'FA-2026-0815',
      issue_date: '2026-06-30',
      due_date: '2026-07-31',
      currency: 'EUR',
      net_amount: '400.00',
      tax_amount: '80.00',
      gross_amount: '480.00',
      purchase_order_ref: 'BC-2026-17',
      'buyer.name': 'Hôtel du Vieux-Port',
      'buyer.tax_id': '99999998000017',
    },
    lines: [['Savon de Marseille', '50.0000', 'C62', '8.0000', '400.00', '20.00']],
  },
  {
    file: 'zugferd1-comfort.xml',
    says: { format: 'ZUGFERD1', profile: 'FACTURX', kind: 'CREDIT_NOTE', payableAmount: null },
    values: {
      'supplier.name': 'Müllers Holzbau e.K.',
      'supplier.tax_id': '201/113/40209',
      'supplier.bank_account.iban': 'DE89370400440532013000',
      invoice_number: 'RE-15-0099',
      issue_date: '2015-03-14',
      currency: 'EUR',
      net_amount: '100.00',
      tax_amount: '19.00',
      gross_amount: '119.00',
      purchase_order_ref: 'B-77/15',
      'buyer.name': 'Gemeinde Waldkirchen',
    },
    lines: [['Latten 24/48', '40.0000', 'MTR', '2.5', '100.00', '19.00']],
  },
  {
    file: 'fatturapa-freelancer.xml',
    says: { format: 'FATTURAPA', profile: 'FATTURAPA', kind: 'INVOICE', payableAmount: '1042.00' },
    values: {
      'supplier.name': 'Maria De Rossi',
      'supplier.tax_id': 'IT00000009993',
      'supplier.bank_account.iban': 'IT60X0542811101000000123456',
      invoice_number: '7/PA',
      issue_date: '2026-04-30',
      due_date: '2026-05-31',
      currency: 'EUR',
      net_amount: '1022.00',
      tax_amount: '220.00',
      gross_amount: '1242.00',
      purchase_order_ref: 'ORD-5',
      'buyer.name': 'Bergblick Verlag GmbH',
      'buyer.tax_id': 'DE999999999',
    },
    lines: [
      ['Traduzione', '40.00', 'cartelle', '25.00000000', '1000.00', '22.00'],
      ['Anticipazioni', null, null, '22.00', '22.00', '0.00'],
    ],
  },
  {
    file: 'fatturapa-simplified.xml',
    says: { format: 'FATTURAPA', profile: 'FATTURAPA', kind: 'CREDIT_NOTE', payableAmount: null },
    values: {
      'supplier.name': 'Trattoria del Borgo S.n.c.',
      'supplier.tax_id': 'IT00000009993',
      invoice_number: 'S/18',
      issue_date: '2026-02-03',
      currency: 'EUR',
      tax_amount: '12.40',
      gross_amount: '112.40',
      'buyer.name': 'Studio Lago S.r.l.',
      'buyer.tax_id': '99999990005',
    },
    lines: [
      ['Pranzo di lavoro', null, null, null, null, '10.00'],
      ['Vino', null, null, null, null, '22.00'],
    ],
  },
  {
    file: 'facturae-withholding.xml',
    says: { format: 'FACTURAE', profile: 'FACTURAE', kind: 'INVOICE', payableAmount: '636.00' },
    values: {
      'supplier.name': 'Lucía Ferrer Soler',
      'supplier.tax_id': '99999999R',
      'supplier.bank_account.iban': 'ES9121000418450200051332',
      invoice_number: '2026-A0031',
      issue_date: '2026-05-20',
      due_date: '2026-06-19',
      currency: 'EUR',
      net_amount: '600.00',
      tax_amount: '126.00',
      gross_amount: '726.00',
      purchase_order_ref: 'PED-881',
      'buyer.name': 'Construcciones Levante S.L.',
      'buyer.tax_id': 'ESB99999997',
    },
    lines: [['Dirección de obra', '12.0', '02', '50.000000', '600.000000', '21.00']],
  },
  {
    file: 'fa3-correction.xml',
    says: { format: 'FA3', profile: 'FA3', kind: 'CORRECTION', payableAmount: '-300.00' },
    values: {
      'supplier.name': 'Huta Szkła Jedlina sp. z o.o.',
      'supplier.tax_id': '9999999999',
      'supplier.bank_account.iban': 'PL27114020040000300201355387',
      invoice_number: 'KOR/9/2026',
      issue_date: '2026-09-14',
      due_date: '2026-10-14',
      currency: 'EUR',
      net_amount: '-300.5',
      tax_amount: '-46.12',
      gross_amount: '-346.62',
      purchase_order_ref: 'ZAM/55',
      'buyer.name': 'Sklárna Potok s.r.o.',
      'buyer.tax_id': 'CZ99999998',
    },
    lines: [
      ['Butelka 0,5 l', '-1000', 'szt.', '0.6005', '-600.50', '23'],
      ['Butelka 0,5 l', '500', 'szt.', '0.6005', '300.00', '23'],
    ],
  },
];

test.each(expectations)('reads $file exactly', ({ file, says, values, lines }) => {
  const outcome = readXml(fixture(file), { embeddedInPdf: false });
  expect(valuesOf(outcome)).toEqual(values);
  expect(outcome).toMatchObject({ reading: { ...says, method: 'XML', pages: null, currencyCandidates: [] } });
  expect('reading' in outcome && outcome.reading.lines.map(toRow)).toEqual(lines);
});

function toRow({ description, quantity, unit, unitPrice, netAmount, taxRate }: InvoiceLine) {
  return [description, quantity, unit, unitPrice, netAmount, taxRate];
}

test('names the places of a value that is added up or put together', () => {
  const { fields } = readingOf('fatturapa-freelancer.xml');
  const body = '/p:FatturaElettronica/FatturaElettronicaBody';
  expect(fields.net_amount).toMatchObject({
    raw: '1000.00 + 22.00',
    xpath: `${body}/DatiBeniServizi/DatiRiepilogo/ImponibileImporto`,
  });
  expect(fields['supplier.name']).toMatchObject({
    raw: 'Maria De Rossi',
    xpath: expect.stringMatching(/Anagrafica\/Nome \| \/p:FatturaElettronica\/.*Anagrafica\/Cognome$/),
  });
  expect(fields.due_date?.xpath).toBe(`${body}/DatiPagamento/DettaglioPagamento[2]/DataScadenzaPagamento`);
});

test('declares what the document writes as its profile', () => {
  expect(readingOf('ubl-pint-aunz.xml').declaredProfiles).toEqual(['urn:peppol:pint:billing-1@aunz-1']);
  expect(readingOf('fa3-correction.xml').declaredProfiles).toEqual(['http://crd.gov.pl/wzor/2025/06/25/13775/']);
});

test('keeps the number, date and KSeF number of each invoice that a correction names', () => {
  expect(readingOf('fa3-correction.xml').corrects).toEqual({
    invoices: [
      { number: 'FV/118/2026', issueDate: '2026-08-31', ksefNumber: '9999999999-20260831-0100C0A3B2F1-7E' },
      { number: 'FV/3/2026', issueDate: '2026-01-12', ksefNumber: null },
    ],
    total: 2,
  });
  expect(readingOf('ubl-uk-account.xml')).not.toHaveProperty('corrects');
});

test.each([
  [CORRECTED_INVOICES_MAX, CORRECTED_INVOICES_MAX],
  [CORRECTED_INVOICES_MAX + 1, CORRECTED_INVOICES_MAX],
])('of %i corrected invoices keeps %i, and counts all of them', (total, kept) => {
  const entry = /<tns:DaneFaKorygowanej>[^]*<\/tns:DaneFaKorygowanej>/;
  const one = '<tns:DaneFaKorygowanej><tns:NrFaKorygowanej>FV/1</tns:NrFaKorygowanej></tns:DaneFaKorygowanej>';
  const xml = fixture('fa3-correction.xml').toString().replace(entry, one.repeat(total));
  const outcome = readXml(Buffer.from(xml), { embeddedInPdf: false });
  const corrects = 'reading' in outcome ? outcome.reading.corrects : undefined;
  expect(corrects).toMatchObject({ total });
  expect(corrects?.invoices).toHaveLength(kept);
});

test('reads the account of a factor as the one to be paid, and keeps that of the seller', () => {
  const { fields, otherIbans } = readingOf('fa3-correction.xml');
  expect(fields['supplier.bank_account.iban']?.value).toBe('PL27114020040000300201355387');
  expect(otherIbans).toEqual(['PL61109010140000071219812874']);
  expect(readingOf('ubl-uk-account.xml')).not.toHaveProperty('otherIbans');
});

test('takes the plain identifier for Factur-X in an attachment of a PDF', () => {
  const plain = fixture('cii-facturx-extended.xml').toString().replace('#conformant#urn:factur-x.eu:1p0:extended', '');
  expect(readXml(Buffer.from(plain), { embeddedInPdf: true })).toMatchObject({ reading: { profile: 'FACTURX' } });
  expect(readXml(Buffer.from(plain), { embeddedInPdf: false })).toMatchObject({ reading: { profile: 'PLAIN' } });
});

function readingOf(file: string): DocumentReading {
  const outcome = readXml(fixture(file), { embeddedInPdf: false });
  if ('failure' in outcome) throw new Error(outcome.failure.message);
  return outcome.reading;
}

test('reads the IBAN of a CII invoice from a ProprietaryID when no IBANID states one', () => {
  const invoice = fixture('cii-facturx-extended.xml').toString();
  const valuesWithout = (element: RegExp) =>
    valuesOf(readXml(Buffer.from(invoice.replaceAll(element, '')), { embeddedInPdf: false }));
  expect(valuesWithout(/<ram:IBANID>[^<]*<\/ram:IBANID>/g)['supplier.bank_account.iban']).toBe(
    'FR7630006000011234567890189',
  );
  expect(valuesWithout(/<ram:ProprietaryID>[^<]*<\/ram:ProprietaryID>/g)['supplier.bank_account.iban']).toBe(
    'FR1420041010050500013M02606',
  );
});

test('reports a ProprietaryID that looks like an IBAN and has wrong check digits', () => {
  const invoice = fixture('cii-facturx-extended.xml').toString();
  const wrong = invoice
    .replaceAll(/<ram:IBANID>[^<]*<\/ram:IBANID>/g, '')
    .replace('FR7630006000011234567890189', 'FR7730006000011234567890189');
  expect(readXml(Buffer.from(wrong), { embeddedInPdf: false })).toMatchObject({
    reading: { invalidIban: 'FR7730006000011234567890189' },
  });
});

test('reads the sort code and the account number of a British supplier in CII', () => {
  const invoice = fixture('cii-facturx-extended.xml').toString();
  const means = /<ram:PayeePartyCreditorFinancialAccount>[^]*?<\/ram:PayeePartyCreditorFinancialAccount>/g;
  const british = invoice
    .replace(
      means,
      '<ram:PayeePartyCreditorFinancialAccount><ram:ProprietaryID>31926819</ram:ProprietaryID></ram:PayeePartyCreditorFinancialAccount><ram:PayeeSpecifiedCreditorFinancialInstitution><ram:UKSortCodeID>60-16-13</ram:UKSortCodeID></ram:PayeeSpecifiedCreditorFinancialInstitution>',
    )
    .replace(/(<ram:SellerTradeParty>[^]*?)(<\/ram:SellerTradeParty>)/, (_match, party: string, end: string) => {
      const address = '<ram:PostalTradeAddress><ram:CountryID>GB</ram:CountryID></ram:PostalTradeAddress>';
      return `${party.replace(/<ram:PostalTradeAddress>[^]*?<\/ram:PostalTradeAddress>/, '')}${address}${end}`;
    });
  expect(valuesOf(readXml(Buffer.from(british), { embeddedInPdf: false }))).toMatchObject({
    'supplier.bank_account.sort_code': '601613',
    'supplier.bank_account.account_number': '31926819',
  });
});

test('CII terms with a discount state no due date if other terms do', () => {
  const xml = fixture('cii-facturx-extended.xml').toString();
  const dueOf = (text: string): string | undefined => {
    const outcome = readXml(Buffer.from(text), { embeddedInPdf: false });
    return 'reading' in outcome ? outcome.reading.fields.due_date?.value : undefined;
  };
  const terms = '<ram:SpecifiedTradePaymentTerms>';
  const discount = '<ram:ApplicableTradePaymentDiscountTerms/></ram:SpecifiedTradePaymentTerms>';
  const withDiscount = xml.replace(
    /(20260731<\/udt:DateTimeString><\/ram:DueDateDateTime>)<\/ram:SpecifiedTradePaymentTerms>/,
    `$1${discount}`,
  );
  const withText = xml.replace(
    /(20260831.*\n\s*)<ram:SpecifiedTradePaymentTerms>/,
    `$1${terms}<ram:Description>2 % Skonto</ram:Description>`,
  );
  expect([xml, withDiscount, withText].map(dueOf)).toEqual(['2026-07-31', '2026-08-31', '2026-08-31']);
});
