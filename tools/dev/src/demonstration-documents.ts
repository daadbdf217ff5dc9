// Creates the documents of the demonstration as suppliers would send them. They are created before their first upload,
// so that their dates fit the demonstration and the repository contains no files of other authors.
import { rasterPages } from '@invoicecontrol/extraction/pdf/raster';
import { PDFDocument, StandardFonts } from 'pdf-lib';

/** A document that the demonstration uploads. */
export interface DemonstrationDocument {
  readonly mediaType: 'application/xml' | 'application/pdf' | 'image/png';
  readonly bytes: Uint8Array;
}

/**
 * Names that describe the purpose of the documents that the demonstration uploads. The ids of the uploads are stored
 * under these names.
 */
export const documentStories = {
  xml: 'an invoice sent as XML',
  scan: 'the same on paper, scanned',
  hybrid: 'a PDF whose XML asks for more',
} as const;
export type DocumentName = keyof typeof documentStories;

const A4 = { width: 595, height: 842 } as const;
const FONT_SIZE = 11;

const solent = {
  name: 'Solent Marine Services Ltd',
  street: '8 Quay Road',
  city: 'Southampton',
  postcode: 'SO14 3QN',
  taxId: 'GB999640196',
  iban: 'GB94BARC10201530093459',
} as const;
const elbtal = {
  name: 'Elbtal Druck GmbH',
  street: 'Hafenweg 3',
  city: 'Dresden',
  postcode: '01067',
  taxId: 'DE997312068',
  iban: 'DE75512108001245126199',
} as const;
const BUYER = 'Demonstration Ltd';

/**
 * Creates the documents of the demonstration.
 * @param since the day on which the demonstration begins. The documents are dated in the month before.
 */
export async function demonstrationDocuments(
  since: Date,
): Promise<Readonly<Record<DocumentName, DemonstrationDocument>>> {
  const issued = new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() - 1, 6));
  const due = new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth(), 5));
  const dates = { issued: isoDate(issued), due: isoDate(due) };
  return {
    xml: { mediaType: 'application/xml', bytes: Buffer.from(marineInvoice(dates)) },
    scan: { mediaType: 'image/png', bytes: await scanOf(await marinePage(dates, since)) },
    hybrid: { mediaType: 'application/pdf', bytes: await printInvoice(dates, since) },
  };
}

