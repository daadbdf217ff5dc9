import type { Level } from './level.js';

export interface BuyerParameters {
  readonly levels: {
    readonly mismatch: Level;
    /** The company has no tax id, or the name is its own: then it may be a VAT group. */
    readonly mismatchUncertain: Level;
    readonly nameMismatch: Level;
  };
  /** Minimum length of a tax id inside another that makes both one registration. */
  readonly embeddedTaxIdLengthMin: number;
  readonly sameNameMin: number;
}

/** The defaults of every organization. */
export const buyers: BuyerParameters = {
  levels: {
    mismatch: { severity: 'HIGH', confidence: 90 },
    mismatchUncertain: { severity: 'MEDIUM', confidence: 75 },
    nameMismatch: { severity: 'MEDIUM', confidence: 70 },
  },
  embeddedTaxIdLengthMin: 8,
  sameNameMin: 0.92,
};
