import type { LearnedTolerance } from '../../records/domain/tolerance.js';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import type { PolicyOverrides } from '../domain/policy-overrides.js';

/** The policy of an organization: its parameters, and the tolerances that were learned from reviews. */
export interface OrganizationPolicy {
  /**
   * The policy with the overlay number of the organization, which increases whenever `tolerances` or `overrides`
   * change.
   */
  readonly policy: Policy;
  /** Values that the organization sets in place of the default policy. They are already included in `policy`. */
  readonly overrides: PolicyOverrides;
  readonly tolerances: readonly LearnedTolerance[];
}

/** Stores policies. A stored policy never changes. */
export interface PolicyStore {
  /** Returns the current policy of the organization, and stores it if the organization has not used it before. */
  current(organizationId: string): Promise<OrganizationPolicy>;
  /** Stores the overlay that follows `previous`. Returns false if another writer was faster. */
  append(
    organizationId: string,
    previous: OrganizationPolicy,
    change: Partial<Pick<OrganizationPolicy, 'tolerances' | 'overrides'>>,
  ): Promise<boolean>;
  /** Returns the policy that an analysis names in `versions.policy`. */
  find(organizationId: string, version: string): Promise<OrganizationPolicy | undefined>;
}
