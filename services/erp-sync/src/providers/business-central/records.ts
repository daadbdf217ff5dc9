import type {
  BillRecord,
  OrderRecord,
  PaymentRecord,
  VendorAccountRecord,
  VendorRecord,
} from '@invoicecontrol/books/records';
import { readPrintedAccount } from '@invoicecontrol/values/printed-account';
import type { Window } from '../provider.js';
import { namesOf, present, required, RowFault } from '../row.js';
import type { Row } from '../row.js';
import type { BusinessCentralConfig } from './client.js';

const NO_DATE = '0001-01-01';
const NO_ID = '00000000-0000-0000-0000-000000000000';
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const vendorFields = fieldsOf(`
  id number displayName addressLine1 addressLine2 city state country postalCode phoneNumber email taxRegistrationNumber
  currencyCode blocked lastModifiedDateTime
`);
const documentFields = `
  id number dueDate vendorId vendorName currencyCode totalAmountExcludingTax totalTaxAmount
  totalAmountIncludingTax status lastModifiedDateTime
`;
export const billFields = fieldsOf(`${documentFields} invoiceDate vendorInvoiceNumber orderNumber`);
export const creditNoteFields = fieldsOf(`${documentFields} creditMemoDate vendorCreditMemoNumber`);
export const orderFields = fieldsOf(`
  id number vendorId currencyCode totalAmountExcludingTax totalAmountIncludingTax lastModifiedDateTime
`);
export const paymentFields = fieldsOf(`
  entryNumber documentType documentNumber externalDocumentNumber postingDate vendorNumber amount currencyCode
  lastModifiedDateTime
`);

/** Function that returns the address of a vendor, a bill or a credit note in the web client of Business Central. */
export type PageUrl = (page: 'vendor' | 'bill' | 'creditNote', number: string) => string | undefined;

export function readVendor(row: Row, pageUrl: PageUrl): VendorRecord {
  const number = row.text('number');
  const blocked = decodeOption(row.text('blocked'));
  return present({
    externalId: requiredId(row, 'id'),
    number,
    name: row.requiredText('displayName'),
    taxId: row.text('taxRegistrationNumber'),
    address: present({
      line1: row.text('addressLine1'),
      line2: row.text('addressLine2'),
      city: row.text('city'),
      region: row.text('state'),
      postalCode: row.text('postalCode'),
      country: row.text('country'),
    }),
    email: row.text('email'),
    phone: row.text('phoneNumber'),
    currency: row.text('currencyCode'),
    status: blocked === '' ? ('ACTIVE' as const) : ('BLOCKED' as const),
    modifiedAt: row.instant('lastModifiedDateTime'),
    url: number === undefined ? undefined : pageUrl('vendor', number),
  });
}

export function readBill(row: Row, pageUrl: PageUrl): BillRecord {
  const order = row.text('orderNumber');
  return {
    ...readDocument(row, 'BILL', pageUrl),
    ...present({ documentNumber: row.text('vendorInvoiceNumber'), issueDate: dayOf(row, 'invoiceDate') }),
    purchaseOrderRefs: order === undefined ? [] : [order],
  };
}

/** Credit memos of Business Central do not state a purchase order. */
export function readCreditNote(row: Row, pageUrl: PageUrl): BillRecord {
  return {
    ...readDocument(row, 'CREDIT_NOTE', pageUrl),
    ...present({ documentNumber: row.text('vendorCreditMemoNumber'), issueDate: dayOf(row, 'creditMemoDate') }),
    purchaseOrderRefs: [],
  };
}

function readDocument(row: Row, kind: BillRecord['kind'], pageUrl: PageUrl): Omit<BillRecord, 'purchaseOrderRefs'> {
  const number = row.text('number');
  return present({
    externalId: requiredId(row, 'id'),
    kind,
    erpNumber: number,
    vendorExternalId: requiredId(row, 'vendorId'),
    vendorName: row.requiredText('vendorName'),
    dueDate: dayOf(row, 'dueDate'),
    currency: row.requiredText('currencyCode'),
    netAmount: row.amount('totalAmountExcludingTax'),
    taxAmount: row.amount('totalTaxAmount'),
    grossAmount: row.amount('totalAmountIncludingTax'),
    state: stateOf(decodeOption(row.text('status'))),
    modifiedAt: row.instant('lastModifiedDateTime'),
    url: number === undefined ? undefined : pageUrl(kind === 'BILL' ? 'bill' : 'creditNote', number),
  });
}

