import type { Level } from './level.js';

export interface NumberParameters {
  readonly levels: {
    readonly format: Level;
    readonly formatNewAccount: Level;
    readonly outOfSequence: Level;
    readonly consecutive: Level;
    readonly consecutiveDoubtful: Level;
  };
  readonly formatInvoicesMin: number;
  /**
   * Maximum number of other invoice number patterns of a supplier. A supplier with more patterns has no usual pattern.
   */
  readonly patternsMax: number;
  readonly patternShareMin: number;
  readonly patternKnownAfter: number;
  readonly sequenceInvoicesMin: number;
  readonly risingShareMin: number;
  /** Number of irregular invoice numbers that even a short series may contain. */
  readonly oddNumbersMin: number;
  /**
   * Number of days before an invoice within which other invoices may have higher numbers, because invoices arrive out
   * of order.
   */
  readonly sequenceDays: number;
  readonly jumpStepsMax: number;
  readonly consecutiveInvoicesMin: number;
  readonly consecutiveDaysMin: number;
  /**
   * Minimum sum of the consecutive invoices, in euros, at which an unknown supplier must be examined. For a smaller
   * sum, the finding is only a notice, because many small firms have few customers.
   */
  readonly consecutiveSumMin: string;
  /** Number of days after its first invoice during which a supplier is new. */
  readonly youngSupplierDays: number;
}

/** Default parameters of the invoice number rules, which apply to every organization. */
export const numbers: NumberParameters = {
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
  oddNumbersMin: 1,
  sequenceDays: 30,
  jumpStepsMax: 20,
  consecutiveInvoicesMin: 6,
  consecutiveDaysMin: 60,
  consecutiveSumMin: '10000',
  youngSupplierDays: 180,
};
