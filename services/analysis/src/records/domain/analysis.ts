import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { decide } from '@invoicecontrol/engine/scoring/decision';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import type { ScoredFinding } from '@invoicecontrol/engine/scoring/score';
import { isCounting } from './finding-disposition.js';
import type { Disposition, ReviewFact } from './finding-disposition.js';
import type { LearnedTolerance } from './tolerance.js';

/** The facts of the engine and the earlier reviews: everything that an analysis rests on, stored with it. */
export interface AnalysisFacts extends Facts {
  readonly organizationId: string;
  readonly reviews: readonly ReviewFact[];
  /** Bills that reviews had taken out of the supplier's profile. Absent in facts from before the field was stored. */
  readonly withdrawnUnits?: readonly string[];
  /** Tolerances that reviews of this supplier's findings taught; absent when there are none. */
  readonly tolerances?: readonly LearnedTolerance[];
}

/** A finding of the engine, with its disposition. */
export interface AnalysisFinding extends Finding {
  readonly disposition: Disposition;
}

export interface Analysis extends RiskDecision {
  /** Most severe first; including those that do not count, such as FALSE_POSITIVE. */
  readonly findings: readonly AnalysisFinding[];
  /** `compliance`: the rules that an electronic invoice was validated by, joined by commas; absent when there were none. */
  readonly versions: { readonly riskEngine: string; readonly policy: string; readonly compliance?: string };
}

/** Score and decision by the findings that count. Recomputed from stored findings when one of them is reviewed. */
export function decideFindings(
  findings: readonly (ScoredFinding & { readonly disposition: Disposition })[],
  policy: Policy,
): RiskDecision {
  return decide(findings.filter(isCounting), policy);
}
