import type { FindingType, Severity } from './catalogue.js';
import type { TamperSignKind } from './document-facts.js';
import { lookalikeWords } from './supplier/lookalike.js';
import { nameLikeness } from './supplier/name-likeness.js';
import { europeanUnion } from './data/european-union.js';

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
    /** Types that are reviewed whatever their confidence. */
    readonly reviewTypes: readonly FindingType[];
    /** Cap of one family in basis points. */
    readonly familyCap: number;
    /** Other findings of a family count one in so many. */
    readonly familyShare: number;
  };
  /** Types that block on their own when CRITICAL and confident. */
  readonly hardBlocks: readonly FindingType[];
  readonly duplicates: DuplicateParameters;
  readonly bank: BankParameters;
  readonly suppliers: SupplierParameters;
  readonly numbers: NumberParameters;
  readonly orders: OrderParameters;
  readonly erp: ErpParameters;
  readonly documents: DocumentParameters;
  readonly books: BooksParameters;
  readonly scans: ScanParameters;
  readonly amounts: AmountParameters;
  readonly taxes: TaxParameters;
  readonly dates: DateParameters;
  readonly currencies: CurrencyParameters;
  readonly buyers: BuyerParameters;
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

export interface SupplierParameters {
  readonly levels: {
    readonly lookalike: Level;
    readonly lookalikeConflicting: Level;
    readonly taxIdChanged: Level;
    readonly taxIdChangedNewAccount: Level;
    readonly nameMismatch: Level;
    readonly taxIdInvalid: Level;
    readonly taxIdInvalidFormat: Level;
    readonly taxIdMissing: Level;
    readonly newSupplier: Level;
    readonly newHighValue: Level;
    readonly newHighValueUnsupported: Level;
    readonly dormant: Level;
    readonly dormantNewAccount: Level;
    readonly ownCompany: Level;
  };
  /** Invoices that make a supplier worth imitating. */
  readonly lookalikeInvoicesMin: number;
  /** Of which lookalikes and names are made; stored keys and profiles rest on them. */
  readonly lookalikeWords: typeof lookalikeWords;
  readonly nameLikeness: typeof nameLikeness;
  /** Shorter names are shared by chance. */
  readonly sharedNameLengthMin: number;
  /** So many tax ids under one name are a group of companies. */
  readonly groupTaxIdsMin: number;
  readonly taxIdShareMin: number;
  readonly taxIdInvoicesMin: number;
  /** Rows of an organization's first scan before which every supplier is new. */
  readonly firstScanRows: number;
  readonly dormantInvoicesMin: number;
  readonly dormantDaysMin: number;
  readonly dormantGapFactor: number;
}

export interface NumberParameters {
  readonly levels: {
    readonly format: Level;
    readonly formatNewAccount: Level;
    readonly outOfSequence: Level;
    readonly consecutive: Level;
    readonly consecutiveDoubtful: Level;
  };
  readonly formatInvoicesMin: number;
  /** A supplier with more other patterns than this has no usual one. */
  readonly patternsMax: number;
  readonly patternShareMin: number;
  readonly patternKnownAfter: number;
  readonly sequenceInvoicesMin: number;
  readonly risingShareMin: number;
  /** A number may lie behind those of this many days: invoices overtake one another. */
  readonly sequenceDays: number;
  readonly jumpStepsMax: number;
  readonly consecutiveInvoicesMin: number;
  readonly consecutiveDaysMin: number;
  /** A supplier that was first seen fewer days ago is new. */
  readonly youngSupplierDays: number;
}

export interface OrderParameters {
  readonly levels: {
    readonly missing: Level;
    readonly missingRequired: Level;
    readonly supplierMismatch: Level;
    readonly supplierMismatchOwnerKnown: Level;
    readonly repeatedAmount: Level;
  };
  /** Companies that accept no invoice without an order. */
  readonly requiredByCompanies: readonly string[];
  /** Suppliers that are never ordered from, such as utilities and landlords. */
  readonly exemptSuppliers: readonly string[];
  readonly usedInvoicesMin: number;
  readonly usedShareMin: number;
  /** Shorter references, or with fewer digits, are names and cost centres, not orders. */
  readonly referenceLengthMin: number;
  readonly referenceDigitsMin: number;
  readonly repeatedMin: number;
}

