import { describe, expect, test } from 'vitest';
import { validateXml } from './validate-xml.js';
import { STANDARD, ublInvoice } from './testing/base-invoices.js';

const fatturaPa = `<p:FatturaElettronica versione="FPR12" xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"><FatturaElettronicaHeader><CedentePrestatore><DatiAnagrafici><IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>01234567890</IdCodice></IdFiscaleIVA><Anagrafica><Denominazione>Alpha SRL</Denominazione></Anagrafica></DatiAnagrafici></CedentePrestatore></FatturaElettronicaHeader><FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa><Data>2026-03-02</Data><Numero>12</Numero><ImportoTotaleDocumento>122.00</ImportoTotaleDocumento></DatiGeneraliDocumento></DatiGenerali><DatiBeniServizi><DatiRiepilogo><AliquotaIVA>22.00</AliquotaIVA><ImponibileImporto>100.00</ImponibileImporto><Imposta>22.00</Imposta></DatiRiepilogo></DatiBeniServizi></FatturaElettronicaBody></p:FatturaElettronica>`;
const facturae = `<fe:Facturae xmlns:fe="http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml"><Parties><SellerParty><TaxIdentification><TaxIdentificationNumber>ESA12345674</TaxIdentificationNumber></TaxIdentification><LegalEntity><CorporateName>Beta SA</CorporateName></LegalEntity></SellerParty></Parties><Invoices><Invoice><InvoiceHeader><InvoiceNumber>7</InvoiceNumber></InvoiceHeader><InvoiceIssueData><IssueDate>2026-03-02</IssueDate><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode></InvoiceIssueData><TaxesOutputs><Tax><TaxRate>21.00</TaxRate><TaxableBase><TotalAmount>100.00</TotalAmount></TaxableBase><TaxAmount><TotalAmount>21.00</TotalAmount></TaxAmount></Tax></TaxesOutputs><InvoiceTotals><TotalGrossAmount>100.00</TotalGrossAmount><TotalGrossAmountBeforeTaxes>100.00</TotalGrossAmountBeforeTaxes><TotalTaxOutputs>21.00</TotalTaxOutputs><TotalTaxesWithheld>15.00</TotalTaxesWithheld><InvoiceTotal>106.00</InvoiceTotal></InvoiceTotals></Invoice></Invoices></fe:Facturae>`;
const zugferd1 = `<rsm:CrossIndustryDocument xmlns:rsm="urn:ferd:CrossIndustryDocument:invoice:1p0" xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:12"><rsm:SpecifiedExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:ferd:CrossIndustryDocument:invoice:1p0:comfort</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:SpecifiedExchangedDocumentContext><rsm:HeaderExchangedDocument><ram:ID>9</ram:ID><ram:IssueDateTime><DateTimeString>20260302</DateTimeString></ram:IssueDateTime></rsm:HeaderExchangedDocument><rsm:SpecifiedSupplyChainTradeTransaction><ram:ApplicableSupplyChainTradeAgreement><ram:SellerTradeParty><ram:Name>Gamma GmbH</ram:Name><ram:SpecifiedTaxRegistration><ram:ID>DE1</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty></ram:ApplicableSupplyChainTradeAgreement><ram:ApplicableSupplyChainTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode><ram:ApplicableTradeTax><ram:CalculatedAmount>19.00</ram:CalculatedAmount><ram:BasisAmount>100.00</ram:BasisAmount><ram:ApplicablePercent>19</ram:ApplicablePercent></ram:ApplicableTradeTax><ram:SpecifiedTradeSettlementMonetarySummation><ram:LineTotalAmount>100.00</ram:LineTotalAmount><ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount><ram:TaxTotalAmount>19.00</ram:TaxTotalAmount><ram:GrandTotalAmount>119.00</ram:GrandTotalAmount></ram:SpecifiedTradeSettlementMonetarySummation></ram:ApplicableSupplyChainTradeSettlement></rsm:SpecifiedSupplyChainTradeTransaction></rsm:CrossIndustryDocument>`;

const cii = zugferd1
  .replace(
    'urn:ferd:CrossIndustryDocument:invoice:1p0"',
    'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"',
  )
  .replace(
    'InformationEntity:12"',
    'InformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"',
  )
  .replaceAll('DateTimeString>', 'udt:DateTimeString>')
  .replaceAll('CrossIndustryDocument>', 'CrossIndustryInvoice>')
  .replace('<rsm:CrossIndustryDocument ', '<rsm:CrossIndustryInvoice ')
  .replaceAll('SpecifiedExchangedDocumentContext', 'ExchangedDocumentContext')
  .replaceAll('HeaderExchangedDocument', 'ExchangedDocument')
  .replaceAll('SpecifiedSupplyChainTradeTransaction', 'SupplyChainTradeTransaction')
  .replaceAll('ApplicableSupplyChainTrade', 'ApplicableHeaderTrade')
  .replaceAll('SpecifiedTradeSettlementMonetarySummation', 'SpecifiedTradeSettlementHeaderMonetarySummation')
  .replaceAll('ApplicablePercent', 'RateApplicablePercent');

function ids(xml: string): readonly string[] | undefined {
  return validateXml(Buffer.from(xml), 'DECLARED_PROFILES')?.rules.map((rule) => rule.id);
}

