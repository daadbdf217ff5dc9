import type { Severity } from '../explanation/catalogue.js';
import type { Level } from './level.js';
import { unrelatedNumbers } from './unrelated-numbers.js';
import type { UnrelatedNumberParameters } from './unrelated-numbers.js';

export interface DuplicateParameters {
  readonly halfPoints: {
    readonly base: number;
    readonly number: Readonly<
      Record<
        | 'IDENT'
        | 'FORMAT'
        | 'OCR'
        | 'YEARLESS'
        | 'REORDERED'
        | 'PARTS'
        | 'SUFFIX'
        | 'EXTRA'
        | 'PERIOD'
        | 'SEQ'
        | 'TYPO'
        | 'CONTAINS'
        | 'TYPO2'
        | 'ROUNDED'
        | 'CONTRACT'
        | 'MISSING'
        | 'DIFF',
        number
      >
    >;
    /** Maximum points for equal invoice numbers that are shorter than `shortNumberLength`. */
    readonly shortNumber: number;
    /**
     * Maximum points for equal short invoice numbers within one calendar year, if the amount does not recur. Counters
     * rarely restart within a year.
     */
    readonly shortNumberSameYear: number;
    readonly amount: Readonly<
      Record<'EQ' | 'ROUND' | 'TRANSP' | 'NETGROSS' | 'FX' | 'SLIP' | 'NEAR' | 'DIGITS' | 'DIFF', number>
    >;
    readonly date: Readonly<Record<'SAME' | 'SWAP' | 'NEAR' | 'FAR' | 'OTHER' | 'YEAR', number>>;
    readonly supplier: Readonly<Record<'TAX' | 'BANK' | 'NAME' | 'SIMILAR' | 'PART' | 'NONE', number>>;
    readonly taxConflict: number;
    readonly taxConflictSameBank: number;
    /** Points if two tax ids differ by more than a typing error and the suppliers have nothing else in common. */
    readonly taxDifferent: number;
    /**
     * Points if two unrelated suppliers state the same simple number and the same whole amount, which happens by
     * chance.
     */
    readonly strangers: number;
    /** Points if two different suppliers state the same long invoice number and the same odd amount within days. */
    readonly longNumber: number;
    /** Points if a debt collector states the odd amount and the bank account of another supplier's bill. */
    readonly collected: number;
    /**
     * Points for the purchase orders of two bills. `ONE_SUPPLY` applies to bills that are months apart and have
     * matching invoice numbers, if an odd amount that the supplier does not repeat was billed twice for one purchase
     * order. `ONE_BILL` applies to bills within days whose invoice numbers have nothing in common, if the supplier
     * sends one bill for each purchase order.
     */
    readonly order: Readonly<Record<'EQUAL' | 'ONE_SUPPLY' | 'ONE_BILL' | 'DIFFERENT', number>>;
    /**
     * Points that depend on the number of other invoices with the same amount. The first row that allows this number
     * (`othersMax`) applies.
     */
    readonly recurrence: readonly { readonly othersMax: number; readonly halfPoints: number }[];
    /**
     * Points if the supplier has one further bill, or several, with the same amount on the day of the compared bills,
     * as for rooms, policies or tickets.
     */
    readonly sameDay: { readonly one: number; readonly more: number };
    readonly credit: number;
    readonly creditSameNumber: number;
    /**
     * Points for two invoice records that were read from the same file. These points replace all other points of the
     * pair.
     */
    readonly sameFileSum: number;
  };
  readonly unrelated: UnrelatedNumberParameters;
  readonly shortNumberLength: number;
  /** Maximum number of characters in which a mistyped tax id may differ from the correct tax id. */
  readonly taxSlipMax: number;
  /**
   * Minimum number of digits, without year and month, at which equal invoice numbers of unrelated suppliers are
   * significant.
   */
  readonly strangersDigitsMin: number;
  /**
   * Minimum number of digits, without year and month, at which an invoice number counts as unique among all suppliers.
   */
  readonly longNumberDigitsMin: number;
  /** Minimum number of significant digits of an amount that two separate bills hardly have by chance. */
  readonly oddAmountDigitsMin: number;
  readonly prefixLettersMax: number;
  readonly prefixDigitsMin: number;
  readonly sequenceDifferenceMax: number;
  readonly lastRunDifferenceMax: number;
  readonly typoLengthMin: number;
  readonly typoLengthMinSameAmountAndDate: number;
  readonly typoDigitsMinSameAmountAndDate: number;
  readonly typoDigitsMaxSameAmountAndDate: number;
  readonly containsLengthMin: number;
  /**
   * Minimum number of digits that an invoice number must have to be compared with the beginning and the end of a longer
   * number, if the amounts and the dates of both bills are equal.
   */
  readonly containsLengthMinSameAmountAndDate: number;
  /**
   * Minimum number of digits of an invoice number that counts as similar to a number with one more digit. The amounts
   * must be equal and the dates days apart.
   */
  readonly slipDigitsMin: number;
  readonly slipDigitsMinSameAmountAndDate: number;
  /**
   * Conditions under which additional digits at the end of an invoice number are taken for a count of the supplier's
   * bills and not for the mark of a copy.
   */
  readonly partHabit: {
    /**
     * Minimum number of earlier bills whose numbers contain their period (`billsMin`), and of other bills with the same
     * amount (`recurringOthersMin`), that show this habit.
     */
    readonly billsMin: number;
    readonly recurringOthersMin: number;
    /**
     * Minimum number of earlier pairs in which a second bill within days has the number of the first bill and an
     * additional digit. With fewer such pairs, the next bill of this kind counts as a possible copy. `sameDaysMin`
     * applies to pairs without an open finding, and `sameDaysAskedMin` to pairs that the current history scan has
     * reported.
     */
    readonly sameDaysMin: number;
    readonly sameDaysAskedMin: number;
    /** Minimum number of earlier bills whose numbers contain their period, if these numbers also name the month. */
    readonly billsOfMonthsMin: number;
    /**
     * Number of known bills without a period in their numbers. A supplier with at least so many such bills is known not
     * to use periods.
     */
    readonly knownBillsMin: number;
  };
  /** Minimum number of printed digits that remain when the month is left out of an invoice number. */
  readonly periodlessDigitsMin: number;
  readonly twoTyposLengthMin: number;
  /**
   * Difference between the last digits of two invoice numbers below which the two numbers count as neighbours and not
   * as a typing error.
   */
  readonly counterJumpMax: number;
  /** Minimum number of digits of an invoice number that another invoice number extends at its end. */
  readonly extraDigitsMin: number;
  readonly extraDigitsMinSameAmountAndDate: number;
  readonly extraReferenceMin: number;
  readonly nearAmountBasisPoints: number;
  readonly nearAmountMinor: number;
  readonly fxPercent: number;
  readonly slipFactors: readonly number[];
  readonly nearDays: number;
  readonly farDays: number;
  readonly otherDays: number;
  readonly similarNameMin: number;
  readonly recurrenceDays: number;
  readonly contractGapsDays: readonly { readonly min: number; readonly max: number }[];
  /** Minimum and maximum number of days between two bills for a yearly contract. */
  readonly contractYearDays: { readonly min: number; readonly max: number };
  /** Maximum number of days from issue to receipt for which the year of an invoice's issue date is trusted. */
  readonly contractReceivedDaysMax: number;
  readonly contractRecordsMin: number;
  readonly contractSameBillDays: number;
  /**
   * A contract is billed at regular intervals. A bill that arrives before this percentage of the interval has passed
   * repeats an earlier bill.
   */
  readonly contractOffRhythmPercent: number;
  readonly duplicateMin: number;
  readonly highMin: number;
  readonly mediumMin: number;
  /**
   * Confidence of a finding about duplicates, by the whole points of the pair. The last row also applies to more
   * points.
   */
  readonly confidence: readonly { readonly points: number; readonly percent: number }[];
  readonly splitToleranceMinor: number;
  readonly splitPartsMin: number;
  /** Maximum number of bills with the same invoice number that are examined as possible parts of a whole invoice. */
  readonly splitSiblingsMax: number;
  /**
   * Maximum number of bills that are added up as parts of one bill. With more parts, almost any sum can be reached by
   * chance.
   */
  readonly splitChosenMax: number;
  readonly reusedDaysMax: number;
  readonly reusedNumberLengthMin: number;
  /** Minimum ratio, in percent, of the lower amount to the higher amount if one bill replaces another bill. */
  readonly rebilledShareMinPercent: number;
  /** Minimum ratio, in percent, of the bill amount to the amount of its reminder, which adds a fee. */
  readonly reminderShareMinPercent: number;
  /**
   * Minimum number of days between bills with one number. From the third such bill on, the number identifies a customer
   * or a contract.
   */
  readonly customerNumberGapDaysMin: number;
  readonly erpBookingDaysMax: number;
  readonly creditNoteDays: number;
  /**
   * Maximum number of records that a finding shows in full, with every compared field. A list in the evidence has room
   * for six such records.
   */
  readonly matchedMax: number;
  /** Maximum number of records that a finding about duplicates names. A review of the finding clears all of them. */
  readonly relatedMax: number;
  /** Maximum number of partial invoices that a finding shows. */
  readonly partsMax: number;
  readonly severities: {
    readonly DUPLICATE_INVOICE: Severity;
    readonly suspectedHigh: Severity;
    readonly suspectedMedium: Severity;
    readonly acrossSuppliers: Severity;
    readonly acrossSuppliersSameBank: Severity;
    readonly crossCompany: Severity;
  };
  readonly levels: {
    readonly documentLive: Level;
    readonly documentNotLive: Level;
    readonly split: Level;
    readonly numberReused: Level;
    readonly contractNumberReused: Level;
    readonly creditNoteUnmatched: Level;
  };
}

