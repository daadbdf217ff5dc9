import type { Finding } from '../explanation/evidence.js';
import type { Policy } from '../policy/policy.js';
import { compareText } from '../facts/record-order.js';

/** Fields of a finding that determine score and decision. Confidence is in percent. */
export type ScoredFinding = Pick<Finding, 'type' | 'family' | 'severity' | 'confidence'>;

const FULL = 10_000;

/**
 * Returns the risk score that follows from the findings of an invoice. The score is adjusted to the decision later
 * (detection reference, section 9). In each family of findings, the strongest finding counts in full and every other
 * one by a tenth. The families are combined by noisy-or, in integer basis points.
 */
export function scoreFindings(findings: readonly ScoredFinding[], policy: Policy): number {
  const remaining = familyContributions(findings, policy).reduce(
    (left, [, contribution]) => Math.floor((left * (FULL - contribution)) / FULL),
    FULL,
  );
  return Math.min(100, Math.round((FULL - remaining) / 100));
}

/**
 * Returns the contributions of the finding families to the risk score in basis points, sorted by size and then by
 * family name.
 */
function familyContributions(findings: readonly ScoredFinding[], policy: Policy): [string, number][] {
  const byFamily = new Map<string, number[]>();
  for (const finding of findings) {
    const contribution = Math.floor(policy.weights[finding.severity] * finding.confidence);
    byFamily.set(finding.family, [...(byFamily.get(finding.family) ?? []), contribution]);
  }
  const { familyCap, familyShare } = policy.thresholds;
  return [...byFamily]
    .map(([family, contributions]): [string, number] => {
      const [largest = 0, ...others] = contributions.toSorted((left, right) => right - left);
      const total = others.reduce((sum, other) => sum + Math.floor(other / familyShare), largest);
      return [family, Math.min(total, familyCap)];
    })
    .sort(([leftName, left], [rightName, right]) => right - left || compareText(leftName, rightName));
}
