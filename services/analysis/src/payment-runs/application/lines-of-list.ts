import type { ListedPayment, PaymentList } from '@invoicecontrol/contracts/analysis/v1/payment_run_service';
import { FieldFaults } from '@invoicecontrol/errors';
import { MAX_PAYMENT_TRANSACTIONS } from '@invoicecontrol/payment-files/payment-file';
import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { BankAccount } from '@invoicecontrol/values/bank-account';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrency, minorUnitsOf } from '@invoicecontrol/values/currency';
import { canonicalAmount, isDecimalAmount, toMicro } from '@invoicecontrol/values/decimal-amount';
import type { PaymentLine } from '../domain/payment-line.js';

/**
 * Reads the payments that a request lists, as lines of a payment run.
 * @throws DomainError invalid, with the path of each fault
 */
export function linesOfList({ payments, executionDate: ofAll }: PaymentList): readonly PaymentLine[] {
  const faults = new FieldFaults();
  if (payments.length === 0) faults.add('payments', 'Must have at least 1 item.');
  if (payments.length > MAX_PAYMENT_TRANSACTIONS) {
    faults.add(
      'payments',
      `Must have at most ${MAX_PAYMENT_TRANSACTIONS} items. Send the remaining payments as further runs.`,
    );
    faults.throwIfAny();
  }
  if (ofAll !== undefined && !isCalendarDate(ofAll)) faults.add('execution_date', 'Must be a date such as 2026-12-31.');
  const seen = new Map<string, number>();
  const lines = payments.map((payment, index): PaymentLine => {
    const path = `payments[${index}]`;
    const first = seen.get(payment.id);
    if (first !== undefined) faults.add(`${path}.id`, `Must be unique in the run. payments[${first}] has the same id.`);
    seen.set(payment.id, index);
    return lineOf(payment, index, ofAll, (field, message) => faults.add(`${path}.${field}`, message));
  });
  faults.throwIfAny();
  return lines;
}

function lineOf(
  payment: ListedPayment,
  index: number,
  ofAll: string | undefined,
  report: (field: string, message: string) => void,
): PaymentLine {
  const { id, endToEndId, amount, creditorName, creditorTaxId, creditorReference, remittance, ksefNumber } = payment;
  const executionDate = payment.executionDate ?? ofAll;
  if (payment.executionDate !== undefined && !isCalendarDate(payment.executionDate)) {
    report('execution_date', 'Must be a date such as 2026-12-31.');
  }
  const read = invoiceCurrency(payment.currency, executionDate);
  if ('refusal' in read) report('currency', read.refusal);
  const currency = payment.currency.toUpperCase();
  checkAmount(amount, currency, report);
  const stated = accountIn(payment);
  const account = stated === undefined ? undefined : readBankAccount(stated);
  if (account?.problems.some((problem) => problem !== 'WRONG_NATIONAL_CHECK') === true) {
    report('creditor_account', 'Must be a valid account. Check the IBAN, or the sort code and account number.');
  }
  return {
    lineId: id,
    position: index + 1,
    ...(endToEndId === undefined ? {} : { endToEndId }),
    amount,
    currency,
    ...(creditorName === undefined ? {} : { creditorName }),
    ...(account === undefined ? {} : { creditorAccount: { key: account.key, masked: account.masked } }),
    creditorTaxIds: creditorTaxId === undefined ? [] : [creditorTaxId],
    ...(executionDate === undefined ? {} : { executionDate }),
    documents: [...payment.invoiceNumbers, ...(ksefNumber === undefined ? [] : [ksefNumber])].map((number) => ({
      number,
    })),
    ...(creditorReference === undefined ? {} : { creditorReference }),
    texts: remittance === undefined ? [] : [remittance],
  };
}

function checkAmount(amount: string, currency: string, report: (field: string, message: string) => void): void {
  if (!isDecimalAmount(amount) || amount.startsWith('-') || toMicro(amount) === 0n) {
    report('amount', 'Must be a positive decimal string such as 1250.00.');
    return;
  }
  const decimals = canonicalAmount(amount).split('.')[1]?.length ?? 0;
  const most = minorUnitsOf(currency);
  if (decimals > most) report('amount', `Must have at most ${most} decimals, because ${currency} has no smaller unit.`);
}

function accountIn({ iban, sortCode, accountNumber }: ListedPayment): BankAccount | undefined {
  if (iban !== undefined) return { iban };
  return sortCode === undefined || accountNumber === undefined ? undefined : { sortCode, accountNumber };
}