const formats: readonly (readonly [
  name: string,
  right: string,
  broken: readonly (readonly [id: string, from: string | RegExp, to: string])[],
])[] = [
  [
    'FatturaPA',
    fatturaPa,
    [
      ['FIELDS-NUMBER', '<Numero>12</Numero>', ''],
      ['FIELDS-DATE', '<Data>2026-03-02</Data>', ''],
      ['FIELDS-CURRENCY', '<Divisa>EUR</Divisa>', '<Divisa> </Divisa>'],
      ['FIELDS-SUPPLIER', '<Denominazione>Alpha SRL</Denominazione>', ''],
      ['FIELDS-TAXID', '<IdCodice>01234567890</IdCodice>', ''],
      ['FIELDS-TOTAL', '<ImponibileImporto>100.00</ImponibileImporto>', ''],
      ['FIELDS-SUM-GROSS', '122.00<', '122.50<'],
      ['FIELDS-SUM-TAX', '<Imposta>22.00', '<Imposta>24.00'],
    ],
  ],
  [
    'Facturae',
    facturae,
    [
      ['FIELDS-NUMBER', '<InvoiceNumber>7</InvoiceNumber>', ''],
      ['FIELDS-DATE', '<IssueDate>2026-03-02</IssueDate>', ''],
      ['FIELDS-CURRENCY', '<InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>', ''],
      ['FIELDS-SUPPLIER', '<CorporateName>Beta SA</CorporateName>', ''],
      ['FIELDS-TAXID', '<TaxIdentificationNumber>ESA12345674</TaxIdentificationNumber>', ''],
      ['FIELDS-TOTAL', '<InvoiceTotal>106.00</InvoiceTotal>', ''],
      ['FIELDS-SUM-GROSS', '<InvoiceTotal>106.00', '<InvoiceTotal>121.00'],
      ['FIELDS-SUM-NET', '<TotalGrossAmount>100.00', '<TotalGrossAmount>99.00'],
      ['FIELDS-SUM-TAX', '<TaxAmount><TotalAmount>21.00', '<TaxAmount><TotalAmount>22.00'],
    ],
  ],
  ...(
    [
      ['ZUGFeRD 1', zugferd1],
      ['CII that declares a ZUGFeRD 1 profile', cii],
    ] as const
  ).map(([name, right]): (typeof formats)[number] => [
    name,
    right,
    [
      ['FIELDS-NUMBER', '<ram:ID>9</ram:ID>', ''],
      ['FIELDS-DATE', '>20260302<', '><'],
      ['FIELDS-CURRENCY', '<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>', ''],
      ['FIELDS-SUPPLIER', '<ram:Name>Gamma GmbH</ram:Name>', ''],
      ['FIELDS-TAXID', '<ram:ID>DE1</ram:ID>', ''],
      ['FIELDS-TOTAL', '<ram:GrandTotalAmount>119.00</ram:GrandTotalAmount>', ''],
      ['FIELDS-SUM-NET', '<ram:TaxBasisTotalAmount>100.00', '<ram:TaxBasisTotalAmount>101.00'],
      ['FIELDS-SUM-GROSS', '<ram:GrandTotalAmount>119.00', '<ram:GrandTotalAmount>120.00'],
      ['FIELDS-SUM-TAX', '<ram:CalculatedAmount>19.00', '<ram:CalculatedAmount>20.00'],
    ],
  ]),
  [
    'OIOUBL 2',
    ublInvoice(STANDARD, 'OIOUBL-2.02'),
    [
      ['FIELDS-NUMBER', '<cbc:ID>INV-1</cbc:ID>', ''],
      ['FIELDS-DATE', '<cbc:IssueDate>2026-03-02</cbc:IssueDate>', ''],
      ['FIELDS-CURRENCY', '<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>', ''],
      [
        'FIELDS-SUPPLIER',
        /<cbc:Name>Seller<\/cbc:Name>|<cbc:RegistrationName>Seller GmbH<\/cbc:RegistrationName>/g,
        '',
      ],
      ['FIELDS-TAXID', /<cac:AccountingSupplierParty>.*?<\/cac:AccountingSupplierParty>/s, ''],
      ['FIELDS-TOTAL', /<cbc:PayableAmount.*?<\/cbc:PayableAmount>/, ''],
      ['FIELDS-SUM-LINES', '200.00</cbc:LineExtensionAmount>', '200.05</cbc:LineExtensionAmount>'],
      ['FIELDS-SUM-GROSS', '252.00</cbc:TaxInclusiveAmount>', '252.05</cbc:TaxInclusiveAmount>'],
    ],
  ],
];

describe.each(formats)('%s', (_name, right, broken) => {
  test('with its fields and sums has nothing to report', () => {
    expect(ids(right)).toEqual([]);
  });
  test.each(broken)('%s fails on the smallest change', (id, from, to) => {
    const changed = right.replace(from, to);
    expect(changed).not.toBe(right);
    expect(ids(changed)).toContain(id);
  });
});

test.each([
  ['ZUGFeRD 1', zugferd1, '<ram:TaxBasisTotalAmount>100.00<', '<ram:TaxBasisTotalAmount><'],
  ['Facturae', facturae, '<TotalGrossAmountBeforeTaxes>100.00<', '<TotalGrossAmountBeforeTaxes> <'],
  ['FatturaPA', fatturaPa, '<ImponibileImporto>100.00<', '<ImponibileImporto>n/a<'],
])('%s without the first amount of a sum reports no expected total', (_name, right, from, to) => {
  const changed = right.replace(from, to);
  expect(changed).not.toBe(right);
  const rules = validateXml(Buffer.from(changed), 'DECLARED_PROFILES')?.rules ?? [];
  expect(rules.filter(({ expected }) => expected !== null)).toEqual([]);
});
