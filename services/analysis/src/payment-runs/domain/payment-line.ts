import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';

/**
 * A document that a payment states as its reason, with the part of the payment that is for this document, if the
 * payment file states it.
 */
export interface StatedDocument {
  readonly number: string;
  readonly amount?: DecimalAmount;
}

/** The bank account of the payee, to which a payment goes. */
export interface CreditorAccount {
  /**
   * Identity of the bank account of a payment in the format of `Candidate.bankKey`. An account that is neither an IBAN
   * nor a UK account has the key `O:` with its letters and digits.
   */
  readonly key: string;
  /** Masked form of the bank account of a payment that may be shown. */
  readonly masked: string;
}

/** One payment of a payment run, as the file or the request states it. */
export interface PaymentLine {
  /** Id of the payment line, which the caller or the file states. The id is unique in the payment run. */
  readonly lineId: string;
  /** Position of a payment in its payment file, from 1. */
  readonly position: number;
  readonly endToEndId?: string;
  readonly instructionId?: string;
  /** Amount and currency that a payment transfers. */
  readonly amount: DecimalAmount;
  readonly currency: string;
  /**
   * Equivalent amount of a payment, which is stated in another currency and is compared instead of the transferred
   * amount.
   */
  readonly equivalent?: { readonly amount: DecimalAmount; readonly currency: string };
  readonly creditorName?: string;
  /** Account that a payment goes to. Absent for a payment without an account, such as a cheque. */
  readonly creditorAccount?: CreditorAccount;
  readonly creditorTaxIds: readonly string[];
  /**
   * Alias of the creditor of a payment, such as an e-mail address, in place of an account. The alias is shown as text
   * and never compared.
   */
  readonly proxy?: string;
  readonly executionDate?: CalendarDate;
  /**
   * Documents that the payment is for: those in its structured remittance information or, for a payment line in JSON,
   * its invoice numbers.
   */
  readonly documents: readonly StatedDocument[];
  readonly creditorReference?: string;
  /** Unstructured remittance information of the payment. */
  readonly texts: readonly string[];
}

/**
 * Returns the amount and the currency of a payment line for the comparison with its invoices: the equivalent amount if
 * the payment states one, and otherwise the transferred amount.
 */
export function comparedAmount({ amount, currency, equivalent }: PaymentLine): {
  readonly amount: DecimalAmount;
  readonly currency: string;
} {
  return equivalent ?? { amount, currency };
}
