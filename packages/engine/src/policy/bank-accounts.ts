import { europeanUnion } from '../data/european-union.js';
import type { Level } from './level.js';

export interface BankParameters {
  readonly levels: {
    readonly blocklisted: Level;
    readonly changedEstablished: Level;
    readonly changedYoung: Level;
    readonly changedEscalated: Level;
    readonly changedLater: Level;
    readonly changedVirtual: Level;
    readonly changedFactor: Level;
    /**
     * Severity and confidence of the finding about a changed bank account for a supplier that first sent invoices
     * without an account. Its other accounts appeared only later, and were not compared with an earlier one.
     */
    readonly changedUncompared: Level;
    readonly nearMatch: Level;
    readonly reverted: Level;
    readonly revertedPaid: Level;
    readonly shared: Level;
    /**
     * Severity and confidence of a finding about later invoices while the first finding about the bank account is open.
     */
    readonly sharedLater: Level;
    readonly sharedPlausible: Level;
    readonly sharedFactor: Level;
    /**
     * Severity and confidence of a finding about a new supplier that uses the established account of a firm of its
     * group.
     */
    readonly sharedGroup: Level;
    readonly sharedOneName: Level;
    readonly invalid: Level;
    readonly invalidRepeated: Level;
    readonly invalidFromScan: Level;
    readonly countryMismatch: Level;
    readonly countryMismatchOutside: Level;
    readonly countryMismatchTolerated: Level;
    readonly firstUse: Level;
    readonly firstUseHighValue: Level;
    /**
     * Severity and confidence of a finding about the first account of a supplier whose earlier invoices stated no
     * account.
     */
    readonly firstUseLater: Level;
    readonly firstUseLaterDoubtful: Level;
    readonly missing: Level;
    /**
     * Severity and confidence of a finding about a document that requests payment to another party than the supplier,
     * unless the bank account is trusted for the supplier.
     */
    readonly payeeDiffers: Level;
    readonly payeeIsFactor: Level;
  };
  readonly establishedInvoices: number;
  readonly escalatingAmountRatio: number;
  readonly nearMatchDigitsMax: number;
  /**
   * Minimum number of invoices that must state a known bank account for the following rule: a new account that differs
   * in few digits from the known one makes the finding more severe.
   */
  readonly nearMatchUsesMin: number;
  readonly virtualAccountsMin: number;
  readonly factorSuppliersMin: number;
  /**
   * Minimum length of the first word that the names of two suppliers must share for the suppliers to count as firms of
   * one group.
   */
  readonly groupWordLengthMin: number;
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

/** Default parameters of the bank account rules, which apply to every organization. */
export const bank: BankParameters = {
  levels: {
    blocklisted: { severity: 'CRITICAL', confidence: 99 },
    changedEstablished: { severity: 'HIGH', confidence: 90 },
    changedYoung: { severity: 'MEDIUM', confidence: 75 },
    changedEscalated: { severity: 'CRITICAL', confidence: 95 },
    changedLater: { severity: 'MEDIUM', confidence: 75 },
    changedVirtual: { severity: 'LOW', confidence: 75 },
    changedFactor: { severity: 'MEDIUM', confidence: 75 },
    changedUncompared: { severity: 'MEDIUM', confidence: 75 },
    nearMatch: { severity: 'HIGH', confidence: 88 },
    reverted: { severity: 'MEDIUM', confidence: 75 },
    revertedPaid: { severity: 'HIGH', confidence: 85 },
    shared: { severity: 'HIGH', confidence: 85 },
    sharedLater: { severity: 'MEDIUM', confidence: 75 },
    sharedPlausible: { severity: 'MEDIUM', confidence: 70 },
    sharedFactor: { severity: 'LOW', confidence: 70 },
    sharedGroup: { severity: 'LOW', confidence: 70 },
    sharedOneName: { severity: 'LOW', confidence: 70 },
    invalid: { severity: 'HIGH', confidence: 97 },
    invalidRepeated: { severity: 'MEDIUM', confidence: 97 },
    invalidFromScan: { severity: 'MEDIUM', confidence: 97 },
    countryMismatch: { severity: 'MEDIUM', confidence: 75 },
    countryMismatchOutside: { severity: 'HIGH', confidence: 75 },
    countryMismatchTolerated: { severity: 'LOW', confidence: 75 },
    firstUse: { severity: 'INFO', confidence: 60 },
    firstUseHighValue: { severity: 'LOW', confidence: 60 },
    firstUseLater: { severity: 'LOW', confidence: 60 },
    firstUseLaterDoubtful: { severity: 'MEDIUM', confidence: 80 },
    missing: { severity: 'INFO', confidence: 50 },
    payeeDiffers: { severity: 'MEDIUM', confidence: 75 },
    payeeIsFactor: { severity: 'LOW', confidence: 75 },
  },
  establishedInvoices: 3,
  escalatingAmountRatio: 3,
  nearMatchDigitsMax: 2,
  nearMatchUsesMin: 2,
  virtualAccountsMin: 3,
  factorSuppliersMin: 5,
  groupWordLengthMin: 4,
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
};
