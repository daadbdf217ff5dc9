import type { Foundation, RoomParts } from '../foundation.js';
import type { Policies } from '../policies/compose.js';
import { overridePolicy } from '../policies/application/override-policy.js';
import type { Records } from '../records/compose.js';
import { dryRunPolicy, replayAnalyses } from './application/replay-analyses.js';
import { operatorService } from './transport/grpc/operator.js';

/**
 * Composes the operator commands that check if a replay of analyses returns the stored decisions, and which decisions
 * another policy would make.
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