export interface ErpParameters {
  readonly levels: {
    readonly masterMismatch: Level;
    /** The master is stale, or the supplier uses many accounts. */
    readonly masterMismatchDoubtful: Level;
    readonly ownAccount: Level;
    readonly notInMaster: Level;
    readonly notInMasterHighValue: Level;
    readonly overbilled: Level;
    readonly overbilledMuch: Level;
  };
  readonly masterFreshHours: number;
  readonly notInMasterHighValue: string;
  readonly overbilledPercent: number;
  /** On top of the percentage, in units of the currency. */
  readonly overbilledTolerance: string;
  readonly overbilledMuchPercent: number;
}

export interface DocumentParameters {
  readonly levels: {
    readonly modifiedAfterSigning: Level;
    readonly completedAfterSigning: Level;
    readonly tamperLikely: Level;
    readonly tamperDoubtful: Level;
    readonly tamperTrace: Level;
    readonly hiddenText: Level;
    readonly accountConflict: Level;
    readonly fieldConflict: Level;
    readonly keyFieldUncertain: Level;
    readonly fieldUncertain: Level;
    readonly schemaInvalid: Level;
    readonly arithmeticRuleFailed: Level;
    readonly ruleFailed: Level;
    readonly ruleWarning: Level;
    readonly profileConflict: Level;
  };
  readonly tamperWeights: Readonly<Record<TamperSignKind, number>>;
  readonly tamperLikelyMin: number;
  readonly tamperDoubtfulMin: number;
  /** Programs for editing finished documents, in lower case, as parts of what a file says of its origin. */
  readonly editors: readonly string[];
  readonly readConfidenceMin: number;
  readonly keyFields: readonly string[];
  /** Entries of a list that evidence shows. */
  readonly shownMax: number;
}

export interface BooksParameters {
  readonly levels: {
    readonly vendorDuplicate: Level;
    readonly vendorDuplicateBilled: Level;
    readonly vendorAccountChanged: Level;
    readonly duplicatePayment: Level;
    readonly duplicatePaymentOfPair: Level;
    readonly paidElsewhere: Level;
    readonly overpaid: Level;
  };
  /** More accounts changed at once are a migration, from so many on. */
  readonly migrationPercent: number;
  readonly migrationVendorsMin: number;
  readonly duplicatePaymentDays: number;
  /** So many payments of one amount are a habit. */
  readonly repeatedPaymentsMin: number;
  readonly overpaidTolerance: string;
  readonly shownMax: number;
}

export interface ScanParameters {
  readonly levels: {
    readonly reimported: Level;
    readonly benford: Level;
    readonly benfordSupplier: Level;
    readonly cluster: Level;
  };
  readonly reimportedRowsMin: number;
  readonly reimportedPercent: number;
  readonly benfordAmountMin: string;
  readonly benfordAmountsMin: number;
  readonly benfordDecadesMin: number;
  /** Mean deviation beyond what chance explains. */
  readonly benfordExcessMax: number;
  readonly benfordSupplierAmountsMin: number;
  readonly benfordSupplierExcessMax: number;
  readonly benfordSpikeZ: number;
  /** A supplier of so many rows whose amounts are seldom distinct bills by a price list. */
  readonly priceListRowsMin: number;
  readonly distinctShareMin: number;
  readonly clusterRowsMin: number;
  readonly clusterBandPercent: number;
  readonly clusterMin: number;
  readonly clusterFactor: number;
  /** One amount of one supplier with more of the band is its price. */
  readonly clusterPriceShareMax: number;
  readonly shownMax: number;
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
    readonly revertedPaid: Level;
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
}

