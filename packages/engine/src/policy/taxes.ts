import type { Level } from './level.js';

export interface TaxParameters {
  readonly levels: {
    readonly arithmeticSmall: Level;
    readonly arithmetic: Level;
    readonly arithmeticOverbilled: Level;
    readonly rateImplausible: Level;
    readonly signMismatch: Level;
    readonly rateUnusual: Level;
    readonly withoutRegistration: Level;
    readonly crossBorder: Level;
  };
  /** Minor units; one less in currencies that have none. */
  readonly toleranceMinor: number;
  readonly toleranceMinorWhole: number;
  readonly smallDifference: string;
  readonly smallBasisPoints: number;
  readonly overbilledBasisPoints: number;
  /** The smallest coin by currency, where totals are rounded to it. */
  readonly cashRoundingSteps: Readonly<Record<string, string>>;
  /** Shares of the net amount that the buyer keeps back for the tax office, by country of the supplier. */
  readonly withholdingBasisPoints: Readonly<Record<string, readonly number[]>>;
  readonly rateExcessBasisPoints: number;
  readonly rateHistoryMin: number;
  readonly rateConstantBasisPoints: number;
  readonly rateConstantShareMin: number;
  readonly rateUnusualBasisPoints: number;
}

/** The defaults of every organization. */
export const taxes: TaxParameters = {
  levels: {
    arithmeticSmall: { severity: 'LOW', confidence: 90 },
    arithmetic: { severity: 'MEDIUM', confidence: 95 },
    arithmeticOverbilled: { severity: 'HIGH', confidence: 97 },
    rateImplausible: { severity: 'MEDIUM', confidence: 90 },
    signMismatch: { severity: 'HIGH', confidence: 90 },
    rateUnusual: { severity: 'LOW', confidence: 60 },
    withoutRegistration: { severity: 'MEDIUM', confidence: 70 },
    crossBorder: { severity: 'LOW', confidence: 65 },
  },
  toleranceMinor: 2,
  toleranceMinorWhole: 1,
  smallDifference: '1',
  smallBasisPoints: 10,
  overbilledBasisPoints: 100,
  cashRoundingSteps: {
    AUD: '0.05',
    CAD: '0.05',
    CHF: '0.05',
    CZK: '1',
    DKK: '0.5',
    HUF: '5',
    NOK: '1',
    NZD: '0.1',
    SEK: '1',
  },
  withholdingBasisPoints: {
    ES: [100, 200, 700, 1500, 1900],
    IT: [400, 1150, 2000, 2300],
    PT: [1150, 1650, 2000, 2300, 2500],
  },
  rateExcessBasisPoints: 10,
  rateHistoryMin: 6,
  rateConstantBasisPoints: 20,
  rateConstantShareMin: 0.9,
  rateUnusualBasisPoints: 100,
};
