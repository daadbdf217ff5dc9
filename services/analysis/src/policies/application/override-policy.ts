import type { Cache } from '@invoicecontrol/runtime/cache';
import { DomainError } from '@invoicecontrol/errors';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import type { PolicyOverrides } from '../domain/policy-overrides.js';
import type { OrganizationPolicy, PolicyStore } from './policy-store.js';

const TRIES_MAX = 5;

interface Deps {
  readonly policies: PolicyStore;
  readonly cachedPolicies: Cache<OrganizationPolicy>;
}

/**
 * Stores the overrides of an organization as the next overlay of its detection policy. Equal overrides change nothing.
 */
export type OverridePolicy = (organizationId: string, overrides: PolicyOverrides) => Promise<OrganizationPolicy>;

export const overridePolicy =
  ({ policies, cachedPolicies }: Deps): OverridePolicy =>
  async (organizationId, overrides) => {
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      const current = await policies.current(organizationId);
      if (canonicalJson(current.overrides) === canonicalJson(overrides)) return current;
      await policies.append(organizationId, current, { overrides });
      cachedPolicies.invalidate(organizationId);
    }
    throw new DomainError('concurrent_change', 'Other requests are changing the detection policy. Retry the request.');
  };
