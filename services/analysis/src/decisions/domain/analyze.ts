import { policyVersion } from '@invoicecontrol/engine/policy/policy';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { compareFindings, ENGINE_VERSION, runEngine } from '@invoicecontrol/engine/run-engine';
import { decideFindings } from '../../records/domain/analysis.js';
import type { Analysis, AnalysisFacts } from '../../records/domain/analysis.js';
import { clearedPairsOf, dispositionOf } from '../../records/domain/finding-disposition.js';
import { tolerated } from '../../policies/domain/learned-tolerance.js';

/**
 * Runs the engine on the facts about an invoice and makes a decision that includes the reviews of the findings. The
 * function is pure, like the engine.
 */
export function analyze(facts: AnalysisFacts, policy: Policy): Analysis {
  const { reviews, tolerances = [], invoice } = facts;
  const clearedPairs = clearedPairsOf(reviews);
  const raised = runEngine(clearedPairs.length === 0 ? facts : { ...facts, clearedPairs }, policy);
  const findings = raised
    .map((finding) => ({ ...finding, disposition: dispositionOf(finding, reviews, invoice.invoiceId) }))
    .map((finding) => tolerated(finding, tolerances, policy))
    .sort(compareFindings);
  const { decision, riskScore } = decideFindings(findings, policy);
  const compliance = facts.document?.validation?.ruleSet ?? '';
  return {
    decision,
    riskScore,
    findings,
    versions: {
      riskEngine: ENGINE_VERSION,
      policy: policyVersion(policy),
      ...(compliance === '' ? {} : { compliance }),
    },
  };
}
