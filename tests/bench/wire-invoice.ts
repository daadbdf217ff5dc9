import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { BenchInvoice } from './invoices.js';

/** A posted invoice as it travels between services. */
export function toWire(invoice: BenchInvoice): Invoice {
  const { supplier, buyer } = invoice;
  return {
    supplier: {
      name: supplier.name,
      taxId: supplier.tax_id,
      bankAccount: { iban: supplier.bank_account.iban, sortCode: undefined, accountNumber: undefined },
    },
    invoiceNumber: invoice.invoice_number,
    issueDate: invoice.issue_date,
    dueDate: invoice.due_date,
    currency: invoice.currency,
    netAmount: invoice.net_amount,
    taxAmount: invoice.tax_amount,
    grossAmount: invoice.gross_amount,
    purchaseOrderRef: invoice.purchase_order_ref,
    buyer: { name: buyer.name, taxId: buyer.tax_id },
    companyId: undefined,
  };
}
