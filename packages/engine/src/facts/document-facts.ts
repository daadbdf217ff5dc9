/** Facts about an uploaded document itself, found by its extraction. Texts are as in the document. */
export interface DocumentFacts {
  /** Source of the fields: structured data, a text layer, or the picture of a page. */
  readonly method: 'XML' | 'TEXT' | 'OCR';
  readonly fields: readonly ReadField[];
  /** The program that wrote the file, as it says itself. */
  readonly producer?: string;
  readonly signature?: SignatureFacts;
  readonly tamperSigns: readonly TamperSign[];
  readonly hiddenTexts: readonly HiddenText[];
  readonly conflicts: readonly FieldConflict[];
  readonly validation?: ValidationFacts;
  /** ISO 4217 codes that an ambiguous sign may mean, where the currency could not be read. */
  readonly currencyCandidates?: readonly string[];
  /** Looks like an IBAN and fails its check digits, as printed. It is not an account of the invoice. */
  readonly invalidIban?: string;
  /** Kind of the sales document by its title; absent for an invoice. */
  readonly salesDocument?: SalesDocument;
}

export type SalesDocument = 'RECEIPT' | 'TICKET' | 'TOLL';

export interface ReadField {
  /** Path of the field in the canonical invoice, with dots: `supplier.tax_id`. */
  readonly field: string;
  /** 0 to 100. */
  readonly confidence: number;
}

export interface SignatureFacts {
  readonly revisions: number;
  /** Share of the file that the signature covers. */
  readonly coveragePercent: number;
  /** Kind of change after signing. Forms, annotations and long-term validation leave the content as it was signed. */
  readonly changed: 'NOTHING' | 'FORM_OR_VALIDATION' | 'CONTENT' | 'SIGNATURE_REMOVED';
}

export type TamperSignKind =
  /** A later revision shows something else than an earlier one. */
  | 'CONTENT_REPLACED'
  /** The file has more revisions or pages than are compared. */
  | 'REVISIONS_NOT_COMPARED'
  /** The two descriptions of the file name different programs. */
  | 'PRODUCERS_DIFFER'
  /** Modified more than a day after it was created. */
  | 'MODIFIED_LATER'
  /** The program is one for editing finished documents. */
  | 'EDITOR'
  /** A font that serves only for the glyphs of amounts, accounts or dates. */
  | 'FONT_OF_ONE_FIELD'
  /** A rectangle with text over other text. */
  | 'OVERLAY'
  /** The text layer says something else than the picture in a key field. */
  | 'TEXT_DIFFERS_FROM_PICTURE';

export interface TamperSign {
  readonly kind: TamperSignKind;
  /** Object numbers of the file. */
  readonly objects: readonly string[];
}

export interface HiddenText {
  readonly page: number;
  readonly hiddenBy: 'RENDER_MODE' | 'COLOUR' | 'SIZE' | 'POSITION' | 'LAYER';
  readonly holds: 'AMOUNT' | 'ACCOUNT' | 'INSTRUCTION';
  readonly snippet: string;
  /** Left, top, right, bottom in fractions of the page; null where the position is unknown. */
  readonly box: readonly number[] | null;
  /** The page is a picture and this is what was read from it: invisible by design. */
  readonly isTextLayerOfScan: boolean;
}

/** The structured part of a document, or its payment code, against what a reader sees. */
export interface FieldConflict {
  readonly field: string;
  readonly source: 'XML' | 'QR';
  readonly machineValue: string;
  /** Value on the visible page; null when the page does not have it. */
  readonly visibleValue: string | null;
}

export interface ValidationFacts {
  readonly profile: string | null;
  /** Names of the rule sets that ran, joined by commas. */
  readonly ruleSet: string;
  /** More than one: they contradict each other. */
  readonly declaredProfiles: readonly string[];
  readonly schemaErrors: readonly { readonly message: string; readonly location: string }[];
  /** One for each rule and location; the first of them where there are very many. */
  readonly failedRules: readonly FailedRule[];
  /** Number of failed rules, listed or not. */
  readonly failedTotal: number;
}

export interface FailedRule {
  readonly id: string;
  readonly flag: 'FATAL' | 'WARNING' | 'INFORMATION';
  readonly message: string;
  readonly location: string;
  /** Decimal strings in arithmetic rules, else null. */
  readonly expected: string | null;
  readonly actual: string | null;
}
