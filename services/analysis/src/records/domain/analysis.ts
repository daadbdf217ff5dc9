import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { decide } from '@invoicecontrol/engine/scoring/decision';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import type { ScoredFinding } from '@invoicecontrol/engine/scoring/score';
import { isCounting } from './finding-disposition.js';
import type { Disposition, ReviewFact } from './finding-disposition.js';
import type { LearnedTolerance } from './tolerance.js';

/**
 * The complete input of the analysis of an invoice: engine facts and earlier reviews. This input is stored with the
 * analysis.
 */
export interface AnalysisFacts extends Facts {
  readonly organizationId: string;
  readonly reviews: readonly ReviewFact[];
  /** Invoices that reviews had removed from the supplier's profile. Absent in facts stored before the field existed. */
  readonly withdrawnUnits?: readonly string[];
  /** Tolerances learned from reviews of findings about the supplier of an invoice. Absent if there are none. */
  readonly tolerances?: readonly LearnedTolerance[];
}

/** A finding of the engine with its disposition. */
export interface AnalysisFinding extends Finding {
  readonly disposition: Disposition;
}

export interface Analysis extends RiskDecision {
  /**
   * Findings of an analysis ordered by severity, most severe first. Findings that do not count, such as FALSE_POSITIVE,
   * are included.
   */
  readonly findings: readonly AnalysisFinding[];
  /**
   * Versions that produced an analysis. `compliance` names the rules that validated an electronic invoice, separated by
   * commas. `compliance` is absent if no rules were applied.
   */
  readonly versions: { readonly riskEngine: string; readonly policy: string; readonly compliance?: string };
}

/**
 * Computes the score and the decision of an invoice from the findings that count. They are computed again from stored
 * findings after a review.
 */
export function decideFindings(
  findings: readonly (ScoredFinding & { readonly disposition: Disposition })[],
  policy: Policy,
): RiskDecision {
  return decide(findings.filter(isCounting), policy);
}
