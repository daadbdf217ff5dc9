import type { Level } from './level.js';

/**
 * Minimum numbers of letters that decide which supplier names count as lookalikes. Stored keys depend on them. Shorter
 * words than `lengthMin` are not compared, because short brands are similar by chance. Words with `longLengthMin`
 * letters may differ in two characters, and words with `twoSlipsLengthMin` letters only if the bank account differs
 * too. The order of the words may differ if they have `wordSetLengthMin` letters together.
 */
export const lookalikeWords = { lengthMin: 5, longLengthMin: 10, twoSlipsLengthMin: 7, wordSetLengthMin: 4 } as const;

/** Minimum similarity of two names, and minimum length of a shared word, for both names to belong to one supplier. */
export const nameLikeness = { similarityMin: 0.75, sharedWordLengthMin: 4 } as const;

export interface SupplierParameters {
  readonly levels: {
    readonly lookalike: Level;
    readonly lookalikeConflicting: Level;
    /**
     * Severity and confidence of the lookalike finding about a further row of the history scan that imported the
     * supplier.
     */
    readonly lookalikeAsked: Level;
    readonly taxIdChanged: Level;
    readonly taxIdChangedNewAccount: Level;
    /**
     * Severity and confidence of the finding about a changed tax id in a further row of the history scan that imported
     * this tax id.
     */
    readonly taxIdChangedAsked: Level;
    /** Severity and confidence of a finding about a tax id that is first stated after invoices without one. */
    readonly taxIdFirstUse: Level;
    readonly taxIdFirstUseDoubtful: Level;
    readonly taxIdFirstUseAsked: Level;
    readonly nameMismatch: Level;
    readonly taxIdInvalid: Level;
    readonly taxIdInvalidFormat: Level;
    readonly taxIdMissing: Level;
    readonly newSupplier: Level;
    readonly newHighValue: Level;
    readonly newHighValueUnsupported: Level;
    readonly dormant: Level;
    readonly dormantNewAccount: Level;
    readonly ownCompany: Level;
  };
  /** Minimum number of invoices at which impostors are expected to imitate a supplier. */
  readonly lookalikeInvoicesMin: number;
  /** Limits for lookalike names of suppliers. Stored keys and profiles depend on these limits. */
  readonly lookalikeWords: typeof lookalikeWords;
  readonly nameLikeness: typeof nameLikeness;
  /** Minimum length of a name that unrelated suppliers do not share by chance. */
  readonly sharedNameLengthMin: number;
  /** Minimum number of tax ids under one supplier name at which they count as a group of companies. */
  readonly groupTaxIdsMin: number;
  readonly taxIdShareMin: number;
  readonly taxIdInvoicesMin: number;
  /**
   * Number of rows at the beginning of an organization's first history scan for which a new supplier raises no finding,
   * because every supplier is new there.
   */
  readonly firstScanRows: number;
  readonly dormantInvoicesMin: number;
  readonly dormantDaysMin: number;
  readonly dormantGapFactor: number;
}

/** Default parameters of the supplier rules, which apply to every organization. */
export const suppliers: SupplierParameters = {
  levels: {
    lookalike: { severity: 'MEDIUM', confidence: 70 },
    lookalikeConflicting: { severity: 'HIGH', confidence: 85 },
    lookalikeAsked: { severity: 'LOW', confidence: 70 },
    taxIdChanged: { severity: 'MEDIUM', confidence: 75 },
    taxIdChangedNewAccount: { severity: 'HIGH', confidence: 75 },
    taxIdChangedAsked: { severity: 'LOW', confidence: 75 },
    taxIdFirstUse: { severity: 'LOW', confidence: 60 },
    taxIdFirstUseDoubtful: { severity: 'MEDIUM', confidence: 75 },
    taxIdFirstUseAsked: { severity: 'LOW', confidence: 75 },
    nameMismatch: { severity: 'MEDIUM', confidence: 70 },
    taxIdInvalid: { severity: 'MEDIUM', confidence: 90 },
    taxIdInvalidFormat: { severity: 'LOW', confidence: 90 },
    taxIdMissing: { severity: 'LOW', confidence: 70 },
    newSupplier: { severity: 'INFO', confidence: 100 },
    newHighValue: { severity: 'LOW', confidence: 70 },
    newHighValueUnsupported: { severity: 'MEDIUM', confidence: 70 },
    dormant: { severity: 'LOW', confidence: 65 },
    dormantNewAccount: { severity: 'MEDIUM', confidence: 65 },
    ownCompany: { severity: 'MEDIUM', confidence: 85 },
  },
  lookalikeInvoicesMin: 3,
  lookalikeWords,
  nameLikeness,
  sharedNameLengthMin: 5,
  groupTaxIdsMin: 2,
  taxIdShareMin: 0.9,
  taxIdInvoicesMin: 5,
  firstScanRows: 200,
  dormantInvoicesMin: 5,
  dormantDaysMin: 270,
  dormantGapFactor: 6,
};
