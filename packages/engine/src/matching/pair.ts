import type { Candidate } from '../facts/invoice.js';
import type { AmountRelation } from './amount-relation.js';
import type { DateRelation } from './date-relation.js';
import type { NumberRelation } from './number-relation.js';
import type { SupplierRelation } from './supplier-relation.js';

/**
 * Comparison of one field of two invoice records. The points of all comparisons add up to the points of the pair, so
 * that people who read a finding can check them.
 */
export interface Comparison {
  readonly field:
    | 'base'
    | 'number'
    | 'amount'
    | 'date'
    | 'supplier'
    | 'taxId'
    | 'order'
    | 'rarity'
    | 'form'
    | 'rhythm'
    | 'recurrence'
    | 'credit'
    | 'document'
    | 'channel';
  readonly relation: string;
  readonly halfPoints: number;
}

/** Comparison of the checked invoice with one earlier record. */
export interface PairScore {
  readonly other: Candidate;
  readonly halfPoints: number;
  readonly comparisons: readonly Comparison[];
  readonly number: NumberRelation;
  readonly amount: AmountRelation;
  readonly date: DateRelation;
  readonly supplier: SupplierRelation;
  readonly sameSupplier: boolean;
  /**
   * Number of the supplier's other invoices with the amount of the pair. The number is zero unless both invoices of the
   * pair have the same amount.
   */
  readonly recurringOthers: number;
}
