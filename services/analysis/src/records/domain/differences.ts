import type { Analysis, AnalysisFinding } from './analysis.js';
import type { Evidence, EvidenceValue } from '@invoicecontrol/engine/explanation/evidence';
import type { RiskDecision } from '@invoicecontrol/engine/scoring/decision';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { compareText } from '@invoicecontrol/engine/facts/record-order';

/** Difference between two analyses of the same invoice. */
export interface AnalysisDifference {
  readonly field: 'decision' | 'risk_score' | 'versions.risk_engine' | 'versions.policy' | 'findings';
  /** Value in the earlier analysis of the invoice. Absent if the finding is new. */
  readonly from?: string;
  /** Value in the later analysis of the invoice. Absent if the finding was removed. */
  readonly to?: string;
  /** Type of the finding that differs. Present only for differences in `findings`. */
  readonly findingType?: string;
  readonly evidenceKey?: string;
}

/**
 * Lists the differences between an analysis of an invoice and the previous one: decision, score, versions, and findings
 * by evidence key.
 */
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

/**
 * Describes the fields of a finding that determine its weight in the decision, such as `SUSPECTED_DUPLICATE HIGH 94%
 * OPEN`.
 */
function described({ type, severity, confidence, disposition }: AnalysisFinding): string {
  return `${type} ${severity} ${confidence}% ${disposition}`;
}

/**
 * Checks whether two analyses are equal, byte for byte. Finding sentences are compared only within one engine version,
 * because a newer engine may reword a sentence without changing the result.
 */
export function isSameResult(left: Analysis, right: Analysis): boolean {
  const toResult = left.versions.riskEngine === right.versions.riskEngine ? resultOf : resultWithoutSentences;
  return canonicalJson(toResult(left)) === canonicalJson(toResult(right));
}

type ComparedFinding = Omit<AnalysisFinding, 'subjects'>;

interface ComparedResult extends RiskDecision {
  readonly policy: string;
  readonly findings: readonly ComparedFinding[];
}

function resultOf({ decision, riskScore, findings, versions }: Analysis): ComparedResult {
  return { decision, riskScore, policy: versions.policy, findings: findings.map(comparedFinding) };
}

function comparedFinding({
  type,
  family,
  severity,
  confidence,
  summary,
  recommendedAction,
  evidence,
  relatedInvoiceIds,
  disposition,
}: AnalysisFinding): ComparedFinding {
  return {
    type,
    family,
    severity,
    confidence,
    summary,
    recommendedAction,
    evidence: { ...evidence, rule: type },
    relatedInvoiceIds,
    disposition,
  };
}

/**
 * Returns an analysis without the sentences of its findings. The sentences determine the stored order of findings with
 * equal severity, confidence and type, so the findings are sorted by key instead.
 */
function resultWithoutSentences(analysis: Analysis): ComparedResult {
  const result = resultOf(analysis);
  const findings = result.findings.map((finding) => ({
    ...finding,
    summary: '',
    recommendedAction: null,
    evidence: { ...finding.evidence, explanation: [], ...comparisonsWithoutNotes(finding.evidence) },
  }));
  return {
    ...result,
    findings: findings.sort((left, right) => compareText(left.evidence.key, right.evidence.key)),
  };
}

function comparisonsWithoutNotes({ comparisons }: Evidence): { readonly comparisons?: EvidenceValue } {
  if (!Array.isArray(comparisons)) return {};
  return { comparisons: comparisons.map((row: object) => ({ ...row, note: '' })) };
}
