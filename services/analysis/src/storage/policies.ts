import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { OrganizationPolicy, PolicyStore } from '../application/policy-store.js';
import type { LearnedTolerance } from '../domain/learned-tolerance.js';
import { policyVersion } from '@invoicecontrol/engine/policy/policy';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { withOverrides } from '../domain/policy-overrides.js';
import type { PolicyOverrides } from '../domain/policy-overrides.js';

/** One policy as one organization has used it; never changed, so that its analyses can be repeated. */
export interface PolicyDocument {
  /** `<organization>|default-1+o3`. */
  readonly _id: string;
  readonly organizationId: string;
  readonly overlay: number;
  readonly policy: Policy;
  readonly tolerances: readonly LearnedTolerance[];
  /** What was put in place of members of the default policy. */
  readonly overrides: PolicyOverrides;
  readonly createdAt: Date;
}

export async function createPolicyIndexes(collection: Collection<PolicyDocument>): Promise<void> {
  await collection.createIndexes([{ key: { organizationId: 1, overlay: -1 }, name: 'newest' }]);
}

/** @param base the policy that this release decides by, before any overlay */
export function policyStore(collection: Collection<PolicyDocument>, base: Policy, now: () => Date): PolicyStore {
  const idOf = (organizationId: string, version: string): string => `${organizationId}|${version}`;
  const insert = async (organizationId: string, { policy, tolerances, overrides }: OrganizationPolicy) => {
    try {
      await collection.insertOne({
        _id: idOf(organizationId, policyVersion(policy)),
        organizationId,
        overlay: policy.overlay,
        policy,
        tolerances,
        overrides,
        createdAt: now(),
      });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  return {
    async current(organizationId) {
      const newest = await collection.findOne(
        { organizationId },
        { sort: { overlay: -1 }, projection: { overlay: 1, tolerances: 1, overrides: 1 } },
      );
      const overrides = newest?.overrides ?? {};
      const policy = { ...withOverrides(base, overrides), overlay: newest?.overlay ?? 0 };
      const current = { policy, tolerances: newest?.tolerances ?? [], overrides };
      if (newest?._id !== idOf(organizationId, policyVersion(policy))) await insert(organizationId, current);
      return current;
    },
    append(organizationId, previous, { tolerances = previous.tolerances, overrides = previous.overrides }) {
      const policy = { ...withOverrides(base, overrides), overlay: previous.policy.overlay + 1 };
      return insert(organizationId, { policy, tolerances, overrides });
    },
    async find(organizationId, version) {
      const document = await collection.findOne({ _id: idOf(organizationId, version), organizationId });
      if (document === null) return undefined;
      const { policy, tolerances, overrides } = document;
      return { policy, tolerances, overrides };
    },
  };
}
