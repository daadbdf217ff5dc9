import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { PolicyStore } from '../application/policy-store.js';
import type { LearnedTolerance } from '../domain/facts.js';
import { policyVersion } from '../domain/policy.js';
import type { Policy } from '../domain/policy.js';

/** One policy as one organization has used it; never changed, so that its analyses can be repeated. */
export interface PolicyDocument {
  /** `<organization>|default-1+o3`. */
  readonly _id: string;
  readonly organizationId: string;
  readonly overlay: number;
  readonly policy: Policy;
  readonly tolerances: readonly LearnedTolerance[];
  readonly createdAt: Date;
}

export async function createPolicyIndexes(collection: Collection<PolicyDocument>): Promise<void> {
  await collection.createIndexes([{ key: { organizationId: 1, overlay: -1 }, name: 'newest' }]);
}

/** @param base the policy that this release decides by, before any overlay */
export function policyStore(collection: Collection<PolicyDocument>, base: Policy, now: () => Date): PolicyStore {
  const idOf = (organizationId: string, version: string): string => `${organizationId}|${version}`;
  const insert = async (organizationId: string, policy: Policy, tolerances: readonly LearnedTolerance[]) => {
    try {
      await collection.insertOne({
        _id: idOf(organizationId, policyVersion(policy)),
        organizationId,
        overlay: policy.overlay,
        policy,
        tolerances,
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
        { sort: { overlay: -1 }, projection: { overlay: 1, tolerances: 1 } },
      );
      const policy = { ...base, overlay: newest?.overlay ?? 0 };
      const tolerances = newest?.tolerances ?? [];
      if (newest?._id !== idOf(organizationId, policyVersion(policy))) await insert(organizationId, policy, tolerances);
      return { policy, tolerances };
    },
    append: (organizationId, previous, tolerances) =>
      insert(organizationId, { ...base, overlay: previous.policy.overlay + 1 }, tolerances),
    async find(organizationId, version) {
      const document = await collection.findOne({ _id: idOf(organizationId, version), organizationId });
      return document === null ? undefined : { policy: document.policy, tolerances: document.tolerances };
    },
  };
}
