import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { faultOfLine } from '@invoicecontrol/values/readable-text';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { parseUrl } from '@invoicecontrol/values/url';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import { ACCOUNTS_PER_VENDOR_MAX } from './vendor-accounts.js';
import type {
  AccountRecord,
  BillRecord,
  OrderRecord,
  PaymentRecord,
  VendorAccountRecord,
  VendorRecord,
} from '../../records/domain/erp-records.js';

// Why a record of an ERP is not stored: a sentence, or undefined where nothing is wrong (ERP reference, section 14).

const ID_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 1_000;
const URL_LENGTH_MAX = 2_000;
/** Orders that one bill names, and bills that one payment settles. */
export const REFERENCES_MAX = 200;

type Fault = string | undefined;

export function vendorFault(vendor: VendorRecord): Fault {
  const { address, accounts = [] } = vendor;
  return (
    required('externalId', vendor.externalId, ID_LENGTH_MAX) ??
    required('name', vendor.name, TEXT_LENGTH_MAX) ??
    text('number', vendor.number, ID_LENGTH_MAX) ??
    texts(vendor, ['taxId', 'registrationNumber', 'email', 'phone']) ??
    (address && texts(address, ['line1', 'line2', 'city', 'region', 'postalCode', 'country'])) ??
    (vendor.currency === undefined ? undefined : currency(vendor.currency)) ??
    text('mergedIntoExternalId', vendor.mergedIntoExternalId, ID_LENGTH_MAX) ??
    url(vendor.url) ??
    (accounts.length > ACCOUNTS_PER_VENDOR_MAX
      ? `accounts: there are ${accounts.length}; at most ${ACCOUNTS_PER_VENDOR_MAX} of a vendor are stored.`
      : undefined) ??
    first(accounts, accountFault)
  );
}

export function vendorAccountFault({
  externalId,
  vendorExternalId,
  vendorNumber,
  account,
}: VendorAccountRecord): Fault {
  if ((vendorExternalId === undefined) === (vendorNumber === undefined)) {
    return 'vendor: must be named either by its id or by its number.';
  }
  return (
    required('externalId', externalId, ID_LENGTH_MAX) ??
    text('vendorExternalId', vendorExternalId, ID_LENGTH_MAX) ??
    text('vendorNumber', vendorNumber, ID_LENGTH_MAX) ??
    accountFault(account)
  );
}

/** A draft, and a bill that was voided, may lack what {@link isComplete} asks for. */
export function billFault(bill: BillRecord): Fault {
  const { netAmount, taxAmount, grossAmount, paidAmount } = bill;
  return (
    required('externalId', bill.externalId, ID_LENGTH_MAX) ??
    required('vendorExternalId', bill.vendorExternalId, ID_LENGTH_MAX) ??
    required('vendorName', bill.vendorName, TEXT_LENGTH_MAX) ??
    texts(bill, ['documentNumber', 'erpNumber']) ??
    currency(bill.currency) ??
    day('issueDate', bill.issueDate) ??
    day('dueDate', bill.dueDate) ??
    day('postingDate', bill.postingDate) ??
    amounts({ netAmount, taxAmount, grossAmount, paidAmount }) ??
    references('purchaseOrderRefs', bill.purchaseOrderRefs, TEXT_LENGTH_MAX) ??
    text('paidAccountExternalId', bill.paidAccountExternalId, ID_LENGTH_MAX) ??
    url(bill.url) ??
    (bill.state === 'DRAFT' || bill.state === 'VOID' || isComplete(bill)
      ? undefined
      : 'A bill that is neither a draft nor voided must have a number, an issue date and an amount.')
  );
}

/** A bill that has what every invoice has. */
export interface CompleteBill extends BillRecord {
  readonly issueDate: string;
  readonly grossAmount: string;
  /** The supplier's number, else that of the ERP. */
  readonly documentNumber: string;
}

/** Whether nothing is missing that every invoice has. */
function isComplete({ documentNumber, erpNumber, issueDate, grossAmount }: BillRecord): boolean {
  return isStated(documentNumber ?? erpNumber) && issueDate !== undefined && grossAmount !== undefined;
}

