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
 * The complete input for a decision. The facts are loaded before the engine runs and stored with the analysis, so that
 * the same facts, engine and policy give the same bytes (detection reference, section 0). The facts consist of plain
 * JSON values.
 */
export interface Facts {
  readonly format: 1;
  /** Day on which the invoice is analyzed. The engine itself has no clock. */
  readonly asOf: CalendarDate;
  /** The checked invoice with its resolved supplier. */
  readonly invoice: NormalisedInvoice;
  readonly supplier: SupplierFacts;
  /** Earlier records that share a lookup key with the invoice. Their number is limited (match-keys.ts). */
  readonly candidates: readonly Candidate[];
  readonly candidateCapHit: boolean;
  /**
   * The other invoices and suppliers that state the invoice's bank account (a link), or null if there are none.
   * `orderLink` holds those that state the invoice's purchase order.
   */
  readonly bankLink: BankLink | null;
  readonly orderLink: OrderLink | null;
  /** Keys of pairs of invoices (explanation/subject.ts) that are known not to be duplicates. */
  readonly clearedPairs?: readonly string[];
  /**
   * Exchange rates on the issue date, as units per 1 EUR, for the currencies of the invoice and of the invoices it is
   * compared with. Currencies without a known rate are absent.
   */
  readonly ratesPerEuro: Readonly<Record<string, string>>;
  /** Gross amount in the organization's base currency, or null if no exchange rate exists. */
  readonly base: ConvertedAmount | null;
  /**
   * The organization's companies. If there are very many, the companies most similar to the invoice's recipient are
   * chosen (tenant.ts).
   */
  readonly companies?: readonly Company[];
  /**
   * True for the rows of a history scan if at least half of its rows state a bank account. Only then is a missing
   * account significant. Otherwise absent.
   */
  readonly scanStatesAccounts?: boolean;
  /**
   * Number of rows in an organization's first history scan that were checked before this row. Every supplier is new in
   * a first scan.
   */
  readonly firstScanRowsBefore?: number;
  /** Other suppliers with exactly the name of the invoice's supplier. */
  readonly namesakes?: readonly RelatedSupplier[];
  /** Suppliers whose name may be mistaken for the name of a new supplier. */
  readonly lookalikes?: readonly RelatedSupplier[];
  /** 95th percentile of the organization's newest amounts, in the base currency. */
  readonly highAmount?: DecimalAmount;
  /**
   * Facts from the company's ERP. Absent if the company has no ERP connection or the ERP does not provide such data.
   */
  readonly vendorMaster?: VendorMasterFacts;
  readonly orderMaster?: OrderMasterFacts;
  readonly ownAccount?: OwnAccountFacts;
  /** Keys of the supplier's bank accounts that have received payments. */
  readonly paidAccounts?: readonly string[];
  /** Facts about the uploaded document. Present only for invoices that were read from an upload. */
  readonly document?: DocumentFacts;
  readonly inbox?: InboxFacts;
}

/** Invoice value that is compared with the value limits in the policy. */
export interface InvoiceValue {
  readonly value: DecimalAmount;
  readonly currency: string;
  /** True if no exchange rate exists. The value is then the gross amount as the invoice states it. */
  readonly noRate: boolean;
}

/**
 * Returns the gross amount in euros, which is the currency of the policy limits, at the reference rate for the issue
 * date. If no rate exists, the stated amount is returned, and the evidence reports the missing rate.
 */
export function valueOf({ base, invoice, ratesPerEuro }: Facts): InvoiceValue {
  const { grossAmount, currency } = invoice;
  if (currency === LIMIT_CURRENCY) return { value: grossAmount, currency, noRate: false };
  if (base?.currency === LIMIT_CURRENCY) return { value: base.amount, currency: LIMIT_CURRENCY, noRate: false };
  const perEuro = ratesPerEuro[currency];
  if (perEuro === undefined) return { value: grossAmount, currency, noRate: true };
  return { value: scaleAmount(grossAmount, '1', perEuro), currency: LIMIT_CURRENCY, noRate: false };
}

/**
 * Converts an amount limit of the policy to the currency of the invoice at the reference rate for the issue date.
 * Undefined if no rate exists.
 */
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

/** Currency of the value limits in the policy. */
export const LIMIT_CURRENCY = 'EUR';
