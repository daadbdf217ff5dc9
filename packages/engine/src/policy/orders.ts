import type { Level } from './level.js';

export interface OrderParameters {
  readonly levels: {
    readonly missing: Level;
    readonly missingRequired: Level;
    readonly supplierMismatch: Level;
    readonly supplierMismatchOwnerKnown: Level;
    /**
     * Severity and confidence of a finding about an invoice whose supplier has another tax id than the supplier of the
     * purchase order, but the same name and account, so that both are probably one supplier.
     */
    readonly supplierMismatchOneParty: Level;
    readonly repeatedAmount: Level;
  };
  /** Companies that require a purchase order on every invoice. */
  readonly requiredByCompanies: readonly string[];
  /** Suppliers that never receive orders, such as utilities and landlords. */
  readonly exemptSuppliers: readonly string[];
  readonly usedInvoicesMin: number;
  readonly usedShareMin: number;
  /**
   * Minimum length and minimum number of digits of a purchase order reference. Shorter references, or references with
   * fewer digits, count as names or cost centres.
   */
  readonly referenceLengthMin: number;
  readonly referenceDigitsMin: number;
  readonly repeatedMin: number;
}

/** Default parameters of the purchase order rules, which apply to every organization. */
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
