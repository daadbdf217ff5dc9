import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { toWire } from '../wire.js';
import { invoiceOf } from './invoices.js';

/** An invoice of a fictional supplier as a message between services. Tests change the fields that they need. */
export function wireInvoice({ iban, ...changes }: Partial<Invoice> & { readonly iban?: string } = {}): Invoice {
  const bank = iban === undefined ? {} : { bank_account: { iban } };
  const invoice = invoiceOf({
    supplier: { name: 'Nordlicht Energie GmbH', tax_id: 'DE136695976', ...bank },
    invoice_number: 'RE-2026-0118',
    issue_date: '2026-03-05',
    gross_amount: '1190.00',
  });
  return { ...toWire(invoice), ...changes };
}
