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
        | 'CONTRACT'
        | 'MISSING'
        | 'DIFF',
        number
      >
    >;
    /** Numbers that agree give no more than this when they are shorter than `shortNumberLength`. */
    readonly shortNumber: number;
    /** The same within one calendar year, where a counter does not come round, for an amount that does not recur. */
    readonly shortNumberSameYear: number;
    readonly amount: Readonly<
      Record<'EQ' | 'ROUND' | 'TRANSP' | 'NETGROSS' | 'FX' | 'SLIP' | 'NEAR' | 'DIGITS' | 'DIFF', number>
    >;
    readonly date: Readonly<Record<'SAME' | 'SWAP' | 'NEAR' | 'FAR' | 'OTHER' | 'YEAR', number>>;
    readonly supplier: Readonly<Record<'TAX' | 'BANK' | 'NAME' | 'SIMILAR' | 'NONE', number>>;
    readonly taxConflict: number;
    readonly taxConflictSameBank: number;
    /** Two tax ids that differ in more than a typing error, between suppliers that have nothing else in common. */
    readonly taxDifferent: number;
    /** A simple number and a whole amount that two strangers have in common by chance. */
    readonly strangers: number;
    readonly order: Readonly<Record<'EQUAL' | 'DIFFERENT', number>>;
    /** Points by the number of other invoices with the amount. The first row whose `othersMax` is not exceeded applies. */
    readonly recurrence: readonly { readonly othersMax: number; readonly halfPoints: number }[];
    /** One more bill of the amount on the day of the pair, and several: rooms, policies, tickets. */
    readonly sameDay: { readonly one: number; readonly more: number };
    readonly credit: number;
    readonly creditSameNumber: number;
    /** The whole sum when both records are the same file. */
    readonly sameFileSum: number;
  };
  readonly unrelated: UnrelatedNumberParameters;
  readonly shortNumberLength: number;
  /** Characters in which a tax id may be mistyped. */
  readonly taxSlipMax: number;
  /** Digits, without year and month, that a number needs to count between unrelated suppliers. */
  readonly strangersDigitsMin: number;
  readonly prefixLettersMax: number;
  readonly prefixDigitsMin: number;
  readonly sequenceDifferenceMax: number;
  readonly lastRunDifferenceMax: number;
  readonly typoLengthMin: number;
  readonly typoLengthMinSameAmountAndDate: number;
  readonly typoDigitsMinSameAmountAndDate: number;
  readonly typoDigitsMaxSameAmountAndDate: number;
  readonly containsLengthMin: number;
  /** Digits of a number that is the beginning or end of another one over the same amount and date. */
  readonly containsLengthMinSameAmountAndDate: number;
  /** Digits of the shorter of two numbers of which one has a digit more, over the same amount within days. */
  readonly slipDigitsMin: number;
  readonly slipDigitsMinSameAmountAndDate: number;
  /** Conditions under which digits behind a number count the bills of a supplier, and do not mark a copy. */
  readonly partHabit: {
    /** Earlier bills with such digits, and other bills of the amount. */
    readonly billsMin: number;
    readonly recurringOthersMin: number;
    /**
     * Bills with such digits within days of the bill that they count on from, for a bill that is so too: those that nobody
     * doubts any more, and of rows of one scan those that it asked about.
     */
    readonly sameDaysMin: number;
    readonly sameDaysAskedMin: number;
    /** Earlier bills with such digits, for the second bill of a month that the number names. */
    readonly billsOfMonthsMin: number;
    /** Earlier bills from which on a supplier without any such digits has none. */
    readonly knownBillsMin: number;
  };
  /** Printed digits that remain of a number without its month. */
  readonly periodlessDigitsMin: number;
  readonly twoTyposLengthMin: number;
  /** Distance of the last digits below which two numbers are neighbours, not two typing errors. */
  readonly counterJumpMax: number;
  /** Minimum digits of a number that another one extends. */
  readonly extraDigitsMin: number;
  readonly extraDigitsMinSameAmountAndDate: number;
  /** Minimum length of a reference after a number. */
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
  /** Days from one bill of a yearly contract to the next. */
  readonly contractYearDays: { readonly min: number; readonly max: number };
  /** Days from issue to receipt within which the year of the issue date is trusted. */
  readonly contractReceivedDaysMax: number;
  readonly contractRecordsMin: number;
  readonly contractSameBillDays: number;
  /** Share of the days between two bills of a contract within which a further bill is one of them again. */
  readonly contractOffRhythmPercent: number;
  readonly duplicateMin: number;
  readonly highMin: number;
  readonly mediumMin: number;
  /** Confidence by whole points of the sum; the last row also holds for more. */
  readonly confidence: readonly { readonly points: number; readonly percent: number }[];
  readonly splitToleranceMinor: number;
  readonly splitPartsMin: number;
  /** Bills with the number of the whole among which some that add up to it are looked for. */
  readonly splitSiblingsMax: number;
  /** Parts that are chosen among such bills at most; more add up to anything. */
  readonly splitChosenMax: number;
  readonly reusedDaysMax: number;
  readonly reusedNumberLengthMin: number;
  /** Days between bills with one number from which, on the third bill, the number is that of a customer or a contract. */
  readonly customerNumberGapDaysMin: number;
  readonly erpBookingDaysMax: number;
  readonly creditNoteDays: number;
  /** Records that a finding shows in full, with every compared field; a list in evidence has room for six. */
  readonly matchedMax: number;
  /** Records that a finding names and that a review of it clears. */
  readonly relatedMax: number;
  /** Parts of an invoice that a finding shows. */
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

/** The defaults of every organization. */
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
      CONTRACT: -12,
      MISSING: 2,
      DIFF: -8,
    },
    shortNumber: 10,
    shortNumberSameYear: 14,
    amount: { EQ: 10, ROUND: 8, TRANSP: 7, NETGROSS: 7, FX: 7, SLIP: 6, NEAR: 4, DIGITS: 4, DIFF: -10 },
    date: { SAME: 5, SWAP: 4, NEAR: 2, FAR: -2, OTHER: -6, YEAR: -10 },
    supplier: { TAX: 4, BANK: 4, NAME: 3, SIMILAR: 1, NONE: -12 },
    taxConflict: -10,
    taxConflictSameBank: -4,
    taxDifferent: -10,
    strangers: -8,
    order: { EQUAL: 2, DIFFERENT: -3 },
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
  slipFactors: [10, 100],
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
