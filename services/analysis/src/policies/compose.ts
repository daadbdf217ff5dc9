import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { createCache } from '@invoicecontrol/runtime/cache';
import { CACHED_BY_ORGANIZATION } from '../foundation.js';
import type { Foundation } from '../foundation.js';
import { createPolicyIndexes, policyStore, registerReleasePolicy } from './storage/policies.js';
import type { PolicyDocument, ReleasePolicyDocument } from './storage/policies.js';
import { policyService } from './transport/grpc/policies.js';

/** Use cases for the detection policies of organizations. */
export type Policies = Awaited<ReturnType<typeof composePolicies>>;

export async function composePolicies({ db, clock }: Foundation) {
  const collection = db.collection<PolicyDocument>('policies');
  await createPolicyIndexes(collection);
  const policy = defaultPolicy;
  await registerReleasePolicy(db.collection<ReleasePolicyDocument>('release_policies'), policy, clock.now());
  const storedPolicies = policyStore(collection, policy, () => clock.now());
  const policies = createCache({ ...CACHED_BY_ORGANIZATION, load: (id) => storedPolicies.current(id) });
  return {
    collection,
    /** Detection policy of the release, which determines which names and tax ids belong to the same supplier. */
    policy,
    storedPolicies,
    policies,
    rpcGroups: [policyService({ policies })],
  };
}
