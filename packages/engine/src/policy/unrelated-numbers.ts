/** Parameters for pairs of bills that have the same amount and unrelated numbers (detection reference, section 5). */
export interface UnrelatedNumberParameters {
  readonly halfPoints: {
    /**
     * Points that depend on how many different amounts the supplier has billed for each repeated amount. The last row
     * whose `amountsPerRepeat` is reached applies.
     */
    readonly rarity: readonly { readonly amountsPerRepeat: number; readonly halfPoints: number }[];
    /**
     * Maximum points for a rare amount, by the number of significant digits of the net or gross amount. The last row
     * also applies to more digits.
     */
    readonly rarityMax: readonly { readonly digits: number; readonly halfPoints: number }[];
    /**
     * Points for a second bill with the same amount on one day, from a supplier that has never billed any amount twice
     * on one day.
     */
    readonly onceADay: number;
    readonly form: Readonly<
      Record<'ORDER' | 'REMINDER' | 'DOCUMENT' | 'UNLIKE_ALL' | 'FOREIGN' | 'HEIGHT' | 'USED' | 'STEP', number>
    >;
    readonly rhythm: Readonly<Record<'TWICE' | 'DUE', number>>;
    /** Maximum number of points of a pair if both invoice numbers may be the supplier's own. */
    readonly ownNumbersMax: number;
    /**
     * Maximum number of points of a pair if both invoice numbers may be the supplier's own, the supplier repeats
     * amounts, and the bills are 6 to 62 days apart and do not state the same order.
     */
    readonly ownNumbersApartMax: number;
  };
  /**
   * If the supplier sent more bills than this around the days of a pair of bills, equal amounts are probably a
   * coincidence. The number depends on how the dates of the pair are related.
   */
  readonly billsAround: Readonly<Record<'SAME' | 'NEAR' | 'FAR', number>>;
  /** Minimum number of other recent bills that show how the supplier writes its numbers. */
  readonly formBillsMin: number;
  /**
   * A supplier uses one form of invoice numbers if at least `oneFormBillsMin` of its other recent bills have this form
   * and at most `otherFormBillsMax` of them have a different one. A number in a different form is then very unusual.
   */
  readonly oneFormBillsMin: number;
  readonly otherFormBillsMax: number;
  /**
   * Maximum number of forms of invoice numbers among the recent bills. If a supplier uses more forms, none of them is
   * usual.
   */
  readonly formsMax: number;
  /** Minimum number of bills with a number pattern at which the pattern counts as the supplier's own. */
  readonly formKnownAfter: number;
  /**
   * Minimum difference in the number of digits between an invoice number and every other invoice number of the
   * supplier. A difference of one digit is also enough if the larger number is at least `timesApartMin` times the
   * smaller.
   */
  readonly digitsApartMin: number;
  readonly timesApartMin: number;
  /** Minimum number of digits in an invoice number that is an order number. */
  readonly orderDigitsMin: number;
  /** Minimum number of digits in an invoice number that is part of an order number. */
  readonly orderPartDigitsMin: number;
  /**
   * Minimum number of recent bills that state an order. From this number on, they show whether the supplier bills each
   * order only once.
   */
  readonly ordersMin: number;
  /**
   * Minimum number of invoice numbers of one year. From this number on, they show how the invoice numbers of the
   * supplier rise.
   */
  readonly seriesMin: number;
  /** Maximum distance of two invoice numbers that may be neighbours, in usual steps of the supplier. */
  readonly neighbourStepsMax: number;
  /** Minimum number of bills that show whether the supplier repeats amounts. */
  readonly repeatBillsMin: number;
  /** Minimum number of days between two bills of a supplier at which the later bill must have the higher number. */
  readonly seriesDays: number;
  readonly seriesStepsMax: number;
  readonly usedDaysMax: number;
  readonly usedNumberLengthMin: number;
  /** Minimum number of bills that show that the supplier bills an amount at most once a day. */
  readonly onceADayBillsMin: number;
  /**
   * Minimum number of bills with the same amount at which they count as regular, by the days between them. The last row
   * whose minimum is reached applies.
   */
  readonly rhythms: readonly { readonly daysMin: number; readonly billsMin: number }[];
  /**
   * Minimum percentage of the gaps between bills of a supplier that must be within `rhythmTolerancePercent` of the
   * usual gap.
   */
  readonly rhythmSharePercent: number;
  readonly rhythmTolerancePercent: number;
  /** Maximum interval between two bills for the same period, as a percentage of the usual gap between bills. */
  readonly rhythmTwicePercent: number;
}

export const unrelatedNumbers: UnrelatedNumberParameters = {
  halfPoints: {
    rarity: [
      { amountsPerRepeat: 4, halfPoints: 5 },
      { amountsPerRepeat: 7, halfPoints: 9 },
      { amountsPerRepeat: 10, halfPoints: 12 },
      { amountsPerRepeat: 17, halfPoints: 15 },
      { amountsPerRepeat: 25, halfPoints: 18 },
    ],
    rarityMax: [
      { digits: 1, halfPoints: 4 },
      { digits: 4, halfPoints: 8 },
      { digits: 5, halfPoints: 18 },
    ],
    onceADay: 5,
    form: { ORDER: 14, REMINDER: 18, DOCUMENT: 12, UNLIKE_ALL: 9, FOREIGN: 7, HEIGHT: 7, USED: 6, STEP: -9 },
    rhythm: { TWICE: 12, DUE: -8 },
    ownNumbersMax: 7,
    ownNumbersApartMax: 3,
  },
  billsAround: { SAME: 2, NEAR: 4, FAR: 12 },
  formBillsMin: 5,
  oneFormBillsMin: 8,
  otherFormBillsMax: 2,
  formsMax: 3,
  formKnownAfter: 3,
  digitsApartMin: 2,
  timesApartMin: 4,
  orderDigitsMin: 4,
  orderPartDigitsMin: 6,
  ordersMin: 8,
  seriesMin: 6,
  neighbourStepsMax: 5,
  repeatBillsMin: 8,
  seriesDays: 30,
  seriesStepsMax: 20,
  usedDaysMax: 300,
  usedNumberLengthMin: 4,
  onceADayBillsMin: 10,
  rhythms: [
    { daysMin: 6, billsMin: 8 },
    { daysMin: 20, billsMin: 6 },
  ],
  rhythmSharePercent: 75,
  rhythmTolerancePercent: 25,
  rhythmTwicePercent: 25,
};
