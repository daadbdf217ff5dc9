import { PolicyServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import type { Cache } from '@invoicecontrol/runtime/cache';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { OrganizationPolicy } from '../../application/policy-store.js';
import { findingTypes } from '../../domain/finding-types.js';
import { policyVersion } from '@invoicecontrol/engine/policy/policy';
import { writePolicy } from '../../domain/policy-document.js';

interface Deps {
  readonly policies: Cache<OrganizationPolicy>;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.PolicyService. */
export function policyService({ policies }: Deps): Binding {
  return bind(PolicyServiceDefinition, {
    async getCurrentPolicy({ organizationId }) {
      const current = await policies.get(organizationId);
      return { version: policyVersion(current.policy), policyJson: writePolicy(current) };
    },
    async listFindingTypes({ organizationId }) {
      const { policy } = await policies.get(organizationId);
      return {
        findingTypes: findingTypes(policy).map(({ recommendedAction, ...kind }) => ({
          ...kind,
          severities: [...kind.severities],
          requiredFacts: [...kind.requiredFacts],
          recommendedAction: recommendedAction ?? undefined,
        })),
      };
    },
  });
}
