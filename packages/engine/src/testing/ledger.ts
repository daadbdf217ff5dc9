import { addDays } from '@invoicecontrol/values/calendar-date';
import type { FindingType } from '../explanation/catalogue.js';
import type { Finding } from '../explanation/evidence.js';
import type { CanonicalBankAccount } from '@invoicecontrol/invoice/canonical-invoice';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { inMemoryHistory } from './in-memory-history.js';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import type { Billed, BillOptions } from './in-memory-history.js';

/**
 * Fields of a bill that a test may set. The field `by` is the supplier, and `account` is the bank account to pay to.
 */
export interface Bill extends Omit<InvoiceChanges, 'supplier'> {
  readonly account?: CanonicalBankAccount | undefined;
  readonly by?: { readonly name: string; readonly tax_id?: string };
}

/** Supplier of the test bills that state no supplier. */
export const usualSupplier = { name: 'Acme Supplies Ltd', tax_id: 'DE136695976' };
/** Number of days between two test bills of a supplier. */
export const DAYS_BETWEEN_BILLS = 20;
const FIRST_DAY = '2025-01-01';

/**
 * Builds a supplier's history of bills. Each bill has a new number, an ordinary amount and a later day, so that
 * findings come only from the fields that a test sets.
 */
export function ledger() {
  const history = inMemoryHistory();
  let bills = 0;
  function bill({ account, by = usualSupplier, ...changes }: Bill = {}, options?: BillOptions): Billed {
    bills += 1;
    const bank = account === undefined ? {} : { bank_account: account };
    return history.bill(
      invoiceOf({
        invoice_number: `Q${bills * 7919}`,
        gross_amount: `${1000 + ((bills * 37) % 50)}.00`,
        issue_date: addDays(FIRST_DAY, bills * DAYS_BETWEEN_BILLS),
        ...changes,
        supplier: { ...by, ...bank },
      }),
      options,
    );
  }
  function repeat(count: number, one: Bill = {}, options?: BillOptions): Billed {
    return Array.from({ length: count }, () => bill(one, options)).at(-1) as Billed;
  }
  return { ...history, bill, repeat };
}

/** Returns the finding of the given type that was raised on a test bill, or undefined if there is none. */
export function findingIn(billed: Billed, type: FindingType): Finding | undefined {
  return billed.analysis.findings.find((finding) => finding.type === type);
}

/** Adds the check digits that make the IBAN of a test invoice valid. */
export function ibanOf(country: string, bban: string): { iban: string } {
  const digits = [...`${bban}${country}00`].map((character) => parseInt(character, 36)).join('');
  return { iban: `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${bban}` };
}