export function readOrder(row: Row): OrderRecord {
  return present({
    externalId: requiredId(row, 'id'),
    number: row.requiredText('number'),
    vendorExternalId: requiredId(row, 'vendorId'),
    currency: row.requiredText('currencyCode'),
    netAmount: row.amount('totalAmountExcludingTax'),
    grossAmount: row.amount('totalAmountIncludingTax'),
    modifiedAt: row.instant('lastModifiedDateTime'),
  });
}

export function readPayment(
  row: Row,
  vendorIds: ReadonlyMap<string, string>,
  localCurrency: string | undefined,
): PaymentRecord | undefined {
  if (decodeOption(row.requiredText('documentType')) !== 'Payment') return undefined;
  const vendorExternalId = vendorIds.get(row.requiredText('vendorNumber'));
  if (vendorExternalId === undefined) throw new RowFault('vendorNumber is not the number of a vendor.');
  const amount = row.requiredAmount('amount');
  return present({
    externalId: row.requiredText('entryNumber'),
    vendorExternalId,
    date: required(dayOf(row, 'postingDate'), 'postingDate'),
    currency: required(row.text('currencyCode') ?? localCurrency, 'currencyCode'),
    // Business Central reverses a payment by an entry with the opposite sign.
    amount: amount.replace(/^-/, ''),
    reference: row.text('externalDocumentNumber'),
    billExternalIds: [],
    isReturned: amount.startsWith('-'),
    modifiedAt: row.instant('lastModifiedDateTime'),
  });
}

/**
 * Reads a bank account from a row of the customer's page in Business Central. A row without an IBAN cannot be compared.
 */
export function readVendorAccount(row: Row, config: BusinessCentralConfig): VendorAccountRecord | undefined {
  const { bankAccountVendorIdField: vendorField = '', bankAccountIbanField: ibanField = '' } = config;
  const vendor = row.requiredText(vendorField);
  const externalId = accountIdOf(row, config);
  const raw = row.text(ibanField);
  if (raw === undefined) return undefined;
  const bic = row.text('swiftCode');
  return {
    externalId,
    ...(GUID.test(vendor) ? { vendorExternalId: vendor.toLowerCase() } : { vendorNumber: vendor }),
    account: present({ externalId, ...readPrintedAccount(raw), raw, bic }),
  };
}

/**
 * Returns the id of a row of the custom page with bank accounts. If the page has no id field, the id consists of the
 * vendor and the code of the account, because the code is unique only within a vendor.
 */
export function accountIdOf(row: Row, config: BusinessCentralConfig): string {
  const { bankAccountVendorIdField: vendorField = '', bankAccountIbanField: ibanField = '' } = config;
  const id = row.text('id') ?? row.text('systemId');
  return id ?? `${row.requiredText(vendorField)}/${row.text('code') ?? row.requiredText(ibanField)}`;
}

function stateOf(status: string): BillRecord['state'] {
  switch (status) {
    case 'Draft':
    case '':
      return 'DRAFT';
    case 'In Review':
      return 'IN_APPROVAL';
    case 'Open':
      return 'OPEN';
    case 'Paid':
    case 'Corrective':
      return 'PAID';
    case 'Canceled':
      return 'VOID';
    default:
      throw new RowFault('status has a value that is not known.');
  }
}

/**
 * Decodes spaces in option values of Business Central, which are encoded as in XML names. An empty option is `_x0020_`.
 */
function decodeOption(value: string | undefined): string {
  return (value ?? '').replaceAll('_x0020_', ' ').trim();
}

function requiredId(row: Row, name: string): string {
  const id = row.requiredText(name);
  if (id === NO_ID) throw new RowFault(`${name} is missing.`);
  return id.toLowerCase();
}

function dayOf(row: Row, name: string): string | undefined {
  const day = row.day(name);
  return day === NO_DATE ? undefined : day;
}

/** Returns a field list for the query parameter `$select` of Business Central. */
function fieldsOf(names: string): string {
  return namesOf(names).join(',');
}

/** Combines conditions with "and" for the query parameter `$filter` of Business Central. */
export function filterOf(...conditions: readonly (string | undefined)[]): string | undefined {
  return conditions.filter((condition) => condition !== undefined).join(' and ') || undefined;
}

export function changedSince({ from }: Window, modified = 'lastModifiedDateTime'): string | undefined {
  return from === undefined ? undefined : `${modified} ge ${from}`;
}

/** In Business Central, a document without a date is a draft. Drafts are read regardless of the first import date. */
export function datedFrom({ dateFrom }: Window, field: string | undefined): string | undefined {
  if (dateFrom === undefined || field === undefined) return undefined;
  return `(${field} ge ${dateFrom} or ${field} eq ${NO_DATE})`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
