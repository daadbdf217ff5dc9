import type { Schemas } from '@invoicecontrol/client';

/** One invoice of the demonstration: its purpose, and the invoice that is posted. */
export interface DemonstrationInvoice {
  readonly about: string;
  readonly invoice: Schemas['Invoice'];
}

/**
 * Returns an invoice that users of the demonstration can post themselves: a copy of the second invoice, with its number
 * written differently.
 */
export function copyToTry(since: Date): Schemas['Invoice'] {
  const { invoice } = demonstrationInvoices(since)[1] as DemonstrationInvoice;
  const { invoice_number, issue_date, currency, gross_amount } = invoice;
  const { name, tax_id } = nordlicht;
  return {
    supplier: { name, tax_id },
    invoice_number: invoice_number.replace('-0', '-'),
    issue_date,
    currency,
    gross_amount,
  };
}

const nordlicht = {
  name: 'Nordlicht Energie GmbH',
  tax_id: 'DE994175284',
  bank_account: { iban: 'DE89 3704 0044 0532 0130 00' },
};
const thames = {
  name: 'Thames Paper Ltd',
  tax_id: 'GB999275189',
  bank_account: { iban: 'GB29 NWBK 6016 1331 9268 19' },
};
const paper = {
  supplier: thames,
  currency: 'GBP',
  net_amount: '400.00',
  tax_amount: '80.00',
  gross_amount: '480.00',
};
/**
 * Returns invoices of a supplier who is paid correctly, followed by the invoices that contain errors. Their order
 * matters.
 * @param since the first start of the demonstration. The invoices are dated in the three months before, so they never
 * become too old and never change.
 */
export function demonstrationInvoices(since: Date): readonly DemonstrationInvoice[] {
  const on = (monthsBefore: number, day: number): string =>
    new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() - monthsBefore, day)).toISOString().slice(0, 10);
  const year = on(2, 1).slice(0, 4);
  const energy = {
    supplier: nordlicht,
    invoice_number: `RE-${year}-0118`,
    issue_date: on(2, 5),
    due_date: on(1, 4),
    currency: 'EUR',
    net_amount: '1000.00',
    tax_amount: '190.00',
    gross_amount: '1190.00',
  };
  return [
    {
      about: 'a clean first invoice',
      invoice: {
        ...energy,
        invoice_number: `RE-${year}-0101`,
        issue_date: on(3, 5),
        due_date: on(2, 5),
        net_amount: '980.00',
        tax_amount: '186.20',
        gross_amount: '1166.20',
      },
    },
    { about: 'the next month, clean', invoice: energy },
    { about: 'an exact copy', invoice: energy },
    { about: 'a copy with a suffix', invoice: { ...energy, invoice_number: `RE-${year}-0118A`, issue_date: on(2, 9) } },
    {
      about: 'letter O for zero',
      invoice: { ...energy, invoice_number: `RE-${year.replace('0', 'O')}-O118`, issue_date: on(2, 7) },
    },
    {
      about: 'another account',
      invoice: {
        ...energy,
        supplier: { ...nordlicht, bank_account: { iban: 'LT12 1000 0111 0100 1000' } },
        invoice_number: `RE-${year}-0127`,
        issue_date: on(1, 5),
        due_date: on(0, 5),
        net_amount: '1010.00',
        tax_amount: '191.90',
        gross_amount: '1201.90',
      },
    },
    {
      about: 'a UK supplier, paid by IBAN',
      invoice: { ...paper, invoice_number: '4471', issue_date: on(2, 12) },
    },
    {
      about: 'the same account as sort code',
      invoice: {
        ...paper,
        supplier: { ...thames, bank_account: { sort_code: '60-16-13', account_number: '31926819' } },
        invoice_number: '4502',
        issue_date: on(1, 12),
        net_amount: '415.00',
        tax_amount: '83.00',
        gross_amount: '498.00',
      },
    },
    {
      about: 'a credit note',
      invoice: {
        ...paper,
        invoice_number: 'CN-4471',
        issue_date: on(1, 14),
        net_amount: '-400.00',
        tax_amount: '-80.00',
        gross_amount: '-480.00',
      },
    },
    {
      about: 'two digits swapped in the total',
      invoice: { ...energy, issue_date: on(2, 6), net_amount: '1000.00', gross_amount: '1910.00' },
    },
    {
      about: 'an account that cannot exist',
      invoice: {
        supplier: {
          name: 'Studio Lavanda',
          tax_id: 'IT94317069998',
          bank_account: { iban: 'IT60 X054 2811 1010 0000 0123 457' },
        },
        invoice_number: `88/${year}`,
        issue_date: on(1, 2),
        currency: 'EUR',
        net_amount: '300.00',
        tax_amount: '66.00',
        gross_amount: '366.00',
      },
    },
    {
      about: 'the same bill under another supplier',
      invoice: {
        ...energy,
        supplier: { name: 'Nordlicht Service UG', bank_account: nordlicht.bank_account },
      },
    },
    {
      about: 'totals that do not add up',
      invoice: {
        ...paper,
        invoice_number: '4533',
        issue_date: on(1, 18),
        net_amount: '400.00',
        tax_amount: '80.00',
        gross_amount: '580.00',
      },
    },
  ];
}
