/**
 * The paths of the canonical invoice that a document can state (specification 2.2; `company_id` comes with the
 * request).
 */
export const fieldPaths = [
  'supplier.name',
  'supplier.tax_id',
  'supplier.bank_account.iban',
  'supplier.bank_account.sort_code',
  'supplier.bank_account.account_number',
  'invoice_number',
  'issue_date',
  'due_date',
  'currency',
  'net_amount',
  'tax_amount',
  'gross_amount',
  'purchase_order_ref',
  'buyer.name',
  'buyer.tax_id',
] as const;
export type FieldPath = (typeof fieldPaths)[number];

/** Position on a document page: left, top, right and bottom as fractions of the page size, from 0 to 1. */
export type Box = readonly [left: number, top: number, right: number, bottom: number];

/**
 * A field that was read from a document, with the evidence of where it was read (documents reference, sections 11 and
 * 14).
 */
export interface FieldReading {
  /**
   * Value in the format of the canonical invoice: dates as `YYYY-MM-DD`, amounts as plain decimals, IBAN without
   * spaces.
   */
  readonly value: string;
  /** Value of the field as printed in the document. */
  readonly raw: string;
  /** Number of the page that states the field, counted from 1. Null for XML. */
  readonly page: number | null;
  /** Position of the field on the document page. Null for XML. */
  readonly box: Box | null;
  /** Confidence that the field of the document was read correctly, from 0 to 1. */
  readonly confidence: number;
  readonly method: 'XML' | 'LABEL' | 'PATTERN' | 'ARITHMETIC';
  /** XPath of the value in an XML invoice. Null if the value was read from text. */
  readonly xpath: string | null;
}

/** A line of a structured invoice. Amounts are plain decimals, or null if the document does not state them. */
export interface InvoiceLine {
  readonly description: string | null;
  readonly quantity: string | null;
  readonly unit: string | null;
  readonly unitPrice: string | null;
  readonly netAmount: string | null;
  readonly taxRate: string | null;
}

/** A row of the VAT breakdown of a structured invoice, as the document states it. */
export interface TaxBreakdownRow {
  /** Code of the VAT category, such as `S`, or the words for it. Null if the document states none. */
  readonly category: string | null;
  /** VAT rate in percent as a plain decimal. Null if the document states none. */
  readonly rate: string | null;
  readonly base: string | null;
  readonly tax: string | null;
  /** Reason why no VAT is charged, as the document words it. */
  readonly reason: string | null;
}

/** Parts of a structured invoice that people read, and that no check uses. Each list is in the order of the document. */
export interface PrintedParts {
  readonly supplierAddress: readonly string[];
  readonly buyerAddress: readonly string[];
  readonly paymentTerms: readonly string[];
  readonly notes: readonly string[];
}

/** Earlier invoices that a correction or credit note corrects. */
export interface CorrectedInvoices {
  /** Corrected invoices in the order of the document, at most 1,000. */
  readonly invoices: readonly CorrectedInvoice[];
  /** Number of invoices that the corrective document names. */
  readonly total: number;
}

/** Fields that identify a bank account: an IBAN, or a UK account. */
export const ACCOUNT_FIELDS: readonly FieldPath[] = [
  'supplier.bank_account.iban',
  'supplier.bank_account.sort_code',
  'supplier.bank_account.account_number',
];

/** An invoice that a document corrects, as the document names it. */
export interface CorrectedInvoice {
  readonly number: string;
  /** Issue date of the corrected invoice as `YYYY-MM-DD`. Null if the document does not state it legibly. */
  readonly issueDate: string | null;
  /** KSeF number of the corrected invoice. Null for an invoice that was issued outside KSeF. */
  readonly ksefNumber: string | null;
}

