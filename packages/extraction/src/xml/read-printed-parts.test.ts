import { describe, expect, test } from 'vitest';
import type { DocumentReading, PrintedParts } from '../reading.js';
import { NOTE_LENGTH_MAX, TEXTS_MAX } from './read-printed-parts.js';
import { TAX_ROWS_MAX } from './read-tax-breakdown.js';
import { readXml } from './read-xml.js';

type Shown = PrintedParts & { readonly taxBreakdown: DocumentReading['taxBreakdown'] };

function partsOf(xml: string): Shown | undefined {
  const outcome = readXml(Buffer.from(xml), { embeddedInPdf: false, isShown: true });
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  return reading?.printedParts && { ...reading.printedParts, taxBreakdown: reading.taxBreakdown };
}

const ubl = (body: string): string => `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:ID>1</cbc:ID>${body}</Invoice>`;

const ublInvoice = ubl(`<cbc:Note>Thank you.</cbc:Note><cbc:Note> Call us. </cbc:Note>
  <cac:AccountingSupplierParty><cac:Party><cac:PostalAddress><cbc:CityName>York</cbc:CityName><cbc:StreetName>Mill Lane 1</cbc:StreetName>
    <cac:Country><cbc:IdentificationCode>GB</cbc:IdentificationCode></cac:Country></cac:PostalAddress></cac:Party></cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty><cac:Party><cac:PostalAddress><cac:AddressLine><cbc:Line>High Street 2</cbc:Line></cac:AddressLine></cac:PostalAddress></cac:Party></cac:AccountingCustomerParty>
  <cac:PaymentTerms><cbc:Note>30 days net</cbc:Note></cac:PaymentTerms>
  <cac:TaxTotal><cbc:TaxAmount>12.00</cbc:TaxAmount>
    <cac:TaxSubtotal><cbc:TaxableAmount>60.00</cbc:TaxableAmount><cbc:TaxAmount>12.00</cbc:TaxAmount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>20</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal>
    <cac:TaxSubtotal><cbc:TaxableAmount>5.00</cbc:TaxableAmount><cbc:TaxAmount>0.00</cbc:TaxAmount><cac:TaxCategory><cbc:ID>E</cbc:ID><cbc:Percent>0</cbc:Percent><cbc:TaxExemptionReason>Exempt by law</cbc:TaxExemptionReason></cac:TaxCategory></cac:TaxSubtotal>
  </cac:TaxTotal>`);

const cii = `<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100">
<rsm:ExchangedDocument><ram:ID>1</ram:ID><ram:IncludedNote><ram:Content>Thank you.</ram:Content><ram:SubjectCode>AAI</ram:SubjectCode></ram:IncludedNote></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:PostalTradeAddress>
  <ram:PostcodeCode>69001</ram:PostcodeCode><ram:LineOne>Rue 1</ram:LineOne><ram:CityName>Lyon</ram:CityName><ram:CountryID>FR</ram:CountryID>
</ram:PostalTradeAddress></ram:SellerTradeParty></ram:ApplicableHeaderTradeAgreement>
<ram:ApplicableHeaderTradeSettlement>
  <ram:ApplicableTradeTax><ram:CalculatedAmount>12.00</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>60.00</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>20.00</ram:RateApplicablePercent></ram:ApplicableTradeTax>
  <ram:SpecifiedTradePaymentTerms><ram:Description>30 jours</ram:Description></ram:SpecifiedTradePaymentTerms>
</ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`;

const fa3 = `<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/">
<Podmiot1><Adres><KodKraju>PL</KodKraju><AdresL1>ul. Kwiatowa 1</AdresL1><AdresL2>00-001 Warszawa</AdresL2></Adres></Podmiot1>
<Fa><P_13_1>100.00</P_13_1><P_14_1>23.00</P_14_1><P_13_7>10.00</P_13_7><P_2>1</P_2>
<DodatkowyOpis><Klucz>godziny</Klucz><Wartosc>8-16</Wartosc></DodatkowyOpis>
<Platnosc><TerminPlatnosci><TerminOpis><Ilosc>14</Ilosc><Jednostka>dni</Jednostka><ZdarzeniePoczatkowe>dostawa</ZdarzeniePoczatkowe></TerminOpis></TerminPlatnosci></Platnosc></Fa>
<Stopka><Informacje><StopkaFaktury>Dziękujemy</StopkaFaktury></Informacje></Stopka></Faktura>`;

const fatturaPa = `<FatturaElettronica><FatturaElettronicaHeader><CedentePrestatore><Sede><Indirizzo>Via Roma</Indirizzo><NumeroCivico>1</NumeroCivico><CAP>00100</CAP><Comune>Roma</Comune><Nazione>IT</Nazione></Sede></CedentePrestatore></FatturaElettronicaHeader>
<FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento><Numero>1</Numero><Causale>Grazie</Causale></DatiGeneraliDocumento></DatiGenerali>
<DatiBeniServizi><DatiRiepilogo><AliquotaIVA>0.00</AliquotaIVA><Natura>N4</Natura><ImponibileImporto>5.00</ImponibileImporto><Imposta>0.00</Imposta><RiferimentoNormativo>Art. 10</RiferimentoNormativo></DatiRiepilogo></DatiBeniServizi>
<DatiPagamento><CondizioniPagamento>TP02</CondizioniPagamento></DatiPagamento></FatturaElettronicaBody></FatturaElettronica>`;

