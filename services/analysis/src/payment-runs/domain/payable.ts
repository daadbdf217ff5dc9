import type { InvoiceNumber, InvoiceSource, InvoiceStatus } from '@invoicecontrol/engine/facts/invoice';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';

/** A bank account to which a bill may be paid, with the reason why the account is known. */
export interface PayableAccount {
  readonly key: string;
  readonly masked: string;
  /**
   * States why the bank account is known: the bill itself names it, the supplier has used it before and it is trusted,
   * or the vendor master of the ERP contains it.
   */
  readonly from: 'INVOICE' | 'SUPPLIER' | 'VENDOR';
}

/** A payment that was made for a bill: by the ERP, or by the file of another payment run. */
export interface EarlierPayment {
  readonly kind: 'ERP' | 'RUN';
  /** Id of an earlier payment in the ERP, or id of the payment run that made it. */
  readonly id: string;
  readonly lineId?: string;
  readonly amountMinor: string;
  readonly on: CalendarDate;
}

/**
 * An invoice, or an ERP bill, with the fields that are needed to check a payment. Amounts are in minor units of the
 * currency of the invoice or bill.
 */
export interface Payable {
  readonly invoiceId: string;
  /** Id of the bill that books the invoice in the ERP. The invoice and the bill are one debt. */
  readonly bookedAs?: string;
  readonly invoiceNumber: string;
  readonly number: InvoiceNumber;
  readonly source: InvoiceSource;
  readonly status: InvoiceStatus;
  readonly receivedAtMs: number;
  readonly companyId: string;
  readonly supplierId: string | null;
  readonly supplierName: string;
  /** Keys of all names under which the bill's supplier is known, including the name on the bill. */
  readonly nameKeys: readonly string[];
  readonly taxKey?: string;
  readonly taxCountry?: string;
  readonly currency: string;
  /** Signed gross amount of the invoice to pay. Negative for a credit note. */
  readonly amountMinor: string;
  readonly issueDay: number;
  readonly dueDate?: CalendarDate;
  /**
   * The decision in force about an invoice to pay. Absent for a bill of an ERP that was never received, and before the
   * decision.
   */
  readonly verdict?: RiskDecision;
  /** Open findings of severity HIGH or CRITICAL about a bill of an ERP without a decision. */
  readonly openFindingIds?: readonly string[];
  readonly ksefNumber?: string;
  readonly accounts: readonly PayableAccount[];
  /** Bank accounts that the vendor master received too recently to count as known accounts of the vendor. */
  readonly newVendorAccounts?: readonly {
    readonly key: string;
    readonly masked: string;
    readonly since: CalendarDate;
  }[];
  /** Amount of an invoice that all payments before this payment run have paid together. */
  readonly paidMinor: string;
  /** The newest earlier payments of the invoice, which are shown as evidence. */
  readonly payments: readonly EarlierPayment[];
}

/** A received credit note that no payment is known to have used. */
export interface ReceivedCredit {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly supplierId: string;
  readonly companyId: string;
  readonly currency: string;
}

/** Maximum age of a received credit note that counts as open, in days since its issue. */
export const RECEIVED_CREDIT_DAYS_MAX = 400;
/**
 * Maximum number of received credit notes of one supplier that are treated as open. If there are more, only the newest
 * are.
 */
export const RECEIVED_CREDITS_PER_SUPPLIER_MAX = 16;

/**
 * Maximum number of earlier payments that the facts of a bill name. The sum of earlier payments includes all of them.
 */
export const PAYMENTS_SHOWN_MAX = 16;

/** Returns the open amount of a bill, or the open credit of a credit note, which is negative. */
export function openMinor({ amountMinor, paidMinor }: Pick<Payable, 'amountMinor' | 'paidMinor'>): bigint {
  const [amount, paid] = [BigInt(amountMinor), BigInt(paidMinor)];
  if (amount < 0n) return amount + paid > 0n ? 0n : amount + paid;
  return amount > paid ? amount - paid : 0n;
}

/**
 * Checks whether an invoice or ERP bill is a debt that a payment can settle: neither withdrawn in the ERP nor still
 * being entered.
 */
export function isPayable({ status }: Pick<Payable, 'status'>): boolean {
  return status === 'RECEIVED' || status === 'ANALYZED';
}

/**
 * Returns the decision about a bill to pay. An ERP bill that was never received as an invoice has no decision, and
 * counts as correct unless findings about the ERP records concern it.
 */
export function decisionOf({
  verdict,
  source,
  openFindingIds = [],
}: Pick<Payable, 'verdict' | 'source' | 'openFindingIds'>): 'PASS' | 'REVIEW' | 'BLOCK' {
  if (verdict !== undefined) return verdict.decision;
  return source === 'ERP' && openFindingIds.length === 0 ? 'PASS' : 'REVIEW';
}

/**
 * Returns the amount by which a payment may exceed the open amount of its invoices: one cent or the corresponding unit
 * of the currency, or nothing for a currency without such a unit.
 */
export function toleranceMinor(currency: string): bigint {
  const exponent = minorUnitsOf(currency);
  return exponent < 2 ? 0n : 10n ** BigInt(exponent - 2);
}
