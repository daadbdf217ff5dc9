import type { Level } from './level.js';

/**
 * Words by which lookalikes are told; stored keys rest on it. Brands of four letters are alike by chance; long words may
 * differ in two characters, shorter ones down to `twoSlipsLengthMin` where the account is another one, and so may the order
 * of words be that have `wordSetLengthMin` letters together.
 */
export const lookalikeWords = { lengthMin: 5, longLengthMin: 10, twoSlipsLengthMin: 7, wordSetLengthMin: 4 } as const;

/** Similarity, and length of a shared word, from which two names belong to one party. */
export const nameLikeness = { similarityMin: 0.75, sharedWordLengthMin: 4 } as const;

export interface SupplierParameters {
  readonly levels: {
    readonly lookalike: Level;
    readonly lookalikeConflicting: Level;
    /** Level on further rows of the scan that brought the supplier. */
    readonly lookalikeAsked: Level;
    readonly taxIdChanged: Level;
    readonly taxIdChangedNewAccount: Level;
    /** Level on further rows of the scan that brought the tax id. */
    readonly taxIdChangedAsked: Level;
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
  /** Invoices from which a supplier may be imitated. */
  readonly lookalikeInvoicesMin: number;
  /** Limits by which lookalikes and names are formed. Stored keys and profiles depend on them. */
  readonly lookalikeWords: typeof lookalikeWords;
  readonly nameLikeness: typeof nameLikeness;
  /** Shorter names are shared by chance. */
  readonly sharedNameLengthMin: number;
  /** Tax ids under one name from which it is a group of companies. */
  readonly groupTaxIdsMin: number;
  readonly taxIdShareMin: number;
  readonly taxIdInvoicesMin: number;
  /** Rows of an organization's first scan before which every supplier is new. */
  readonly firstScanRows: number;
  readonly dormantInvoicesMin: number;
  readonly dormantDaysMin: number;
  readonly dormantGapFactor: number;
}

/** The defaults of every organization. */
export const suppliers: SupplierParameters = {
  levels: {
    lookalike: { severity: 'MEDIUM', confidence: 70 },
    lookalikeConflicting: { severity: 'HIGH', confidence: 85 },
    lookalikeAsked: { severity: 'LOW', confidence: 70 },
    taxIdChanged: { severity: 'MEDIUM', confidence: 75 },
    taxIdChangedNewAccount: { severity: 'HIGH', confidence: 75 },
    taxIdChangedAsked: { severity: 'LOW', confidence: 75 },
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