/** Limits of value are in the base currency; without a rate the amount of the invoice is held against them. */
export interface AmountParameters {
  readonly levels: {
    readonly outlierOfKnownSize: Level;
    readonly magnitudeShift: Level;
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
  /** When the median of so many newest amounts is so many times that of the older ones, they alone are the usual. */
  readonly trendAmounts: number;
  readonly trendRatioMin: number;
  readonly outlierSampleMin: number;
  readonly outlierValueMin: string;
  /** The first row that holds, the most severe first. */
  readonly outlierSteps: readonly { readonly zMin: number; readonly ratioMin: number; readonly level: Level }[];
  /** An earlier amount of at least so much of the judged one is of its size. */
  readonly sameSizeShareMin: number;
  /** An outlier is mild when so many amounts of its size came before. */
  readonly outlierKnownMin: number;
  /** One of its size about a year before makes it a yearly bill. */
  readonly yearlyGapDays: { readonly min: number; readonly max: number };
  readonly shiftSampleMin: number;
  readonly shiftFactors: readonly number[];
  readonly shiftTolerancePercent: number;
  readonly shiftRatioMin: number;
  /** Amounts of which, but for a tenth at either end, the largest is so many times the smallest, are alike. */
  readonly shiftRangeMax: number;
  /** Among amounts that are not alike the digits must be equal, and so many. */
  readonly shiftDigitsMin: number;
  readonly shiftValueMin: string;
  readonly recurringMin: number;
  readonly recurringTolerancePercent: number;
  readonly recurringGapsDays: readonly { readonly min: number; readonly max: number }[];
  readonly recurringChangePercent: number;
  readonly recurringRaisePercent: number;
  /** Months in which contracts are indexed, 1 is January. */
  readonly indexationMonths: readonly number[];
  readonly roundValueMin: string;
  readonly roundHistoryMin: number;
  readonly roundShareMax: number;
  /** Approval limits, in the currency of the invoice and in the base currency. */
  readonly approvalThresholds: readonly string[];
  /** An approval limit is worth something: bills of less value are not held against any. */
  readonly approvalValueMin: string;
  readonly belowThresholdPercent: number;
  readonly splitPercent: number;
  readonly splitDays: number;
  readonly splitGroupMin: number;
  /** A supplier with such a share of its amounts in the band has its prices there. */
  readonly pricePointHistoryMin: number;
  readonly pricePointShareMin: number;
}

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

export interface DateParameters {
  readonly levels: {
    readonly future: Level;
    readonly futureFar: Level;
    readonly stale: Level;
    readonly staleFar: Level;
    readonly dueBeforeIssue: Level;
    readonly dueBeforeIssueHabitual: Level;
    readonly termsChanged: Level;
    readonly termsChangedImmediate: Level;
    readonly weekend: Level;
  };
  /** A date may be so many days ahead: it is tomorrow already where the sun rises. */
  readonly futureDaysMax: number;
  readonly futureFarDays: number;
  readonly staleDays: number;
  readonly staleFarDays: number;
  /** A supplier with so many due dates before the issue date asks for prepayment. */
  readonly prepaidHabitMin: number;
  readonly termsHistoryMin: number;
  readonly termsModeShare: number;
  readonly shortenedTermsDays: number;
  /** Terms used so often are no change. */
  readonly termsAcceptedAfter: number;
  readonly immediateTermsDays: number;
  readonly immediateUsualDays: number;
  readonly weekendHistoryMin: number;
  readonly weekendShareMax: number;
}

export interface CurrencyParameters {
  readonly levels: {
    readonly unknown: Level;
    readonly changed: Level;
    readonly changedMultiCurrency: Level;
    readonly unusual: Level;
  };
  readonly changedHistoryMin: number;
  /** A supplier with so many currencies, each used so often, bills in many. */
  readonly multiCurrencyMin: number;
  readonly multiCurrencyUsesMin: number;
  readonly unusualAcceptedAfter: number;
  /** Usual everywhere. */
  readonly worldCurrencies: readonly string[];
}

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
    reviewTypes: ['CURRENCY_UNKNOWN'],
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
      revertedPaid: { severity: 'HIGH', confidence: 85 },
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
    economicAreaCountries: [...europeanUnion, 'IS', 'LI', 'NO', 'GB', 'CH'],
    missingShareMin: 0.9,
    missingInvoicesMin: 10,
    newSupplierHighValue: '10000',
  },
  amounts: {
    levels: {
      outlierOfKnownSize: { severity: 'LOW', confidence: 60 },
      magnitudeShift: { severity: 'HIGH', confidence: 80 },
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
    sameSizeShareMin: 0.8,
    outlierKnownMin: 2,
    yearlyGapDays: { min: 335, max: 395 },
    shiftSampleMin: 5,
    shiftFactors: [10, 100],
    shiftTolerancePercent: 2,
    shiftRatioMin: 5,
    shiftRangeMax: 4,
    shiftDigitsMin: 4,
    shiftValueMin: '200',
    recurringMin: 6,
    recurringTolerancePercent: 2,
    recurringGapsDays: [
      { min: 25, max: 35 },
      { min: 85, max: 95 },
    ],
    recurringChangePercent: 5,
    recurringRaisePercent: 25,
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
  },
  taxes: {
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
  },
  dates: {
    levels: {
      future: { severity: 'LOW', confidence: 90 },
      futureFar: { severity: 'MEDIUM', confidence: 95 },
      stale: { severity: 'LOW', confidence: 80 },
      staleFar: { severity: 'MEDIUM', confidence: 80 },
      dueBeforeIssue: { severity: 'MEDIUM', confidence: 95 },
      dueBeforeIssueHabitual: { severity: 'LOW', confidence: 95 },
      termsChanged: { severity: 'LOW', confidence: 75 },
      termsChangedImmediate: { severity: 'MEDIUM', confidence: 75 },
      weekend: { severity: 'INFO', confidence: 40 },
    },
    futureDaysMax: 1,
    futureFarDays: 7,
    staleDays: 365,
    staleFarDays: 1826,
    prepaidHabitMin: 3,
    termsHistoryMin: 4,
    termsModeShare: 0.6,
    shortenedTermsDays: 14,
    termsAcceptedAfter: 2,
    immediateTermsDays: 3,
    immediateUsualDays: 30,
    weekendHistoryMin: 20,
    weekendShareMax: 0.02,
  },
  currencies: {
    levels: {
      unknown: { severity: 'HIGH', confidence: 99 },
      changed: { severity: 'MEDIUM', confidence: 75 },
      changedMultiCurrency: { severity: 'LOW', confidence: 75 },
      unusual: { severity: 'LOW', confidence: 60 },
    },
    changedHistoryMin: 5,
    multiCurrencyMin: 2,
    multiCurrencyUsesMin: 2,
    unusualAcceptedAfter: 2,
    worldCurrencies: ['EUR', 'USD', 'GBP'],
  },
  buyers: {
    levels: {
      mismatch: { severity: 'HIGH', confidence: 90 },
      mismatchUncertain: { severity: 'MEDIUM', confidence: 75 },
      nameMismatch: { severity: 'MEDIUM', confidence: 70 },
    },
    embeddedTaxIdLengthMin: 8,
    sameNameMin: 0.92,
  },
  suppliers: {
    levels: {
      lookalike: { severity: 'MEDIUM', confidence: 70 },
      lookalikeConflicting: { severity: 'HIGH', confidence: 85 },
      taxIdChanged: { severity: 'MEDIUM', confidence: 75 },
      taxIdChangedNewAccount: { severity: 'HIGH', confidence: 75 },
      nameMismatch: { severity: 'MEDIUM', confidence: 70 },
      taxIdInvalid: { severity: 'MEDIUM', confidence: 90 },
      taxIdInvalidFormat: { severity: 'LOW', confidence: 90 },
      taxIdMissing: { severity: 'LOW', confidence: 70 },
      newSupplier: { severity: 'INFO', confidence: 100 },
      newHighValue: { severity: 'LOW', confidence: 70 },
      newHighValueUnsupported: { severity: 'MEDIUM', confidence: 70 },
      dormant: { severity: 'LOW', confidence: 65 },
      dormantNewAccount: { severity: 'MEDIUM', confidence: 65 },
      ownCompany: { severity: 'MEDIUM', confidence: 85 },
    },
    lookalikeInvoicesMin: 3,
    lookalikeWords,
    nameLikeness,
    sharedNameLengthMin: 5,
    groupTaxIdsMin: 2,
    taxIdShareMin: 0.9,
    taxIdInvoicesMin: 5,
    firstScanRows: 200,
    dormantInvoicesMin: 5,
    dormantDaysMin: 270,
    dormantGapFactor: 6,
  },
  numbers: {
    levels: {
      format: { severity: 'LOW', confidence: 65 },
      formatNewAccount: { severity: 'MEDIUM', confidence: 65 },
      outOfSequence: { severity: 'LOW', confidence: 55 },
      consecutive: { severity: 'LOW', confidence: 60 },
      consecutiveDoubtful: { severity: 'MEDIUM', confidence: 60 },
    },
    formatInvoicesMin: 8,
    patternsMax: 2,
    patternShareMin: 0.9,
    patternKnownAfter: 3,
    sequenceInvoicesMin: 8,
    risingShareMin: 0.9,
    sequenceDays: 30,
    jumpStepsMax: 20,
    consecutiveInvoicesMin: 6,
    consecutiveDaysMin: 60,
    youngSupplierDays: 180,
  },
  orders: {
    levels: {
      missing: { severity: 'LOW', confidence: 70 },
      missingRequired: { severity: 'MEDIUM', confidence: 90 },
      supplierMismatch: { severity: 'MEDIUM', confidence: 75 },
      supplierMismatchOwnerKnown: { severity: 'HIGH', confidence: 75 },
      repeatedAmount: { severity: 'LOW', confidence: 60 },
    },
    requiredByCompanies: [],
    exemptSuppliers: [],
    usedInvoicesMin: 10,
    usedShareMin: 0.9,
    referenceLengthMin: 5,
    referenceDigitsMin: 4,
    repeatedMin: 2,
  },
  erp: {
    levels: {
      masterMismatch: { severity: 'CRITICAL', confidence: 95 },
      masterMismatchDoubtful: { severity: 'HIGH', confidence: 80 },
      ownAccount: { severity: 'MEDIUM', confidence: 80 },
      notInMaster: { severity: 'LOW', confidence: 80 },
      notInMasterHighValue: { severity: 'MEDIUM', confidence: 80 },
      overbilled: { severity: 'MEDIUM', confidence: 85 },
      overbilledMuch: { severity: 'HIGH', confidence: 92 },
    },
    masterFreshHours: 48,
    notInMasterHighValue: '1000',
    overbilledPercent: 2,
    overbilledTolerance: '5',
    overbilledMuchPercent: 10,
  },
  documents: {
    levels: {
      modifiedAfterSigning: { severity: 'CRITICAL', confidence: 95 },
      completedAfterSigning: { severity: 'INFO', confidence: 95 },
      tamperLikely: { severity: 'HIGH', confidence: 80 },
      tamperDoubtful: { severity: 'MEDIUM', confidence: 65 },
      tamperTrace: { severity: 'INFO', confidence: 65 },
      hiddenText: { severity: 'HIGH', confidence: 80 },
      accountConflict: { severity: 'CRITICAL', confidence: 95 },
      fieldConflict: { severity: 'HIGH', confidence: 92 },
      keyFieldUncertain: { severity: 'MEDIUM', confidence: 90 },
      fieldUncertain: { severity: 'INFO', confidence: 90 },
      schemaInvalid: { severity: 'HIGH', confidence: 95 },
      arithmeticRuleFailed: { severity: 'HIGH', confidence: 90 },
      ruleFailed: { severity: 'MEDIUM', confidence: 90 },
      ruleWarning: { severity: 'INFO', confidence: 90 },
      profileConflict: { severity: 'LOW', confidence: 90 },
    },
    tamperWeights: {
      CONTENT_REPLACED: 3,
      PRODUCERS_DIFFER: 1,
      MODIFIED_LATER: 1,
      EDITOR: 1,
      FONT_OF_ONE_FIELD: 2,
      OVERLAY: 3,
      TEXT_DIFFERS_FROM_PICTURE: 3,
    },
    tamperLikelyMin: 5,
    tamperDoubtfulMin: 3,
    editors: ['ilovepdf', 'smallpdf', 'sejda', 'pdfescape', 'pdffiller', 'photoshop', 'gimp', 'pdf-xchange editor'],
    readConfidenceMin: 80,
    keyFields: [
      'supplier.name',
      'supplier.bank_account',
      'supplier.bank_account.iban',
      'invoice_number',
      'issue_date',
      'currency',
      'gross_amount',
    ],
    shownMax: 50,
  },
  books: {
    levels: {
      vendorDuplicate: { severity: 'LOW', confidence: 85 },
      vendorDuplicateBilled: { severity: 'MEDIUM', confidence: 85 },
      vendorAccountChanged: { severity: 'HIGH', confidence: 85 },
      duplicatePayment: { severity: 'HIGH', confidence: 80 },
      duplicatePaymentOfPair: { severity: 'CRITICAL', confidence: 95 },
      paidElsewhere: { severity: 'CRITICAL', confidence: 90 },
      overpaid: { severity: 'MEDIUM', confidence: 85 },
    },
    migrationPercent: 20,
    migrationVendorsMin: 5,
    duplicatePaymentDays: 30,
    repeatedPaymentsMin: 4,
    overpaidTolerance: '1',
    shownMax: 50,
  },
  scans: {
    levels: {
      reimported: { severity: 'MEDIUM', confidence: 95 },
      benford: { severity: 'INFO', confidence: 50 },
      benfordSupplier: { severity: 'LOW', confidence: 50 },
      cluster: { severity: 'LOW', confidence: 65 },
    },
    reimportedRowsMin: 200,
    reimportedPercent: 95,
    benfordAmountMin: '10',
    benfordAmountsMin: 1000,
    benfordDecadesMin: 3,
    benfordExcessMax: 0.0015,
    benfordSupplierAmountsMin: 300,
    benfordSupplierExcessMax: 0.012,
    benfordSpikeZ: 3,
    priceListRowsMin: 4,
    distinctShareMin: 0.5,
    clusterRowsMin: 300,
    clusterBandPercent: 5,
    clusterMin: 10,
    clusterFactor: 3,
    clusterPriceShareMax: 0.5,
    shownMax: 50,
  },
};

/** What `versions.policy` shows: `default-1+o0`. */
export function policyVersion(policy: Policy): string {
  return `${policy.id}-${policy.version}+o${policy.overlay}`;
}
