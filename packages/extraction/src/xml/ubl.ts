import type { Source, Syntax } from './syntax.js';
import { correctionTypes, creditNoteTypes } from './type-codes.js';

/** In the Danish format OIOUBL 2, TaxExclusiveAmount is the tax amount. */
const isNotOioubl2 = "[not(starts-with(normalize-space(../cbc:CustomizationID), 'OIOUBL-2'))]";

/**
 * Describes where invoices and credit notes in UBL 2.0 to 2.3 state their fields. It applies to every profile of UBL,
 * such as EN 16931, Peppol BIS, Peppol PINT and XRechnung.
 */
export const ubl: Syntax = {
  format: 'UBL',
  roots: [
    { name: 'Invoice', namespace: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2' },
    { name: 'CreditNote', namespace: 'urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2' },
  ],
  namespaces: {
    cac: 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
    cbc: 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
  },
  profile: { customizationId: 'cbc:CustomizationID', profileId: 'cbc:ProfileID' },
  kind: {
    path: 'cbc:InvoiceTypeCode | cbc:CreditNoteTypeCode',
    creditNotes: creditNoteTypes,
    corrections: correctionTypes,
    creditNoteRoot: 'CreditNote',
  },
  payable: ['cac:LegalMonetaryTotal/cbc:PayableAmount'],
  fields: {
    'supplier.name': partyName('cac:AccountingSupplierParty/cac:Party'),
    'supplier.tax_id': partyTaxId('cac:AccountingSupplierParty/cac:Party'),
    'supplier.bank_account.iban': ['cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID'],
    invoice_number: ['cbc:ID'],
    issue_date: ['cbc:IssueDate'],
    due_date: [
      'cbc:DueDate',
      { earliest: 'cac:PaymentMeans/cbc:PaymentDueDate' },
      { earliest: 'cac:PaymentTerms/cbc:PaymentDueDate' },
    ],
    currency: [
      'cbc:DocumentCurrencyCode',
      'cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount/@currencyID',
      'cac:LegalMonetaryTotal/cbc:PayableAmount/@currencyID',
    ],
    net_amount: [
      `cac:LegalMonetaryTotal${isNotOioubl2}/cbc:TaxExclusiveAmount`,
      {
        sum: ['cac:LegalMonetaryTotal/cbc:LineExtensionAmount', 'cac:LegalMonetaryTotal/cbc:ChargeTotalAmount'],
        minus: ['cac:LegalMonetaryTotal/cbc:AllowanceTotalAmount'],
      },
    ],
    tax_amount: [{ inInvoiceCurrency: 'cac:TaxTotal/cbc:TaxAmount' }],
    gross_amount: [
      'cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount',
      { fields: ['net_amount', 'tax_amount'] },
      { sum: ['cac:LegalMonetaryTotal/cbc:PayableAmount', 'cac:LegalMonetaryTotal/cbc:PrepaidAmount'], each: true },
      'cac:LegalMonetaryTotal/cbc:PayableAmount',
    ],
    purchase_order_ref: ['cac:OrderReference/cbc:ID'],
    'buyer.name': partyName('cac:AccountingCustomerParty/cac:Party'),
    'buyer.tax_id': partyTaxId('cac:AccountingCustomerParty/cac:Party'),
  },
  payee: ['cac:PayeeParty/cac:PartyName/cbc:Name', 'cac:PayeeParty/cac:PartyLegalEntity/cbc:RegistrationName'],
  ukAccount: {
    accounts: 'cac:PaymentMeans/cac:PayeeFinancialAccount',
    sortCode: 'cac:FinancialInstitutionBranch/cbc:ID',
    accountNumber: 'cbc:ID',
    country: 'cac:AccountingSupplierParty/cac:Party/cac:PostalAddress/cac:Country/cbc:IdentificationCode',
  },
  lines: {
    path: 'cac:InvoiceLine | cac:CreditNoteLine',
    description: ['cac:Item/cbc:Name', 'cac:Item/cbc:Description'],
    quantity: 'cbc:InvoicedQuantity | cbc:CreditedQuantity',
    unit: 'cbc:InvoicedQuantity/@unitCode | cbc:CreditedQuantity/@unitCode',
    unitPrice: 'cac:Price/cbc:PriceAmount',
    priceQuantity: 'cac:Price/cbc:BaseQuantity',
    netAmount: 'cbc:LineExtensionAmount',
    taxRate:
      'cac:Item/cac:ClassifiedTaxCategory/cbc:Percent | cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory/cbc:Percent',
  },
  taxBreakdown: {
    rows: 'cac:TaxTotal/cac:TaxSubtotal',
    category: 'cac:TaxCategory/cbc:ID',
    rate: 'cac:TaxCategory/cbc:Percent | cbc:Percent',
    base: 'cbc:TaxableAmount',
    tax: 'cbc:TaxAmount',
    reason: 'cac:TaxCategory/cbc:TaxExemptionReason',
  },
  printedParts: {
    supplierAddress: partyAddress('cac:AccountingSupplierParty/cac:Party'),
    buyerAddress: partyAddress('cac:AccountingCustomerParty/cac:Party'),
    paymentTerms: 'cac:PaymentTerms/cbc:Note',
    notes: 'cbc:Note',
  },
};

function partyAddress(party: string): readonly string[] {
  return [
    'cbc:StreetName',
    'cbc:BuildingNumber',
    'cbc:AdditionalStreetName',
    'cac:AddressLine/cbc:Line',
    'cbc:PostalZone',
    'cbc:CityName',
    'cbc:CountrySubentity',
    'cac:Country/cbc:IdentificationCode',
  ].map((part) => `${party}/cac:PostalAddress/${part}`);
}

function partyName(party: string): readonly Source[] {
  return [
    `${party}/cac:PartyLegalEntity/cbc:RegistrationName`,
    `${party}/cac:PartyName/cbc:Name`,
    { join: [`${party}/cac:Person/cbc:FirstName`, `${party}/cac:Person/cbc:FamilyName`], separator: ' ' },
  ];
}

/** Paths of the tax id. The VAT id comes first. Turkish invoices state it as an identification of the party. */
function partyTaxId(party: string): readonly Source[] {
  const isVat = "translate(normalize-space(cac:TaxScheme/cbc:ID), 'vat', 'VAT') = 'VAT'";
  return [
    `${party}/cac:PartyTaxScheme[${isVat}]/cbc:CompanyID`,
    `${party}/cac:PartyTaxScheme/cbc:CompanyID`,
    `${party}/cac:PartyIdentification/cbc:ID[@schemeID = 'VKN' or @schemeID = 'TCKN']`,
    `${party}/cac:PartyLegalEntity/cbc:CompanyID`,
  ];
}
