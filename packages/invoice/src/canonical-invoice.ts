import { sameAccount } from '@invoicecontrol/values/bank-account';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { optional, required } from './declaration.js';
import type { Declared, Report, Values } from './declaration.js';
import { amount, calendarDate, currencyCode, text, ukAccountNumber, ukSortCode, uuid } from './kinds.js';

const anyText = text(1_000);
const name = text(400);
/**
 * Maximum length of texts in a row of a history scan, except the name. It is lower than for an invoice, because a
 * history scan has many rows.
 */
export const rowText = text(200);

const bankAccount = {
  members: {
    iban: optional(
      anyText,
      'The IBAN of the supplier, with or without spaces. An invalid IBAN raises the finding BANK_ACCOUNT_INVALID.',
      {
        name: 'bankIban',
        kind: rowText,
        description:
          'The IBAN of the supplier. Send an IBAN together with bankSortCode and bankAccountNumber only if they name the same account.',
      },
    ),
    sort_code: optional(
      ukSortCode,
      'The UK sort code of the bank account of the supplier. Must be sent together with account_number.',
      {
        name: 'bankSortCode',
        description:
          'The UK sort code of the bank account of the supplier. The sort code is ignored without bankAccountNumber.',
      },
    ),
    account_number: optional(
      ukAccountNumber,
      'The UK account number of the bank account of the supplier. Must be sent together with sort_code.',
      {
        name: 'bankAccountNumber',
        description:
          'The UK account number of the bank account of the supplier. The account number is ignored without bankSortCode.',
      },
    ),
  },
  isOptional: true,
  description:
    'The bank account of the supplier: an IBAN, or a sort_code with an account_number, or all three if they name the same account.',
  published: {
    minProperties: 1,
    dependentRequired: { sort_code: ['account_number'], account_number: ['sort_code'] },
  },
  rule: isOneAccount,
} as const;

/**
 * The canonical invoice (specification 2.2). Each field is declared once: its public name, its kind, and its name in a
 * row of a history scan. Parsers, the mapping to messages, the published schemas and the type follow from this
 * declaration.
 */
export const canonicalInvoice = {
  members: {
    supplier: {
      members: {
        name: required(name, 'The name of the supplier as stated on the invoice.', {
          name: 'supplierName',
          description: 'The name of the supplier that sent the invoice.',
        }),
        tax_id: optional(anyText, 'The tax id of the supplier as stated on the invoice.', {
          name: 'supplierTaxId',
          kind: rowText,
          description: 'The tax id of the supplier.',
        }),
        bank_account: bankAccount,
      },
      isOptional: false,
      description: 'The supplier that sent the invoice and requests payment.',
    },
    invoice_number: required(anyText, 'The invoice number that the supplier assigned.', {
      name: 'invoiceNumber',
      kind: rowText,
    }),
    issue_date: required(calendarDate, 'The issue date of the invoice.', { name: 'issueDate' }),
    due_date: optional(calendarDate, 'The date by which the invoice must be paid.'),
    currency: required(currencyCode, undefined, { name: 'currency', isOptional: true }),
    net_amount: optional(amount, 'The net amount of the invoice, without tax.'),
    tax_amount: optional(amount, 'The tax amount of the invoice.'),
    gross_amount: required(amount, 'The gross amount of the invoice, tax included. Negative for a credit note.', {
      name: 'grossAmount',
    }),
    purchase_order_ref: optional(anyText, 'The number of the purchase order that the invoice refers to.', {
      name: 'purchaseOrderRef',
      kind: rowText,
    }),
    buyer: {
      members: {
        name: optional(name, 'The name of the buyer as stated on the invoice.'),
        tax_id: optional(
          anyText,
          'The VAT id of the buyer. If company_id is absent, the invoice is assigned to the company with this VAT id.',
        ),
      },
      isOptional: true,
      description: 'The buyer that the invoice is addressed to.',
    },
    company_id: optional(
      uuid,
      'The id of the company to which the invoice is addressed. If absent, the company is determined by buyer.tax_id.',
    ),
  },
  isOptional: false,
  description: 'An invoice in the canonical form, independent of its original format.',
  rule: ({ currency, issue_date }: Values, report: Report) => checkCurrency(currency, issue_date, report),
} as const;

/** The canonical invoice, as callers send it and as it is stored and returned. Amounts are decimal strings. */
export type CanonicalInvoice = Declared<typeof canonicalInvoice.members>;

/** An IBAN, a UK sort code with an account number, or both if they denote the same bank account. */
export type CanonicalBankAccount = Declared<typeof bankAccount.members>;

/** The issue date decides which currency codes are valid: an old invoice may state a withdrawn currency. */
export function checkCurrency(currency: unknown, issueDate: unknown, report: Report): void {
  if (typeof currency !== 'string') return;
  const read = invoiceCurrency(currency, typeof issueDate === 'string' ? issueDate : undefined);
  if ('refusal' in read) report('currency', read.refusal);
}

function isOneAccount(account: Values, report: Report): void {
  const half = 'Required: sort_code and account_number are given together.';
  const hasSortCode = 'sort_code' in account;
  const hasAccountNumber = 'account_number' in account;
  if (hasSortCode && !hasAccountNumber) report('account_number', half);
  if (hasAccountNumber && !hasSortCode) report('sort_code', half);
  if (Object.keys(account).length === 0) {
    report('', 'Must have an iban, or sort_code and account_number. Omit bank_account if it is unknown.');
  }
  if (areTwoAccounts(account['iban'], account['sort_code'], account['account_number'])) {
    report('', 'The iban and the sort_code with account_number name different accounts. Send only one of them.');
  }
}

/** Checks whether an invoice states an IBAN together with a UK account that belongs to a different IBAN. */
export function areTwoAccounts(iban: unknown, sortCode: unknown, accountNumber: unknown): boolean {
  if (typeof iban !== 'string' || typeof sortCode !== 'string' || typeof accountNumber !== 'string') return false;
  return !sameAccount({ iban }, { sortCode, accountNumber });
}
