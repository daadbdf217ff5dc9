import { setImmediate as breathe } from 'node:timers/promises';
import { invalidField } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { readPageRequest } from '@invoicecontrol/runtime/page';
import { ENGINE_VERSION } from '@invoicecontrol/engine/run-engine';
import type { Decision } from '@invoicecontrol/engine/scoring/decision';
import { analyze } from '../../decisions/domain/analyze.js';
import { tolerancesFor } from '../../policies/domain/learned-tolerance.js';
import type { Analysis, AnalysisFacts } from '../../records/domain/analysis.js';
import type { LearnedTolerance } from '../../records/domain/tolerance.js';
import { isUndigestedVersion } from '@invoicecontrol/engine/policy/policy';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { isSameResult } from '../../records/domain/differences.js';
import type { AnalysisRecord, AnalysisStore } from '../../records/application/analysis-store.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import type { OrganizationPolicy, PolicyStore } from '../../policies/application/policy-store.js';

/** Number of analyses that a replay reads in one batch. Other requests can run between two batches. */
const BATCH_ANALYSES = 50;

interface Deps {
  readonly invoices: InvoiceStore;
  readonly analyses: AnalysisStore;
  readonly policies: PolicyStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ReplayPage {
  readonly organizationId: string;
  /** Position after the last invoice analysis that the previous call replayed. Empty for the first call. */
  readonly pageToken: string;
  readonly limit: number;
}

export interface ReplayOutcome {
  readonly replayed: number;
  readonly identical: number;
  readonly differentAnalysisIds: readonly string[];
  /** Other engine versions that made some of the replayed analyses, in the order of the analyses. */
  readonly earlierEngineVersions: readonly string[];
  readonly nextPageToken: string;
}

/**
 * Runs the stored facts of analyses through the engine with the policy of their analysis, and compares the results byte
 * by byte. Nothing is written.
 */
export type ReplayAnalyses = (page: ReplayPage) => Promise<ReplayOutcome>;

export const replayAnalyses =
  ({ analyses, policies, logger }: Pick<Deps, 'analyses' | 'policies' | 'logger'>): ReplayAnalyses =>
  async ({ organizationId, ...page }) => {
    const known = new Map<string, Promise<OrganizationPolicy | undefined>>();
    const policyOf = (version: string): Promise<OrganizationPolicy | undefined> => {
      const policy = known.get(version) ?? policies.find(organizationId, version);
      known.set(version, policy);
      return policy;
    };
    const different: string[] = [];
    const engineVersions = new Set<string>();
    const { count, nextPageToken } = await walk(analyses, organizationId, page, async (batch) => {
      for (const record of batch) {
        engineVersions.add(record.analysis.versions.riskEngine);
        const stored = await policyOf(record.analysis.versions.policy);
        if (stored === undefined || !isReproduced(record, stored.policy, logger)) {
          different.push(record.analysis.analysisId);
        }
      }
    });
    engineVersions.delete(ENGINE_VERSION);
    return {
      replayed: count,
      identical: count - different.length,
      differentAnalysisIds: different,
      earlierEngineVersions: [...engineVersions],
      nextPageToken,
    };
  };

function isReproduced({ analysis, facts }: AnalysisRecord, policy: Policy, logger: Logger): boolean {
  try {
    const repeated = analyze(facts, policy);
    const { policy: named } = analysis.versions;
    // Earlier releases named detection policies without a digest. If the replayed analysis has such a name, the names
    // are not compared.
    const versions = isUndigestedVersion(named) ? { ...repeated.versions, policy: named } : repeated.versions;
    return isSameResult(analysis, { ...repeated, versions });
  } catch (error) {
    // If the engine can no longer read the facts or the policy of a replayed analysis, there is no result, so the
    // replay is not identical.
    logger.warn({ error, analysisId: analysis.analysisId }, 'an analysis could not be replayed');
    return false;
  }
}

export interface ChangedDecision {
  readonly invoiceId: string;
  readonly from: Decision;
  readonly to: Decision;
  readonly riskScoreFrom: number;
  readonly riskScoreTo: number;
}

export interface DryRunOutcome {
  readonly replayed: number;
  readonly changed: readonly ChangedDecision[];
  readonly nextPageToken: string;
}

/** A detection policy that a dry run tries. If it has no tolerances, the tolerances stored with each analysis apply. */
export interface TriedPolicy {
  readonly policy: Policy;
  readonly tolerances: readonly LearnedTolerance[] | undefined;
}

/**
 * Finds invoices that another detection policy would decide differently from their newest analysis. Nothing is written.
 * Older analyses of an invoice are read but left out.
 */
export type DryRunPolicy = (page: ReplayPage, tried: TriedPolicy) => Promise<DryRunOutcome>;

export const dryRunPolicy =
  ({ invoices, analyses, clock }: Pick<Deps, 'invoices' | 'analyses' | 'clock'>): DryRunPolicy =>
  async ({ organizationId, ...page }, { policy, tolerances }) => {
    const changed: ChangedDecision[] = [];
    const today = clock.now().toISOString().slice(0, 10);
    let replayed = 0;
    const { nextPageToken } = await walk(analyses, organizationId, page, async (batch) => {
      const invoiceIds = [...new Set(batch.map(({ invoiceId }) => invoiceId))];
      const newest = await invoices.newestAnalyses(organizationId, invoiceIds);
      for (const { invoiceId, analysis, facts } of batch) {
        if (!newest.has(analysis.analysisId)) continue;
        replayed += 1;
        const tried = tryPolicy(
          tolerances === undefined
            ? facts
            : { ...facts, tolerances: tolerancesFor(tolerances, facts.supplier.supplierId, today) },
          policy,
        );
        if (tried.decision === analysis.decision) continue;
        changed.push({
          invoiceId,
          from: analysis.decision,
          to: tried.decision,
          riskScoreFrom: analysis.riskScore,
          riskScoreTo: tried.riskScore,
        });
      }
    });
    return { replayed, changed, nextPageToken };
  };

/**
 * The stored facts were analyzed successfully before, so the tried policy causes the failure of the dry run, for
 * example by a factor of zero.
 */
function tryPolicy(facts: AnalysisFacts, policy: Policy): Analysis {
  try {
    return analyze(facts, policy);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalidField('policy_json', `has a number that cannot be computed with: ${error.message}.`);
  }
}

/** Reads the requested number of stored analyses in batches and passes them to `visit`. */
async function walk(
  analyses: AnalysisStore,
  organizationId: string,
  { pageToken, limit }: Omit<ReplayPage, 'organizationId'>,
  visit: (batch: readonly AnalysisRecord[]) => Promise<void>,
): Promise<{ count: number; nextPageToken: string }> {
  let count = 0;
  for (let token = pageToken; ;) {
    const request = readPageRequest({ pageSize: Math.min(BATCH_ANALYSES, limit - count), pageToken: token });
    const { items, nextPageToken } = await analyses.all(organizationId, request);
    await visit(items);
    count += items.length;
    if (nextPageToken === '' || count >= limit) return { count, nextPageToken };
    token = nextPageToken;
    await breathe();
  }
}
