import type { CanonicalInvoice } from '../canonical-invoice.js';

export type InvoiceChanges = Partial<Omit<CanonicalInvoice, 'supplier'>> & {
  readonly supplier?: Partial<CanonicalInvoice['supplier']>;
};

/** A canonical invoice of a fictional supplier. Tests change the fields that they need. */
export function invoiceOf({ supplier, ...changes }: InvoiceChanges = {}): CanonicalInvoice {
  return {
    supplier: { name: 'Acme Supplies Ltd', ...supplier },
    invoice_number: 'INV-01042',
    issue_date: '2025-03-10',
    currency: 'EUR',
    gross_amount: '1200.00',
    ...changes,
  };
}

/** A canonical invoice with every field, in its stored form. */
export const fullInvoice = {
  supplier: {
    name: 'Acme Ltd',
    tax_id: 'GB123456789',
    bank_account: { iban: 'GB29NWBK60161331926819', sort_code: '601613', account_number: '31926819' },
  },
  invoice_number: 'INV-1',
  issue_date: '2026-03-01',
  due_date: '2026-03-31',
  currency: 'GBP',
  net_amount: '100.00',
  tax_amount: '20',
  gross_amount: '120.000000',
  purchase_order_ref: 'PO-7',
  buyer: { name: 'Buyer SA', tax_id: 'PL5260001246' },
  company_id: '0198a000-0000-7000-8000-00000000000c',
} as const satisfies CanonicalInvoice;

/** Fields of {@link fullInvoice} that a row of a history scan can state. */
export const fullRow = {
  supplierName: fullInvoice.supplier.name,
  supplierTaxId: fullInvoice.supplier.tax_id,
  bankIban: fullInvoice.supplier.bank_account.iban,
  bankSortCode: fullInvoice.supplier.bank_account.sort_code,
  bankAccountNumber: fullInvoice.supplier.bank_account.account_number,
  invoiceNumber: fullInvoice.invoice_number,
  issueDate: fullInvoice.issue_date,
  currency: fullInvoice.currency,
  grossAmount: fullInvoice.gross_amount,
  purchaseOrderRef: fullInvoice.purchase_order_ref,
  externalId: 'erp-1',
  sourceRowNumber: 2,
} as const;
