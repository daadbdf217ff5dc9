/** Facts that were found in an uploaded document during extraction. Text is quoted from the document. */
export interface DocumentFacts {
  /** Source from which the fields of a document were read: structured data, a text layer, or a page image. */
  readonly method: 'XML' | 'TEXT' | 'OCR';
  readonly fields: readonly ReadField[];
  /** Name of the program that wrote the PDF file, as stated in the file. */
  readonly producer?: string;
  readonly signature?: SignatureFacts;
  readonly tamperSigns: readonly TamperSign[];
  readonly hiddenTexts: readonly HiddenText[];
  readonly conflicts: readonly FieldConflict[];
  readonly validation?: ValidationFacts;
  /** ISO 4217 codes that an ambiguous currency sign may mean. Present only if the currency could not be read. */
  readonly currencyCandidates?: readonly string[];
  /** Printed text that looks like an IBAN but has wrong check digits. It does not become the account of the invoice. */
  readonly invalidIban?: string;
  /** Kind of sales document according to its title. Absent for an ordinary invoice. */
  readonly salesDocument?: SalesDocument;
  /** Party to whom the document asks to pay. Present only if its name differs from the supplier's on the document. */
  readonly payeeName?: string;
  /**
   * The VAT of each rate as the document states it, in decimal strings. Absent if the document has no VAT breakdown
   * that can be read completely.
   */
  readonly taxBreakdown?: readonly TaxBreakdownRow[];
}

export interface TaxBreakdownRow {
  /** Net amount that the rate applies to. */
  readonly base: string;
  readonly tax: string;
}

export type SalesDocument = 'RECEIPT' | 'TICKET' | 'TOLL';

export interface ReadField {
  /** Path of the field in the canonical invoice, separated by dots, such as `supplier.tax_id`. */
  readonly field: string;
  /** Confidence that the field of the document was read correctly, from 0 to 100. */
  readonly confidence: number;
}

export interface SignatureFacts {
  readonly revisions: number;
  /** Percentage of the PDF file that the signature covers. */
  readonly coveragePercent: number;
  /**
   * Kind of change that was made to a PDF after signing. Filled forms, annotations and long-term validation data do not
   * change the signed content.
   */
  readonly changed: 'NOTHING' | 'FORM_OR_VALIDATION' | 'CONTENT' | 'SIGNATURE_REMOVED';
}

export type TamperSignKind =
  /** Sign of tampering: a later revision of the PDF replaces content of an earlier revision. */
  | 'CONTENT_REPLACED'
  /** Sign of tampering: the PDF file has more revisions or pages than the service compares. */
  | 'REVISIONS_NOT_COMPARED'
  /** Sign of tampering: two descriptions in the PDF file name different programs that wrote it. */
  | 'PRODUCERS_DIFFER'
  /** Sign of tampering: the PDF file was modified more than a day after it was created. */
  | 'MODIFIED_LATER'
  /** Sign of tampering: the PDF file was written by a program that edits finished documents. */
  | 'EDITOR'
  /** Sign of tampering: a font of the PDF is used only for the characters of amounts, accounts or dates. */
  | 'FONT_OF_ONE_FIELD'
  /** Sign of tampering: a rectangle with text covers other text on the page of the PDF. */
  | 'OVERLAY'
  /** Sign of tampering: the text layer and the page image of the PDF differ in a key field. */
  | 'TEXT_DIFFERS_FROM_PICTURE';

export interface TamperSign {
  readonly kind: TamperSignKind;
  /** Numbers of the objects in the PDF file that show the sign of tampering. */
  readonly objects: readonly string[];
}

export interface HiddenText {
  readonly page: number;
  readonly hiddenBy: 'RENDER_MODE' | 'COLOUR' | 'SIZE' | 'POSITION' | 'LAYER';
  readonly holds: 'AMOUNT' | 'ACCOUNT' | 'INSTRUCTION';
  readonly snippet: string;
  /** Left, top, right and bottom edges of the hidden text as fractions of the page. Null if the position is unknown. */
  readonly box: readonly number[] | null;
  /**
   * True if the document page is an image and the hidden text was recognized from that image. The text layer of such a
   * page is invisible by design.
   */
  readonly isTextLayerOfScan: boolean;
}

/**
 * A field whose value on the visible page of a document differs from its value in the structured part or in the payment
 * code.
 */
export interface FieldConflict {
  readonly field: string;
  readonly source: 'XML' | 'QR';
  readonly machineValue: string;
  /** Value of an invoice field on the visible page, or null if the page does not show the field. */
  readonly visibleValue: string | null;
}

export interface ValidationFacts {
  readonly profile: string | null;
  /** Names of the validation rule sets that were checked for the e-invoice, separated by commas. */
  readonly ruleSet: string;
  /** Profiles that the e-invoice file declares. If there are several, they contradict each other. */
  readonly declaredProfiles: readonly string[];
  readonly schemaErrors: readonly { readonly message: string; readonly location: string }[];
  /**
   * Validation rules that the e-invoice breaks, one entry for each rule and location. A very long list is shortened.
   */
  readonly failedRules: readonly FailedRule[];
  /** Total number of failed validation rules, including those that are not listed. */
  readonly failedTotal: number;
}

export interface FailedRule {
  readonly id: string;
  readonly flag: 'FATAL' | 'WARNING' | 'INFORMATION';
  readonly message: string;
  readonly location: string;
  /** Value that an arithmetic validation rule expects in the e-invoice, as a decimal string. Null for other rules. */
  readonly expected: string | null;
  readonly actual: string | null;
}
