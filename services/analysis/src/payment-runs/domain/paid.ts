import { compareText } from '@invoicecontrol/engine/facts/record-order';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { PAYMENTS_SHOWN_MAX } from './payable.js';
import type { EarlierPayment } from './payable.js';

/** Payments of a bill that are recorded in its ERP. Amounts are minor units. */
export interface PaidInErp {
  /** Amount of a bill that the ERP states as paid. Undefined if the ERP states no paid amount. */
  readonly statedMinor: bigint | undefined;
  /** Earlier ERP payments that settle this bill and no other bill. */
  readonly payments: readonly { readonly id: string; readonly amountMinor: bigint; readonly on: CalendarDate }[];
}

/** A line of an earlier payment run that was given to the bank for the bill, and was not rejected. */
export interface PaidByRun {
  readonly runId: string;
  readonly lineId: string;
  readonly amountMinor: bigint;
  readonly on: CalendarDate;
}

/**
 * Adds up what was paid for a bill. The ERP learns of the payment of a payment run some days later. An ERP payment with
 * the same amount as a payment line is therefore the payment of that line, and is counted once. The ERP may also state
 * a paid amount that is higher than the sum of its payments, for example because one payment settled several bills. The
 * difference is then used for payment lines that have no ERP payment with their amount.
 */
export function paidFor(
  erp: PaidInErp,
  lines: readonly PaidByRun[],
): {
  readonly paidMinor: bigint;
  readonly payments: readonly EarlierPayment[];
} {
  const known = erp.payments.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const stated = erp.statedMinor !== undefined && erp.statedMinor > known ? erp.statedMinor : known;
  const unmatched = erp.payments.map(({ amountMinor }) => amountMinor);
  const alone = lines.filter(({ amountMinor }) => {
    const same = unmatched.indexOf(amountMinor);
    if (same < 0) return true;
    unmatched.splice(same, 1);
    return false;
  });
  const ofLines = alone.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const covered = stated - known;
  const payments: EarlierPayment[] = [
    ...erp.payments.map(({ id, amountMinor, on }) => ({
      kind: 'ERP' as const,
      id,
      amountMinor: String(amountMinor),
      on,
    })),
    ...lines.map(({ runId, lineId, amountMinor, on }) => ({
      kind: 'RUN' as const,
      id: runId,
      lineId,
      amountMinor: String(amountMinor),
      on,
    })),
  ];
  payments.sort((left, right) => compareText(right.on, left.on) || compareText(left.id, right.id));
  return {
    paidMinor: stated + (ofLines > covered ? ofLines - covered : 0n),
    payments: payments.slice(0, PAYMENTS_SHOWN_MAX),
  };
}
