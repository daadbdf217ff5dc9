import type { Level } from './level.js';

export interface BuyerParameters {
  readonly levels: {
    readonly mismatch: Level;
    /**
     * Severity and confidence of the finding about a wrong buyer in uncertain cases: if the company has no tax id, or
     * if the buyer has the same name as the company, so that the tax id on the invoice may belong to a VAT group.
     */
    readonly mismatchUncertain: Level;
    readonly nameMismatch: Level;
  };
  /** Minimum length of a tax id at which it counts as the same registration as a longer tax id that contains it. */
  readonly embeddedTaxIdLengthMin: number;
  readonly sameNameMin: number;
}

/** Default parameters of the buyer rules, which apply to every organization. */
export const buyers: BuyerParameters = {
  levels: {
    mismatch: { severity: 'HIGH', confidence: 90 },
    mismatchUncertain: { severity: 'MEDIUM', confidence: 75 },
    nameMismatch: { severity: 'MEDIUM', confidence: 70 },
  },
  embeddedTaxIdLengthMin: 8,
  sameNameMin: 0.92,
};
