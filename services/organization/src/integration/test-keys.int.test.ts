import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { TEST_LIMITS } from '../domain/plans.js';
import { asKey, asOperator, connect, idOfKey, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startFakeBilling } from '../testing/fake-billing.js';
import type { FakeBilling } from '../testing/fake-billing.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const DAY_MS = 24 * 3_600_000;
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
let mongo: MongoConnection;
let billing: FakeBilling;
let service: RunningService;
let clients: Clients;

beforeAll(async () => {
  billing = await startFakeBilling();
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  service = await startService(testConfig(infrastructure, databaseName, { BILLING_ADDRESS: billing.address }), {
    clock,
  });
  clients = connect(service.address);
});
afterAll(async () => {
  clients.close();
  await service.stop();
  await billing.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
});

interface Tenant {
  readonly organizationId: string;
  readonly ownerKey: string;
}

const newTenant = (): Promise<Tenant> => clients.createTenant('Acme', 'FREE');
const keyInput = { name: 'Trial', role: 'ADMIN', scopes: [] };
const newTestKey = ({ organizationId, ownerKey }: Tenant) =>
  clients.apiKey.createApiKey({ ...keyInput, organizationId, isTest: true }, asKey(idOfKey(ownerKey)));
const authenticate = async (key: string) => {
  const { principal } = await clients.access.authenticateKey({ key }, asKey('gateway'));
  if (principal === undefined) throw new Error('no principal');
  return principal;
};
const refused = { kind: 'unauthenticated' };
const testOrganizations = (testOf: string) => mongo.db.collection('organizations').find({ testOf }).toArray();
const actionsOf = async (organizationId: string) =>
  (await mongo.db.collection('audit_events').find({ organizationId }).toArray()).map((entry) => entry.action as string);