/** The bill with the number that it is known by; undefined for a draft that lacks what every invoice has. */
export function completeBill(bill: BillRecord): CompleteBill | undefined {
  const documentNumber = isStated(bill.documentNumber) ? bill.documentNumber : bill.erpNumber;
  const { issueDate, grossAmount } = bill;
  if (!isStated(documentNumber) || issueDate === undefined || grossAmount === undefined) return undefined;
  return { ...bill, documentNumber, issueDate, grossAmount };
}

export function orderFault({ netAmount, grossAmount, ...order }: OrderRecord): Fault {
  return (
    required('externalId', order.externalId, ID_LENGTH_MAX) ??
    required('number', order.number, TEXT_LENGTH_MAX) ??
    required('vendorExternalId', order.vendorExternalId, ID_LENGTH_MAX) ??
    currency(order.currency) ??
    amounts({ netAmount, grossAmount })
  );
}

export function paymentFault({ amount, account, ...payment }: PaymentRecord): Fault {
  return (
    required('externalId', payment.externalId, ID_LENGTH_MAX) ??
    required('vendorExternalId', payment.vendorExternalId, ID_LENGTH_MAX) ??
    day('date', payment.date) ??
    currency(payment.currency) ??
    amounts({ amount }) ??
    text('reference', payment.reference, TEXT_LENGTH_MAX) ??
    references('billExternalIds', payment.billExternalIds, ID_LENGTH_MAX) ??
    (account && accountFault(account))
  );
}

function accountFault(account: AccountRecord): Fault {
  if ((account.sortCode === undefined) !== (account.accountNumber === undefined)) {
    return 'account: a sort code and an account number come together.';
  }
  return (
    text('account.externalId', account.externalId, ID_LENGTH_MAX) ??
    texts(account, ['iban', 'sortCode', 'accountNumber', 'raw', 'holder', 'bic'])
  );
}

function isStated(value: string | undefined): value is string {
  return value !== undefined && hasVisibleText(value);
}

function required(name: string, value: string, lengthMax: number): Fault {
  return hasVisibleText(value) ? text(name, value, lengthMax) : `${name}: is missing.`;
}

function text(name: string, value: string | undefined, lengthMax: number): Fault {
  if (value === undefined) return undefined;
  if (isLongerThan(value, lengthMax)) return `${name}: has more than ${lengthMax} characters.`;
  const fault = faultOfLine(value);
  return fault === undefined ? undefined : `${name}: ${fault}`;
}

function texts<N extends string>(values: { readonly [name in N]: string | undefined }, names: readonly N[]): Fault {
  return first(names, (name) => text(name, values[name], TEXT_LENGTH_MAX));
}

function currency(code: string): Fault {
  const read = invoiceCurrency(code, undefined);
  return 'refusal' in read ? `currency: ${read.refusal}` : undefined;
}

function day(name: string, value: string | undefined): Fault {
  return value === undefined || isCalendarDate(value) ? undefined : `${name}: is not a day written YYYY-MM-DD.`;
}

function amounts(values: Readonly<Record<string, string | undefined>>): Fault {
  return first(Object.entries(values), ([name, value]) =>
    value === undefined || isDecimalAmount(value)
      ? undefined
      : `${name}: is not a decimal amount of at most 15 digits before and 6 after the point.`,
  );
}

function references(name: string, values: readonly string[], lengthMax: number): Fault {
  if (values.length > REFERENCES_MAX) return `${name}: there are more than ${REFERENCES_MAX}.`;
  return first(values, (value) => text(name, value, lengthMax));
}

/** Shown as a link to people: another scheme could run a script in their browser. */
function url(value: string | undefined): Fault {
  if (value === undefined) return undefined;
  const isLink = /^https?:\/\//.test(value) && parseUrl(value) !== undefined;
  return text('url', value, URL_LENGTH_MAX) ?? (isLink ? undefined : 'url: is not an http or https address.');
}

function first<T>(items: readonly T[], faultOf: (item: T) => Fault): Fault {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
