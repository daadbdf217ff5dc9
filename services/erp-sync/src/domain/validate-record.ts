import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { BankAccount } from '@invoicecontrol/values/bank-account';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { cleanLine, faultOfLine } from '@invoicecontrol/values/readable-text';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { parseUrl } from '@invoicecontrol/values/url';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import type {
  AccountRecord,
  BillRecord,
  OrderRecord,
  PaymentRecord,
  RecordsOf,
  StreamName,
  VendorAccountRecord,
  VendorRecord,
} from './records.js';

/** Limits of what is taken over from an ERP; each is above what the four of them allow. */
export const recordLimits = {
  idLength: 200,
  textLength: 1_000,
  urlLength: 2_048,
  accounts: 100,
  purchaseOrderRefs: 100,
  billsOfPayment: 1_000,
  amountDigits: 15,
  amountDecimals: 6,
} as const;

/** A record that may be stored, or why not, in our words: no value of the ERP is repeated. */
export type CheckedRecord<R> = { readonly record: R } | { readonly problem: string };

/**
 * Checks a record before it is sent on (ERP reference, section 14), whatever its provider has checked. Amounts get at most
 * six decimals, currencies upper case, and an IBAN that is none remains as the text that the ERP prints.
 */
export function checkRecord<S extends StreamName>(stream: S, record: RecordsOf[S]): CheckedRecord<RecordsOf[S]> {
  try {
    return { record: checks[stream](readable(record) as never) as RecordsOf[S] };
  } catch (error) {
    if (error instanceof InvalidRecord) return { problem: error.message };
    throw error;
  }
}

class InvalidRecord extends Error {}

const checks = {
  vendors: checkVendor,
  bankAccounts: checkVendorAccount,
  bills: checkBill,
  creditNotes: checkBill,
  payments: checkPayment,
  orders: checkOrder,
} as const;

function checkVendor(vendor: VendorRecord): VendorRecord {
  requireId(vendor.externalId, 'id');
  requireText(vendor.name, 'name');
  for (const field of ['number', 'taxId', 'registrationNumber', 'email', 'phone'] as const)
    limitText(vendor[field], field);
  for (const [field, text] of Object.entries(vendor.address ?? {})) limitText(text as string | undefined, field);
  limitId(vendor.mergedIntoExternalId, 'merged vendor');
  limitUrl(vendor.url);
  requireInstant(vendor.modifiedAt);
  if ((vendor.accounts?.length ?? 0) > recordLimits.accounts) {
    throw new InvalidRecord(`The vendor has more than ${recordLimits.accounts} bank accounts.`);
  }
  return {
    ...vendor,
    ...(vendor.currency === undefined ? {} : { currency: currencyOf(vendor.currency) }),
    ...(vendor.accounts === undefined ? {} : { accounts: vendor.accounts.map(checkAccount) }),
  };
}

function checkVendorAccount(row: VendorAccountRecord): VendorAccountRecord {
  requireId(row.externalId, 'id');
  limitId(row.vendorExternalId, 'vendor id');
  limitId(row.vendorNumber, 'vendor number');
  if ((row.vendorExternalId === undefined) === (row.vendorNumber === undefined)) {
    throw new InvalidRecord('The bank account does not name its vendor.');
  }
  return { ...row, account: checkAccount(row.account) };
}

function checkAccount(account: AccountRecord): AccountRecord {
  for (const field of ['iban', 'sortCode', 'accountNumber', 'raw', 'holder', 'bic'] as const)
    limitText(account[field], field);
  limitId(account.externalId, 'id of the bank account');
  if (account.isMasked === true || isReadableAccount(account)) return account;
  const { iban, sortCode, accountNumber, ...printed } = account;
  return printed;
}

