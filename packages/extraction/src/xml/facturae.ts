import { local } from './local-names.js';
import type { Source, Syntax } from './syntax.js';

const INVOICE = 'Invoices/Invoice';
const ISSUE = `${INVOICE}/InvoiceIssueData`;
const TOTALS = `${INVOICE}/InvoiceTotals`;
const INSTALLMENT = `${INVOICE}/PaymentDetails/Installment`;

/** XPaths of the invoice fields in Facturae 3.2, 3.2.1 and 3.2.2. */
export const facturae: Syntax = {
  format: 'FACTURAE',
  roots: [{ name: 'Facturae' }],
  namespaces: {},
  invoices: local(INVOICE),
  // Codes of corrective invoices in Facturae: OR is the original of a corrective invoice, and CR is a copy of one.
  kind: { path: local(`${INVOICE}/InvoiceHeader/InvoiceClass`), creditNotes: [], corrections: ['OR', 'CR'] },
  payable: [local(`${TOTALS}/TotalExecutableAmount`), local(`${TOTALS}/TotalOutstandingAmount`)],
  fields: {
    'supplier.name': name('Parties/SellerParty'),
    'supplier.tax_id': [local('Parties/SellerParty/TaxIdentification/TaxIdentificationNumber')],
    'supplier.bank_account.iban': [local(`${INSTALLMENT}/AccountToBeCredited/IBAN`)],
    invoice_number: [
      {
        series: local(`${INVOICE}/InvoiceHeader/InvoiceSeriesCode`),
        number: local(`${INVOICE}/InvoiceHeader/InvoiceNumber`),
      },
    ],
    issue_date: [local(`${ISSUE}/IssueDate`)],
    due_date: [{ earliest: local(`${INSTALLMENT}/InstallmentDueDate`) }],
    currency: [local(`${ISSUE}/InvoiceCurrencyCode`)],
    net_amount: [local(`${TOTALS}/TotalGrossAmountBeforeTaxes`)],
    tax_amount: [local(`${TOTALS}/TotalTaxOutputs`)],
    // The element InvoiceTotal excludes the taxes that the buyer withholds, so they are added to it.
    gross_amount: [{ fields: ['net_amount', 'tax_amount'] }, local(`${TOTALS}/InvoiceTotal`)],
    purchase_order_ref: [local(`${INVOICE}/Items/InvoiceLine/ReceiverTransactionReference`)],
    'buyer.name': name('Parties/BuyerParty'),
    'buyer.tax_id': [local('Parties/BuyerParty/TaxIdentification/TaxIdentificationNumber')],
  },
  lines: {
    path: local(`${INVOICE}/Items/InvoiceLine`),
    description: [local('ItemDescription')],
    quantity: local('Quantity'),
    unit: local('UnitOfMeasure'),
    unitPrice: local('UnitPriceWithoutTax'),
    netAmount: local('GrossAmount'),
    taxRate: local('TaxesOutputs/Tax/TaxRate'),
  },
  taxBreakdown: {
    rows: local(`${INVOICE}/TaxesOutputs/Tax`),
    category: local('SpecialTaxableEvent/SpecialTaxableEventCode'),
    rate: local('TaxRate'),
    base: local('TaxableBase/TotalAmount'),
    tax: local('TaxAmount/TotalAmount'),
    reason: local('SpecialTaxableEvent/SpecialTaxableEventReason'),
  },
  printedParts: {
    supplierAddress: address('Parties/SellerParty'),
    buyerAddress: address('Parties/BuyerParty'),
    paymentTerms: local(`${INSTALLMENT}/CollectionAdditionalInformation`),
    notes: `${local(`${INVOICE}/AdditionalData/InvoiceAdditionalInformation`)} | ${local(`${INVOICE}/LegalLiterals/LegalReference`)}`,
  },
};

/** The address of a company or a person, in Spain or elsewhere. */
function address(party: string): readonly string[] {
  const parts = ['Address', 'PostCode', 'PostCodeAndTown', 'Town', 'Province', 'CountryCode'];
  return parts.map((part) => local(`${party}/*/*[contains(local-name(), 'Address')]/${part}`));
}

function name(party: string): readonly Source[] {
  return [
    local(`${party}/LegalEntity/CorporateName`),
    {
      join: ['Name', 'FirstSurname', 'SecondSurname'].map((part) => local(`${party}/Individual/${part}`)),
      separator: ' ',
    },
  ];
}
