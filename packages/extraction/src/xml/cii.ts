import type { Source, Syntax } from './syntax.js';
import { correctionTypes, creditNoteTypes } from './type-codes.js';

const TRANSACTION = 'rsm:SupplyChainTradeTransaction';
const AGREEMENT = `${TRANSACTION}/ram:ApplicableHeaderTradeAgreement`;
const SETTLEMENT = `${TRANSACTION}/ram:ApplicableHeaderTradeSettlement`;
const TOTALS = `${SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation`;
const ACCOUNT = `${SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans/ram:PayeePartyCreditorFinancialAccount`;
const LINE_SETTLEMENT = 'ram:SpecifiedLineTradeSettlement';

/**
 * Defines where each invoice field is in a UN/CEFACT Cross Industry Invoice (CII). Factur-X, ZUGFeRD 2, XRechnung and
 * plain EN 16931 invoices can have this syntax.
 */
export const cii: Syntax = {
  format: 'CII',
  roots: [{ name: 'CrossIndustryInvoice', namespace: 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100' }],
  namespaces: {
    rsm: 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
    ram: 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  },
  profile: {
    customizationId: 'rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID',
    profileId: 'rsm:ExchangedDocumentContext/ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID',
  },
  kind: {
    path: 'rsm:ExchangedDocument/ram:TypeCode',
    creditNotes: creditNoteTypes,
    corrections: correctionTypes,
  },
  payable: [`${TOTALS}/ram:DuePayableAmount`],
  fields: {
    'supplier.name': partyName(`${AGREEMENT}/ram:SellerTradeParty`),
    'supplier.tax_id': partyTaxId(`${AGREEMENT}/ram:SellerTradeParty`),
    // In EN 16931, the account identifier (BT-84) may be in the element IBANID or in the element ProprietaryID. A
    // ProprietaryID that is not an IBAN is a local account number.
    'supplier.bank_account.iban': [`${ACCOUNT}/ram:IBANID`, `${ACCOUNT}/ram:ProprietaryID`],
    invoice_number: ['rsm:ExchangedDocument/ram:ID'],
    issue_date: ['rsm:ExchangedDocument/ram:IssueDateTime/*'],
    // The date on which a discount ends counts as the due date (BT-9) only if the document states no other due date.
    due_date: [
      {
        earliest: `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms[not(ram:ApplicableTradePaymentDiscountTerms)][not(contains(translate(ram:Description, 'SKONTO', 'skonto'), 'skonto'))]/ram:DueDateDateTime/*`,
      },
      { earliest: `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/*` },
    ],
    currency: [
      `${SETTLEMENT}/ram:InvoiceCurrencyCode`,
      `${TOTALS}/ram:GrandTotalAmount/@currencyID`,
      `${TOTALS}/ram:DuePayableAmount/@currencyID`,
    ],
    net_amount: [`${TOTALS}/ram:TaxBasisTotalAmount`],
    tax_amount: [{ inInvoiceCurrency: `${TOTALS}/ram:TaxTotalAmount` }],
    gross_amount: [
      `${TOTALS}/ram:GrandTotalAmount`,
      { fields: ['net_amount', 'tax_amount'] },
      { sum: [`${TOTALS}/ram:DuePayableAmount`, `${TOTALS}/ram:TotalPrepaidAmount`], each: true },
      `${TOTALS}/ram:DuePayableAmount`,
    ],
    purchase_order_ref: [`${AGREEMENT}/ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID`],
    'buyer.name': partyName(`${AGREEMENT}/ram:BuyerTradeParty`),
    'buyer.tax_id': partyTaxId(`${AGREEMENT}/ram:BuyerTradeParty`),
  },
  payee: [`${SETTLEMENT}/ram:PayeeTradeParty/ram:Name`],
  ukAccount: {
    accounts: `${SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans`,
    sortCode: 'ram:PayeeSpecifiedCreditorFinancialInstitution/ram:UKSortCodeID',
    accountNumber: 'ram:PayeePartyCreditorFinancialAccount/ram:ProprietaryID',
    country: `${AGREEMENT}/ram:SellerTradeParty/ram:PostalTradeAddress/ram:CountryID`,
  },
  lines: {
    // In the extended profile of Factur-X, invoice lines that only group other lines or give information repeat the
    // amounts of other lines, so they are left out.
    path: `${TRANSACTION}/ram:IncludedSupplyChainTradeLineItem[not(ram:AssociatedDocumentLineDocument/ram:LineStatusReasonCode[. = 'GROUP' or . = 'INFORMATION'])]`,
    description: ['ram:SpecifiedTradeProduct/ram:Name', 'ram:SpecifiedTradeProduct/ram:Description'],
    quantity: 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity',
    unit: 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity/@unitCode',
    unitPrice: 'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount',
    priceQuantity: 'ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:BasisQuantity',
    netAmount: `${LINE_SETTLEMENT}/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount`,
    taxRate: `${LINE_SETTLEMENT}/ram:ApplicableTradeTax/ram:RateApplicablePercent`,
  },
  taxBreakdown: {
    rows: `${SETTLEMENT}/ram:ApplicableTradeTax`,
    category: 'ram:CategoryCode',
    rate: 'ram:RateApplicablePercent',
    base: 'ram:BasisAmount',
    tax: 'ram:CalculatedAmount',
    reason: 'ram:ExemptionReason',
  },
  printedParts: {
    supplierAddress: partyAddress(`${AGREEMENT}/ram:SellerTradeParty`),
    buyerAddress: partyAddress(`${AGREEMENT}/ram:BuyerTradeParty`),
    paymentTerms: `${SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:Description`,
    notes: 'rsm:ExchangedDocument/ram:IncludedNote/ram:Content',
  },
};

function partyAddress(party: string): readonly string[] {
  return ['LineOne', 'LineTwo', 'LineThree', 'PostcodeCode', 'CityName', 'CountrySubDivisionName', 'CountryID'].map(
    (part) => `${party}/ram:PostalTradeAddress/ram:${part}`,
  );
}

function partyName(party: string): readonly Source[] {
  return [`${party}/ram:Name`, `${party}/ram:SpecifiedLegalOrganization/ram:TradingBusinessName`];
}

function partyTaxId(party: string): readonly Source[] {
  return [
    `${party}/ram:SpecifiedTaxRegistration/ram:ID[@schemeID = 'VA']`,
    `${party}/ram:SpecifiedTaxRegistration/ram:ID[@schemeID = 'FC']`,
    `${party}/ram:SpecifiedTaxRegistration/ram:ID`,
    `${party}/ram:SpecifiedLegalOrganization/ram:ID`,
  ];
}
