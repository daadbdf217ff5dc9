import { ensureIndexes } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import type { Collection } from 'mongodb';
import { isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { OrganizationPolicy, PolicyStore } from '../application/policy-store.js';
import { tolerancesInForce } from '../domain/learned-tolerance.js';
import type { LearnedTolerance } from '../../records/domain/tolerance.js';
import { policyName, policyVersion } from '@invoicecontrol/engine/policy/policy';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import { withOverrides } from '../domain/policy-overrides.js';
import type { PolicyOverrides } from '../domain/policy-overrides.js';

/** Stored detection policy that an organization has used. It is never changed, so that its analyses can be repeated. */
export interface PolicyDocument {
  /**
   * Id of the stored policy, in the form `<organization>|default-3+0123456789ab.o3`. Policies from an earlier release
   * have no digest.
   */
  readonly _id: string;
  readonly organizationId: string;
  readonly overlay: number;
  readonly policy: Policy;
  readonly tolerances: readonly LearnedTolerance[];
  /** Values that replace members of the default detection policy. */
  readonly overrides: PolicyOverrides;
  /**
   * Unique key, with a sparse index, for the policy that introduced an overlay, in the form `<organization>|<overlay>`.
   * Absent if another release applied the overlay to its own parameters.
   */
  readonly newOverlay?: string;
  readonly createdAt: Date;
}

/** Detection policy parameters of a release, stored by policy name and without overrides. */
export interface ReleasePolicyDocument {
  /** Name of a detection policy with its digest, such as `default-3+0123456789ab`. */
  readonly _id: string;
  readonly policy: Policy;
  readonly createdAt: Date;
}

export async function createPolicyIndexes(collection: Collection<PolicyDocument>): Promise<void> {
  await ensureIndexes(collection, [
    { key: { organizationId: 1, overlay: -1 }, name: 'newest' },
    { key: { newOverlay: 1 }, unique: true, sparse: true, name: 'new_overlay' },
  ]);
}

/**
 * Stores the detection policy parameters of this release under their name, or checks that the stored parameters are
 * equal.
 * @throws Error if the database has other parameters under this name, because its analyses could then not be replayed
 */
export async function registerReleasePolicy(
  collection: Collection<ReleasePolicyDocument>,
  policy: Policy,
  now: Date,
): Promise<void> {
  const name = policyName(policy);
  try {
    await collection.updateOne({ _id: name }, { $setOnInsert: { policy, createdAt: now } }, { upsert: true });
  } catch (error) {
    // A duplicate key means that another replica has just stored the same policy parameters.
    if (!isDuplicateKey(error)) throw error;
  }
  const stored = await collection.findOne({ _id: name });
  if (canonicalJson(stored?.policy) === canonicalJson(policy)) return;
  throw new Error(
    `The database has other numbers under the name ${name} than this release has, so analyses that refer to it could not ` +
      'be replayed. Restore the document of that _id in release_policies from a backup, or give the policy of this ' +
      'release another `version`.',
  );
}

/**
 * Creates the store of detection policies.
 * @param base the policy of this release, without an overlay
 */
export function policyStore(collection: Collection<PolicyDocument>, base: Policy, now: () => Date): PolicyStore {
  const idOf = (organizationId: string, version: string): string => `${organizationId}|${version}`;
  const insert = async (
    organizationId: string,
    { policy, tolerances, overrides }: OrganizationPolicy,
    overlay: Pick<PolicyDocument, 'newOverlay'> = {},
  ) => {
    try {
      await collection.insertOne({
        _id: idOf(organizationId, policyVersion(policy)),
        organizationId,
        overlay: policy.overlay,
        policy,
        tolerances,
        overrides,
        ...overlay,
        createdAt: now(),
      });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  const find = async (organizationId: string, version: string): Promise<OrganizationPolicy | undefined> => {
    const document = await collection.findOne({ _id: idOf(organizationId, version), organizationId });
    if (document === null) return undefined;
    const { policy, tolerances, overrides } = document;
    return { policy, tolerances, overrides };
  };
  return {
    async current(organizationId) {
      // The tolerances and overrides of a detection policy are stored once for each release that used them and never
      // change.
      const newest = await collection.findOne(
        { organizationId },
        { sort: { overlay: -1, createdAt: -1 }, projection: { overlay: 1, tolerances: 1, overrides: 1 } },
      );
      const overrides = newest?.overrides ?? {};
      const policy = { ...withOverrides(base, overrides), overlay: newest?.overlay ?? 0 };
      const current = { policy, tolerances: tolerancesInForce(newest?.tolerances ?? []), overrides };
      const version = policyVersion(policy);
      if (newest?._id === idOf(organizationId, version) || (await insert(organizationId, current))) return current;
      // If a detection policy is already stored under this name, it is returned, because a name must always mean the
      // same policy.
      const stored = await find(organizationId, version);
      return stored === undefined ? current : { ...stored, tolerances: tolerancesInForce(stored.tolerances) };
    },
    append(organizationId, previous, { tolerances = previous.tolerances, overrides = previous.overrides }) {
      const overlay = previous.policy.overlay + 1;
      const policy = { ...withOverrides(base, overrides), overlay };
      return insert(organizationId, { policy, tolerances, overrides }, { newOverlay: `${organizationId}|${overlay}` });
    },
    find,
  };
}
