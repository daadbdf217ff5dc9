import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/operator_service';
import { policyVersion } from '@invoicecontrol/engine/policy/policy';
import { invalidField } from '@invoicecontrol/errors';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { OverridePolicy } from '../../../policies/application/override-policy.js';
import type { DryRunPolicy, ReplayAnalyses } from '../../application/replay-analyses.js';
import { readPolicy, writePolicy } from '../../../policies/domain/policy-document.js';
import { readOverrides } from '../../../policies/domain/policy-overrides.js';

/** Maximum number of invoice analyses that one call replays. */
const REPLAYED_MAX = 1_000;

interface Deps {
  readonly replayAnalyses: ReplayAnalyses;
  readonly dryRunPolicy: DryRunPolicy;
  readonly overridePolicy: OverridePolicy;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.OperatorService. */
export function operatorService(deps: Deps): Binding {
  return bind(OperatorServiceDefinition, {
    async replayAnalyses({ organizationId, limit, pageToken }) {
      const page = { organizationId, pageToken, limit: replayLimit(limit) };
      const { differentAnalysisIds, earlierEngineVersions, ...counts } = await deps.replayAnalyses(page);
      return {
        ...counts,
        differentAnalysisIds: [...differentAnalysisIds],
        earlierEngineVersions: [...earlierEngineVersions],
      };
    },
    async dryRunPolicy({ organizationId, policyJson, limit, pageToken }) {
      const page = { organizationId, pageToken, limit: replayLimit(limit) };
      const { replayed, changed, nextPageToken } = await deps.dryRunPolicy(page, readPolicy(policyJson));
      return {
        replayed,
        changed: changed.map(({ from, to, ...change }) => ({ ...change, from: Decision[from], to: Decision[to] })),
        nextPageToken,
      };
    },
    async overridePolicy({ organizationId, overridesJson }) {
      const current = await deps.overridePolicy(organizationId, readOverrides(overridesJson));
      return { version: policyVersion(current.policy), policyJson: writePolicy(current) };
    },
  });
}

function replayLimit(asked: number): number {
  if (asked >= 1 && asked <= REPLAYED_MAX) return asked;
  throw invalidField('limit', `must be between 1 and ${REPLAYED_MAX}.`);
}
