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
    /** Severity and confidence of a finding about bills whose numbers or amounts are only similar. */
    readonly suspectedDuplicateBill: Level;
  };
  /** Minimum share and number of vendors with changed accounts that count as a migration. */
  readonly migrationPercent: number;
  readonly migrationVendorsMin: number;
  readonly duplicatePaymentDays: number;
  /**
   * Maximum number of days from the import of a duplicate pair to the import of the credit note that clears the pair. A
   * credit note that is imported later counts as backdated and clears no pair.
   */
  readonly creditEntryDaysMax: number;
  /** Minimum number of payments of the same amount at which the amount counts as regular. */
  readonly repeatedPaymentsMin: number;
  readonly overpaidTolerance: string;
  readonly shownMax: number;
}

/**
 * Default parameters of the rules about bills and payments in the books of an ERP, which apply to every organization.
 */
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
