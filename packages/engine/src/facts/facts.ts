import type { Company } from './companies.js';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { scaleAmount } from '@invoicecontrol/values/decimal-amount';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { DocumentFacts } from './document-facts.js';
import type { OrderMasterFacts, OwnAccountFacts, VendorMasterFacts } from './erp-facts.js';
import type { ConvertedAmount } from './exchange-rates.js';
import type { InboxFacts } from './inbox-facts.js';
import type { Candidate, NormalisedInvoice } from './invoice.js';
import type { BankLink, OrderLink } from './links.js';
import type { RelatedSupplier, SupplierFacts } from './supplier.js';

/**
 * Everything a decision rests on, loaded before the engine runs and stored with the analysis: the same facts, engine
 * and policy give the same bytes (detection reference, section 0). Plain JSON values only.
 */
export interface Facts {
  readonly format: 1;
  /** The day of the analysis; the engine has no clock. */
  readonly asOf: CalendarDate;
  /** The checked invoice with its resolved supplier. */
  readonly invoice: NormalisedInvoice;
  readonly supplier: SupplierFacts;
  /** Earlier records that share a lookup key, capped (match-keys.ts). */
  readonly candidates: readonly Candidate[];
  readonly candidateCapHit: boolean;
  /** Links of the invoice's account and order before this invoice; null when there are none. */
  readonly bankLink: BankLink | null;
  readonly orderLink: OrderLink | null;
  /** Keys of pairs (explanation/subject.ts) that are known not to be duplicates of each other. */
  readonly clearedPairs?: readonly string[];
  /** Units per 1 EUR on the issue date, for the currencies of the invoice and its candidates, as far as known. */
  readonly ratesPerEuro: Readonly<Record<string, string>>;
  /** Gross in the organization's base currency; null when no rate exists. */
  readonly base: ConvertedAmount | null;
  /** Companies of the organization, the nearest to the invoice when there are very many (tenant.ts). */
  readonly companies?: readonly Company[];
  /** Rows of a scan: at least half of the file's rows state an account, so that a missing one means something. */
  readonly scanStatesAccounts?: boolean;
  /** Rows of an organization's first scan: how many rows were checked before this one. At first every supplier is new. */
  readonly firstScanRowsBefore?: number;
  /** Other suppliers of exactly this name. */
  readonly namesakes?: readonly RelatedSupplier[];
  /** Suppliers whose name may be mistaken for that of a new supplier. */
  readonly lookalikes?: readonly RelatedSupplier[];
  /** 95th percentile of the organization's newest amounts, in base currency. */
  readonly highAmount?: DecimalAmount;
  /** Facts from the ERP of the company. Absent where it has none, or the ERP has no such data. */
  readonly vendorMaster?: VendorMasterFacts;
  readonly orderMaster?: OrderMasterFacts;
  readonly ownAccount?: OwnAccountFacts;
  /** Keys of the supplier's accounts to which payments went. */
  readonly paidAccounts?: readonly string[];
  /** Uploads: facts about the document. */
  readonly document?: DocumentFacts;
  readonly inbox?: InboxFacts;
}

/** Value of an invoice, for comparison with the value limits of the policy. */
export interface InvoiceValue {
  readonly value: DecimalAmount;
  readonly currency: string;
  /** True without an exchange rate: the value is then the gross amount as stated. */
  readonly noRate: boolean;
}

/**
 * The gross amount in euros, the currency of the limits of the policy, at the reference rate of the issue date; as stated
 * where no rate exists, which evidence then says.
 */
export function valueOf({ base, invoice, ratesPerEuro }: Facts): InvoiceValue {
  const { grossAmount, currency } = invoice;
  if (currency === LIMIT_CURRENCY) return { value: grossAmount, currency, noRate: false };
  if (base?.currency === LIMIT_CURRENCY) return { value: base.amount, currency: LIMIT_CURRENCY, noRate: false };
  const perEuro = ratesPerEuro[currency];
  if (perEuro === undefined) return { value: grossAmount, currency, noRate: true };
  return { value: scaleAmount(grossAmount, '1', perEuro), currency: LIMIT_CURRENCY, noRate: false };
}

/** A limit in the currency of the invoice, at the reference rate of the issue date; undefined where no rate exists. */
export function inInvoiceCurrency(
  { invoice: { currency }, ratesPerEuro }: Facts,
  limit: DecimalAmount,
  from: string = LIMIT_CURRENCY,
): DecimalAmount | undefined {
  if (from === currency) return limit;
  const perEuro = (of: string): string | undefined => (of === LIMIT_CURRENCY ? '1' : ratesPerEuro[of]);
  const [numerator, denominator] = [perEuro(currency), perEuro(from)];
  return numerator === undefined || denominator === undefined ? undefined : scaleAmount(limit, numerator, denominator);
}

/** The currency of the value limits of the policy. */
export const LIMIT_CURRENCY = 'EUR';
