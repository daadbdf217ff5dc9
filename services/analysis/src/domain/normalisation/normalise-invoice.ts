import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { BankAccountFacts } from '@invoicecontrol/values/bank-account';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import type { TaxIdValidity } from '@invoicecontrol/values/tax-id';
import type { CanonicalBankAccount, CanonicalInvoice, InvoiceOrigin, NormalisedInvoice } from '../invoice.js';
import { readInvoiceNumber } from './invoice-number.js';
import { readName } from './name-key.js';
import { readOrderRef } from './order-key.js';

/**
 * Reads a canonical invoice once into the forms that everything else compares (detection reference, section 3).
 * Expects what the boundary has checked: real dates, amounts of the grammar, a known currency. The record is
 * RECEIVED and has no supplier yet.
 */
export function normaliseInvoice(invoice: CanonicalInvoice, origin: InvoiceOrigin): NormalisedInvoice {
  const currency = invoice.currency.toUpperCase();
  const exponent = minorUnitsOf(currency);
  const name = readName(invoice.supplier.name);
  const bank = readAccount(invoice.supplier.bank_account);
  const poKey = invoice.purchase_order_ref === undefined ? undefined : readOrderRef(invoice.purchase_order_ref);
  return {
    ...origin,
    status: 'RECEIVED',
    supplierId: null,
    number: readInvoiceNumber(invoice.invoice_number),
    amountMinor: String(toMinorUnits(invoice.gross_amount, exponent)),
    currency,
    issueDay: dayNumber(invoice.issue_date),
    ...(poKey === undefined ? {} : { poKey }),
    ...bankParts(bank),
    bankProblems: bank?.problems ?? [],
    ...taxParts(invoice.supplier.tax_id, bank),
    nameKey: name.key,
    ...(name.fold === undefined ? {} : { nameFold: name.fold }),
    invoiceNumber: invoice.invoice_number,
    supplierName: invoice.supplier.name,
    issueDate: invoice.issue_date,
    grossAmount: invoice.gross_amount,
    ...(invoice.purchase_order_ref === undefined ? {} : { purchaseOrderRef: invoice.purchase_order_ref }),
    ...(invoice.due_date === undefined ? {} : { dueDay: dayNumber(invoice.due_date) }),
    ...(invoice.net_amount === undefined ? {} : { netMinor: String(toMinorUnits(invoice.net_amount, exponent)) }),
    ...(invoice.tax_amount === undefined ? {} : { taxMinor: String(toMinorUnits(invoice.tax_amount, exponent)) }),
    ...(invoice.buyer?.name === undefined ? {} : { buyerName: invoice.buyer.name }),
    ...(invoice.buyer?.tax_id === undefined ? {} : { buyerTaxId: invoice.buyer.tax_id }),
  };
}

function readAccount(account: CanonicalBankAccount | undefined): BankAccountFacts | undefined {
  if (account?.iban !== undefined) return readBankAccount({ iban: account.iban });
  if (account?.sort_code !== undefined && account.account_number !== undefined) {
    return readBankAccount({ sortCode: account.sort_code, accountNumber: account.account_number });
  }
  return undefined;
}

function bankParts(bank: BankAccountFacts | undefined): {
  bankKey?: string;
  bankMasked?: string;
  bankCountry?: string;
} {
  if (bank === undefined) return {};
  const country = bank.country === undefined ? {} : { bankCountry: bank.country };
  return { bankKey: bank.key, bankMasked: bank.masked, ...country };
}

interface TaxParts {
  taxKey?: string;
  taxCountry?: string;
  taxCountryPresumed?: boolean;
  taxValid?: boolean;
  taxValidity?: TaxIdValidity;
}

/** A tax id without a country gets that of a valid bank account, as a presumption. */
function taxParts(stated: string | undefined, bank: BankAccountFacts | undefined): TaxParts {
  const taxId = stated === undefined ? undefined : parseTaxId(stated);
  if (taxId === undefined) return {};
  if (taxId.country !== undefined) {
    const taxValidity = taxIdValidity(taxId.body, taxId.country);
    return { taxKey: taxId.body, taxCountry: taxId.country, taxValid: taxValidity === 'VALID', taxValidity };
  }
  if (bank?.country === undefined || bank.problems.length > 0) return { taxKey: taxId.body };
  return {
    taxKey: taxId.body,
    taxCountry: bank.country,
    taxCountryPresumed: true,
    taxValid: taxIdValidity(taxId.body, bank.country) === 'VALID',
  };
}
