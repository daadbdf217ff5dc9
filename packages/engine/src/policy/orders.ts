import type { Level } from './level.js';

export interface OrderParameters {
  readonly levels: {
    readonly missing: Level;
    readonly missingRequired: Level;
    readonly supplierMismatch: Level;
    readonly supplierMismatchOwnerKnown: Level;
    /** Another tax id of apparently the same supplier: name and account are equal. */
    readonly supplierMismatchOneParty: Level;
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

/** The defaults of every organization. */
export const orders: OrderParameters = {
  levels: {
    missing: { severity: 'LOW', confidence: 70 },
    missingRequired: { severity: 'MEDIUM', confidence: 90 },
    supplierMismatch: { severity: 'MEDIUM', confidence: 75 },
    supplierMismatchOwnerKnown: { severity: 'HIGH', confidence: 75 },
    supplierMismatchOneParty: { severity: 'LOW', confidence: 75 },
    repeatedAmount: { severity: 'LOW', confidence: 60 },
  },
  requiredByCompanies: [],
  exemptSuppliers: [],
  usedInvoicesMin: 10,
  usedShareMin: 0.9,
  referenceLengthMin: 5,
  referenceDigitsMin: 4,
  repeatedMin: 2,
};
