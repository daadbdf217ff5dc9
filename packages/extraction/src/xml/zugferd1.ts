import { local } from './local-names.js';
import type { Source, Syntax } from './syntax.js';
import { correctionTypes, creditNoteTypes } from './type-codes.js';

const TRANSACTION = 'SpecifiedSupplyChainTradeTransaction';
const AGREEMENT = `${TRANSACTION}/ApplicableSupplyChainTradeAgreement`;
const SETTLEMENT = `${TRANSACTION}/ApplicableSupplyChainTradeSettlement`;
const TOTALS = `${SETTLEMENT}/SpecifiedTradeSettlementMonetarySummation`;

/** Paths of the invoice fields in ZUGFeRD 1, an earlier Cross Industry Invoice with other element names. */
export const zugferd1: Syntax = {
  format: 'ZUGFERD1',
  roots: [{ name: 'CrossIndustryDocument', namespace: 'urn:ferd:CrossIndustryDocument:invoice:1p0' }],
  namespaces: {},
  profile: {
    customizationId: local('SpecifiedExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID'),
  },
  kind: {
    path: local('HeaderExchangedDocument/TypeCode'),
    creditNotes: creditNoteTypes,
    corrections: correctionTypes,
  },
  payable: [local(`${TOTALS}/DuePayableAmount`)],
  fields: {
    'supplier.name': [local(`${AGREEMENT}/SellerTradeParty/Name`)],
    'supplier.tax_id': partyTaxId(`${AGREEMENT}/SellerTradeParty`),
    'supplier.bank_account.iban': [
      local(`${SETTLEMENT}/SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/IBANID`),
    ],
    invoice_number: [local('HeaderExchangedDocument/ID')],
    issue_date: [local('HeaderExchangedDocument/IssueDateTime/*')],
    due_date: [{ earliest: local(`${SETTLEMENT}/SpecifiedTradePaymentTerms/DueDateDateTime/*`) }],
    currency: [local(`${SETTLEMENT}/InvoiceCurrencyCode`), local(`${TOTALS}/GrandTotalAmount/@currencyID`)],
    net_amount: [local(`${TOTALS}/TaxBasisTotalAmount`)],
    tax_amount: [{ inInvoiceCurrency: local(`${TOTALS}/TaxTotalAmount`) }],
    gross_amount: [
      local(`${TOTALS}/GrandTotalAmount`),
      { fields: ['net_amount', 'tax_amount'] },
      { sum: [local(`${TOTALS}/DuePayableAmount`), local(`${TOTALS}/TotalPrepaidAmount`)], each: true },
      local(`${TOTALS}/DuePayableAmount`),
    ],
    purchase_order_ref: [local(`${AGREEMENT}/BuyerOrderReferencedDocument/ID`)],
    'buyer.name': [local(`${AGREEMENT}/BuyerTradeParty/Name`)],
    'buyer.tax_id': partyTaxId(`${AGREEMENT}/BuyerTradeParty`),
  },
  lines: {
    path: local(`${TRANSACTION}/IncludedSupplyChainTradeLineItem`),
    description: [local('SpecifiedTradeProduct/Name'), local('SpecifiedTradeProduct/Description')],
    quantity: local('SpecifiedSupplyChainTradeDelivery/BilledQuantity'),
    unit: local('SpecifiedSupplyChainTradeDelivery/BilledQuantity/@unitCode'),
    unitPrice: local('SpecifiedSupplyChainTradeAgreement/NetPriceProductTradePrice/ChargeAmount'),
    priceQuantity: local('SpecifiedSupplyChainTradeAgreement/NetPriceProductTradePrice/BasisQuantity'),
    netAmount: local('SpecifiedSupplyChainTradeSettlement/SpecifiedTradeSettlementMonetarySummation/LineTotalAmount'),
    taxRate: local('SpecifiedSupplyChainTradeSettlement/ApplicableTradeTax/ApplicablePercent'),
  },
  taxBreakdown: {
    rows: local(`${SETTLEMENT}/ApplicableTradeTax`),
    category: local('CategoryCode'),
    rate: local('ApplicablePercent'),
    base: local('BasisAmount'),
    tax: local('CalculatedAmount'),
    reason: local('ExemptionReason'),
  },
  printedParts: {
    supplierAddress: partyAddress(`${AGREEMENT}/SellerTradeParty`),
    buyerAddress: partyAddress(`${AGREEMENT}/BuyerTradeParty`),
    paymentTerms: local(`${SETTLEMENT}/SpecifiedTradePaymentTerms/Description`),
    notes: local('HeaderExchangedDocument/IncludedNote/Content'),
  },
};

function partyAddress(party: string): readonly string[] {
  return ['LineOne', 'LineTwo', 'PostcodeCode', 'CityName', 'CountryID'].map((part) =>
    local(`${party}/PostalTradeAddress/${part}`),
  );
}

function partyTaxId(party: string): readonly Source[] {
  const registration = local(`${party}/SpecifiedTaxRegistration/ID`);
  return [`${registration}[@schemeID = 'VA']`, `${registration}[@schemeID = 'FC']`, registration];
}
