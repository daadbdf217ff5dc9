import type { Analysis } from '../run-engine.js';
import type { Finding } from '../explanation/evidence.js';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';

/**
 * Whether two analyses are the same, byte for byte. The name of the engine's version alone is no difference: a newer
 * engine that gives the same result has changed nothing.
 */
export function isSameResult(left: Analysis, right: Analysis): boolean {
  return canonicalResult(left) === canonicalResult(right);
}

function canonicalResult({ decision, riskScore, findings, versions }: Analysis): string {
  return canonicalJson({
    decision,
    riskScore,
    policy: versions.policy,
    findings: findings.map((finding) => {
      const { type, family, severity, confidence, summary, recommendedAction, relatedInvoiceIds, disposition } =
        finding;
      const evidence: Finding['evidence'] = { ...finding.evidence, rule: type };
      return {
        type,
        family,
        severity,
        confidence,
        summary,
        recommendedAction,
        evidence,
        relatedInvoiceIds,
        disposition,
      };
    }),
  });
}
