import type { LearnedTolerance } from '../../records/domain/tolerance.js';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import type { PolicyOverrides } from '../domain/policy-overrides.js';

/** The detection policy of an organization: its parameters, and the tolerances learned from reviews. */
export interface OrganizationPolicy {
  /**
   * The detection policy with the organization's overlay number, which increases whenever the `tolerances` or
   * `overrides` of the policy change.
   */
  readonly policy: Policy;
  /**
   * Values that the organization sets in place of the default detection policy. They are already included in `policy`.
   */
  readonly overrides: PolicyOverrides;
  readonly tolerances: readonly LearnedTolerance[];
}

/** Stores the detection policies of organizations. A stored policy never changes. */
export interface PolicyStore {
  /**
   * Returns the current detection policy of an organization, and stores it if the organization has not used it before.
   */
  current(organizationId: string): Promise<OrganizationPolicy>;
  /**
   * Stores changed learned tolerances or overrides of a detection policy as the version that follows `previous`.
   * Returns false if another writer has already stored that version.
   */
  append(
    organizationId: string,
    previous: OrganizationPolicy,
    change: Partial<Pick<OrganizationPolicy, 'tolerances' | 'overrides'>>,
  ): Promise<boolean>;
  /** Returns the detection policy named by an analysis in `versions.policy`. */
  find(organizationId: string, version: string): Promise<OrganizationPolicy | undefined>;
}
