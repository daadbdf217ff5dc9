/** The paths of the canonical invoice that a document can state (specification 2.2; `company_id` comes with the request). */
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

/** Left, top, right, bottom in fractions of the page, 0 to 1. */
export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** One field with its proof (documents reference, sections 11 and 14). */
export interface FieldReading {
  /** Value in the form of the canonical invoice: dates `YYYY-MM-DD`, amounts plain decimals, IBAN without blanks. */
  readonly value: string;
  /** Value as printed in the document. */
  readonly raw: string;
  /** Page number, from 1; null for XML. */
  readonly page: number | null;
  /** Null for XML. */
  readonly box: Box | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly method: 'XML' | 'LABEL' | 'PATTERN' | 'ARITHMETIC';
  /** XPath of the value; null for text. */
  readonly xpath: string | null;
}

/** A line of a structured invoice; amounts are plain decimals, null where the document does not say. */
export interface InvoiceLine {
  readonly description: string | null;
  readonly quantity: string | null;
  readonly unit: string | null;
  readonly unitPrice: string | null;
  readonly netAmount: string | null;
  readonly taxRate: string | null;
}

export type DocumentFormat = 'UBL' | 'CII' | 'ZUGFERD1' | 'FATTURAPA' | 'FACTURAE' | 'FA3' | 'PDF' | 'IMAGE';

/** The content of a document, with the proof of each field. */
export interface DocumentReading {
  readonly method: 'XML' | 'TEXT' | 'OCR';
  readonly format: DocumentFormat;
  /** The code of the declared profile (documents reference, section 8); null when none is known. */
  readonly profile: string | null;
  readonly kind: 'INVOICE' | 'CREDIT_NOTE' | 'CORRECTION';
  /** Amount to pay, if it is stated and differs from the gross amount by prepayments or rounding; else null. */
  readonly payableAmount: string | null;
  /** The name of the XML file inside a PDF; null where there is none. */
  readonly embeddedFile: string | null;
  /** Null for XML. */
  readonly pages: number | null;
  readonly fields: Readonly<Partial<Record<FieldPath, FieldReading>>>;
  readonly lines: readonly InvoiceLine[];
  /** ISO 4217 codes an ambiguous sign may mean; empty where the currency was read. Then `fields.currency` is absent. */
  readonly currencyCandidates: readonly string[];
  /** A text that looks like an IBAN and fails its check digits, as printed; null if there is none. */
  readonly invalidIban: string | null;
  /** Names other than the chosen one that may be the supplier's, best first, at most 5. */
  readonly supplierNameCandidates: readonly string[];
  /** All profiles that the document declares (XML, XMP, name of the file); more than one contradict each other. */
  readonly declaredProfiles: readonly string[];
  readonly producer: string | null;
  readonly signature: SignatureReading | null;
  readonly tamperSigns: readonly TamperSign[];
  readonly hiddenTexts: readonly HiddenText[];
  readonly conflicts: readonly FieldConflict[];
}

/** The part of a PDF that a digital signature covers, and the changes after it. */
export interface SignatureReading {
  readonly revisions: number;
  readonly coveragePercent: number;
  readonly changed: 'NOTHING' | 'FORM_OR_VALIDATION' | 'CONTENT' | 'SIGNATURE_REMOVED';
}

/** A sign of tampering; kinds as in the facts of the engine (`document-facts.ts`). */
export interface TamperSign {
  readonly kind:
    | 'CONTENT_REPLACED'
    | 'REVISIONS_NOT_COMPARED'
    | 'PRODUCERS_DIFFER'
    | 'MODIFIED_LATER'
    | 'FONT_OF_ONE_FIELD'
    | 'OVERLAY'
    | 'TEXT_DIFFERS_FROM_PICTURE';
  /** Object numbers of the file. */
  readonly objects: readonly string[];
}

/** Text that a reader of the page cannot see. */
export interface HiddenText {
  readonly page: number;
  readonly hiddenBy: 'RENDER_MODE' | 'COLOUR' | 'SIZE' | 'POSITION' | 'LAYER';
  readonly holds: 'AMOUNT' | 'ACCOUNT' | 'INSTRUCTION';
  readonly snippet: string;
  readonly box: Box | null;
  readonly isTextLayerOfScan: boolean;
}

/** The structured part of a document, or its payment code, against the visible page. */
export interface FieldConflict {
  readonly field: FieldPath;
  readonly source: 'XML' | 'QR';
  readonly machineValue: string;
  /** Value on the visible page; null when the page does not have it. */
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

/** Reason why no invoice could be read; the message tells a supplier what to change. */
export interface ReadingFailure {
  readonly reason: FailureReason;
  readonly message: string;
  /** FIELDS_MISSING: which required fields are missing. */
  readonly missingFields: readonly FieldPath[];
  /** FIELDS_MISSING: what was read all the same. */
  readonly reading: DocumentReading | null;
}

export type ReadingOutcome = { readonly reading: DocumentReading } | { readonly failure: ReadingFailure };

/** A company of the organization: its own name and ids are never the supplier's. */
export interface OwnCompany {
  readonly name: string;
  readonly taxId: string | null;
  readonly country: string | null;
}
