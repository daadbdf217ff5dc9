import type { BankAccountProblem } from '@invoicecontrol/values/bank-account';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { TaxIdValidity } from '@invoicecontrol/values/tax-id';

export type InvoiceSource = 'API' | 'UPLOAD' | 'SCAN' | 'ERP' | 'KSEF';

/**
 * The ERP has withdrawn bills that are VOID or REJECTED. Only records that are RECEIVED or ANALYZED can be duplicated.
 */
export type InvoiceStatus = 'RECEIVED' | 'ANALYZED' | 'FAILED' | 'VOID' | 'REJECTED';

/** Origin and time of a record. The canonical invoice states neither. */
export interface InvoiceOrigin {
  readonly invoiceId: string;
  /** The company that the invoice was routed to. */
  readonly companyId: string;
  readonly source: InvoiceSource;
  /** Time of receipt in milliseconds since 1970. All rows of a scan share the time of the scan. */
  readonly receivedAtMs: number;
  readonly scanId?: string;
  /** `sourceRowNumber` as the caller sent it. */
  readonly rowNo?: number;
  /** Index of the row in the request. It orders rows that share a `sourceRowNumber`. */
  readonly position?: number;
  /** External id of the record, which the caller of a scan or the channel of a document assigned. */
  readonly externalId?: string;
  /** Hex SHA-256 of the uploaded bytes. */
  readonly documentSha256?: string;
  /** Reference to the invoice in KSeF that the document claims to show. Absent on documents that came through KSeF. */
  readonly ksefReference?: KsefReference;
  /** Keys of further accounts that a structured document states, such as the account of a factor. */
  readonly otherBankKeys?: readonly string[];
}

/** KSeF number and KSeF QR code that a document shows. At least one of the two is present. */
export interface KsefReference {
  readonly number?: string;
  readonly code?: KsefCode;
}

/** Contents of the link in the QR code of an invoice that was registered in KSeF. */
export interface KsefCode {
  /** Tax id of the seller (NIP), ten digits. */
  readonly sellerNip: string;
  readonly issueDate: CalendarDate;
  /** SHA-256 of the registered XML in lower-case hex. */
  readonly sha256: string;
}

/**
 * Suspicion about a bill: it may copy another bill, divert a payment, come from another party than it states, or have a
 * wrong amount.
 */
export type Suspicion = 'DUPLICATE' | 'FRAUD' | 'IDENTITY' | 'AMOUNT' | 'FRAUD_AMOUNT' | 'IDENTITY_AMOUNT';
/** Result of a review: the bill is a copy or fraud, or its number belongs to another bill. */
export type Confirmation = 'DUPLICATE' | 'FRAUD' | 'REUSED_NUMBER';

/** One invoice number in all forms that are compared (detection reference, section 3). */
export interface InvoiceNumber {
  /** Only the letters and digits of the number. */
  readonly raw0: string;
  /** The number without its label and without leading zeros of the whole number. */
  readonly f1: string;
  /** All digit runs without leading zeros, with a dot between digit parts that were separated. */
  readonly f2: string;
  /** `f1` and `f2` with letters replaced by the digits that they are commonly misread for. */
  readonly o1: string;
  readonly o2: string;
  /** The number without a trailing copy, part or version mark. Absent if the number has no such mark. */
  readonly base?: string;
  readonly b1?: string;
  readonly b2?: string;
  /** Letter runs and digit runs in their order. */
  readonly runs: readonly string[];
  /**
   * Pattern of the printed number: 9 stands for digits, A for letters, and separators are kept. `FV/12/2025` becomes
   * `A/9/9`.
   */
  readonly signature: string;
}

/** All fields of a record that are compared with another record. A field is absent if the record did not state it. */
export interface Candidate extends InvoiceOrigin {
  readonly status: InvoiceStatus;
  /** Supplier of the record. Null until the supplier is resolved. */
  readonly supplierId: string | null;
  readonly number: InvoiceNumber;
  /** Signed integer of minor units. It is a string because JSON and BSON store strings exactly. */
  readonly amountMinor: string;
  /** Net amount that the record states. Also absent in records that were stored before the field existed. */
  readonly netMinor?: string;
  readonly currency: string;
  /** Days since 1970-01-01. */
  readonly issueDay: number;
  readonly poKey?: string;
  readonly bankKey?: string;
  readonly bankMasked?: string;
  readonly bankCountry?: string;
  /** The tax id without country prefix. */
  readonly taxKey?: string;
  readonly taxCountry?: string;
  /**
   * True when the country is only presumed from the bank account. Comparisons use such a country, but no rule relies on
   * it alone.
   */
  readonly taxCountryPresumed?: boolean;
  /** True when the tax id is valid in its stated or presumed country. */
  readonly taxValid?: boolean;
  readonly nameKey: string;
  /** `nameKey` with AE, OE and UE folded to A, O and U. Present only if it differs from `nameKey`. */
  readonly nameFold?: string;
  /**
   * Result of a review. A confirmed duplicate or fraud is no longer an original, but a bill with another bill's number
   * still is.
   */
  readonly confirmedAs?: Confirmation;
  /**
   * Suspicion from a finding about this record that waits for a review or was confirmed. Absent in records that were
   * stored before the field existed.
   */
  readonly suspectedAs?: Suspicion;
  /** True on the invoice whose analysis reported that no invoice of the supplier comes through KSeF. */
  readonly toldOutsideKsef?: true;
  /** ERP bills only: id of the invoice, received from another source, that the bill books. */
  readonly bookedInvoiceId?: string;
  // Texts as printed on the record, for evidence.
  readonly invoiceNumber: string;
  readonly supplierName: string;
  readonly issueDate: CalendarDate;
  readonly grossAmount: DecimalAmount;
  readonly purchaseOrderRef?: string;
}

/**
 * The part of an invoice that is stored in `invoices.match`: the candidate and the keys that find it (match-keys.ts).
 */
export interface MatchPart extends Candidate {
  readonly keys: readonly string[];
}

/** The checked invoice: the fields that are compared, and fields that only rules about the invoice itself need. */
export interface NormalisedInvoice extends Candidate {
  /** Present when a finding reported the bill as a possible copy and a person dismissed that finding. */
  readonly acceptedCopy?: { readonly day: number; readonly reviewer?: string };
  readonly bankProblems: readonly BankAccountProblem[];
  /** Validity of the stated tax id in its stated country. Absent when the tax id or its country is missing. */
  readonly taxValidity?: TaxIdValidity;
  /**
   * True when the stated tax id is a placeholder, such as 9999999999, that identifies nobody. `taxKey` is absent in
   * this case.
   */
  readonly hasPlaceholderTaxId?: true;
  readonly dueDay?: number;
  readonly taxMinor?: string;
  readonly buyerName?: string;
  readonly buyerTaxId?: string;
}
