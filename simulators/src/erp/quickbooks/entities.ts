import type { Row } from '../call.js';

export interface Entity {
  /** Properties of a QuickBooks entity by which a query may filter and sort. */
  readonly properties: ReadonlySet<string>;
  /** Properties that a QuickBooks query may select in addition to those that every row has. */
  readonly shown: ReadonlySet<string>;
  /** True if rows of the QuickBooks entity are made inactive instead of being deleted. */
  readonly hasActive: boolean;
  /** Returns the default values of the fields of a new QuickBooks row. */
  readonly defaults: (context: DefaultsContext) => Row;
}

interface DefaultsContext {
  readonly id: string;
  /** Current day of the simulated QuickBooks in the form `YYYY-MM-DD`. */
  readonly today: string;
  readonly homeCurrency: string;
  readonly record: Row;
  /** Returns the name of a vendor in the simulated QuickBooks. */
  readonly nameOf: (vendorId: string) => string | undefined;
}

const ofEach = ['Id', 'SyncToken', 'MetaData.CreateTime', 'MetaData.LastUpdatedTime'];
const ofTransactions = [...ofEach, 'DocNumber', 'TxnDate', 'TotalAmt', 'PrivateNote'];
const shownOfTransactions = [
  'MetaData',
  'VendorRef',
  'APAccountRef',
  'CurrencyRef',
  'ExchangeRate',
  'Line',
  'LinkedTxn',
  'TxnTaxDetail',
];

/** QuickBooks entities of the company that the product reads. */
export const entities: Readonly<Record<string, Entity>> = {
  Vendor: {
    properties: new Set([
      ...ofEach,
      'Active',
      'DisplayName',
      'CompanyName',
      'GivenName',
      'FamilyName',
      'PrintOnCheckName',
      'Balance',
    ]),
    shown: new Set([
      'MetaData',
      'TaxIdentifier',
      'BusinessNumber',
      'GSTIN',
      'CurrencyRef',
      'BillAddr',
      'PrimaryEmailAddr',
      'PrimaryPhone',
      'VendorPaymentBankDetail',
      'AcctNum',
    ]),
    hasActive: true,
    defaults: ({ id, homeCurrency, record }) => {
      const name = record['DisplayName'] ?? record['CompanyName'] ?? `Vendor ${id}`;
      return {
        DisplayName: name,
        PrintOnCheckName: name,
        Active: true,
        Balance: 0,
        Vendor1099: false,
        CurrencyRef: { value: homeCurrency },
      };
    },
  },
  Bill: {
    properties: new Set([...ofTransactions, 'DueDate', 'Balance']),
    shown: new Set([...shownOfTransactions, 'GlobalTaxCalculation', 'SalesTermRef']),
    hasActive: false,
    defaults: (context) => ({
      ...transactionDefaults(context),
      Balance: context.record['TotalAmt'] ?? 0,
      LinkedTxn: [],
    }),
  },
  VendorCredit: {
    properties: new Set([...ofTransactions, 'Balance']),
    shown: new Set([...shownOfTransactions, 'GlobalTaxCalculation']),
    hasActive: false,
    defaults: (context) => ({ ...transactionDefaults(context), Balance: context.record['TotalAmt'] ?? 0 }),
  },
  PurchaseOrder: {
    properties: new Set([...ofTransactions, 'POStatus']),
    shown: new Set([...shownOfTransactions, 'DueDate', 'GlobalTaxCalculation']),
    hasActive: false,
    defaults: (context) => ({ ...transactionDefaults(context), POStatus: 'Open' }),
  },
  BillPayment: {
    properties: new Set([...ofTransactions, 'PayType']),
    shown: new Set([...shownOfTransactions, 'CheckPayment', 'CreditCardPayment']),
    hasActive: false,
    defaults: (context) => ({
      ...transactionDefaults(context),
      PayType: 'Check',
      CheckPayment: { BankAccountRef: { value: '35', name: 'Checking' }, PrintStatus: 'NotSet' },
    }),
  },
};

function transactionDefaults({ today, homeCurrency, record, nameOf }: DefaultsContext): Row {
  const { value } = (record['VendorRef'] ?? {}) as { readonly value?: string };
  const name = value === undefined ? undefined : nameOf(value);
  return {
    TxnDate: today,
    CurrencyRef: { value: homeCurrency },
    TotalAmt: 0,
    Line: [],
    ...(name === undefined ? {} : { VendorRef: { value, name } }),
  };
}

/** Masks tax ids and account numbers as Intuit does, except the last four characters. */
export function maskSecrets(row: Row): Row {
  const { TaxIdentifier: taxId, VendorPaymentBankDetail: bank } = row;
  const number = (bank as Row | undefined)?.['BankAccountNumber'];
  return {
    ...row,
    ...(typeof taxId === 'string' ? { TaxIdentifier: mask(taxId) } : {}),
    ...(typeof number === 'string'
      ? { VendorPaymentBankDetail: { ...(bank as Row), BankAccountNumber: mask(number) } }
      : {}),
  };
}

function mask(text: string): string {
  return `${'X'.repeat(Math.max(text.length - 4, 0))}${text.slice(-4)}`;
}