const facturae = `<Facturae><Parties><SellerParty><LegalEntity><AddressInSpain><Address>Calle 1</Address><PostCode>28001</PostCode><Town>Madrid</Town><Province>Madrid</Province><CountryCode>ESP</CountryCode></AddressInSpain></LegalEntity></SellerParty></Parties>
<Invoices><Invoice><InvoiceHeader><InvoiceNumber>1</InvoiceNumber></InvoiceHeader><TaxesOutputs><Tax><TaxTypeCode>01</TaxTypeCode><TaxRate>21.00</TaxRate><TaxableBase><TotalAmount>100.00</TotalAmount></TaxableBase><TaxAmount><TotalAmount>21.00</TotalAmount></TaxAmount></Tax></TaxesOutputs>
<AdditionalData><InvoiceAdditionalInformation>Gracias</InvoiceAdditionalInformation></AdditionalData></Invoice></Invoices></Facturae>`;

describe('the parts that people read of', () => {
  test.each<[string, string, Shown]>([
    [
      'UBL',
      ublInvoice,
      {
        supplierAddress: ['Mill Lane 1', 'York', 'GB'],
        buyerAddress: ['High Street 2'],
        taxBreakdown: [
          { category: 'S', rate: '20', base: '60.00', tax: '12.00', reason: null },
          { category: 'E', rate: '0', base: '5.00', tax: '0.00', reason: 'Exempt by law' },
        ],
        paymentTerms: ['30 days net'],
        notes: ['Thank you.', 'Call us.'],
      },
    ],
    [
      'CII',
      cii,
      {
        supplierAddress: ['Rue 1', '69001', 'Lyon', 'FR'],
        buyerAddress: [],
        taxBreakdown: [{ category: 'S', rate: '20.00', base: '60.00', tax: '12.00', reason: null }],
        paymentTerms: ['30 jours'],
        notes: ['Thank you.'],
      },
    ],
    [
      'FA(3)',
      fa3,
      {
        supplierAddress: ['ul. Kwiatowa 1', '00-001 Warszawa', 'PL'],
        buyerAddress: [],
        taxBreakdown: [
          { category: '22% or 23%', rate: null, base: '100.00', tax: '23.00', reason: null },
          { category: 'exempt', rate: null, base: '10.00', tax: null, reason: null },
        ],
        paymentTerms: ['14 dni dostawa'],
        notes: ['godziny 8-16', 'Dziękujemy'],
      },
    ],
    [
      'FatturaPA',
      fatturaPa,
      {
        supplierAddress: ['Via Roma', '1', '00100', 'Roma', 'IT'],
        buyerAddress: [],
        taxBreakdown: [{ category: 'N4', rate: '0.00', base: '5.00', tax: '0.00', reason: 'Art. 10' }],
        paymentTerms: ['TP02'],
        notes: ['Grazie'],
      },
    ],
    [
      'Facturae',
      facturae,
      {
        supplierAddress: ['Calle 1', '28001', 'Madrid', 'Madrid', 'ESP'],
        buyerAddress: [],
        taxBreakdown: [{ category: null, rate: '21.00', base: '100.00', tax: '21.00', reason: null }],
        paymentTerms: [],
        notes: ['Gracias'],
      },
    ],
  ])('%s', (_, xml, parts) => {
    expect(partsOf(xml)).toEqual(parts);
  });
});

test('they are not read when the invoice is analyzed', () => {
  const outcome = readXml(Buffer.from(ublInvoice), { embeddedInPdf: false });
  expect(JSON.stringify(outcome)).not.toContain('printedParts');
});

describe('their limits', () => {
  const repeated = (element: string, count: number) => partsOf(ubl(element.repeat(count)));
  test('are 100 notes', () => {
    expect(repeated('<cbc:Note>a</cbc:Note>', TEXTS_MAX)?.notes).toHaveLength(100);
    expect(repeated('<cbc:Note>a</cbc:Note>', TEXTS_MAX + 1)?.notes).toHaveLength(100);
  });
  test('are 100 rows of the VAT breakdown; one with more rows is not read', () => {
    const row = '<cac:TaxTotal><cac:TaxSubtotal><cbc:TaxAmount>1</cbc:TaxAmount></cac:TaxSubtotal></cac:TaxTotal>';
    expect(repeated(row, TAX_ROWS_MAX)?.taxBreakdown).toHaveLength(100);
    expect(repeated(row, TAX_ROWS_MAX + 1)?.taxBreakdown).toBeUndefined();
  });
  test('are 5,000 characters of a note, of which the end is cut off', () => {
    const noteOf = (length: number) => partsOf(ubl(`<cbc:Note>${'a'.repeat(length)}</cbc:Note>`))?.notes[0];
    expect(noteOf(NOTE_LENGTH_MAX)).toBe('a'.repeat(5_000));
    expect(noteOf(NOTE_LENGTH_MAX + 1)).toBe(`${'a'.repeat(5_000)}…`);
  });
});
