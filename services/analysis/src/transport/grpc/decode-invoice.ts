import type { BankAccount, Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { DomainError, invalidField } from '@invoicecontrol/errors';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import type { CanonicalBankAccount, CanonicalInvoice } from '@invoicecontrol/engine/facts/invoice';

/**
 * The canonical invoice of a request. The gateway has told integrators about every fault by then; this refuses the
 * first fault of any other caller, so that nothing malformed is ever stored.
 * @throws DomainError invalid
 */
export function decodeInvoice(wire: Invoice | undefined): CanonicalInvoice {
  if (wire?.supplier === undefined) throw new DomainError('invalid', 'invoice.supplier: is required.');
  const { supplier, buyer } = wire;
  const issueDate = date('issue_date', wire.issueDate);
  const currency = invoiceCurrency(wire.currency, issueDate);
  if ('refusal' in currency) throw invalidField('currency', currency.refusal);
  return present({
    supplier: present({
      name: text('supplier.name', supplier.name),
      tax_id: optional(text, 'supplier.tax_id', supplier.taxId),
      bank_account: supplier.bankAccount === undefined ? undefined : account(supplier.bankAccount),
    }),
    invoice_number: text('invoice_number', wire.invoiceNumber),
    issue_date: issueDate,
    due_date: optional(date, 'due_date', wire.dueDate),
    currency: currency.code,
    net_amount: optional(amount, 'net_amount', wire.netAmount),
    tax_amount: optional(amount, 'tax_amount', wire.taxAmount),
    gross_amount: amount('gross_amount', wire.grossAmount),
    purchase_order_ref: optional(text, 'purchase_order_ref', wire.purchaseOrderRef),
    buyer:
      buyer === undefined
        ? undefined
        : present({
            name: optional(text, 'buyer.name', buyer.name),
            tax_id: optional(text, 'buyer.tax_id', buyer.taxId),
          }),
    company_id: wire.companyId,
  });
}

/** Longest text that any field may hold; the gateway is stricter where the interface is. */
const TEXT_LENGTH_MAX = 1_000;

function text(path: string, value: string): string {
  const trimmed = value.trim();
  if (!hasVisibleText(trimmed)) throw invalidField(path, 'must not be empty or invisible.');
  if (isLongerThan(trimmed, TEXT_LENGTH_MAX)) {
    throw invalidField(path, `must have at most ${TEXT_LENGTH_MAX} characters.`);
  }
  return trimmed;
}

function date(path: string, value: string): string {
  if (!isCalendarDate(value)) throw invalidField(path, 'must be a real date written YYYY-MM-DD.');
  return value;
}

function amount(path: string, value: string): string {
  if (!isDecimalAmount(value)) throw invalidField(path, 'must be a decimal amount such as "1190.00".');
  return value;
}

function account({ iban, sortCode, accountNumber }: BankAccount): CanonicalBankAccount {
  const isHalf = (sortCode === undefined) !== (accountNumber === undefined);
  if (isHalf) throw invalidField('supplier.bank_account', 'needs sort_code and account_number together.');
  if (iban === undefined && sortCode === undefined) {
    throw invalidField('supplier.bank_account', 'needs an iban, or a sort_code with an account_number.');
  }
  return present({ iban, sort_code: sortCode, account_number: accountNumber });
}

function optional<T extends string>(
  read: (path: string, value: string) => T,
  path: string,
  value: string | undefined,
): T | undefined {
  return value === undefined ? undefined : read(path, value);
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same object without the members that were not given. */
function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
