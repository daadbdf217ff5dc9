import { amountAtRiskOf } from '../../records/domain/amount-at-risk.js';
import type { Analysis, AnalysisFacts } from '../../records/domain/analysis.js';
import { ruleFor } from '../../reviews/domain/routing.js';
import type { RoutingRule } from '../../reviews/domain/routing.js';
import { analysisIdFor, findingIdFor } from '../../records/application/derived-ids.js';
import type { DecidedAnalysis, StoredFinding } from '../../records/application/invoice-store.js';

/** The findings of the engine about an invoice and the facts that it used. */
export interface AnalyzedFacts {
  readonly facts: AnalysisFacts;
  readonly analysis: Analysis;
}

/**
 * Builds a decision on an invoice in its stored form, with ids and with the assignees of its new findings.
 * @param known ids of findings that an earlier analysis of the invoice raised
 */
export function toDecidedAnalysis(
  { facts, analysis: { findings, ...verdict } }: AnalyzedFacts,
  { number, rules, known, at }: DecisionContext,
): DecidedAnalysis {
  const { invoiceId } = facts.invoice;
  return {
    ...verdict,
    analysisId: analysisIdFor(invoiceId, number),
    number,
    supplierId: facts.supplier.supplierId,
    findings: findings.map((finding): StoredFinding => {
      const findingId = findingIdFor(invoiceId, finding.evidence.key);
      const isNew = finding.disposition === 'OPEN' && !known.has(findingId);
      const rule = isNew ? ruleFor(rules, finding, facts) : undefined;
      const amountAtRisk = amountAtRiskOf(finding, facts);
      return {
        ...finding,
        findingId,
        ...(amountAtRisk === undefined ? {} : { amountAtRisk }),
        ...(rule === undefined ? {} : { assignment: { ruleId: rule.ruleId, assigneeUserId: rule.assignTo } }),
      };
    }),
    createdAt: at,
  };
}

interface DecisionContext {
  /** Number of the analysis among all analyses of the invoice, starting with 1. */
  readonly number: number;
  readonly rules: readonly RoutingRule[];
  readonly known: ReadonlySet<string>;
  readonly at: Date;
}
