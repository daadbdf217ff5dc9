import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { comparedAmount } from './payment-line.js';
import type { PaymentLine } from './payment-line.js';
import type { LineResult } from './verdict.js';

/** A payment that an ERP recorded. */
export interface BookedPayment {
  readonly paymentId: string;
  readonly invoiceIds: readonly string[];
  readonly amountMinor: string;
  readonly currency: string;
  readonly date: CalendarDate;
}

/**
 * Number of days by which a payment of an ERP may be dated before the payment line was given to the bank, because time
 * zones differ.
 */
const EARLIER_DAYS_MAX = 1;

/**
 * Returns the ERP payments that record the payment of a payment run line. Such an ERP payment settles only bills of the
 * line. Its amount is the amount of the whole line or, if it settles one bill, the amount that the line pays of this
 * bill. An ERP payment that is dated before the line was given out is a different payment.
 * @param billsOf returns the ids of the ERP bills for an invoice of the line
 * @param leftOn day on which the line was given out or, if its payment run has no file, was sent
 */
export function bookedFor(
  line: PaymentLine,
  { invoices }: Pick<LineResult, 'invoices'>,
  payments: readonly BookedPayment[],
  { billsOf, leftOn }: { readonly billsOf: (invoiceId: string) => readonly string[]; readonly leftOn: CalendarDate },
): readonly BookedPayment[] {
  const partOf = new Map(
    invoices.flatMap((invoice) => billsOf(invoice.invoiceId).map((billId) => [billId, invoice] as const)),
  );
  const { amount, currency } = comparedAmount(line);
  const whole = String(toMinorUnits(amount, minorUnitsOf(currency)));
  const earliest = addDays(leftOn, -EARLIER_DAYS_MAX);
  return payments.filter((payment) => {
    const parts = payment.invoiceIds.map((id) => partOf.get(id));
    if (parts.length === 0 || payment.date < earliest || payment.currency !== currency) return false;
    if (parts.some((part) => part === undefined)) return false;
    return payment.amountMinor === whole || (parts.length === 1 && parts[0]?.amountMinor === payment.amountMinor);
  });
}