/** Whether it has no number that could be compared, or a right one. National check digits are the bank's affair. */
function isReadableAccount({ iban, sortCode, accountNumber }: AccountRecord): boolean {
  if (iban !== undefined) return isRight({ iban });
  if (sortCode === undefined && accountNumber === undefined) return true;
  return sortCode !== undefined && accountNumber !== undefined && isRight({ sortCode, accountNumber });
}

function isRight(account: BankAccount): boolean {
  return readBankAccount(account).problems.every((problem) => problem === 'WRONG_NATIONAL_CHECK');
}

function checkBill(bill: BillRecord): BillRecord {
  requireId(bill.externalId, 'id');
  requireId(bill.vendorExternalId, 'vendor');
  requireText(bill.vendorName, 'name of the vendor');
  limitText(bill.documentNumber, 'document number');
  limitText(bill.erpNumber, 'number');
  limitId(bill.paidAccountExternalId, 'paid account');
  limitUrl(bill.url);
  for (const field of ['issueDate', 'dueDate', 'postingDate'] as const) requireDay(bill[field], field);
  requireInstant(bill.modifiedAt);
  if (bill.purchaseOrderRefs.length > recordLimits.purchaseOrderRefs) {
    throw new InvalidRecord(`The bill names more than ${recordLimits.purchaseOrderRefs} purchase orders.`);
  }
  for (const reference of bill.purchaseOrderRefs) requireText(reference, 'purchase order');
  return {
    ...bill,
    currency: currencyOf(bill.currency),
    ...amounts(bill, ['netAmount', 'taxAmount', 'paidAmount']),
    ...amounts(bill, ['grossAmount'], 'unsigned'),
  };
}

function checkOrder(order: OrderRecord): OrderRecord {
  requireId(order.externalId, 'id');
  requireText(order.number, 'number');
  requireId(order.vendorExternalId, 'vendor');
  requireInstant(order.modifiedAt);
  return { ...order, currency: currencyOf(order.currency), ...amounts(order, ['netAmount', 'grossAmount']) };
}

function checkPayment(payment: PaymentRecord): PaymentRecord {
  requireId(payment.externalId, 'id');
  requireId(payment.vendorExternalId, 'vendor');
  limitText(payment.reference, 'reference');
  if (payment.date === undefined) throw new InvalidRecord('The payment has no date.');
  requireDay(payment.date, 'date');
  requireInstant(payment.modifiedAt);
  if (payment.billExternalIds.length > recordLimits.billsOfPayment) {
    throw new InvalidRecord(`The payment settles more than ${recordLimits.billsOfPayment} bills.`);
  }
  for (const id of payment.billExternalIds) requireId(id, 'bill');
  return {
    ...payment,
    currency: currencyOf(payment.currency),
    amount: amountOf(payment.amount, 'unsigned'),
    ...(payment.account === undefined ? {} : { account: checkAccount(payment.account) }),
  };
}

/** NUL, and halves of surrogate pairs: databases and readers of JSON disagree about them. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Ids and addresses: one that is changed names something else. */
const NAMES_SOMETHING = /^(?:url|externalId|\w+ExternalIds?)$/;

/** The record with texts that people can read: an ERP may store anything. What is left empty is absent. */
function readable<T>(value: T, isExact = false): T {
  if (typeof value === 'string') {
    if (UNSTORABLE.test(value)) {
      throw new InvalidRecord('A text has a character that cannot be stored (NUL, or half a surrogate pair).');
    }
    return (isExact ? value : cleanLine(value, Infinity)) as T;
  }
  if (Array.isArray(value)) return value.map((entry) => readable(entry, isExact)).filter((entry) => entry !== '') as T;
  if (typeof value !== 'object' || value === null) return value;
  const made: Record<string, unknown> = {};
  for (const name in value) {
    const member: unknown = readable(value[name], NAMES_SOMETHING.test(name));
    if (member !== '' || NAMES_SOMETHING.test(name)) made[name] = member;
  }
  return made as T;
}

