import type { Level } from './level.js';

export interface BuyerParameters {
  readonly levels: {
    readonly mismatch: Level;
    /** The company has no tax id, or the name is its own: then it may be a VAT group. */
    readonly mismatchUncertain: Level;
    readonly nameMismatch: Level;
  };
  /** A tax id inside another is the same registration when it is at least so long. */
  readonly embeddedTaxIdLengthMin: number;
  readonly sameNameMin: number;
}

/** As every organization starts with them. */
export const buyers: BuyerParameters = {
  levels: {
    mismatch: { severity: 'HIGH', confidence: 90 },
    mismatchUncertain: { severity: 'MEDIUM', confidence: 75 },
    nameMismatch: { severity: 'MEDIUM', confidence: 70 },
  },
  embeddedTaxIdLengthMin: 8,
  sameNameMin: 0.92,
};
