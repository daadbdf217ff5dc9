import { readBankAccount } from '@invoicecontrol/values/bank-account';
import type { BankAccountFacts } from '@invoicecontrol/values/bank-account';
import { dayNumber } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { readStatedKsefNumber } from '@invoicecontrol/values/ksef-number';
import { completeTaxId, identifiesParty, parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';
import type { CanonicalBankAccount, CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { InvoiceOrigin, KsefReference, NormalisedInvoice } from '../facts/invoice.js';
import { readInvoiceNumber } from './invoice-number.js';
import { readName } from './name-key.js';
import { readOrderRef } from './order-key.js';

/**
 * Converts a canonical invoice once into the forms that are compared everywhere (detection reference, section 3). The
 * caller has already checked the invoice: dates are real, amounts follow the grammar, and the currency is known. The
 * returned record is RECEIVED and has no supplier yet.
 */
export function normaliseInvoice(invoice: CanonicalInvoice, origin: InvoiceOrigin): NormalisedInvoice {
  const currency = invoice.currency.toUpperCase();
  const exponent = minorUnitsOf(currency);
  const name = readName(invoice.supplier.name);
  const bank = readAccount(invoice.supplier.bank_account);
  const normalised: Writable<NormalisedInvoice> = {
    invoiceId: origin.invoiceId,
    companyId: origin.companyId,
    source: origin.source,
    receivedAtMs: origin.receivedAtMs,
    status: 'RECEIVED',
    supplierId: null,
    number: readInvoiceNumber(invoice.invoice_number),
    amountMinor: String(toMinorUnits(invoice.gross_amount, exponent)),
    currency,
    issueDay: dayNumber(invoice.issue_date),
    nameKey: name.key,
    bankProblems: bank?.problems ?? [],
    invoiceNumber: invoice.invoice_number,
    supplierName: invoice.supplier.name,
    issueDate: invoice.issue_date,
    grossAmount: invoice.gross_amount,
  };
  if (name.fold !== undefined) normalised.nameFold = name.fold;
  if (invoice.due_date !== undefined) normalised.dueDay = dayNumber(invoice.due_date);
  if (invoice.net_amount !== undefined) normalised.netMinor = String(toMinorUnits(invoice.net_amount, exponent));
  if (invoice.tax_amount !== undefined) normalised.taxMinor = String(toMinorUnits(invoice.tax_amount, exponent));
  if (invoice.buyer?.name !== undefined) normalised.buyerName = invoice.buyer.name;
  if (invoice.buyer?.tax_id !== undefined) normalised.buyerTaxId = invoice.buyer.tax_id;
  addOrigin(normalised, origin);
  addBank(normalised, bank);
  addTaxId(normalised, invoice.supplier.tax_id, bank);
  addOrder(normalised, invoice.purchase_order_ref);
  return normalised;
}

/**
 * An invoice record whose members can still be assigned. Assigning the members one by one is several times faster than
 * spreading objects.
 */
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * Reads the bank account on an invoice. A string without a digit, such as `N/A`, is ignored, because it would link all
 * suppliers that state it.
 */
function readAccount(account: CanonicalBankAccount | undefined): BankAccountFacts | undefined {
  if (account?.iban !== undefined && /\p{N}/u.test(account.iban)) return readBankAccount({ iban: account.iban });
  if (account?.sort_code !== undefined && account.account_number !== undefined) {
    return readBankAccount({ sortCode: account.sort_code, accountNumber: account.account_number });
  }
  return undefined;
}

function addOrigin(record: Writable<NormalisedInvoice>, origin: InvoiceOrigin): void {
  if (origin.scanId !== undefined) record.scanId = origin.scanId;
  if (origin.rowNo !== undefined) record.rowNo = origin.rowNo;
  if (origin.position !== undefined) record.position = origin.position;
  if (origin.externalId !== undefined) record.externalId = origin.externalId;
  if (origin.documentSha256 !== undefined) record.documentSha256 = origin.documentSha256;
  const ksefReference = origin.ksefReference ?? statedKsefReference(record);
  if (ksefReference !== undefined) record.ksefReference = ksefReference;
  if (origin.otherBankKeys !== undefined) record.otherBankKeys = origin.otherBankKeys;
}

/** Returns the reference to an invoice in KSeF whose KSeF number was entered as the invoice number of a bill. */
function statedKsefReference({ invoiceNumber, source }: NormalisedInvoice): KsefReference | undefined {
  const number = source === 'KSEF' ? undefined : readStatedKsefNumber(invoiceNumber);
  return number === undefined ? undefined : { number };
}

function addBank(record: Writable<NormalisedInvoice>, bank: BankAccountFacts | undefined): void {
  if (bank === undefined) return;
  record.bankKey = bank.key;
  record.bankMasked = bank.masked;
  if (bank.country !== undefined) record.bankCountry = bank.country;
}

/** Adds the tax id to the invoice. A tax id without a country gets the presumed country of a valid bank account. */
function addTaxId(
  record: Writable<NormalisedInvoice>,
  stated: string | undefined,
  bank: BankAccountFacts | undefined,
): void {
  const taxId = stated === undefined ? undefined : parseTaxId(stated);
  if (taxId === undefined) return;
  if (identifiesParty(taxId)) record.taxKey = taxId.body;
  else record.hasPlaceholderTaxId = true;
  if (taxId.country !== undefined) {
    record.taxCountry = taxId.country;
    record.taxValidity = taxIdValidity(taxId.body, taxId.country);
    record.taxValid = record.taxValidity === 'VALID';
  } else if (bank?.country !== undefined && bank.problems.length === 0) {
    record.taxCountry = bank.country;
    record.taxCountryPresumed = true;
    const body = completeTaxId(taxId.body, bank.country);
    if (record.taxKey !== undefined) record.taxKey = body;
    record.taxValid = taxIdValidity(body, bank.country) === 'VALID';
  }
}

function addOrder(record: Writable<NormalisedInvoice>, ref: string | undefined): void {
  if (ref === undefined) return;
  record.purchaseOrderRef = ref;
  const poKey = readOrderRef(ref);
  if (poKey !== undefined) record.poKey = poKey;
}
