import type { Level } from './level.js';

/**
 * Value limits are in euros; without a rate they are compared with the amount as stated. Approval limits are not: see
 * {@link AmountParameters.approvalThresholds}.
 */
export interface AmountParameters {
  readonly levels: {
    readonly outlierOfKnownSize: Level;
    readonly outlierBeyondAll: Level;
    readonly outlierRise: Level;
    readonly outlierHighRise: Level;
    readonly magnitudeShift: Level;
    /** Too small an amount: no money is lost by paying it. */
    readonly magnitudeShiftDown: Level;
    /** The supplier sells pieces: ten times as much may be ten of them. */
    readonly magnitudeShiftOfQuantity: Level;
    readonly recurringChanged: Level;
    readonly recurringRaisedMuch: Level;
    readonly round: Level;
    readonly roundYoung: Level;
    readonly belowThreshold: Level;
    readonly splitPair: Level;
    readonly splitPairOneOrder: Level;
    readonly splitGroup: Level;
    readonly splitGroupOneOrder: Level;
    /** Without any order, or with consecutive numbers. */
    readonly splitGroupSuspicious: Level;
    readonly splitGroupOneOrderConsecutive: Level;
    readonly zero: Level;
  };
  /** Amounts older than this say nothing about the usual amount. */
  readonly amountWindowDays: number;
  readonly logMadFloor: number;
  /**
   * A supplier grows when the median of its newest `trendAmounts` is `trendRatioMin` times that of the older ones; then only the newest are
   * usual.
   */
  readonly trendAmounts: number;
  readonly trendRatioMin: number;
  readonly outlierSampleMin: number;
  readonly outlierValueMin: string;
  /** The first row that holds, the most severe first. */
  readonly outlierSteps: readonly { readonly zMin: number; readonly ratioMin: number; readonly level: Level }[];
  /** Ratios to the largest earlier amount and to the usual one above which an amount is an outlier at any spread. */
  readonly beyondAllTimes: number;
  readonly beyondAllRatioMin: number;
  /** Ratio to the largest of fewer than `outlierSampleMin` earlier amounts, and the value from which it counts. */
  readonly fewAmountsTimes: number;
  readonly fewAmountsValueMin: string;
  /** Value from which a rise, or an amount beyond all earlier ones, is HIGH and stays unusual until a person has answered. */
  readonly highRiseValueMin: string;
  /** The first amounts, of which the middle one shows where a rise began. */
  readonly climbBaseAmounts: number;
  readonly climbTimes: number;
  /** Per cent by which a step exceeds all amounts before it. */
  readonly climbStepPercent: number;
  /** Steps, and their share of the bills, from which amounts rise step by step. */
  readonly climbRecordsMin: number;
  readonly climbShareMin: number;
  readonly climbValueMin: string;
  /** Days within which the bills of a supplier are added up, and how many there must be. */
  readonly surgeDays: number;
  readonly surgeBillsMin: number;
  /** Ratio to the largest earlier sum of so many days. */
  readonly surgeTimes: number;
  /** Days before them that must be known. */
  readonly surgeHistoryDays: number;
  readonly surgeValueMin: string;
  /** Share of the checked amount from which an earlier one has the same size. */
  readonly sameSizeShareMin: number;
  /** Earlier amounts of the same size that make an outlier mild. */
  readonly outlierKnownMin: number;
  /** One of its size about a year before makes it a yearly bill. */
  readonly yearlyGapDays: { readonly min: number; readonly max: number };
  readonly shiftSampleMin: number;
  readonly shiftFactors: readonly number[];
  readonly shiftTolerancePercent: number;
  readonly shiftRatioMin: number;
  /** Maximum ratio of the largest to the smallest of similar amounts, without a tenth at either end. */
  readonly shiftRangeMax: number;
  /** Digits that must be equal where amounts are not similar. */
  readonly shiftDigitsMin: number;
  /** Other amounts that are so many times the smaller one, at most, which show that the supplier sells pieces. */
  readonly shiftMultiplesMin: number;
  readonly shiftMultipleMax: number;
  readonly shiftValueMin: string;
  readonly recurringMin: number;
  /** Bills between those of the series, and bills of it that were left out. */
  readonly recurringExceptionsMax: number;
  readonly recurringTolerancePercent: number;
  readonly recurringGapsDays: readonly { readonly min: number; readonly max: number }[];
  readonly recurringChangePercent: number;
  readonly recurringRaisePercent: number;
  /** Rise from one bill to the next that breaks no series, and the days over which such rises are added up. */
  readonly recurringStepPercent: number;
  readonly recurringRiseDays: number;
  /** Months in which contracts are indexed, 1 is January. */
  readonly indexationMonths: readonly number[];
  readonly roundValueMin: string;
  readonly roundHistoryMin: number;
  readonly roundShareMax: number;
  /** Approval limits, in the currency of the invoice and in the base currency. */
  readonly approvalThresholds: readonly string[];
  /** Value below which bills are not compared with approval limits. */
  readonly approvalValueMin: string;
  readonly belowThresholdPercent: number;
  readonly splitPercent: number;
  readonly splitDays: number;
  readonly splitGroupMin: number;
  /** Share of a supplier's amounts in the band from which the band holds its prices. */
  readonly pricePointHistoryMin: number;
  readonly pricePointShareMin: number;
}

