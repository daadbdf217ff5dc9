import type {
  AccountRecord,
  BillRecord,
  OrderRecord,
  PaymentRecord,
  VendorRecord,
} from '@invoicecontrol/books/records';
import { compactOf, readPrintedAccount } from '@invoicecontrol/values/printed-account';
import { difference, isZero } from '../amounts.js';
import { present, required, RowFault } from '../row.js';
import type { Row } from '../row.js';

/** Values that are needed to read rows of Xero but are not in the rows themselves. */
export interface RowContext {
  /** Country of the Xero organisation, which determines the format of account numbers. */
  readonly countryCode: string | undefined;
  readonly baseCurrency: string | undefined;
  /** Function that returns the URL of a record in Xero, such as `/AccountsPayable/View.aspx?InvoiceID=...`. */
  readonly pageUrl: (path: string) => string;
}

export function toVendor(row: Row, context: RowContext): VendorRecord {
  const id = row.requiredText('ContactID');
  const batch = row.row('BatchPayments');
  const printed = [row.text('BankAccountDetails'), batch?.text('BankAccountNumber')];
  return present({
    externalId: id,
    number: row.text('AccountNumber'),
    name: row.requiredText('Name'),
    taxId: row.text('TaxNumber'),
    registrationNumber: row.text('CompanyNumber'),
    address: toAddress(row),
    email: row.text('EmailAddress'),
    phone: toPhone(row),
    currency: row.text('DefaultCurrency'),
    // A Xero contact that is not active has the status ARCHIVED, or GDPRREQUEST after a request to erase personal data.
    status: (row.text('ContactStatus') ?? 'ACTIVE') === 'ACTIVE' ? ('ACTIVE' as const) : ('ARCHIVED' as const),
    mergedIntoExternalId: row.text('MergedToContactID'),
    accounts: toAccounts(printed, batch?.text('BankAccountName'), context),
    modifiedAt: modifiedAt(row),
    url: context.pageUrl(`/Contacts/View/${encodeURIComponent(id)}`),
  });
}

export function toBill(row: Row, context: RowContext): BillRecord {
  const id = row.requiredText('InvoiceID');
  const paid = row.amount('AmountPaid');
  const credited = row.amount('AmountCredited');
  return toDocument(row, context, {
    externalId: id,
    kind: 'BILL',
    documentNumber: row.text('InvoiceNumber'),
    dueDate: dayOf(row, 'DueDate'),
    hasPaidSome: [paid, credited].some((amount) => amount !== undefined && !isZero(amount)),
    paidAmount: paid,
    page: `/AccountsPayable/View.aspx?InvoiceID=${encodeURIComponent(id)}`,
  });
}

export function toCreditNote(row: Row, context: RowContext): BillRecord {
  const id = row.requiredText('CreditNoteID');
  const used = difference(row.amount('Total'), row.amount('RemainingCredit'));
  return toDocument(row, context, {
    externalId: id,
    kind: 'CREDIT_NOTE',
    documentNumber: row.text('CreditNoteNumber'),
    dueDate: undefined,
    hasPaidSome: used !== undefined && !isZero(used),
    paidAmount: undefined,
    page: `/AccountsPayable/ViewCreditNote.aspx?creditNoteID=${encodeURIComponent(id)}`,
  });
}

export function toPayment(row: Row, context: RowContext): PaymentRecord | undefined {
  // Refunds of credit notes and customer payments in Xero are not payments of bills.
  if (row.requiredText('PaymentType') !== 'ACCPAYPAYMENT') return undefined;
  const bill = row.requiredRow('Invoice');
  return present({
    externalId: row.requiredText('PaymentID'),
    vendorExternalId: bill.requiredRow('Contact').requiredText('ContactID'),
    date: required(dayOf(row, 'Date'), 'Date'),
    currency: currencyOf(bill, context),
    amount: row.requiredAmount('Amount'),
    reference: row.text('Reference'),
    billExternalIds: [bill.requiredText('InvoiceID')],
    account: toAccounts([row.text('BankAccountNumber')], undefined, context)[0],
    isReturned: row.text('Status') === 'DELETED',
    modifiedAt: modifiedAt(row),
  });
}

/** Reads an approved purchase order of Xero. Orders that are not approved are not imported. */
export function toOrder(row: Row, context: RowContext): OrderRecord | undefined {
  const status = row.requiredText('Status');
  const number = row.text('PurchaseOrderNumber');
  if ((status !== 'AUTHORISED' && status !== 'BILLED') || number === undefined) return undefined;
  return present({
    externalId: row.requiredText('PurchaseOrderID'),
    number,
    vendorExternalId: row.requiredRow('Contact').requiredText('ContactID'),
    currency: currencyOf(row, context),
    netAmount: row.amount('SubTotal'),
    grossAmount: row.amount('Total'),
    modifiedAt: modifiedAt(row),
  });
}

