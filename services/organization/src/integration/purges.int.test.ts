import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { OperatorServiceDefinition as Operations } from '@invoicecontrol/contracts/operations/v1/operator_service';
import type { DomainError } from '@invoicecontrol/errors';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { startService } from '../compose.js';
import { asKey, asOperator, connect, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startFakeBilling } from '../testing/fake-billing.js';
import type { FakeBilling } from '../testing/fake-billing.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const logger = createLogger({ service: 'test', level: 'silent' });
const DAY_MS = 24 * 3_600_000;
const RETENTION_MS = 30 * DAY_MS;
const AUDIT_RETENTION_MS = 400 * DAY_MS;
const config = () =>
  testConfig(infrastructure, databaseName, {
    BILLING_ADDRESS: billing.address,
    ORGANIZATION_RETENTION_MS: String(RETENTION_MS),
    AUDIT_RETENTION_MS: String(AUDIT_RETENTION_MS),
  });
/** Milliseconds by which the service's clock is ahead of real time. The value never decreases. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const caller = asKey('test-key');
let mongo: MongoConnection;
let bus: Bus;
let billing: FakeBilling;
let service: RunningService;
let clients: Clients;
let channel: Channel;
/** Organizations whose purge was announced, once for each announcement. */
const announced: string[] = [];

beforeAll(async () => {
  billing = await startFakeBilling();
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
  subscribeBroadcast(bus, [events.organizationPurged], ({ organizationId }) => announced.push(organizationId), logger);
  service = await startService(config(), { clock });
  clients = connect(service.address);
  channel = openTestChannel('organization', service.address);
});
afterAll(async () => {
  clients.close();
  channel.close();
  await service.stop();
  await billing.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
  await bus.close();
});

async function newTenant(): Promise<{ organizationId: string; ownerKey: string; recoveryToken: string }> {
  const { organizationId, ownerKey } = await clients.createTenant('Acme');
  await clients.member.inviteMember({ organizationId, email: 'ann@example.com', role: 'ANALYST' }, caller);
  await clients.access.reserveRequests(
    {
      policies: [{ subject: `organization:${organizationId}`, policy: 'organization', limitPerMinute: 100, tokens: 1 }],
    },
    caller,
  );
  const { recoveryToken } = await clients.organization.deleteOrganization(
    { organizationId, confirmName: 'Acme' },
    caller,
  );
  return { organizationId, ownerKey, recoveryToken };
}
const purge = async (): Promise<readonly string[]> =>
  (await clients.operator.purgeOrganizations({}, asOperator)).organizationIds;
const undelete = (organizationId: string) => clients.operator.undeleteOrganization({ organizationId }, asOperator);
async function remainingOf(organizationId: string): Promise<number> {
  const { collections } = await client(Operations, channel).countTenantDocuments({ organizationId }, asOperator);
  return collections.reduce((sum, { documents }) => sum + documents, 0);
}
/** Returns the names of the collections in which a database document contains the id. */
async function collectionsWith(organizationId: string): Promise<string[]> {
  const names: string[] = [];
  for (const { name } of await mongo.db.listCollections().toArray()) {
    const documents = await mongo.db.collection(name).find({}).toArray();
    if (documents.some((document) => JSON.stringify(document).includes(organizationId))) names.push(name);
  }
  return names.toSorted();
}