/** The defaults of every organization. */
export const amounts: AmountParameters = {
  levels: {
    outlierOfKnownSize: { severity: 'LOW', confidence: 60 },
    outlierBeyondAll: { severity: 'MEDIUM', confidence: 75 },
    outlierRise: { severity: 'MEDIUM', confidence: 70 },
    outlierHighRise: { severity: 'HIGH', confidence: 80 },
    magnitudeShift: { severity: 'HIGH', confidence: 80 },
    magnitudeShiftDown: { severity: 'MEDIUM', confidence: 80 },
    magnitudeShiftOfQuantity: { severity: 'LOW', confidence: 60 },
    recurringChanged: { severity: 'LOW', confidence: 70 },
    recurringRaisedMuch: { severity: 'MEDIUM', confidence: 80 },
    round: { severity: 'LOW', confidence: 40 },
    roundYoung: { severity: 'INFO', confidence: 40 },
    belowThreshold: { severity: 'INFO', confidence: 40 },
    splitPair: { severity: 'LOW', confidence: 60 },
    splitPairOneOrder: { severity: 'INFO', confidence: 60 },
    splitGroup: { severity: 'MEDIUM', confidence: 78 },
    splitGroupOneOrder: { severity: 'LOW', confidence: 78 },
    splitGroupSuspicious: { severity: 'HIGH', confidence: 82 },
    splitGroupOneOrderConsecutive: { severity: 'MEDIUM', confidence: 82 },
    zero: { severity: 'LOW', confidence: 90 },
  },
  amountWindowDays: 730,
  logMadFloor: 0.15,
  trendAmounts: 12,
  trendRatioMin: 1.25,
  outlierSampleMin: 8,
  outlierValueMin: '200',
  outlierSteps: [
    { zMin: 6, ratioMin: 10, level: { severity: 'HIGH', confidence: 85 } },
    { zMin: 5, ratioMin: 4, level: { severity: 'MEDIUM', confidence: 75 } },
    { zMin: 3.5, ratioMin: 2.5, level: { severity: 'LOW', confidence: 60 } },
  ],
  beyondAllTimes: 3,
  beyondAllRatioMin: 8,
  fewAmountsTimes: 10,
  fewAmountsValueMin: '2000',
  highRiseValueMin: '10000',
  climbBaseAmounts: 3,
  climbTimes: 10,
  climbStepPercent: 5,
  climbRecordsMin: 3,
  climbShareMin: 0.5,
  climbValueMin: '2000',
  surgeDays: 30,
  surgeBillsMin: 4,
  surgeTimes: 3,
  surgeHistoryDays: 90,
  surgeValueMin: '5000',
  sameSizeShareMin: 0.8,
  outlierKnownMin: 2,
  yearlyGapDays: { min: 335, max: 395 },
  shiftSampleMin: 5,
  shiftFactors: [10, 100],
  shiftTolerancePercent: 2,
  shiftRatioMin: 5,
  shiftRangeMax: 4,
  shiftDigitsMin: 4,
  shiftMultiplesMin: 2,
  shiftMultipleMax: 100,
  shiftValueMin: '200',
  recurringMin: 6,
  recurringExceptionsMax: 1,
  recurringTolerancePercent: 2,
  recurringGapsDays: [
    { min: 25, max: 35 },
    { min: 85, max: 95 },
  ],
  recurringChangePercent: 5,
  recurringRaisePercent: 25,
  recurringStepPercent: 10,
  recurringRiseDays: 150,
  indexationMonths: [1, 4],
  roundValueMin: '1000',
  roundHistoryMin: 10,
  roundShareMax: 0.2,
  approvalThresholds: ['5000', '10000', '25000', '50000', '100000'],
  approvalValueMin: '1000',
  belowThresholdPercent: 95,
  splitPercent: 90,
  splitDays: 7,
  splitGroupMin: 3,
  pricePointHistoryMin: 10,
  pricePointShareMin: 0.5,
};
