import type { TamperSignKind } from '../facts/document-facts.js';
import type { Level } from './level.js';

export interface DocumentParameters {
  readonly levels: {
    readonly modifiedAfterSigning: Level;
    readonly completedAfterSigning: Level;
    readonly contentReplaced: Level;
    readonly tamperLikely: Level;
    readonly tamperDoubtful: Level;
    readonly tamperTrace: Level;
    readonly hiddenText: Level;
    readonly accountConflict: Level;
    readonly fieldConflict: Level;
    readonly keyFieldUncertain: Level;
    readonly fieldUncertain: Level;
    readonly schemaInvalid: Level;
    readonly arithmeticRuleFailed: Level;
    readonly ruleFailed: Level;
    readonly ruleWarning: Level;
    readonly profileConflict: Level;
  };
  readonly tamperWeights: Readonly<Record<TamperSignKind, number>>;
  readonly tamperLikelyMin: number;
  readonly tamperDoubtfulMin: number;
  /** Programs that edit finished documents, in lower case, as they appear in the description of a file's origin. */
  readonly editors: readonly string[];
  readonly readConfidenceMin: number;
  readonly keyFields: readonly string[];
  /** Maximum number of entries that a list in the evidence of a finding shows. */
  readonly shownMax: number;
  /** Maximum number of failed validation rules and schema errors shown in evidence. The export has the same limit. */
  readonly rulesShownMax: number;
}

/** Default parameters of the document rules, which apply to every organization. */
export const documents: DocumentParameters = {
  levels: {
    modifiedAfterSigning: { severity: 'CRITICAL', confidence: 95 },
    completedAfterSigning: { severity: 'INFO', confidence: 95 },
    contentReplaced: { severity: 'CRITICAL', confidence: 95 },
    tamperLikely: { severity: 'HIGH', confidence: 80 },
    tamperDoubtful: { severity: 'MEDIUM', confidence: 65 },
    tamperTrace: { severity: 'INFO', confidence: 65 },
    hiddenText: { severity: 'HIGH', confidence: 80 },
    accountConflict: { severity: 'CRITICAL', confidence: 95 },
    fieldConflict: { severity: 'HIGH', confidence: 92 },
    keyFieldUncertain: { severity: 'MEDIUM', confidence: 90 },
    fieldUncertain: { severity: 'INFO', confidence: 90 },
    schemaInvalid: { severity: 'HIGH', confidence: 95 },
    arithmeticRuleFailed: { severity: 'HIGH', confidence: 90 },
    ruleFailed: { severity: 'MEDIUM', confidence: 90 },
    ruleWarning: { severity: 'INFO', confidence: 90 },
    profileConflict: { severity: 'LOW', confidence: 90 },
  },
  tamperWeights: {
    CONTENT_REPLACED: 3,
    REVISIONS_NOT_COMPARED: 5,
    PRODUCERS_DIFFER: 1,
    MODIFIED_LATER: 1,
    EDITOR: 1,
    FONT_OF_ONE_FIELD: 2,
    OVERLAY: 3,
    TEXT_DIFFERS_FROM_PICTURE: 3,
  },
  tamperLikelyMin: 5,
  tamperDoubtfulMin: 3,
  editors: ['ilovepdf', 'smallpdf', 'sejda', 'pdfescape', 'pdffiller', 'photoshop', 'gimp', 'pdf-xchange editor'],
  readConfidenceMin: 80,
  keyFields: [
    'supplier.name',
    'supplier.bank_account',
    'supplier.bank_account.iban',
    'invoice_number',
    'issue_date',
    'currency',
    'gross_amount',
  ],
  shownMax: 20,
  rulesShownMax: 50,
};