interface Dates {
  readonly issued: string;
  readonly due: string;
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Returns the UBL that a British supplier would send through Peppol. */
function marineInvoice({ issued, due }: Dates): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>
  <cbc:ID>${marineNumber(issued)}</cbc:ID>
  <cbc:IssueDate>${issued}</cbc:IssueDate>
  <cbc:DueDate>${due}</cbc:DueDate>
  <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:DocumentCurrencyCode>GBP</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party>
    <cac:PostalAddress><cbc:StreetName>${solent.street}</cbc:StreetName><cbc:CityName>${solent.city}</cbc:CityName><cbc:PostalZone>${solent.postcode}</cbc:PostalZone><cac:Country><cbc:IdentificationCode>GB</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
    <cac:PartyTaxScheme><cbc:CompanyID>${solent.taxId}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
    <cac:PartyLegalEntity><cbc:RegistrationName>${solent.name}</cbc:RegistrationName></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty><cac:Party>
    <cac:PostalAddress><cac:Country><cbc:IdentificationCode>GB</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
    <cac:PartyLegalEntity><cbc:RegistrationName>${BUYER}</cbc:RegistrationName></cac:PartyLegalEntity>
  </cac:Party></cac:AccountingCustomerParty>
  <cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>${solent.iban}</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
  <cac:TaxTotal><cbc:TaxAmount currencyID="GBP">130.00</cbc:TaxAmount>
    <cac:TaxSubtotal><cbc:TaxableAmount currencyID="GBP">650.00</cbc:TaxableAmount><cbc:TaxAmount currencyID="GBP">130.00</cbc:TaxAmount>
      <cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>20</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal>
  </cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="GBP">650.00</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount currencyID="GBP">650.00</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="GBP">780.00</cbc:TaxInclusiveAmount>
    <cbc:PayableAmount currencyID="GBP">780.00</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>
  <cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="GBP">650.00</cbc:LineExtensionAmount>
    <cac:Item><cbc:Name>Hull inspection</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>20</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory></cac:Item>
    <cac:Price><cbc:PriceAmount currencyID="GBP">650.00</cbc:PriceAmount></cac:Price>
  </cac:InvoiceLine>
</Invoice>
`;
}

function marineNumber(issued: string): string {
  return `SM-${issued.slice(0, 4)}-0442`;
}

/** Returns the printed page of the British supplier as a PDF. */
async function marinePage({ issued, due }: Dates, since: Date): Promise<Uint8Array> {
  return drawPage(since, [
    [60, 60, solent.name, 18],
    [60, 86, `${solent.street}, ${solent.city} ${solent.postcode}`],
    [60, 102, `VAT registration number ${solent.taxId}`],
    [60, 150, 'Invoice', 20],
    [60, 190, `Invoice number: ${marineNumber(issued)}`],
    [60, 208, `Invoice date: ${longDate(issued)}`],
    [60, 226, `Due date: ${longDate(due)}`],
    [60, 262, `Bill to: ${BUYER}`],
    [60, 310, 'Description'],
    [470, 310, 'Amount'],
    [60, 330, 'Hull inspection'],
    [470, 330, 'GBP 650.00'],
    [330, 380, 'Subtotal'],
    [470, 380, 'GBP 650.00'],
    [330, 400, 'VAT 20%'],
    [470, 400, 'GBP 130.00'],
    [330, 424, 'Total due', 13],
    [470, 424, 'GBP 780.00', 13],
    [60, 480, `IBAN: ${inGroups(solent.iban)}`],
  ]);
}

/** Returns a Factur-X file in which the page asks for 1,190.00 and the embedded XML for 1,428.00. */
async function printInvoice({ issued, due }: Dates, since: Date): Promise<Uint8Array> {
  const number = `ED-${issued.slice(0, 4)}-0087`;
  const page = [
    [60, 60, elbtal.name, 18],
    [60, 86, `${elbtal.street}, ${elbtal.postcode} ${elbtal.city}`],
    [60, 102, `USt-IdNr. ${elbtal.taxId}`],
    [60, 150, 'Rechnung', 20],
    [60, 190, `Rechnungsnummer: ${number}`],
    [60, 208, `Rechnungsdatum: ${germanDate(issued)}`],
    [60, 226, `Fällig am: ${germanDate(due)}`],
    [60, 262, `Kunde: ${BUYER}`],
    [60, 310, 'Bezeichnung'],
    [470, 310, 'Betrag'],
    [60, 330, 'Kataloge, 1.000 Stück'],
    [470, 330, '1.000,00 EUR'],
    [330, 380, 'Nettobetrag'],
    [470, 380, '1.000,00 EUR'],
    [330, 400, 'MwSt. 19 %'],
    [470, 400, '190,00 EUR'],
    [330, 424, 'Gesamtbetrag', 13],
    [470, 424, '1.190,00 EUR', 13],
    [60, 480, `IBAN: ${inGroups(elbtal.iban)}`],
  ] as const;
  return drawPage(since, page, { name: 'factur-x.xml', content: printXml(number, { issued, due }) });
}

function printXml(number: string, { issued, due }: Dates): string {
  const date = (iso: string): string =>
    `<udt:DateTimeString format="102">${iso.replaceAll('-', '')}</udt:DateTimeString>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
  xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
  <rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:cen.eu:en16931:2017</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument><ram:ID>${number}</ram:ID><ram:TypeCode>380</ram:TypeCode><ram:IssueDateTime>${date(issued)}</ram:IssueDateTime></rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument>
      <ram:SpecifiedTradeProduct><ram:Name>Kataloge</ram:Name></ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>1.20</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">1000</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement>
        <ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax>
        <ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>1200.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>
      </ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty><ram:Name>${elbtal.name}</ram:Name>
        <ram:PostalTradeAddress><ram:PostcodeCode>${elbtal.postcode}</ram:PostcodeCode><ram:LineOne>${elbtal.street}</ram:LineOne><ram:CityName>${elbtal.city}</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">${elbtal.taxId}</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
      <ram:BuyerTradeParty><ram:Name>${BUYER}</ram:Name><ram:PostalTradeAddress><ram:CountryID>GB</ram:CountryID></ram:PostalTradeAddress></ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery/>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>58</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>${elbtal.iban}</ram:IBANID></ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>
      <ram:ApplicableTradeTax><ram:CalculatedAmount>228.00</ram:CalculatedAmount><ram:TypeCode>VAT</ram:TypeCode><ram:BasisAmount>1200.00</ram:BasisAmount><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax>
      <ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime>${date(due)}</ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:LineTotalAmount>1200.00</ram:LineTotalAmount><ram:TaxBasisTotalAmount>1200.00</ram:TaxBasisTotalAmount>
        <ram:TaxTotalAmount currencyID="EUR">228.00</ram:TaxTotalAmount><ram:GrandTotalAmount>1428.00</ram:GrandTotalAmount><ram:DuePayableAmount>1428.00</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
`;
}

/**
 * A text on a PDF page with its distance from the left and from the top in points, and its font size if it is not the
 * usual size.
 */
type Text = readonly [x: number, y: number, text: string, size?: number];

/** Draws a PDF with one page of text in Helvetica, and embeds the XML invoice if it is given. */
export async function drawPage(
  madeAt: Date,
  texts: readonly Text[],
  attached?: { readonly name: string; readonly content: string },
): Promise<Uint8Array> {
  const pdf = await PDFDocument.create();
  pdf.setCreationDate(madeAt);
  pdf.setModificationDate(madeAt);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const page = pdf.addPage([A4.width, A4.height]);
  for (const [x, y, text, size = FONT_SIZE] of texts) page.drawText(text, { x, y: A4.height - y, size, font });
  if (attached !== undefined) {
    await pdf.attach(Buffer.from(attached.content), attached.name, {
      mimeType: 'text/xml',
      creationDate: madeAt,
      modificationDate: madeAt,
    });
  }
  return pdf.save();
}

/** Returns the image that a scanner would make of a document page. */
async function scanOf(pdf: Uint8Array): Promise<Uint8Array> {
  const [picture] = await rasterPages(pdf, [1]);
  if (picture === undefined) throw new Error('The page of the demonstration has no picture.');
  return picture.png;
}

function inGroups(iban: string): string {
  return iban.replaceAll(/(.{4})(?=.)/g, '$1 ');
}

function longDate(iso: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso));
}

function germanDate(iso: string): string {
  return iso.split('-').toReversed().join('.');
}
