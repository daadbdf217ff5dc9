import type { Row } from '../call.js';
import { dateOf, timeOfDate } from './dates.js';

export interface Entity {
  /** Name of the entity type in error messages of Xero, such as `Invoice`. */
  readonly type: string;
  readonly id: string;
  /** Fields of the Xero entity that `where` and `order` may use. */
  readonly fields: ReadonlySet<string>;
  /** OAuth scopes of Xero, one of which a call needs. */
  readonly scopes: readonly string[];
  /** Fields of the Xero entity that are left out if no page is requested. */
  readonly pagedOnly: readonly string[];
  /** Supported query parameters of the Xero entity other than `page`, `pageSize` and `order`. */
  readonly parameters: readonly string[];
  readonly defaults: (context: DefaultsContext) => Row;
  /** Returns the Xero row that replaces a removed row, because Xero never deletes records. */
  readonly ended: (row: Row) => Row;
}

interface DefaultsContext {
  readonly now: Date;
  readonly baseCurrency: string;
}

const ofInvoices = ['accounting.invoices', 'accounting.invoices.read'];
const transactionFields = [
  'Contact',
  'Date',
  'Status',
  'SubTotal',
  'TotalTax',
  'Total',
  'CurrencyCode',
  'Reference',
  'UpdatedDateUTC',
];

export const entities: Readonly<Record<string, Entity>> = {
  Contacts: {
    type: 'Contact',
    id: 'ContactID',
    fields: new Set([
      'ContactID',
      'Name',
      'ContactStatus',
      'EmailAddress',
      'IsSupplier',
      'IsCustomer',
      'AccountNumber',
      'UpdatedDateUTC',
    ]),
    scopes: ['accounting.contacts', 'accounting.contacts.read'],
    pagedOnly: ['BatchPayments', 'ContactPersons', 'CompanyNumber'],
    parameters: ['where', 'includeArchived', 'IDs', 'summaryOnly', 'searchTerm'],
    defaults: () => ({
      ContactStatus: 'ACTIVE',
      EmailAddress: '',
      BankAccountDetails: '',
      Addresses: [],
      Phones: [],
      IsSupplier: true,
      IsCustomer: false,
    }),
    ended: (row) => ({ ...row, ContactStatus: 'ARCHIVED' }),
  },
  Invoices: {
    type: 'Invoice',
    id: 'InvoiceID',
    fields: new Set([...transactionFields, 'InvoiceID', 'InvoiceNumber', 'Type', 'DueDate', 'AmountDue', 'AmountPaid']),
    scopes: ofInvoices,
    pagedOnly: ['LineItems'],
    parameters: [
      'where',
      'IDs',
      'InvoiceNumbers',
      'ContactIDs',
      'Statuses',
      'includeArchived',
      'createdByMyApp',
      'unitdp',
      'summaryOnly',
    ],
    defaults: (context) => ({
      Type: 'ACCPAY',
      ...transactionDefaults(context),
      ...amountsDefaults,
      AmountDue: 0,
      AmountPaid: 0,
      AmountCredited: 0,
    }),
    ended: (row) => ({
      ...row,
      Status: row['Status'] === 'AUTHORISED' || row['Status'] === 'PAID' ? 'VOIDED' : 'DELETED',
    }),
  },
  CreditNotes: {
    type: 'CreditNote',
    id: 'CreditNoteID',
    fields: new Set([...transactionFields, 'CreditNoteID', 'CreditNoteNumber', 'Type', 'RemainingCredit']),
    scopes: ofInvoices,
    pagedOnly: ['LineItems'],
    parameters: ['where', 'unitdp'],
    defaults: (context) => ({ Type: 'ACCPAYCREDIT', ...transactionDefaults(context), ...amountsDefaults }),
    ended: (row) => ({ ...row, Status: 'VOIDED' }),
  },
  PurchaseOrders: {
    type: 'PurchaseOrder',
    id: 'PurchaseOrderID',
    fields: new Set([...transactionFields, 'PurchaseOrderID', 'PurchaseOrderNumber', 'DeliveryDate']),
    scopes: ofInvoices,
    pagedOnly: ['LineItems'],
    parameters: ['Status', 'DateFrom', 'DateTo'],
    defaults: (context) => ({ ...transactionDefaults(context), ...amountsDefaults }),
    ended: (row) => ({ ...row, Status: 'DELETED' }),
  },
  Payments: {
    type: 'Payment',
    id: 'PaymentID',
    fields: new Set(['PaymentID', 'Date', 'Amount', 'Status', 'PaymentType', 'Reference', 'Invoice', 'UpdatedDateUTC']),
    scopes: ['accounting.payments', 'accounting.payments.read'],
    pagedOnly: [],
    parameters: ['where'],
    defaults: ({ now }) => ({
      Date: dateOf(dayOf(now)),
      Amount: 0,
      CurrencyRate: 1,
      PaymentType: 'ACCPAYPAYMENT',
      Status: 'AUTHORISED',
      Reference: '',
      IsReconciled: false,
    }),
    ended: (row) => ({ ...row, Status: 'DELETED' }),
  },
};

const amountsDefaults = { LineAmountTypes: 'Exclusive', SubTotal: 0, TotalTax: 0, Total: 0, LineItems: [] };

function transactionDefaults({ now, baseCurrency }: DefaultsContext): Row {
  return { Status: 'AUTHORISED', Date: dateOf(dayOf(now)), Reference: '', CurrencyCode: baseCurrency, CurrencyRate: 1 };
}

function dayOf(now: Date): number {
  return Date.parse(now.toISOString().slice(0, 10));
}

/**
 * Completes the dates of a Xero row. Xero states each day twice, as `/Date(...)/` and as text, and a test may give only
 * one of them.
 */
export function completeDates(row: Row, record: Row): Row {
  const completed: Record<string, unknown> = { ...row };
  for (const name of ['Date', 'DueDate']) {
    const text = record[`${name}String`];
    const source = text ?? row[name];
    const time = typeof source === 'string' ? timeOfDate(source) : Number.NaN;
    if (Number.isNaN(time)) continue;
    if (text !== undefined && record[name] === undefined) completed[name] = dateOf(time);
    if (name in row && text === undefined) completed[`${name}String`] = new Date(time).toISOString().slice(0, 19);
    if (typeof completed[name] === 'string' && !String(completed[name]).startsWith('/Date('))
      completed[name] = dateOf(time);
  }
  return completed;
}
