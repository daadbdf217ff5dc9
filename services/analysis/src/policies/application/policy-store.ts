import type { LearnedTolerance } from '../../records/domain/tolerance.js';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import type { PolicyOverrides } from '../domain/policy-overrides.js';

/** The policy of an organization: the numbers, and what its reviews taught. */
export interface OrganizationPolicy {
  /** Policy with the number of the organization's overlay, which grows whenever `tolerances` or `overrides` change. */
  readonly policy: Policy;
  /** Overrides of the default policy for the organization; already included in `policy`. */
  readonly overrides: PolicyOverrides;
  readonly tolerances: readonly LearnedTolerance[];
}

/** The operations of use cases on the policies collection, whose documents never change. */
export interface PolicyStore {
  /** The policy in force; stored on the way where this organization has not used it before. */
  current(organizationId: string): Promise<OrganizationPolicy>;
  /** Stores the overlay after `previous`; false when another writer was faster. */
  append(
    organizationId: string,
    previous: OrganizationPolicy,
    change: Partial<Pick<OrganizationPolicy, 'tolerances' | 'overrides'>>,
  ): Promise<boolean>;
  /** The policy that an analysis names in `versions.policy`. */
  find(organizationId: string, version: string): Promise<OrganizationPolicy | undefined>;
}
