/**
 * Modes that decide which invoices are validated against the rules (specification section 4, endpoint 20; documents
 * reference, section 9.1).
 */
export type ValidationMode = 'OFF' | 'DECLARED_PROFILES' | 'ALL';

/** A validation rule that an e-invoice breaks at one location. */
export interface FailedRule {
  readonly id: string;
  readonly flag: 'FATAL' | 'WARNING' | 'INFORMATION';
  readonly message: string;
  readonly location: string;
  /**
   * Expected and stated value of a broken validation rule as decimal strings, if the rule computes one, and otherwise
   * null.
   */
  readonly expected: string | null;
  readonly actual: string | null;
}

/** The result of reference validation (documents reference, section 14). */
export interface Validation {
  readonly mode: ValidationMode;
  /** Code of the e-invoice profile whose rules were checked, or null if no profile is declared. */
  readonly profile: string | null;
  /** Rule sets that were checked, in order, such as `en16931-1.3.16+own2`. */
  readonly ruleSets: readonly string[];
  readonly schemaErrors: readonly { readonly message: string; readonly location: string }[];
  /** Validation rules that the invoice breaks, at most 50. `total` is the number of all broken rules. */
  readonly rules: readonly FailedRule[];
  readonly total: number;
}
