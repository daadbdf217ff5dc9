import { expect, test } from 'vitest';
import type { ReadingOutcome } from '../reading.js';
import { fixture } from '../testing/fixtures.js';
import { readXml } from './read-xml.js';

const read = (xml: string | Uint8Array): ReadingOutcome =>
  readXml(typeof xml === 'string' ? Buffer.from(xml) : xml, { embeddedInPdf: false });

test.each([
  ['<i:invoice xmlns:i="http://www.ebinterface.at/schema/6p1/"/>', 'ebInterface'],
  ['<Invoice xmlns="http://isdoc.cz/namespace/2013"/>', 'ISDOC'],
  ['<Invoice xmlns="urn:sfti:documents:BasicInvoice:1:0"/>', 'Svefaktura'],
  ['<Finvoice Version="3.0"/>', 'Finvoice'],
  ['<E_Invoice/>', 'e-arve'],
  ['<Invoice xmlns="urn:eslog:2.00"/>', 'eSLOG'],
  ['<InvoiceData xmlns="http://schemas.nav.gov.hu/OSA/3.0/data"/>', 'NAV'],
  ['<InvoicesDoc xmlns="http://www.aade.gr/myDATA/invoice/v1.0"/>', 'myDATA'],
  ['<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4"/>', 'CFDI'],
  ['<Faktura xmlns="http://crd.gov.pl/wzor/2023/06/29/12648/"/>', 'FA(2)'],
  ['<note/>', 'root note'],
])('refuses %s by its name', (xml, name) => {
  expect(read(xml)).toMatchObject({
    failure: { reason: 'UNSUPPORTED_FORMAT', message: expect.stringContaining(name) },
  });
});

test('says that another UBL document is not an invoice', () => {
  const order = '<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>';
  expect(read(order)).toMatchObject({
    failure: { reason: 'NO_INVOICE', message: expect.stringContaining('UBL document Order') },
  });
});

test.each([
  ['fatturapa-freelancer.xml', /<FatturaElettronicaBody>[^]*<\/FatturaElettronicaBody>/],
  ['facturae-withholding.xml', /<Invoice>[^]*<\/Invoice>/],
])('refuses several invoices in one file like %s with their number', (file, invoice) => {
  const several = fixture(file)
    .toString()
    .replace(invoice, (one) => one.repeat(3));
  expect(read(several)).toMatchObject({
    failure: { reason: 'SEVERAL_INVOICES', message: expect.stringContaining('3 invoices') },
  });
});

const invoice = fixture('ubl-uk-account.xml').toString();

test('reads an invoice inside a business document header or an enveloping signature', () => {
  const header = 'http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader';
  expect(read(`<StandardBusinessDocument xmlns="${header}">${invoice}</StandardBusinessDocument>`)).toMatchObject({
    reading: { fields: { invoice_number: { xpath: '/StandardBusinessDocument/Invoice/cbc:ID' } } },
  });
  const facturae = fixture('facturae-withholding.xml')
    .toString()
    .replace(/<\?xml.*?\?>/, '');
  const signed = `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo/><ds:Object>${facturae}</ds:Object></ds:Signature>`;
  expect(read(signed)).toMatchObject({
    reading: { format: 'FACTURAE', fields: { gross_amount: { value: '726.00' } } },
  });
});

test('counts the invoices inside another element', () => {
  expect(read(`<batch>${invoice}${invoice}</batch>`)).toMatchObject({
    failure: { reason: 'SEVERAL_INVOICES', message: expect.stringContaining('2 invoices') },
  });
});

test.each([
  [
    'a default namespace where the format has none',
    (xml: string) => xml.replace('xmlns:p=', 'xmlns=').replaceAll('p:Fattura', 'Fattura'),
  ],
  ['another prefix', (xml: string) => xml.replaceAll('p:Fattura', 'ns2:Fattura').replace('xmlns:p', 'xmlns:ns2')],
  ['no namespace at all', (xml: string) => xml.replace(/ xmlns:p="[^"]*"/, '').replaceAll('p:Fattura', 'Fattura')],
])('reads FatturaPA with %s', (_, change) => {
  const outcome = read(change(fixture('fatturapa-freelancer.xml').toString()));
  expect(outcome).toMatchObject({ reading: { format: 'FATTURAPA', fields: { gross_amount: { value: '1242.00' } } } });
});

test('reads a value through CDATA, comments, references and white space', () => {
  const xml = invoice
    .replace('Thistle &amp; Rowan Ltd', '<!-- trading as --><![CDATA[Thistle & ]]>Row<!-- x -->an&#x20;L&#116;d ')
    .replace('480.00', '\n 48<!-- 1 -->0.<![CDATA[00]]> ');
  expect(read(xml)).toMatchObject({
    reading: {
      fields: { 'supplier.name': { value: 'Thistle & Rowan Ltd' }, gross_amount: { value: '480.00', raw: '480.00' } },
    },
  });
});

test('finds the place of a value next to processing instructions and comments', () => {
  const xml = `<?xml-stylesheet href="a.xsl"?><!-- draft -->${invoice.replace('<cbc:ID>INV', '<?x?><!-- y --><cbc:ID>INV')}`;
  expect(read(xml)).toMatchObject({ reading: { fields: { invoice_number: { xpath: '/Invoice/cbc:ID' } } } });
});

test('reads a file whose namespace has a quotation mark in it', () => {
  const xml = fixture('fatturapa-freelancer.xml')
    .toString()
    .replace('xmlns:p=', 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#&quot;" xmlns:p=');
  expect(read(xml)).toMatchObject({ reading: { fields: { invoice_number: { value: '7/PA' } } } });
});

test.each([
  ['an undeclared prefix', '<cbc:Note>x</cbc:Note>'],
  ['an unclosed element', '<a><b></a>'],
  ['two roots', '<a/><b/>'],
  ['text behind the root', '<a/>x'],
  ['an undefined entity', '<a>&nope;</a>'],
  ['a control character', '<a>\u0001</a>'],
  ['nothing', ''],
])('refuses %s as malformed', (_, xml) => {
  expect(read(xml)).toMatchObject({ failure: { reason: 'MALFORMED_XML' } });
});