/** Default parameters of the duplicate rules, which apply to every organization. */
export const duplicates: DuplicateParameters = {
  halfPoints: {
    base: -16,
    number: {
      IDENT: 18,
      FORMAT: 17,
      OCR: 15,
      YEARLESS: 15,
      REORDERED: 15,
      PARTS: -8,
      SUFFIX: 13,
      EXTRA: 13,
      PERIOD: -12,
      SEQ: -10,
      TYPO: 9,
      CONTAINS: 7,
      TYPO2: 4,
      ROUNDED: 9,
      CONTRACT: -12,
      MISSING: 2,
      DIFF: -8,
    },
    shortNumber: 10,
    shortNumberSameYear: 14,
    amount: { EQ: 10, ROUND: 8, TRANSP: 7, NETGROSS: 7, FX: 7, SLIP: 6, NEAR: 4, DIGITS: 4, DIFF: -10 },
    date: { SAME: 5, SWAP: 4, NEAR: 2, FAR: -2, OTHER: -6, YEAR: -10 },
    supplier: { TAX: 4, BANK: 4, NAME: 3, SIMILAR: 1, PART: -6, NONE: -12 },
    taxConflict: -10,
    taxConflictSameBank: -4,
    taxDifferent: -10,
    strangers: -8,
    longNumber: 4,
    collected: 22,
    order: { EQUAL: 2, ONE_SUPPLY: 7, ONE_BILL: 14, DIFFERENT: -3 },
    recurrence: [
      { othersMax: 0, halfPoints: 0 },
      { othersMax: 1, halfPoints: -3 },
      { othersMax: 2, halfPoints: -5 },
      { othersMax: 3, halfPoints: -6 },
      { othersMax: 6, halfPoints: -7 },
      { othersMax: 12, halfPoints: -9 },
      { othersMax: 1_000_000, halfPoints: -10 },
    ],
    sameDay: { one: -9, more: -10 },
    credit: -12,
    creditSameNumber: -8,
    sameFileSum: 24,
  },
  unrelated: unrelatedNumbers,
  shortNumberLength: 4,
  taxSlipMax: 2,
  strangersDigitsMin: 3,
  longNumberDigitsMin: 8,
  oddAmountDigitsMin: 5,
  prefixLettersMax: 4,
  prefixDigitsMin: 4,
  sequenceDifferenceMax: 12,
  lastRunDifferenceMax: 50,
  typoLengthMin: 5,
  typoLengthMinSameAmountAndDate: 4,
  typoDigitsMinSameAmountAndDate: 3,
  typoDigitsMaxSameAmountAndDate: 5,
  containsLengthMin: 5,
  containsLengthMinSameAmountAndDate: 3,
  slipDigitsMin: 3,
  slipDigitsMinSameAmountAndDate: 2,
  partHabit: {
    billsMin: 2,
    recurringOthersMin: 2,
    sameDaysMin: 2,
    sameDaysAskedMin: 3,
    billsOfMonthsMin: 1,
    knownBillsMin: 3,
  },
  periodlessDigitsMin: 4,
  twoTyposLengthMin: 9,
  counterJumpMax: 1_000,
  extraDigitsMin: 4,
  extraDigitsMinSameAmountAndDate: 2,
  extraReferenceMin: 4,
  nearAmountBasisPoints: 50,
  nearAmountMinor: 2,
  fxPercent: 3,
  slipFactors: [10, 100, 1_000, 10_000, 100_000, 1_000_000],
  nearDays: 5,
  farDays: 62,
  otherDays: 200,
  similarNameMin: 0.92,
  recurrenceDays: 400,
  contractGapsDays: [
    { min: 25, max: 35 },
    { min: 85, max: 95 },
  ],
  contractYearDays: { min: 355, max: 375 },
  contractReceivedDaysMax: 92,
  contractRecordsMin: 2,
  contractSameBillDays: 5,
  contractOffRhythmPercent: 70,
  duplicateMin: 15,
  highMin: 8,
  mediumMin: 4,
  confidence: [
    { points: 2, percent: 80 },
    { points: 3, percent: 89 },
    { points: 4, percent: 94 },
    { points: 5, percent: 97 },
    { points: 6, percent: 98 },
    { points: 7, percent: 99 },
  ],
  splitToleranceMinor: 2,
  splitPartsMin: 2,
  splitSiblingsMax: 12,
  splitChosenMax: 4,
  reusedDaysMax: 300,
  reusedNumberLengthMin: 4,
  rebilledShareMinPercent: 50,
  reminderShareMinPercent: 85,
  customerNumberGapDaysMin: 20,
  erpBookingDaysMax: 5,
  creditNoteDays: 400,
  matchedMax: 5,
  relatedMax: 64,
  partsMax: 20,
  severities: {
    DUPLICATE_INVOICE: 'CRITICAL',
    suspectedHigh: 'HIGH',
    suspectedMedium: 'MEDIUM',
    acrossSuppliers: 'HIGH',
    acrossSuppliersSameBank: 'CRITICAL',
    crossCompany: 'HIGH',
  },
  levels: {
    documentLive: { severity: 'CRITICAL', confidence: 100 },
    documentNotLive: { severity: 'INFO', confidence: 100 },
    split: { severity: 'HIGH', confidence: 93 },
    numberReused: { severity: 'MEDIUM', confidence: 70 },
    contractNumberReused: { severity: 'LOW', confidence: 70 },
    creditNoteUnmatched: { severity: 'INFO', confidence: 60 },
  },
};
