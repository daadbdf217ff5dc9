import type { BankAccountProblem } from '@invoicecontrol/values/bank-account';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { TaxIdValidity } from '@invoicecontrol/values/tax-id';

export type InvoiceSource = 'API' | 'UPLOAD' | 'SCAN' | 'ERP' | 'KSEF';

/** VOID and REJECTED are bills the ERP has withdrawn; only live records (RECEIVED, ANALYZED) can be duplicated. */
export type InvoiceStatus = 'RECEIVED' | 'ANALYZED' | 'FAILED' | 'VOID' | 'REJECTED';

/** Origin and time of a record, which the canonical invoice does not state. */
export interface InvoiceOrigin {
  readonly invoiceId: string;
  /** The company the invoice was routed to. */
  readonly companyId: string;
  readonly source: InvoiceSource;
  /** Milliseconds since 1970 at which the record was received; all rows of a scan share that of the scan. */
  readonly receivedAtMs: number;
  readonly scanId?: string;
  /** The caller's `sourceRowNumber`. */
  readonly rowNo?: number;
  /** Index of the row in the request, which orders rows that share a `sourceRowNumber`. */
  readonly position?: number;
  /** The id that the caller of a scan gave the row, or that the channel gave the document. */
  readonly externalId?: string;
  /** Hex SHA-256 of the uploaded bytes. */
  readonly documentSha256?: string;
  /** Documents that are not from KSeF: the invoice in KSeF of which they say that they are a picture. */
  readonly ksefReference?: KsefReference;
  /** Keys of the further accounts, that of a factor among them, which a structured document states. */
  readonly otherBankKeys?: readonly string[];
}

/** The KSeF number and the QR code of KSeF that a document shows; at least one of them. */
export interface KsefReference {
  readonly number?: string;
  readonly code?: KsefCode;
}

/** The link in the QR code of an invoice that was registered in KSeF. */
export interface KsefCode {
  /** Ten digits. */
  readonly sellerNip: string;
  readonly issueDate: CalendarDate;
  /** SHA-256 of the registered XML; hex, lower case. */
  readonly sha256: string;
}

/** Suspicion about a bill: a copy of another one, an attempt to divert money, from another party than it says, or of a wrong amount. */
export type Suspicion = 'DUPLICATE' | 'FRAUD' | 'IDENTITY' | 'AMOUNT' | 'FRAUD_AMOUNT' | 'IDENTITY_AMOUNT';
/** Confirmation by people: the bill is a copy or fraud, or its number belongs to another bill. */
export type Confirmation = 'DUPLICATE' | 'FRAUD' | 'REUSED_NUMBER';

/** One invoice number in the forms that are compared (detection reference, section 3). */
export interface InvoiceNumber {
  /** Letters and digits, nothing else. */
  readonly raw0: string;
  /** Without label and without leading zeros of the whole. */
  readonly f1: string;
  /** Every digit run without leading zeros, a dot between digit parts that were separated. */
  readonly f2: string;
  /** `f1` and `f2` with letters folded to the digits they are misread for. */
  readonly o1: string;
  readonly o2: string;
  /** The number without a trailing copy, part or version mark; present when there is one. */
  readonly base?: string;
  readonly b1?: string;
  readonly b2?: string;
  /** Letter runs and digit runs in order. */
  readonly runs: readonly string[];
  /** The pattern of the printed number: 9 for digits, A for letters, separators kept. `FV/12/2025` is `A/9/9`. */
  readonly signature: string;
}

/** Everything about one record that is compared with another record. Absent members were not stated. */
export interface Candidate extends InvoiceOrigin {
  readonly status: InvoiceStatus;
  /** Null until the supplier has been resolved. */
  readonly supplierId: string | null;
  readonly number: InvoiceNumber;
  /** Signed integer of minor units, as a string: JSON and BSON carry it exactly. */
  readonly amountMinor: string;
  /** Net amount that it states. Also absent in records from before the field was stored. */
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
  /** True when the country is only presumed from the bank account: good for comparing, never for a rule of its own. */
  readonly taxCountryPresumed?: boolean;
  /** The tax id is valid in its stated or presumed country. */
  readonly taxValid?: boolean;
  readonly nameKey: string;
  /** `nameKey` with AE, OE, UE folded to A, O, U; present when it differs. */
  readonly nameFold?: string;
  /** A duplicate or fraud no longer counts as an original; a bill with a number that is not its own does. */
  readonly confirmedAs?: Confirmation;
  /**
   * Suspicion by a finding about this record that waits for a review or was confirmed. Absent in records from before the field was stored.
   */
  readonly suspectedAs?: Suspicion;
  /** True on the invoice that told that none of the supplier comes through KSeF. */
  readonly toldOutsideKsef?: true;
  /** ERP bills: the API or upload invoice that this bill books. */
  readonly bookedInvoiceId?: string;
  // Printed texts of the record, for evidence.
  readonly invoiceNumber: string;
  readonly supplierName: string;
  readonly issueDate: CalendarDate;
  readonly grossAmount: DecimalAmount;
  readonly purchaseOrderRef?: string;
}

/** The part stored in `invoices.match`: the candidate with the keys that find it (match-keys.ts). */
export interface MatchPart extends Candidate {
  readonly keys: readonly string[];
}

/** The checked invoice: its own comparison part and what only rules about itself need. */
export interface NormalisedInvoice extends Candidate {
  /** Set when a person said that the bill is not a copy, after a finding said that it may be one. */
  readonly acceptedCopy?: { readonly day: number; readonly reviewer?: string };
  readonly bankProblems: readonly BankAccountProblem[];
  /** Validity of the stated tax id in its stated country; absent when either is missing. */
  readonly taxValidity?: TaxIdValidity;
  /** A tax id is stated that identifies nobody, such as 9999999999; then there is no `taxKey`. */
  readonly hasPlaceholderTaxId?: true;
  readonly dueDay?: number;
  readonly taxMinor?: string;
  readonly buyerName?: string;
  readonly buyerTaxId?: string;
}