describe('a deleted organization whose retention is over', () => {
  test('is purged, once, and no other is', async () => {
    const early = await newTenant();
    aheadMs += RETENTION_MS;
    const late = await newTenant();
    expect(await purge()).toEqual([early.organizationId]);
    expect(await purge()).toEqual([]);
    await eventually(() => expect(announced).toContain(early.organizationId));
    expect(announced).not.toContain(late.organizationId);
    expect(await undelete(late.organizationId)).toMatchObject({ ownerKey: expect.stringMatching(/^ick_/) });
  });

  test('leaves its audit trail and its id and dates, and nothing else', async () => {
    const { organizationId } = await newTenant();
    expect(await remainingOf(organizationId)).toBeGreaterThan(3);
    aheadMs += RETENTION_MS;
    await purge();
    await eventually(async () => expect(await remainingOf(organizationId)).toBe(0));
    expect(await collectionsWith(organizationId)).toEqual(['audit_events', 'organizations']);
    const actions = await mongo.db.collection('audit_events').distinct('action', { organizationId });
    expect(actions).toEqual(expect.arrayContaining(['member.invited', 'organization.deleted', 'organization.purged']));
    const left = await mongo.db.collection<{ _id: string }>('organizations').findOne({ _id: organizationId });
    expect(JSON.stringify(left)).not.toContain('Acme');
    expect(JSON.stringify(left)).not.toContain('example.com');
  });

  test('can be restored neither by its token nor by the operator, and is listed no more', async () => {
    const { organizationId, recoveryToken, ownerKey } = await newTenant();
    aheadMs += RETENTION_MS;
    await expect(undelete(organizationId)).rejects.toMatchObject({ kind: 'wrong_state' });
    await purge();
    await expect(undelete(organizationId)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(clients.organization.restoreOrganization({ recoveryToken }, caller)).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
    await expect(clients.access.authenticateKey({ key: ownerKey }, caller)).rejects.toMatchObject({
      kind: 'unauthenticated',
    });
    const { organizations } = await clients.operator.listOrganizations({ pageSize: 100, pageToken: '' }, asOperator);
    expect(organizations.map((one) => one.organizationId)).not.toContain(organizationId);
  });

  test('is purged by one of many calls at once', async () => {
    const { organizationId } = await newTenant();
    aheadMs += RETENTION_MS;
    const purged = await Promise.all(Array.from({ length: 10 }, purge));
    expect(purged.flat()).toEqual([organizationId]);
  });

  test('is purged by the daily job; its audit trail and the last trace go when they were kept long enough', async () => {
    const { organizationId } = await newTenant();
    const other = await newTenant();
    await undelete(other.organizationId);
    aheadMs += RETENTION_MS;
    // The test sets the time of the last daily purge, because an earlier process may have written it with a different
    // clock.
    const dueAt = new Date(clock.now().getTime() + DAY_MS);
    await mongo.db
      .collection<{ _id: string }>('schedules')
      .updateOne({ _id: 'purge' }, { $set: { dueAt } }, { upsert: true });
    const replica = await startService(config(), { clock, jobPauseMsMax: 100 });
    try {
      expect(await remainingOf(organizationId)).toBeGreaterThan(0);
      aheadMs += DAY_MS;
      await eventually(async () => expect(await remainingOf(organizationId)).toBe(0));
      expect(await collectionsWith(organizationId)).toContain('audit_events');
      aheadMs += AUDIT_RETENTION_MS;
      await eventually(async () => expect(await collectionsWith(organizationId)).toEqual([]));
    } finally {
      await replica.stop();
    }
    expect(await collectionsWith(other.organizationId)).toContain('audit_events');
  });
});

test('what a late request stores for a purged organization is removed by the next announcement', async () => {
  const { organizationId } = await newTenant();
  aheadMs += RETENTION_MS;
  await purge();
  await eventually(async () => expect(await remainingOf(organizationId)).toBe(0));
  const keys = mongo.db.collection<{ _id: string; organizationId: string }>('api_keys');
  await keys.insertOne({ _id: `late-${organizationId}`, organizationId });
  aheadMs += 60_000;
  await eventually(async () => expect(await remainingOf(organizationId)).toBe(0));
});

test('an announcement removes nothing of an organization that this database does not know as purged', async () => {
  const { organizationId } = await clients.createTenant('Acme');
  const { subject, codec } = events.organizationPurged;
  const event = { eventId: 'evt_stray', eventTime: new Date(), organizationId, version: 9 };
  await bus.jetstream.publish(subject, JSON.stringify(codec.toJSON(event)));
  const marker = await newTenant();
  aheadMs += RETENTION_MS;
  await purge();
  // A second purge was announced after the stray event. When it is complete, the stray event was handled too.
  await eventually(async () => expect(await remainingOf(marker.organizationId)).toBe(0));
  const page = { organizationId, pageSize: 10, pageToken: '' };
  expect((await clients.company.listCompanies(page, caller)).companies).toHaveLength(1);
  expect((await clients.apiKey.listApiKeys(page, caller)).apiKeys).toHaveLength(1);
  expect(await collectionsWith(organizationId)).not.toContain('purges');
});

test('of restoring and purging at the same moment exactly one happens', async () => {
  const outcomes = { restored: 0, purged: 0 };
  for (let round = 0; round < 20; round++) {
    const { organizationId, recoveryToken } = await newTenant();
    // In the last moments of the retention period, either the restore or the purge may come first.
    aheadMs += RETENTION_MS - 30;
    const restoring = clients.organization.restoreOrganization({ recoveryToken }, caller).then(
      () => true,
      (error: unknown) => {
        expect(['unauthenticated', 'not_found', 'concurrent_change']).toContain((error as DomainError).kind);
        return false;
      },
    );
    aheadMs += 30;
    const [isRestored, purged] = await Promise.all([restoring, purge()]);
    const isPurged = purged.includes(organizationId);
    expect([isRestored, isPurged]).not.toEqual([true, true]);
    if (isRestored) {
      outcomes.restored++;
      await clients.organization.getOrganization({ organizationId }, caller);
    } else {
      await purge();
      outcomes.purged++;
      await expect(undelete(organizationId)).rejects.toMatchObject({ kind: 'not_found' });
    }
  }
  expect(outcomes.restored + outcomes.purged).toBe(20);
});
