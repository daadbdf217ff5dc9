// Creates invoice documents of every measured kind. Each has a different number, so none is a duplicate.
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { printInvoice } from '@invoicecontrol/extraction/testing/printed-invoice';
import type { PrintedInvoice } from '@invoicecontrol/extraction/testing/printed-invoice';
import { sampleInvoice } from '@invoicecontrol/extraction/testing/sample-invoice';
import { PDFDocument } from 'pdf-lib';
import sharp from 'sharp';

export const documentKinds = ['xml', 'hybrid', 'text', 'ocr'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** Document file that the benchmark uploads. */
export interface DocumentFile {
  readonly mediaType: 'application/xml' | 'application/pdf';
  readonly bytes: Uint8Array;
}

/** Resolution in DPI with which the benchmark draws scanned pages, as office scanners do. */
const SCAN_DPI = 200;
const SCAN_JPEG_QUALITY = 85;
const POINTS_PER_INCH = 72;
/**
 * Creates the invoice documents of a kind with the indexes `first` to `first + count - 1`. The same index always gives
 * the same document.
 */
export async function makeDocuments(kind: DocumentKind, first: number, count: number): Promise<DocumentFile[]> {
  const files: DocumentFile[] = [];
  for (let index = first; index < first + count; index += 1) files.push(await makeDocument(kind, index));
  return files;
}

async function makeDocument(kind: DocumentKind, index: number): Promise<DocumentFile> {
  const invoice = sampleInvoice(index);
  switch (kind) {
    case 'xml':
      return { mediaType: 'application/xml', bytes: Buffer.from(crossIndustryInvoice(invoice, index)) };
    case 'text':
      return { mediaType: 'application/pdf', bytes: await printInvoice(invoice) };
    case 'hybrid': {
      const pdf = await PDFDocument.load(await printInvoice(invoice));
      await pdf.attach(Buffer.from(crossIndustryInvoice(invoice)), 'factur-x.xml', { mimeType: 'text/xml' });
      return { mediaType: 'application/pdf', bytes: await pdf.save() };
    }
    case 'ocr':
      return { mediaType: 'application/pdf', bytes: await scanOf(await printInvoice(invoice)) };
  }
}

/**
 * Returns the invoice as XML in the CII syntax of EN 16931.
 * @param index becomes part of the invoice number, so that no two invoices have the same number; if absent, the invoice
 *   has the number of the printed invoice
 */
function crossIndustryInvoice({ truth }: PrintedInvoice, index?: number): string {
  const number = truth.number ?? '';
  const net = truth.net ?? '0.00';
  const tax = truth.tax ?? '0.00';
  const gross = truth.gross ?? '0.00';
  const rate = ((Number(tax) / Number(net)) * 100).toFixed(4);
  const country = truth.tax_id?.slice(0, 2) ?? '';
  const date = (truth.date ?? '').replaceAll('-', '');
  const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const vat = `<ram:TypeCode>VAT</ram:TypeCode>`;
  const category = `<ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>${rate}</ram:RateApplicablePercent>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
  xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
  xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
  <rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:cen.eu:en16931:2017</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument><ram:ID>${text(index === undefined ? number : `${number}-${index}`)}</ram:ID><ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime><udt:DateTimeString format="102">${date}</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument>
      <ram:SpecifiedTradeProduct><ram:Name>Services</ram:Name></ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>${net}</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">1</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax>${vat}${category}</ram:ApplicableTradeTax>
        <ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>${net}</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty><ram:Name>${text(truth.supplier ?? '')}</ram:Name>
        <ram:PostalTradeAddress><ram:CountryID>${country}</ram:CountryID></ram:PostalTradeAddress>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">${text(truth.tax_id ?? '')}</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
      <ram:BuyerTradeParty><ram:Name>Buyer</ram:Name><ram:PostalTradeAddress><ram:CountryID>GB</ram:CountryID></ram:PostalTradeAddress></ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery/>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>${truth.currency ?? 'EUR'}</ram:InvoiceCurrencyCode>
      <ram:SpecifiedTradeSettlementPaymentMeans><ram:TypeCode>58</ram:TypeCode><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>${truth.iban?.replaceAll(' ', '') ?? ''}</ram:IBANID></ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>
      <ram:ApplicableTradeTax><ram:CalculatedAmount>${tax}</ram:CalculatedAmount>${vat}<ram:BasisAmount>${net}</ram:BasisAmount>${category}</ram:ApplicableTradeTax>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:LineTotalAmount>${net}</ram:LineTotalAmount><ram:TaxBasisTotalAmount>${net}</ram:TaxBasisTotalAmount>
        <ram:TaxTotalAmount currencyID="${truth.currency ?? 'EUR'}">${tax}</ram:TaxTotalAmount><ram:GrandTotalAmount>${gross}</ram:GrandTotalAmount><ram:DuePayableAmount>${gross}</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
`;
}

/** Returns a PDF that contains only images, as a scanner creates it from the printed pages. */
export async function scanOf(pdf: Uint8Array): Promise<Uint8Array> {
  const scan = await PDFDocument.create();
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(pdf);
    try {
      for (const page of document.pages()) {
        const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
        const picture = await page.render({ scale: SCAN_DPI / POINTS_PER_INCH, render: 'bitmap', colorSpace: 'Gray' });
        const channels = picture.data.length === picture.width * picture.height ? 1 : 4;
        const jpeg = await sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels } })
          .flatten({ background: '#ffffff' })
          .greyscale()
          .jpeg({ quality: SCAN_JPEG_QUALITY })
          .toBuffer();
        scan.addPage([width, height]).drawImage(await scan.embedJpg(jpeg), { x: 0, y: 0, width, height });
      }
    } finally {
      document.destroy();
    }
  } finally {
    library.destroy();
  }
  return scan.save();
}
