import type { Level } from './level.js';

export interface BooksParameters {
  readonly levels: {
    readonly vendorDuplicate: Level;
    readonly vendorDuplicateBilled: Level;
    readonly vendorAccountChanged: Level;
    readonly duplicatePayment: Level;
    readonly duplicatePaymentOfPair: Level;
    readonly paidElsewhere: Level;
    readonly overpaid: Level;
    readonly duplicateBill: Level;
    /** The numbers or amounts are only similar. */
    readonly suspectedDuplicateBill: Level;
  };
  /** Number of accounts changed at once from which it is a migration. */
  readonly migrationPercent: number;
  readonly migrationVendorsMin: number;
  readonly duplicatePaymentDays: number;
  /** Days after the second of two bills within which a credit note between them is found that is not dated back. */
  readonly creditEntryDaysMax: number;
  /** Payments of one amount that make it regular. */
  readonly repeatedPaymentsMin: number;
  readonly overpaidTolerance: string;
  readonly shownMax: number;
}

/** The defaults of every organization. */
export const books: BooksParameters = {
  levels: {
    vendorDuplicate: { severity: 'LOW', confidence: 85 },
    vendorDuplicateBilled: { severity: 'MEDIUM', confidence: 85 },
    vendorAccountChanged: { severity: 'HIGH', confidence: 85 },
    duplicatePayment: { severity: 'HIGH', confidence: 80 },
    duplicatePaymentOfPair: { severity: 'CRITICAL', confidence: 95 },
    paidElsewhere: { severity: 'CRITICAL', confidence: 90 },
    overpaid: { severity: 'MEDIUM', confidence: 85 },
    duplicateBill: { severity: 'HIGH', confidence: 95 },
    suspectedDuplicateBill: { severity: 'MEDIUM', confidence: 85 },
  },
  migrationPercent: 20,
  migrationVendorsMin: 5,
  duplicatePaymentDays: 30,
  creditEntryDaysMax: 5,
  repeatedPaymentsMin: 4,
  overpaidTolerance: '1',
  shownMax: 50,
};