function requireId(id: string | undefined, what: string): void {
  if (typeof id !== 'string' || id === '') throw new InvalidRecord(`The ${what} is missing.`);
  limitId(id, what);
}

function requireText(text: string | undefined, what: string): void {
  if (typeof text !== 'string' || !hasVisibleText(text)) throw new InvalidRecord(`The ${what} is missing.`);
  limitText(text, what);
}

function limitId(id: string | undefined, what: string): void {
  if (id !== undefined && id.length > recordLimits.idLength) {
    throw new InvalidRecord(`The ${what} has more than ${recordLimits.idLength} characters.`);
  }
  if (id !== undefined && faultOfLine(id) !== undefined) {
    throw new InvalidRecord(`The ${what} has characters that nobody sees.`);
  }
}

function limitText(text: string | undefined, what: string): void {
  if (text !== undefined && isLongerThan(text, recordLimits.textLength)) {
    throw new InvalidRecord(`The ${what} has more than ${recordLimits.textLength} characters.`);
  }
}

function limitUrl(url: string | undefined): void {
  if (url === undefined) return;
  const isShort = url.length <= recordLimits.urlLength;
  const isLink = isShort && /^https?:\/\//.test(url) && parseUrl(url) !== undefined && faultOfLine(url) === undefined;
  if (!isLink) throw new InvalidRecord('The address of the page in the ERP is not a link.');
}

function requireDay(day: string | undefined, what: string): void {
  if (day !== undefined && !isCalendarDate(day)) throw new InvalidRecord(`The ${what} is not a day.`);
}

function requireInstant(instant: string | undefined): void {
  if (instant !== undefined && Number.isNaN(Date.parse(instant))) {
    throw new InvalidRecord('The time of the last change is not a time.');
  }
}

function currencyOf(code: string): string {
  const read = invoiceCurrency(typeof code === 'string' ? code : '', undefined);
  if ('refusal' in read) throw new InvalidRecord('The currency is no ISO 4217 currency.');
  return read.code;
}

function amounts<R extends object, F extends keyof R>(record: R, fields: readonly F[], sign?: 'unsigned'): Partial<R> {
  const checked: Partial<R> = {};
  for (const field of fields) {
    const amount = record[field] as string | undefined;
    if (amount !== undefined) checked[field] = amountOf(amount, sign) as R[F];
  }
  return checked;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** The amount with at most six decimals; one that has no more keeps the digits that the ERP sent. */
function amountOf(amount: string, sign?: 'unsigned'): string {
  const [, minus, integer = '', fraction = ''] = (typeof amount === 'string' && DECIMAL.exec(amount)) || [];
  if (minus === undefined) throw new InvalidRecord('An amount is not a decimal number.');
  if (sign === 'unsigned' && minus === '-' && /[1-9]/.test(integer + fraction)) {
    throw new InvalidRecord('An amount is negative.');
  }
  const rounded = roundDecimals(integer, fraction);
  if (rounded.replace('.', '').replace(/^0+(?=\d)/, '').length > recordLimits.amountDigits) {
    throw new InvalidRecord(`An amount has more than ${recordLimits.amountDigits} digits.`);
  }
  return `${/[1-9]/.test(rounded) ? minus : ''}${rounded}`;
}

function roundDecimals(integer: string, fraction: string): string {
  const { amountDecimals } = recordLimits;
  if (fraction.length <= amountDecimals) return fraction === '' ? integer : `${integer}.${fraction}`;
  const isUp = Number(fraction[amountDecimals]) >= 5;
  const scaled = String(BigInt(integer + fraction.slice(0, amountDecimals)) + (isUp ? 1n : 0n)).padStart(
    amountDecimals + 1,
    '0',
  );
  const decimals = scaled.slice(-amountDecimals).replace(/(?<!0)0+$/, '');
  return `${scaled.slice(0, -amountDecimals)}${decimals === '' ? '' : `.${decimals}`}`;
}