/** Checks whether a purchase order of Xero was deleted. A deleted order can still be read. */
export function isDeletedOrder(row: Row): boolean {
  return row.text('Status') === 'DELETED';
}

interface DocumentParts extends Pick<BillRecord, 'externalId' | 'kind'> {
  readonly documentNumber: string | undefined;
  readonly dueDate: string | undefined;
  readonly hasPaidSome: boolean;
  readonly paidAmount: string | undefined;
  readonly page: string;
}

function toDocument(
  row: Row,
  context: RowContext,
  { externalId, kind, documentNumber, dueDate, hasPaidSome, paidAmount, page }: DocumentParts,
): BillRecord {
  const contact = row.requiredRow('Contact');
  return present({
    externalId,
    kind,
    documentNumber,
    vendorExternalId: contact.requiredText('ContactID'),
    vendorName: contact.requiredText('Name'),
    issueDate: dayOf(row, 'Date'),
    dueDate,
    currency: currencyOf(row, context),
    netAmount: row.amount('SubTotal'),
    taxAmount: row.amount('TotalTax'),
    grossAmount: row.amount('Total'),
    // Xero does not link purchase orders to bills, so the list of purchase orders is empty.
    purchaseOrderRefs: [],
    state: stateOf(row, hasPaidSome),
    paidAmount,
    modifiedAt: modifiedAt(row),
    url: context.pageUrl(page),
  });
}

function stateOf(row: Row, hasPaidSome: boolean): BillRecord['state'] {
  switch (row.text('Status')) {
    case 'DRAFT':
      return 'DRAFT';
    case 'SUBMITTED':
      return 'IN_APPROVAL';
    case 'AUTHORISED':
      return hasPaidSome ? 'PARTIALLY_PAID' : 'OPEN';
    case 'PAID':
      return 'PAID';
    case 'VOIDED':
    case 'DELETED':
      return 'VOID';
    case undefined:
    default:
      throw new RowFault('Status is missing or not known.');
  }
}

/** Returns the currency of a Xero row. Rows without a currency are in the organisation's currency. */
function currencyOf(row: Row, { baseCurrency }: RowContext): string {
  return required(row.text('CurrencyCode') ?? baseCurrency, 'CurrencyCode');
}

const XERO_DATE = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/;

/**
 * Returns the day of a Xero row without a time zone: `DateString` or, if there is none, the UTC day in `/Date(...)/`.
 */
function dayOf(row: Row, name: 'Date' | 'DueDate'): string | undefined {
  const text = row.day(`${name}String`);
  if (text !== undefined) return text;
  const ms = xeroTime(row, name);
  return ms?.toISOString().slice(0, 10);
}

function modifiedAt(row: Row): Date | undefined {
  return xeroTime(row, 'UpdatedDateUTC');
}

function xeroTime(row: Row, name: string): Date | undefined {
  const text = row.text(name);
  if (text === undefined) return undefined;
  const time = new Date(Number(XERO_DATE.exec(text)?.[1] ?? Number.NaN));
  if (Number.isNaN(time.getTime())) throw new RowFault(`${name} is not a date.`);
  return time;
}

function toAddress(row: Row): VendorRecord['address'] {
  const addresses = row.rows('Addresses');
  const ofType = (type: string): Row | undefined =>
    addresses.find((each) => each.text('AddressType') === type && each.text('AddressLine1') !== undefined);
  const address = ofType('STREET') ?? ofType('POBOX');
  if (address === undefined) return undefined;
  return present({
    line1: address.text('AddressLine1'),
    line2: address.texts('AddressLine2', 'AddressLine3', 'AddressLine4').join(', ') || undefined,
    city: address.text('City'),
    region: address.text('Region'),
    postalCode: address.text('PostalCode'),
    country: address.text('Country'),
  });
}

function toPhone(row: Row): string | undefined {
  const phones = row.rows('Phones').filter((each) => each.text('PhoneNumber') !== undefined);
  const phone = phones.find((each) => each.text('PhoneType') === 'DEFAULT') ?? phones[0];
  return phone?.texts('PhoneCountryCode', 'PhoneAreaCode', 'PhoneNumber').join(' ');
}

/** Returns the bank accounts that users of Xero entered as text, each account once. */
function toAccounts(
  printed: readonly (string | undefined)[],
  holder: string | undefined,
  { countryCode }: RowContext,
): readonly AccountRecord[] {
  const accounts = new Map<string, AccountRecord>();
  for (const raw of printed) {
    if (raw === undefined) continue;
    const compact = compactOf(raw) || raw;
    const account = readPrintedAccount(raw, countryCode);
    if (!accounts.has(compact)) accounts.set(compact, present({ raw, holder, ...account }));
  }
  return [...accounts.values()];
}
