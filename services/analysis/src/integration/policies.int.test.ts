import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultPolicy, policyName, policyVersion } from '@invoicecontrol/engine/policy/policy';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { PolicyStore } from '../policies/application/policy-store.js';
import { startService } from '../compose.js';
import { createPolicyIndexes, policyStore, registerReleasePolicy } from '../policies/storage/policies.js';
import type { PolicyDocument, ReleasePolicyDocument } from '../policies/storage/policies.js';
import { testConfig } from '../testing/clients.js';

const databaseName = testDatabaseName();
const TENANT = '0198a000-0000-7000-8000-000000000001';
const OTHER_TENANT = '0198a000-0000-7000-8000-000000000002';
/** A policy of a later release that did not increase `version`. */
const laterPolicy: Policy = { ...defaultPolicy, weights: { ...defaultPolicy.weights, LOW: 9 } };
const tolerance = {
  supplierId: 's-1',
  type: 'SUSPECTED_DUPLICATE',
  signature: 'TYPO/EQ/SAME',
  falsePositives: 3,
  reviewers: 2,
  learnedOn: '2026-03-10',
  expiresOn: '2027-03-10',
};

let mongo: MongoConnection;
let now = new Date('2026-03-10T12:00:00Z');
let earlier: PolicyStore;
let later: PolicyStore;

const policies = () => mongo.db.collection<PolicyDocument>('policies');
const releasePolicies = () => mongo.db.collection<ReleasePolicyDocument>('release_policies');

beforeAll(async () => {
  mongo = await connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
  await createPolicyIndexes(policies());
  earlier = policyStore(policies(), defaultPolicy, () => now);
  later = policyStore(policies(), laterPolicy, () => now);
});
beforeEach(async () => {
  await policies().deleteMany({});
  await releasePolicies().deleteMany({});
  now = new Date(now.getTime() + 1_000);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

describe('two releases with other numbers', () => {
  test('name them apart, and each name gives the numbers that decided', async () => {
    const names: string[] = [];
    for (const store of [earlier, later, earlier]) names.push(policyVersion((await store.current(TENANT)).policy));
    expect(names[0]).not.toBe(names[1]);
    expect(names[2]).toBe(names[0]);
    expect((await later.find(TENANT, names[0] ?? ''))?.policy.weights.LOW).toBe(8);
    expect((await earlier.find(TENANT, names[1] ?? ''))?.policy.weights.LOW).toBe(9);
  });

  test('share the overlays of an organization while both run', async () => {
    const before = await earlier.current(TENANT);
    await later.current(TENANT);
    expect(await earlier.append(TENANT, before, { tolerances: [tolerance] })).toBe(true);
    for (const store of [later, earlier]) {
      expect(await store.current(TENANT)).toMatchObject({ policy: { overlay: 1 }, tolerances: [tolerance] });
    }
  });

  test('give no tolerance that was learned before one needed two people or thirty days', async () => {
    const { reviewers: _unknown, ...old } = tolerance;
    await earlier.append(TENANT, await earlier.current(TENANT), { tolerances: [old] });
    for (const store of [later, earlier]) {
      const { policy, tolerances } = await store.current(TENANT);
      expect(tolerances).toEqual([]);
      expect((await store.find(TENANT, policyVersion(policy)))?.policy.overlay).toBe(1);
    }
  });

  test('append the next overlay once', async () => {
    const [ofEarlier, ofLater] = [await earlier.current(TENANT), await later.current(TENANT)];
    const appended = await Promise.all([
      earlier.append(TENANT, ofEarlier, { tolerances: [tolerance] }),
      later.append(TENANT, ofLater, { overrides: { thresholds: { blockScore: 90 } } }),
    ]);
    expect(appended.filter(Boolean)).toHaveLength(1);
    const [one, other] = [await earlier.current(TENANT), await later.current(TENANT)];
    expect([one.tolerances, one.overrides]).toEqual([other.tolerances, other.overrides]);
  });
});

test('overridden numbers have a name of their own, the same for every organization that has them', async () => {
  const overrides = { thresholds: { blockScore: 90 } };
  for (const organizationId of [TENANT, OTHER_TENANT]) {
    await earlier.append(organizationId, await earlier.current(organizationId), { overrides });
  }
  const [one, other] = [await earlier.current(TENANT), await earlier.current(OTHER_TENANT)];
  expect(policyVersion(one.policy)).toBe(policyVersion(other.policy));
  expect(policyName(one.policy)).not.toBe(policyName(defaultPolicy));
});

describe('a start', () => {
  const start = async () => {
    const infrastructure = testInfrastructure();
    const organization = await startFakeOrganization(createLogger({ service: 'test', level: 'silent' }));
    try {
      const service = await startService(testConfig(infrastructure, databaseName, organization.address, {}), {});
      await service.stop();
    } finally {
      await organization.stop(1_000);
    }
  };

  test('stores the numbers of the release under their name, and later starts find them', async () => {
    await start();
    await start();
    expect(await releasePolicies().find().toArray()).toMatchObject([
      { _id: policyName(defaultPolicy), policy: { weights: { LOW: 8 } } },
    ]);
  });

  test('that meets other numbers under its name is refused with a sentence', async () => {
    await releasePolicies().insertOne({ _id: policyName(defaultPolicy), policy: laterPolicy, createdAt: now });
    await expect(start()).rejects.toThrow(
      `The database has other numbers under the name ${policyName(defaultPolicy)} than this release has`,
    );
  });

  test('of many replicas at once stores the numbers once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => registerReleasePolicy(releasePolicies(), laterPolicy, now)));
    expect(await releasePolicies().countDocuments()).toBe(1);
  });
});
