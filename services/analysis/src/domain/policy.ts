import type { FindingType, Severity } from './catalogue.js';

/** A severity with its confidence in percent. */
export interface Level {
  readonly severity: Severity;
  readonly confidence: number;
}

/**
 * Every number the engine uses (detection reference, sections 3 to 9). Immutable once an analysis names it; a changed
 * number is a new version. Points are half points: 18 stands for 9.
 */
export interface Policy {
  readonly id: string;
  readonly version: number;
  /** Grows with every learned tolerance and override of an organization. */
  readonly overlay: number;
  readonly effectiveFrom: string;
  readonly weights: Readonly<Record<Severity, number>>;
  readonly thresholds: {
    readonly blockScore: number;
    readonly reviewScore: number;
    readonly hardBlockConfidence: number;
    readonly reviewSeverity: Severity;
    readonly reviewConfidence: number;
    /** Cap of one family in basis points. */
    readonly familyCap: number;
    /** Other findings of a family count one in so many. */
    readonly familyShare: number;
  };
  /** Types that block on their own when CRITICAL and confident. */
  readonly hardBlocks: readonly FindingType[];
  readonly duplicates: DuplicateParameters;
  readonly bank: BankParameters;
}

export interface DuplicateParameters {
  readonly halfPoints: {
    readonly base: number;
    readonly number: Readonly<
      Record<
        | 'IDENT'
        | 'FORMAT'
        | 'OCR'
        | 'PARTS'
        | 'SUFFIX'
        | 'PERIOD'
        | 'SEQ'
        | 'TYPO'
        | 'CONTAINS'
        | 'TYPO2'
        | 'CONTRACT'
        | 'DIFF',
        number
      >
    >;
    /** IDENT, FORMAT and OCR give no more than this when the number is shorter than `shortNumberLength`. */
    readonly shortNumber: number;
    readonly amount: Readonly<
      Record<'EQ' | 'ROUND' | 'TRANSP' | 'NETGROSS' | 'FX' | 'SLIP' | 'NEAR' | 'DIGITS' | 'DIFF', number>
    >;
    readonly date: Readonly<Record<'SAME' | 'SWAP' | 'NEAR' | 'FAR' | 'OTHER' | 'YEAR', number>>;
    readonly supplier: Readonly<Record<'TAX' | 'BANK' | 'NAME' | 'SIMILAR' | 'NONE', number>>;
    readonly taxConflict: number;
    readonly taxConflictSameBank: number;
    readonly order: Readonly<Record<'EQUAL' | 'DIFFERENT', number>>;
    /** By number of other invoices with the amount: the first row whose `othersMax` is not exceeded. */
    readonly recurrence: readonly { readonly othersMax: number; readonly halfPoints: number }[];
    readonly credit: number;
    readonly creditSameNumber: number;
    /** The whole sum when both records are the same file. */
    readonly sameFileSum: number;
  };
  readonly shortNumberLength: number;
  readonly prefixLettersMax: number;
  readonly prefixDigitsMin: number;
  readonly sequenceDifferenceMax: number;
  readonly lastRunDifferenceMax: number;
  readonly typoLengthMin: number;
  readonly typoLengthMinSameAmountAndDate: number;
  readonly typoDigitsMinSameAmountAndDate: number;
  readonly typoDigitsMaxSameAmountAndDate: number;
  readonly containsLengthMin: number;
  readonly twoTyposLengthMin: number;
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
  readonly contractRecordsMin: number;
  readonly contractSameBillDays: number;
  readonly duplicateMin: number;
  readonly highMin: number;
  readonly mediumMin: number;
  /** Confidence by whole points of the sum; the last row also holds for more. */
  readonly confidence: readonly { readonly points: number; readonly percent: number }[];
  readonly splitToleranceMinor: number;
  readonly splitPartsMin: number;
  readonly reusedDaysMax: number;
  readonly reusedNumberLengthMin: number;
  readonly erpBookingDaysMax: number;
  readonly creditNoteDays: number;
  readonly matchedMax: number;
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

export interface BankParameters {
  readonly levels: {
    readonly blocklisted: Level;
    readonly changedEstablished: Level;
    readonly changedYoung: Level;
    readonly changedEscalated: Level;
    readonly changedLater: Level;
    readonly changedVirtual: Level;
    readonly changedFactor: Level;
    readonly nearMatch: Level;
    readonly reverted: Level;
    readonly shared: Level;
    readonly sharedPlausible: Level;
    readonly sharedFactor: Level;
    readonly invalid: Level;
    readonly invalidRepeated: Level;
    readonly invalidFromScan: Level;
    readonly countryMismatch: Level;
    readonly countryMismatchOutside: Level;
    readonly countryMismatchTolerated: Level;
    readonly firstUse: Level;
    readonly firstUseHighValue: Level;
    readonly missing: Level;
  };
  readonly establishedInvoices: number;
  readonly escalatingAmountRatio: number;
  readonly escalatingTermsDays: number;
  readonly termsHistoryMin: number;
  readonly termsModeShare: number;
  readonly nearMatchDigitsMax: number;
  readonly virtualAccountsMin: number;
  readonly factorSuppliersMin: number;
  readonly revertedInvoicesMin: number;
  readonly revertedDaysMin: number;
  readonly intermediateInvoicesMax: number;
  readonly intermediateDaysMax: number;
  readonly invalidRepeatedMin: number;
  readonly countryAcceptedAfter: number;
  readonly toleratedAccountCountries: readonly string[];
  readonly economicAreaCountries: readonly string[];
  readonly missingShareMin: number;
  readonly missingInvoicesMin: number;
  readonly newSupplierHighValue: string;
  /** Amounts older than this say nothing about the usual amount. */
  readonly amountWindowDays: number;
  readonly logMadFloor: number;
}

const EUROPEAN_UNION = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' ');