describe('a test key', () => {
  test('belongs to a linked organization with limits of its own, whatever the plan of the organization is', async () => {
    const tenant = await newTenant();
    const { key, apiKey } = await newTestKey(tenant);
    expect(key).toMatch(/^ick_test_/);
    expect(apiKey?.isTest).toBe(true);
    const principal = await authenticate(key);
    expect(principal).toMatchObject({ isTest: true, plan: 'SCALE', hasActiveSubscription: false, limits: TEST_LIMITS });
    expect(principal.organizationId).not.toBe(tenant.organizationId);
    expect((await authenticate(tenant.ownerKey)).isTest).toBe(false);
    const { organization } = await clients.organization.getOrganization(principal, asKey(idOfKey(key)));
    expect(organization).toMatchObject({ name: 'Test organization', isTest: true, plan: 'SCALE' });
    expect(await clients.organization.getTenantFacts(principal, asKey(idOfKey(key)))).toMatchObject({
      hasActiveSubscription: false,
      erpConnectionsLimit: 0,
      analysesPerMonthLimit: TEST_LIMITS.analysesPerMonth,
      companies: [{ name: 'Test company' }],
    });
  });

  test('belongs to the same organization as 20 others that are created at the same time', async () => {
    const tenant = await newTenant();
    const created = await Promise.all(Array.from({ length: 20 }, () => newTestKey(tenant)));
    const principals = await Promise.all(created.map(({ key }) => authenticate(key)));
    expect(new Set(principals.map(({ organizationId }) => organizationId)).size).toBe(1);
    expect(await testOrganizations(tenant.organizationId)).toHaveLength(1);
  });

  test('is a person of its own, so that nothing of the organization appears in the test organization', async () => {
    const tenant = await newTenant();
    const { key } = await newTestKey(tenant);
    const { organizationId, person, apiKeyId } = await authenticate(key);
    expect(person).toBe(`API_KEY:${apiKeyId}`);
    const second = await clients.apiKey.createApiKey({ ...keyInput, organizationId }, asKey(apiKeyId));
    expect((await authenticate(second.key)).person).toBe(person);
    const [stored] = await testOrganizations(tenant.organizationId);
    expect(JSON.stringify(stored)).not.toContain('Acme');
    expect(await actionsOf(organizationId)).not.toContain('organization.deleted');
  });

  test('creates only test keys, and none of a member', async () => {
    const tenant = await newTenant();
    const { key } = await newTestKey(tenant);
    const { organizationId, apiKeyId } = await authenticate(key);
    const create = (input: object) =>
      clients.apiKey.createApiKey({ ...keyInput, organizationId, ...input }, asKey(apiKeyId));
    expect((await create({})).key).toMatch(/^ick_test_/);
    expect((await create({ isTest: true })).key).toMatch(/^ick_test_/);
    await expect(create({ isTest: false })).rejects.toMatchObject({ kind: 'forbidden' });
    const userId = '0198a000-0000-7000-8000-00000000000d';
    await expect(create({ userId })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(
      clients.apiKey.createApiKey({ ...keyInput, ...tenant, isTest: true, userId }, asKey(idOfKey(tenant.ownerKey))),
    ).rejects.toMatchObject({ kind: 'invalid' });
    expect(await testOrganizations(organizationId)).toEqual([]);
  });

  test('neither deletes its organization nor sets the mode ALL, and its plan is fixed', async () => {
    const { key } = await newTestKey(await newTenant());
    const { organizationId, apiKeyId } = await authenticate(key);
    const caller = asKey(apiKeyId);
    await expect(
      clients.organization.deleteOrganization({ organizationId, confirmName: 'Test organization' }, caller),
    ).rejects.toMatchObject({ kind: 'wrong_state' });
    await expect(
      clients.organization.updateReferenceValidation({ organizationId, mode: 'ALL' }, caller),
    ).rejects.toMatchObject({ kind: 'subscription_required', message: expect.stringContaining('test organization') });
    await expect(
      clients.operator.setPlan({ organizationId, plan: 'ENTERPRISE', subscriptionStatus: '' }, asOperator),
    ).rejects.toMatchObject({ kind: 'wrong_state' });
  });
});

describe('the organization', () => {
  test('lists, reads, changes and revokes its test keys, audited in its own trail', async () => {
    const tenant = await newTenant();
    const { organizationId, ownerKey } = tenant;
    const caller = asKey(idOfKey(ownerKey));
    const list = async (isTest: boolean) =>
      (await clients.apiKey.listApiKeys({ organizationId, pageSize: 10, pageToken: '', isTest }, caller)).apiKeys;
    expect(await list(true)).toEqual([]);
    const { key } = await newTestKey(tenant);
    const apiKeyId = idOfKey(key);
    expect(await list(true)).toMatchObject([{ apiKeyId, isTest: true }]);
    expect(await list(false)).toMatchObject([{ apiKeyId: idOfKey(ownerKey), isTest: false }]);
    const own = { organizationId, apiKeyId };
    expect((await clients.apiKey.getApiKey(own, caller)).apiKey).toMatchObject({ name: 'Trial', isTest: true });
    await clients.apiKey.updateApiKey({ ...own, name: 'Renamed', scopes: [] }, caller);
    await clients.apiKey.revokeApiKey(own, caller);
    await expect(authenticate(key)).rejects.toMatchObject(refused);
    expect(await list(true)).toEqual([]);
    await eventually(async () =>
      expect(await actionsOf(organizationId)).toEqual(
        expect.arrayContaining(['api_key.created', 'api_key.updated', 'api_key.revoked']),
      ),
    );
  });

  test('does not find the test keys of another organization, and a test key finds no other keys', async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const { key } = await newTestKey(one);
    await newTestKey(other);
    const { organizationId } = await authenticate(key);
    const missing = { kind: 'not_found' };
    await expect(
      clients.apiKey.getApiKey({ ...other, apiKeyId: idOfKey(key) }, asKey(idOfKey(other.ownerKey))),
    ).rejects.toMatchObject(missing);
    await expect(
      clients.apiKey.getApiKey({ organizationId, apiKeyId: idOfKey(one.ownerKey) }, asKey(idOfKey(key))),
    ).rejects.toMatchObject(missing);
  });

  test('takes its test organization with it when it is deleted, restores it empty of keys, and both are purged', async () => {
    const tenant = await newTenant();
    const { organizationId, ownerKey } = tenant;
    const { key } = await newTestKey(tenant);
    const deleteTenant = (caller: string) =>
      clients.organization.deleteOrganization({ organizationId, confirmName: 'Acme' }, asKey(caller));
    const { recoveryToken } = await deleteTenant(idOfKey(ownerKey));
    // At once, before the event has arrived.
    await expect(authenticate(key)).rejects.toMatchObject(refused);
    await eventually(async () => {
      const [stored] = await testOrganizations(organizationId);
      expect(stored).toMatchObject({ deletedBy: { type: 'SYSTEM' } });
    });
    const [deleted] = await testOrganizations(organizationId);
    const parent = await mongo.db
      .collection<{ _id: string; recoveryExpiresAt: Date }>('organizations')
      .findOne({ _id: organizationId });
    expect(deleted?.recoveryExpiresAt).toEqual(parent?.recoveryExpiresAt);
    await expect(
      clients.operator.undeleteOrganization({ organizationId: String(deleted?._id) }, asOperator),
    ).rejects.toMatchObject({ kind: 'wrong_state' });

    const restored = await clients.organization.restoreOrganization({ recoveryToken }, asKey('public'));
    await eventually(async () => {
      const [stored] = await testOrganizations(organizationId);
      expect(stored).not.toHaveProperty('deletedAt');
    });
    await expect(authenticate(key)).rejects.toMatchObject(refused);
    const again = await newTestKey({ organizationId, ownerKey: restored.ownerKey });
    expect(await authenticate(again.key)).toMatchObject({ organizationId: String(deleted?._id), isTest: true });

    await deleteTenant(idOfKey(restored.ownerKey));
    await eventually(async () => {
      const [stored] = await testOrganizations(organizationId);
      expect(stored).toHaveProperty('deletedAt');
    });
    aheadMs = 400 * DAY_MS;
    try {
      const { organizationIds } = await clients.operator.purgeOrganizations({}, asOperator);
      expect(organizationIds).toEqual(expect.arrayContaining([organizationId, String(deleted?._id)]));
    } finally {
      aheadMs = 0;
    }
    expect(await testOrganizations(organizationId)).toEqual([]);
  });

  test('restores its test organization by the first test key, if the event has not yet arrived', async () => {
    const tenant = await newTenant();
    const { key } = await newTestKey(tenant);
    const { organizationId } = await authenticate(key);
    // The state after a restore whose event is late.
    await mongo.db.collection<{ _id: string }>('organizations').updateOne(
      { _id: organizationId },
      {
        $set: { deletedAt: new Date(), recoveryTokenHash: organizationId, recoveryExpiresAt: clock.now() },
        $inc: { version: 1 },
      },
    );
    expect((await authenticate((await newTestKey(tenant)).key)).organizationId).toBe(organizationId);
  });

  test('shows the operator which organizations are test organizations', async () => {
    const tenant = await newTenant();
    await newTestKey(tenant);
    const { organizations } = await clients.operator.listOrganizations({ pageSize: 2, pageToken: '' }, asOperator);
    expect(organizations).toMatchObject([{ testOf: tenant.organizationId, members: 0 }, { testOf: undefined }]);
  });
});
