import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { Party } from './parties.js';
import type { Random } from './random.js';

/** A generated invoice with its labels for measuring the detection. */
export interface Bill {
  readonly invoice: CanonicalInvoice;
  /** The day of arrival of the bill, which orders the history; the issue date may differ. */
  readonly arrival: string;
  readonly companyId: string;
  /**
   * Id that all generated bills for one supply share: the original, its copies, and the instalments into which it was
   * split.
   */
  readonly claim: string;
  /** The mutation that created this duplicate. Absent on an original bill. */
  readonly mutation?: string;
  /** The kind of hard negative: a clean bill that resembles a duplicate or an anomaly. */
  readonly hardNegative?: string;
  /** The deliberate anomaly of the test bill. The product must raise at least one of the expected finding types. */
  readonly anomaly?: { readonly name: string; readonly expected: readonly string[] };
}

export const companies = {
  main: '0192a000-0000-7000-8000-00000000c001',
  second: '0192a000-0000-7000-8000-00000000c002',
} as const;

export interface BillOptions {
  readonly number: string;
  readonly date: string;
  /** Gross amount of the bill as a decimal string. */
  readonly gross: string;
  readonly termsDays?: number;
  readonly order?: string;
  readonly companyId?: string;
  readonly currency?: string;
  readonly iban?: string;
  readonly name?: string;
}

let claims = 0;

/**
 * Returns a correct bill of a supplier: its amounts add up at the country's tax rate, and its bank account is the usual
 * account of the supplier.
 */
export function billOf(party: Party, options: BillOptions): Bill {
  const { number, date, gross, termsDays = 30 } = options;
  const net = netOf(gross, party.vatPercent);
  return {
    invoice: {
      supplier: {
        name: options.name ?? party.name,
        tax_id: party.taxId,
        bank_account: { iban: options.iban ?? party.iban },
      },
      invoice_number: number,
      issue_date: date,
      due_date: addDays(date, termsDays),
      currency: options.currency ?? party.currency,
      net_amount: net,
      tax_amount: microToDecimal(toMicro(gross) - toMicro(net)),
      gross_amount: gross,
      ...(options.order === undefined ? {} : { purchase_order_ref: options.order }),
    },
    arrival: date,
    companyId: options.companyId ?? companies.main,
    claim: `claim-${++claims}`,
  };
}

/** Returns the net amount for a gross amount, rounded to the cent. */
function netOf(gross: string, vatPercent: number): string {
  const cents = (toMicro(gross) * 100n) / BigInt(100 + vatPercent) / 10_000n;
  return microToDecimal(cents * 10_000n);
}

/** Returns a random bill amount with cents. Most amounts are small, and few are large. */
export function amount(random: Random, typical: number): string {
  const spread = Math.exp((random.next() + random.next() + random.next() - 1.5) * 0.8);
  return cents(Math.max(1_500, Math.round(typical * 100 * spread)));
}

export function cents(value: number): string {
  return `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}`;
}

/** Returns the bill with another gross amount, and matching net and tax amounts. */
export function withGross(bill: Bill, gross: string, vatPercent: number): Bill {
  const net = netOf(gross, vatPercent);
  return {
    ...bill,
    invoice: {
      ...bill.invoice,
      gross_amount: gross,
      net_amount: net,
      tax_amount: microToDecimal(toMicro(gross) - toMicro(net)),
    },
  };
}

/** Returns a copy of the test bill in which some fields of the invoice have other values. */
export function withInvoice(bill: Bill, changes: Partial<CanonicalInvoice>): Bill {
  return { ...bill, invoice: { ...bill.invoice, ...changes } };
}

/** Returns the bill with changed fields of its supplier. A field that is undefined is removed. */
export function withSupplier(
  bill: Bill,
  changes: { readonly [K in keyof CanonicalInvoice['supplier']]?: CanonicalInvoice['supplier'][K] | undefined },
): Bill {
  const supplier = Object.fromEntries(
    Object.entries({ ...bill.invoice.supplier, ...changes }).filter(([, value]) => value !== undefined),
  ) as unknown as CanonicalInvoice['supplier'];
  return withInvoice(bill, { supplier });
}

/** Returns the bill with its account written as sort code and account number. */
export function inUkForm(bill: Bill): Bill {
  const iban = bill.invoice.supplier.bank_account?.iban ?? '';
  return withSupplier(bill, { bank_account: { sort_code: iban.slice(8, 14), account_number: iban.slice(14) } });
}