/** The policy every organization starts with. */
export const defaultPolicy: Policy = {
  id: 'default',
  version: 1,
  overlay: 0,
  effectiveFrom: '2026-11-01',
  weights: { INFO: 0, LOW: 8, MEDIUM: 30, HIGH: 60, CRITICAL: 92 },
  thresholds: {
    blockScore: 80,
    reviewScore: 25,
    hardBlockConfidence: 90,
    reviewSeverity: 'MEDIUM',
    reviewConfidence: 60,
    familyCap: 9900,
    familyShare: 10,
  },
  hardBlocks: [
    'DUPLICATE_INVOICE',
    'DUPLICATE_ACROSS_SUPPLIERS',
    'DUPLICATE_DOCUMENT',
    'BANK_ACCOUNT_BLOCKLISTED',
    'BANK_ACCOUNT_MASTER_MISMATCH',
    'BANK_ACCOUNT_CHANGED',
    'DOCUMENT_MODIFIED_AFTER_SIGNING',
    'DOCUMENT_FIELD_CONFLICT',
  ],
  duplicates: {
    halfPoints: {
      base: -16,
      number: {
        IDENT: 18,
        FORMAT: 17,
        OCR: 15,
        PARTS: -8,
        SUFFIX: 13,
        PERIOD: -12,
        SEQ: -10,
        TYPO: 9,
        CONTAINS: 7,
        TYPO2: 4,
        CONTRACT: -12,
        DIFF: -8,
      },
      shortNumber: 10,
      amount: { EQ: 10, ROUND: 8, TRANSP: 7, NETGROSS: 7, FX: 7, SLIP: 6, NEAR: 4, DIGITS: 4, DIFF: -10 },
      date: { SAME: 5, SWAP: 4, NEAR: 2, FAR: -2, OTHER: -6, YEAR: -10 },
      supplier: { TAX: 4, BANK: 4, NAME: 3, SIMILAR: 1, NONE: -12 },
      taxConflict: -10,
      taxConflictSameBank: -4,
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
      credit: -12,
      creditSameNumber: -8,
      sameFileSum: 24,
    },
    shortNumberLength: 4,
    prefixLettersMax: 4,
    prefixDigitsMin: 4,
    sequenceDifferenceMax: 12,
    lastRunDifferenceMax: 50,
    typoLengthMin: 5,
    typoLengthMinSameAmountAndDate: 4,
    typoDigitsMinSameAmountAndDate: 3,
    typoDigitsMaxSameAmountAndDate: 5,
    containsLengthMin: 5,
    twoTyposLengthMin: 9,
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
    contractRecordsMin: 2,
    contractSameBillDays: 5,
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
    reusedDaysMax: 300,
    reusedNumberLengthMin: 4,
    erpBookingDaysMax: 5,
    creditNoteDays: 400,
    matchedMax: 20,
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
  },
  bank: {
    levels: {
      blocklisted: { severity: 'CRITICAL', confidence: 99 },
      changedEstablished: { severity: 'HIGH', confidence: 90 },
      changedYoung: { severity: 'MEDIUM', confidence: 75 },
      changedEscalated: { severity: 'CRITICAL', confidence: 95 },
      changedLater: { severity: 'MEDIUM', confidence: 75 },
      changedVirtual: { severity: 'LOW', confidence: 75 },
      changedFactor: { severity: 'MEDIUM', confidence: 75 },
      nearMatch: { severity: 'HIGH', confidence: 88 },
      reverted: { severity: 'MEDIUM', confidence: 75 },
      shared: { severity: 'HIGH', confidence: 85 },
      sharedPlausible: { severity: 'MEDIUM', confidence: 70 },
      sharedFactor: { severity: 'LOW', confidence: 70 },
      invalid: { severity: 'HIGH', confidence: 97 },
      invalidRepeated: { severity: 'MEDIUM', confidence: 97 },
      invalidFromScan: { severity: 'MEDIUM', confidence: 97 },
      countryMismatch: { severity: 'MEDIUM', confidence: 75 },
      countryMismatchOutside: { severity: 'HIGH', confidence: 75 },
      countryMismatchTolerated: { severity: 'LOW', confidence: 75 },
      firstUse: { severity: 'INFO', confidence: 60 },
      firstUseHighValue: { severity: 'LOW', confidence: 60 },
      missing: { severity: 'INFO', confidence: 50 },
    },
    establishedInvoices: 3,
    escalatingAmountRatio: 3,
    escalatingTermsDays: 14,
    termsHistoryMin: 4,
    termsModeShare: 0.6,
    nearMatchDigitsMax: 2,
    virtualAccountsMin: 3,
    factorSuppliersMin: 5,
    revertedInvoicesMin: 8,
    revertedDaysMin: 90,
    intermediateInvoicesMax: 3,
    intermediateDaysMax: 60,
    invalidRepeatedMin: 3,
    countryAcceptedAfter: 3,
    toleratedAccountCountries: ['LT', 'BE', 'IE', 'NL', 'LU'],
    economicAreaCountries: [...EUROPEAN_UNION, 'IS', 'LI', 'NO', 'GB', 'CH'],
    missingShareMin: 0.9,
    missingInvoicesMin: 10,
    newSupplierHighValue: '10000',
    amountWindowDays: 730,
    logMadFloor: 0.15,
  },
};

/** What `versions.policy` shows: `default-1+o0`. */
export function policyVersion(policy: Policy): string {
  return `${policy.id}-${policy.version}+o${policy.overlay}`;
}
