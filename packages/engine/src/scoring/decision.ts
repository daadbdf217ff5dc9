import { severityRank } from '../explanation/catalogue.js';
import type { Policy } from '../policy/policy.js';
import { scoreFindings } from './score.js';
import type { ScoredFinding } from './score.js';

export type Decision = 'PASS' | 'REVIEW' | 'BLOCK';

export interface RiskDecision {
  readonly decision: Decision;
  /** Risk score of an invoice from 0 to 100, within the band of the decision: PASS is below 25, BLOCK is 80 or more. */
  readonly riskScore: number;
}

/** Returns the decision on an invoice and the matching score (detection reference, section 9). */
export function decide(findings: readonly ScoredFinding[], policy: Policy): RiskDecision {
  const score = scoreFindings(findings, policy);
  const decision = decisionOf(findings, score, policy);
  return { decision, riskScore: aligned(score, decision, policy) };
}

/**
 * Checks whether a finding blocks an invoice alone: its type is a hard block, and it is CRITICAL and confident enough.
 */
export function isHardBlock(finding: ScoredFinding, policy: Policy): boolean {
  return (
    finding.severity === 'CRITICAL' &&
    finding.confidence >= policy.thresholds.hardBlockConfidence &&
    policy.hardBlocks.includes(finding.type)
  );
}

function decisionOf(findings: readonly ScoredFinding[], score: number, policy: Policy): Decision {
  const { blockScore, reviewScore, reviewSeverity, reviewConfidence, reviewTypes } = policy.thresholds;
  if (score >= blockScore || findings.some((finding) => isHardBlock(finding, policy))) return 'BLOCK';
  const needsReview = findings.some(
    (finding) =>
      reviewTypes.includes(finding.type) ||
      (severityRank(finding.severity) >= severityRank(reviewSeverity) && finding.confidence >= reviewConfidence),
  );
  return score >= reviewScore || needsReview ? 'REVIEW' : 'PASS';
}

function aligned(score: number, decision: Decision, policy: Policy): number {
  const { blockScore, reviewScore } = policy.thresholds;
  if (decision === 'BLOCK') return Math.max(score, blockScore);
  return decision === 'REVIEW' ? Math.max(score, reviewScore) : score;
}