/** The link in the QR code of an invoice that was registered in KSeF (KOD I). */
export interface KsefCode {
  /** NIP (tax id) of the seller in a KSeF number, with ten digits. */
  readonly sellerNip: string;
  /** Issue date of the invoice, as `YYYY-MM-DD`. */
  readonly issueDate: string;
  /** SHA-256 hash of the XML that KSeF registered, in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Sales documents other than ordinary invoices. */
export type SalesDocument = 'RECEIPT' | 'TICKET' | 'TOLL';

export type DocumentFormat = 'UBL' | 'CII' | 'ZUGFERD1' | 'FATTURAPA' | 'FACTURAE' | 'FA3' | 'PDF' | 'IMAGE';

/** The content of a document, with the evidence for each field. */
export interface DocumentReading {
  readonly method: 'XML' | 'TEXT' | 'OCR';
  readonly format: DocumentFormat;
  /**
   * Code of the declared e-invoice profile (documents reference, section 8), or null if no known profile is declared.
   */
  readonly profile: string | null;
  readonly kind: 'INVOICE' | 'CREDIT_NOTE' | 'CORRECTION';
  /**
   * Amount payable, if the document states an amount that differs from the gross amount because of prepayments or
   * rounding, and otherwise null.
   */
  readonly payableAmount: string | null;
  /** Name of the XML file embedded in a PDF, or null if there is none. */
  readonly embeddedFile: string | null;
  /** Number of pages of the document. Null for XML. */
  readonly pages: number | null;
  readonly fields: Readonly<Partial<Record<FieldPath, FieldReading>>>;
  readonly lines: readonly InvoiceLine[];
  /** Invoices that a corrective invoice names. Absent in other documents. */
  readonly corrects?: CorrectedInvoices;
  /**
   * ISO 4217 codes that an ambiguous currency sign may stand for; `fields.currency` is then absent. Empty if the
   * currency was read.
   */
  readonly currencyCandidates: readonly string[];
  /** A text that looks like an IBAN but has wrong check digits, as printed. Null if there is none. */
  readonly invalidIban: string | null;
  /** Other possible names of the supplier, the most likely first, at most 5. */
  readonly supplierNameCandidates: readonly string[];
  /**
   * All profiles that the document declares (in its XML, XMP metadata and file name). If there are several, they
   * contradict each other.
   */
  readonly declaredProfiles: readonly string[];
  readonly producer: string | null;
  readonly signature: SignatureReading | null;
  readonly tamperSigns: readonly TamperSign[];
  readonly hiddenTexts: readonly HiddenText[];
  readonly conflicts: readonly FieldConflict[];
  /**
   * The KSeF number that a document page names; absent if there is no number, or if there are several different
   * numbers.
   */
  readonly ksefNumber?: string;
  /** The QR code of KSeF on a document page; absent if there is no code, or if there are several different codes. */
  readonly ksefCode?: KsefCode;
  /**
   * Further bank accounts that a structured document states, including accounts of factoring companies. Absent if there
   * are none.
   */
  readonly otherIbans?: readonly string[];
  /** Kind of the sales document according to its title. Absent for an invoice. */
  readonly salesDocument?: SalesDocument;
  /** Party to whom the document asks to pay, if the payee is not the supplier. Absent if the supplier is the payee. */
  readonly payeeName?: string;
  /** VAT breakdown of a structured invoice, at most 100 rows. Absent if the document states none. */
  readonly taxBreakdown?: readonly TaxBreakdownRow[];
  /** Present only if the invoice is read to be shown. */
  readonly printedParts?: PrintedParts;
}

/** The part of a PDF that a digital signature covers, and the changes after signing. */
export interface SignatureReading {
  readonly revisions: number;
  readonly coveragePercent: number;
  readonly changed: 'NOTHING' | 'FORM_OR_VALIDATION' | 'CONTENT' | 'SIGNATURE_REMOVED';
}

/**
 * A sign that a PDF may have been tampered with. The kinds of signs are declared with the facts of the engine
 * (`document-facts.ts`).
 */
export interface TamperSign {
  readonly kind:
    | 'CONTENT_REPLACED'
    | 'REVISIONS_NOT_COMPARED'
    | 'PRODUCERS_DIFFER'
    | 'MODIFIED_LATER'
    | 'FONT_OF_ONE_FIELD'
    | 'OVERLAY'
    | 'TEXT_DIFFERS_FROM_PICTURE';
  /** Numbers of the objects in the PDF that show the sign of tampering. */
  readonly objects: readonly string[];
}

/** Text that people who read the document page cannot see. */
export interface HiddenText {
  readonly page: number;
  readonly hiddenBy: 'RENDER_MODE' | 'COLOUR' | 'SIZE' | 'POSITION' | 'LAYER';
  readonly holds: 'AMOUNT' | 'ACCOUNT' | 'INSTRUCTION';
  readonly snippet: string;
  readonly box: Box | null;
  readonly isTextLayerOfScan: boolean;
}

/** The structured part of a document, or its payment code, compared with the visible page. */
export interface FieldConflict {
  readonly field: FieldPath;
  readonly source: 'XML' | 'QR';
  readonly machineValue: string;
  /** Value on the visible page, or null if the document page does not show the field. */
  readonly visibleValue: string | null;
}

export const failureReasons = [
  'ENCRYPTED',
  'DAMAGED',
  'MALFORMED_XML',
  'DOCTYPE',
  'UNSUPPORTED_FORMAT',
  'SEVERAL_INVOICES',
  'NO_INVOICE',
  'FIELDS_MISSING',
  'TOO_LARGE',
  'TIMED_OUT',
  'CRASHED',
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** Reason why no invoice could be read. The message states what the supplier must change. */
export interface ReadingFailure {
  readonly reason: FailureReason;
  readonly message: string;
  /** Required fields that the document lacks. Present only with the code FIELDS_MISSING. */
  readonly missingFields: readonly FieldPath[];
  /** Fields that were read from the document. Present only with the code FIELDS_MISSING. */
  readonly reading: DocumentReading | null;
}

export type ReadingOutcome = { readonly reading: DocumentReading } | { readonly failure: ReadingFailure };

/** A company of the organization. Its name and ids are never read as the name and ids of the supplier. */
export interface OwnCompany {
  readonly name: string;
  readonly taxId: string | null;
  readonly country: string | null;
}
