import type { Level } from './level.js';

/**
 * Parameters for the rules about amounts. Value limits are in euros. Without an exchange rate, the stated amount is
 * compared with these limits. Approval limits have their own currencies: see {@link
 * AmountParameters.approvalThresholds}.
 */
export interface AmountParameters {
  readonly levels: {
    readonly outlierOfKnownSize: Level;
    readonly outlierBeyondAll: Level;
    readonly outlierRise: Level;
    readonly outlierHighRise: Level;
    readonly magnitudeShift: Level;
    /**
     * Severity and confidence of a finding about an amount that is too small because of a misplaced decimal point.
     * Paying such an invoice loses no money.
     */
    readonly magnitudeShiftDown: Level;
    /**
     * Severity and confidence of a finding about a misplaced decimal point if the supplier sells by the piece, because
     * ten times the amount may be the price of ten pieces.
     */
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
    /**
     * Severity and confidence of a finding about a split purchase whose bills state no purchase order or have
     * consecutive numbers.
     */
    readonly splitGroupSuspicious: Level;
    readonly splitGroupOneOrderConsecutive: Level;
    readonly zero: Level;
  };
  /** Age in days from which invoices are ignored when the usual amount of a supplier is computed. */
  readonly amountWindowDays: number;
  readonly logMadFloor: number;
  /**
   * Number of newest amounts of a supplier that decide whether the supplier grows: their median is at least
   * `trendRatioMin` times the median of the older amounts. For a growing supplier, only these newest amounts count as
   * usual.
   */
  readonly trendAmounts: number;
  readonly trendRatioMin: number;
  readonly outlierSampleMin: number;
  readonly outlierValueMin: string;
  /**
   * Severity steps of findings about amount outliers in descending order of severity. The first step that applies is
   * used.
   */
  readonly outlierSteps: readonly { readonly zMin: number; readonly ratioMin: number; readonly level: Level }[];
  /**
   * Minimum ratios to the largest earlier amount and to the usual amount that make an amount an outlier, however widely
   * the amounts vary.
   */
  readonly beyondAllTimes: number;
  readonly beyondAllRatioMin: number;
  /**
   * Minimum ratio to the supplier's largest amount, and minimum invoice value, at which an amount counts as an outlier
   * although fewer than `outlierSampleMin` earlier amounts are known.
   */
  readonly fewAmountsTimes: number;
  readonly fewAmountsValueMin: string;
  /**
   * Invoice value from which a rise, or an amount far above all earlier amounts, has severity HIGH and remains unusual
   * until a person has reviewed the invoice.
   */
  readonly highRiseValueMin: string;
  /** Number of a supplier's first amounts whose median is the amount at which a rise began. */
  readonly climbBaseAmounts: number;
  readonly climbTimes: number;
  /** Minimum percentage by which an invoice amount must exceed all earlier amounts to count as a step of a rise. */
  readonly climbStepPercent: number;
  /**
   * Conditions under which a supplier's amounts count as rising gradually: the minimum number of bills that each raise
   * the largest amount, and their minimum share of all bills.
   */
  readonly climbRecordsMin: number;
  readonly climbShareMin: number;
  readonly climbValueMin: string;
  /** Number of days over which a supplier's bills are added up, and the minimum number of bills in that period. */
  readonly surgeDays: number;
  readonly surgeBillsMin: number;
  /** Minimum ratio of the sum of a supplier's bills within `surgeDays` to its largest earlier sum. */
  readonly surgeTimes: number;
  /** Number of days before the surge for which bills of the supplier must be known. */
  readonly surgeHistoryDays: number;
  readonly surgeValueMin: string;
  /** Minimum ratio of an earlier amount to the checked amount at which the two count as amounts of the same size. */
  readonly sameSizeShareMin: number;
  /**
   * Minimum number of earlier amounts of about the same size as an outlier, at which the severity of the finding about
   * the outlier is lower.
   */
  readonly outlierKnownMin: number;
  /** Minimum and maximum number of days between two bills of the same size that count as yearly bills. */
  readonly yearlyGapDays: { readonly min: number; readonly max: number };
  readonly shiftSampleMin: number;
  readonly shiftFactors: readonly number[];
  readonly shiftTolerancePercent: number;
  readonly shiftRatioMin: number;
  /**
   * Maximum ratio of the largest to the smallest amount of a supplier for its amounts to be similar. The highest tenth
   * and the lowest tenth are left out.
   */
  readonly shiftRangeMax: number;
  /**
   * Minimum number of leading digits that two amounts must share so that a finding about a misplaced decimal point is
   * raised although the supplier's amounts are not similar.
   */
  readonly shiftDigitsMin: number;
  /**
   * A supplier counts as selling by the piece if at least `shiftMultiplesMin` of its other amounts are multiples of the
   * smaller of the two compared amounts. A multiple counts up to `shiftMultipleMax` times the smaller amount.
   */
  readonly shiftMultiplesMin: number;
  readonly shiftMultipleMax: number;
  readonly shiftValueMin: string;
  readonly recurringMin: number;
  /** Maximum number of exceptions in a regular series of bills: other bills in between, and missing bills. */
  readonly recurringExceptionsMax: number;
  readonly recurringTolerancePercent: number;
  readonly recurringGapsDays: readonly { readonly min: number; readonly max: number }[];
  readonly recurringChangePercent: number;
  readonly recurringRaisePercent: number;
  /**
   * Maximum rise in percent from one bill to the next at which a series of bills still counts as regular, and the
   * number of days over which such rises are added up.
   */
  readonly recurringStepPercent: number;
  readonly recurringRiseDays: number;
  /** Months in which contract prices are usually adjusted to an index. January is 1. */
  readonly indexationMonths: readonly number[];
  readonly roundValueMin: string;
  readonly roundHistoryMin: number;
  readonly roundShareMax: number;
  /** Approval limits as plain amounts. They apply in the currency of the invoice and in the base currency. */
  readonly approvalThresholds: readonly string[];
  /** Minimum value of bills that the engine compares with approval limits. */
  readonly approvalValueMin: string;
  readonly belowThresholdPercent: number;
  readonly splitPercent: number;
  readonly splitDays: number;
  readonly splitGroupMin: number;
  /**
   * Amounts just below an approval limit are usual for a supplier, and raise no finding, if the supplier has at least
   * this many bills, and at least this share of the bills has such amounts.
   */
  readonly pricePointHistoryMin: number;
  readonly pricePointShareMin: number;
}

/** Default parameters of the amount rules, which apply to every organization. */
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
