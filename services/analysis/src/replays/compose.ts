import type { Foundation, RoomParts } from '../foundation.js';
import type { Policies } from '../policies/compose.js';
import { overridePolicy } from '../policies/application/override-policy.js';
import type { Records } from '../records/compose.js';
import { dryRunPolicy, replayAnalyses } from './application/replay-analyses.js';
import { operatorService } from './transport/grpc/operator.js';

/**
 * Creates the operator commands that replay stored analyses: one checks that the decisions are the same, and one shows
 * the decisions that another policy would make.
 */
export function composeReplays(
  { clock, logger }: Foundation,
  { records, policies }: { records: Records; policies: Policies },
): Pick<RoomParts, 'rpcGroups'> {
  const { invoices, analyses } = records;
  const { storedPolicies, policies: cachedPolicies } = policies;
  return {
    rpcGroups: [
      operatorService({
        replayAnalyses: replayAnalyses({ analyses, policies: storedPolicies, logger }),
        dryRunPolicy: dryRunPolicy({ invoices, analyses, clock }),
        overridePolicy: overridePolicy({ policies: storedPolicies, cachedPolicies }),
      }),
    ],
  };
}
