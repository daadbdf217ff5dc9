/** Parameters by which bills of one amount with unrelated numbers are one bill (detection reference, section 5). */
export interface UnrelatedNumberParameters {
  readonly halfPoints: {
    /**
     * Points by the number of different amounts that the supplier has billed for each one that came twice. The last row whose
     * `amountsPerRepeat` is reached applies.
     */
    readonly rarity: readonly { readonly amountsPerRepeat: number; readonly halfPoints: number }[];
    /** The most that rarity gives, by significant digits of the amount, net or gross; the last row also holds for more. */
    readonly rarityMax: readonly { readonly digits: number; readonly halfPoints: number }[];
    /** A second bill of the amount on one day, from a supplier that never sent two of any amount on one. */
    readonly onceADay: number;
    readonly form: Readonly<
      Record<'ORDER' | 'DOCUMENT' | 'UNLIKE_ALL' | 'FOREIGN' | 'HEIGHT' | 'USED' | 'STEP', number>
    >;
    readonly rhythm: Readonly<Record<'TWICE' | 'DUE', number>>;
    /** The sum is at most this when both numbers may be the supplier's own. */
    readonly ownNumbersMax: number;
    /** The same, from a supplier that repeats amounts, for bills 6 to 62 days apart that have no order in common. */
    readonly ownNumbersApartMax: number;
  };
  /** Bills in the window of the dates above which equal amounts are more likely to be chance. */
  readonly billsAround: Readonly<Record<'SAME' | 'NEAR' | 'FAR', number>>;
  /** Other recent bills needed to know how the supplier writes its numbers. */
  readonly formBillsMin: number;
  /** Other recent bills of one form, and of others, after which another form is hardly ever the supplier's. */
  readonly oneFormBillsMin: number;
  readonly otherFormBillsMax: number;
  /** Forms among them above which no form is usual. */
  readonly formsMax: number;
  /** Bills with a pattern of numbers from which it is the supplier's own. */
  readonly formKnownAfter: number;
  /** Digits more or less than in any other number of the supplier; one is enough when the number is so many times another. */
  readonly digitsApartMin: number;
  readonly timesApartMin: number;
  /** Digits of a number that is an order. */
  readonly orderDigitsMin: number;
  /** Digits of a number that is a part of one. */
  readonly orderPartDigitsMin: number;
  /** Recent bills with an order that show whether an order is billed once. */
  readonly ordersMin: number;
  /** Numbers of one year needed to know how they rise. */
  readonly seriesMin: number;
  /** Numbers that are this many usual steps apart may be neighbours. */
  readonly neighbourStepsMax: number;
  /** Bills after which it is known whether the supplier repeats amounts. */
  readonly repeatBillsMin: number;
  /** Bills may arrive out of order for this many days. */
  readonly seriesDays: number;
  readonly seriesStepsMax: number;
  readonly usedDaysMax: number;
  readonly usedNumberLengthMin: number;
  /** Bills that show that the supplier bills an amount once a day. */
  readonly onceADayBillsMin: number;
  /** Bills of one amount that show a rhythm, by the days between them; the last row that is reached. */
  readonly rhythms: readonly { readonly daysMin: number; readonly billsMin: number }[];
  /** Share of the gaps, in percent, that are within `rhythmTolerancePercent` of the usual one. */
  readonly rhythmSharePercent: number;
  readonly rhythmTolerancePercent: number;
  /** Two bills are of one period when they are at most this share of the usual gap apart. */
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
    form: { ORDER: 14, DOCUMENT: 12, UNLIKE_ALL: 9, FOREIGN: 7, HEIGHT: 7, USED: 6, STEP: -9 },
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
