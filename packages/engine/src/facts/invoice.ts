import type { BankAccountProblem } from '@invoicecontrol/values/bank-account';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { TaxIdValidity } from '@invoicecontrol/values/tax-id';

export type InvoiceSource = 'API' | 'UPLOAD' | 'SCAN' | 'ERP' | 'KSEF';

/**
 * Status of an invoice record. Bills that are VOID or REJECTED were withdrawn in the ERP. Other records can only be
 * duplicates of records that are RECEIVED or ANALYZED.
 */
export type InvoiceStatus = 'RECEIVED' | 'ANALYZED' | 'FAILED' | 'VOID' | 'REJECTED';

/**
 * Facts about where an invoice record came from and when it was received. The canonical invoice does not contain these
 * facts.
 */
export interface InvoiceOrigin {
  readonly invoiceId: string;
  /** Company of the organization to which the invoice was assigned. */
  readonly companyId: string;
  readonly source: InvoiceSource;
  /**
   * Time of receipt in milliseconds since 1970. All rows of a history scan have the time at which the scan was
   * received.
   */
  readonly receivedAtMs: number;
  readonly scanId?: string;
  /** Row number of the invoice in the file of the caller (`sourceRowNumber`). */
  readonly rowNo?: number;
  /** Index of the row in the history scan request. Rows with the same `sourceRowNumber` are sorted by this index. */
  readonly position?: number;
  /** External id of the invoice record, assigned by the caller of a scan or by the channel of a document. */
  readonly externalId?: string;
  /** SHA-256 hash of the uploaded bytes in hexadecimal digits. */
  readonly documentSha256?: string;
  /** Reference to the KSeF invoice that the document claims to show. Absent on documents received through KSeF. */
  readonly ksefReference?: KsefReference;
  /** Keys of further bank accounts that a structured document states, such as the account of a factoring company. */
  readonly otherBankKeys?: readonly string[];
}

/** KSeF number and KSeF QR code that a document shows. At least one of the two is present. */
export interface KsefReference {
  readonly number?: string;
  readonly code?: KsefCode;
}

/** Content of the link in the QR code on an invoice that was registered in KSeF. */
export interface KsefCode {
  /** Tax id of the seller (NIP) in a KSeF number, ten digits. */
  readonly sellerNip: string;
  readonly issueDate: CalendarDate;
  /** SHA-256 hash of the registered XML in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Suspicion about a bill: the bill may be a copy, divert a payment, come from another party than it states, or have a
 * wrong amount.
 */
export type Suspicion = 'DUPLICATE' | 'FRAUD' | 'IDENTITY' | 'AMOUNT' | 'FRAUD_AMOUNT' | 'IDENTITY_AMOUNT';
/** Result of a review: the bill is a copy or fraud, or its number belongs to another bill. */
export type Confirmation = 'DUPLICATE' | 'FRAUD' | 'REUSED_NUMBER';

/** An invoice number in all forms that are compared (detection reference, section 3). */
export interface InvoiceNumber {
  /** Letters and digits of the invoice number, without other characters. */
  readonly raw0: string;
  /** The invoice number without its label and without the zeros at its beginning. */
  readonly f1: string;
  /** Digits of the invoice number without leading zeros, with a dot between parts that were separated. */
  readonly f2: string;
  /**
   * Forms `f1` and `f2` of the invoice number, with letters replaced by the digits for which they are commonly misread.
   */
  readonly o1: string;
  readonly o2: string;
  /**
   * The invoice number without a mark for a copy, part or version at its end. Absent if the number has no such mark.
   */
  readonly base?: string;
  readonly b1?: string;
  readonly b2?: string;
  /** Runs of letters and runs of digits of the invoice number, in their order. */
  readonly runs: readonly string[];
  /**
   * Pattern of the printed invoice number: 9 represents digits, A represents letters, and separators are kept.
   * `FV/12/2025` becomes `A/9/9`.
   */
  readonly signature: string;
}

/**
 * All fields of an invoice or bill that are compared with other invoices. A field is absent if the record did not state
 * it.
 */
export interface Candidate extends InvoiceOrigin {
  readonly status: InvoiceStatus;
  /** Id of the supplier of the invoice record, or null until the supplier is determined. */
  readonly supplierId: string | null;
  readonly number: InvoiceNumber;
  /**
   * Signed gross amount of the invoice as an integer number of minor units. The amount is a string, because JSON and
   * BSON store strings exactly.
   */
  readonly amountMinor: string;
  /**
   * Net amount stated on the invoice record. Absent if the record states none, and in records stored before the field
   * existed.
   */
  readonly netMinor?: string;
  readonly currency: string;
  /** Issue date of the invoice as the number of days since 1970-01-01. */
  readonly issueDay: number;
  readonly poKey?: string;
  readonly bankKey?: string;
  readonly bankMasked?: string;
  readonly bankCountry?: string;
  /** Tax id of the supplier without its country prefix. */
  readonly taxKey?: string;
  readonly taxCountry?: string;
  /**
   * True if the country of the supplier is only presumed from the bank account. Comparisons use such a country, but no
   * rule relies only on a presumed country.
   */
  readonly taxCountryPresumed?: boolean;
  /** True if the tax id is valid in its stated or presumed country. */
  readonly taxValid?: boolean;
  readonly nameKey: string;
  /**
   * Form of the supplier's `nameKey` with AE, OE and UE folded to A, O and U. Present only if it differs from
   * `nameKey`.
   */
  readonly nameFold?: string;
  /**
   * Result of a review. A bill that was confirmed as a duplicate or as fraud no longer counts as an original of other
   * bills. A bill that was confirmed to have the number of another bill still counts.
   */
  readonly confirmedAs?: Confirmation;
  /**
   * Suspicion about the bill from one of its findings. The finding is waiting for a review or was confirmed. Absent in
   * records stored before the field existed.
   */
  readonly suspectedAs?: Suspicion;
  /** True on the invoice whose analysis reported that none of the supplier's invoices are received through KSeF. */
  readonly toldOutsideKsef?: true;
  /** Id of the received invoice that this ERP bill books. Present only on ERP bills. */
  readonly bookedInvoiceId?: string;
  // Values as printed on the invoice, which the evidence of findings shows.
  readonly invoiceNumber: string;
  readonly supplierName: string;
  readonly issueDate: CalendarDate;
  readonly grossAmount: DecimalAmount;
  readonly purchaseOrderRef?: string;
}

/**
 * The part of an invoice that is stored in `invoices.match`: the compared fields and the keys by which the invoice is
 * found (match-keys.ts).
 */
export interface MatchPart extends Candidate {
  readonly keys: readonly string[];
}

/** The checked invoice: the fields that are compared, and fields needed only by rules about the invoice itself. */
export interface NormalisedInvoice extends Candidate {
  /** Present if a finding reported the bill as a possible copy and a person dismissed that finding. */
  readonly acceptedCopy?: { readonly day: number; readonly reviewer?: string };
  readonly bankProblems: readonly BankAccountProblem[];
  /** Validity of the stated tax id in its stated country. Absent if the tax id or its country is missing. */
  readonly taxValidity?: TaxIdValidity;
  /**
   * True if the stated tax id is a placeholder, such as 9999999999, that identifies no taxpayer. `taxKey` is absent in
   * this case.
   */
  readonly hasPlaceholderTaxId?: true;
  readonly dueDay?: number;
  readonly taxMinor?: string;
  readonly buyerName?: string;
  readonly buyerTaxId?: string;
}
