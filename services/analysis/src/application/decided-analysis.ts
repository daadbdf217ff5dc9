import { gunzipSync, gzip, gzipSync } from 'node:zlib';
import { promisify } from 'node:util';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import { amountAtRiskOf } from '../domain/amount-at-risk.js';
import type { Analysis, AnalysisFacts } from '../domain/analysis.js';
import { ruleFor } from '../domain/routing.js';
import type { RoutingRule } from '../domain/routing.js';
import { analysisIdFor, findingIdFor } from './derived-ids.js';
import type { DecidedAnalysis, StoredFinding } from './invoice-store.js';

/** What the engine said, and the facts that it said it of. */
export interface AnalyzedFacts {
  readonly facts: AnalysisFacts;
  readonly analysis: Analysis;
}

/**
 * A decision as it is stored: with its ids, and whom routing rules give its new findings to.
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
  /** 1 for the first analysis of the invoice. */
  readonly number: number;
  readonly rules: readonly RoutingRule[];
  readonly known: ReadonlySet<string>;
  readonly at: Date;
}

/** The fastest level: facts repeat their member names, which any level sees. */
const packing = { level: 1 } as const;
const gzipAside = promisify(gzip);

export function packFacts(facts: Facts): Buffer {
  return gzipSync(JSON.stringify(facts), packing);
}

/** The facts of many rows of a scan as one, compressed on another thread. */
export function packBundle(facts: readonly AnalysisFacts[]): Promise<Buffer> {
  return gzipAside(JSON.stringify(facts), packing);
}

export function unpackBundle(packed: Buffer): readonly AnalysisFacts[] {
  return JSON.parse(gunzipSync(packed).toString('utf8')) as readonly AnalysisFacts[];
}

/** The facts of a stored analysis. */
export function unpackFacts(packed: Buffer): AnalysisFacts {
  return JSON.parse(gunzipSync(packed).toString('utf8')) as AnalysisFacts;
}
