import type { Analysis, AnalysisFinding } from './analysis.js';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { compareText } from '@invoicecontrol/engine/facts/record-order';

/** One difference between two analyses of the same invoice. */
export interface AnalysisDifference {
  readonly field: 'decision' | 'risk_score' | 'versions.risk_engine' | 'versions.policy' | 'findings';
  /** Absent: the finding is new. */
  readonly from?: string;
  /** Absent: the finding was removed. */
  readonly to?: string;
  /** Of `findings`: which one. */
  readonly findingType?: string;
  readonly evidenceKey?: string;
}

/** What an analysis found different from the one before it: decision, score, versions, then findings by evidence key. */
export function differencesBetween(before: Analysis, after: Analysis): AnalysisDifference[] {
  const fields: readonly (readonly [AnalysisDifference['field'], string, string])[] = [
    ['decision', before.decision, after.decision],
    ['risk_score', String(before.riskScore), String(after.riskScore)],
    ['versions.risk_engine', before.versions.riskEngine, after.versions.riskEngine],
    ['versions.policy', before.versions.policy, after.versions.policy],
  ];
  return [
    ...fields.filter(([, from, to]) => from !== to).map(([field, from, to]) => ({ field, from, to })),
    ...findingDifferences(before.findings, after.findings),
  ];
}

function findingDifferences(
  before: readonly AnalysisFinding[],
  after: readonly AnalysisFinding[],
): AnalysisDifference[] {
  const earlier = byKey(before);
  const later = byKey(after);
  const keys = [...new Set([...earlier.keys(), ...later.keys()])].sort(compareText);
  return keys.flatMap((evidenceKey): AnalysisDifference[] => {
    const from = earlier.get(evidenceKey);
    const to = later.get(evidenceKey);
    const finding = to ?? from;
    if (finding === undefined || (from && described(from)) === (to && described(to))) return [];
    return [
      {
        field: 'findings',
        ...(from === undefined ? {} : { from: described(from) }),
        ...(to === undefined ? {} : { to: described(to) }),
        findingType: finding.type,
        evidenceKey,
      },
    ];
  });
}

function byKey(findings: readonly AnalysisFinding[]): ReadonlyMap<string, AnalysisFinding> {
  return new Map(findings.map((finding) => [finding.evidence.key, finding]));
}

/** `SUSPECTED_DUPLICATE HIGH 94% OPEN`: what makes a finding count. */
function described({ type, severity, confidence, disposition }: AnalysisFinding): string {
  return `${type} ${severity} ${confidence}% ${disposition}`;
}

/**
 * Whether two analyses are the same, byte for byte. Another engine version alone does not count as a difference: a newer
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
    findings: findings.map(
      ({
        type,
        family,
        severity,
        confidence,
        summary,
        recommendedAction,
        evidence,
        relatedInvoiceIds,
        disposition,
      }) => ({
        type,
        family,
        severity,
        confidence,
        summary,
        recommendedAction,
        evidence: { ...evidence, rule: type },
        relatedInvoiceIds,
        disposition,
      }),
    ),
  });
}
