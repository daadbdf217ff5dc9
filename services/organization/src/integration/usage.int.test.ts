import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { startService } from '../compose.js';
import { asKey, asOperator, connect, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const EIGHT_DAYS_MS = 8 * 24 * 3_600_000;

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const caller = asKey('test-key');
/** Milliseconds by which the service's clock is ahead of real time. */
let aheadMs = 0;
let mongo: MongoConnection;
let service: RunningService;
let clients: Clients;
let channel: Channel;

beforeAll(async () => {
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  service = await startService(testConfig(infrastructure, databaseName), { clock });
  clients = connect(service.address);
  channel = openTestChannel('organization', service.address);
});
afterAll(async () => {
  channel.close();
  clients.close();
  await service.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** Returns the usage of an organization, by the name of the usage counter. */
async function usageOf(organizationId: string): Promise<Record<string, number>> {
  const { meters } = await client(UsageServiceDefinition, channel).getUsage({ organizationId }, caller);
  return Object.fromEntries(meters.map(({ meter, used }) => [meter, used]));
}

test('companies and members are counted, pending invitations included until they expire', async () => {
  const { organizationId } = await clients.createTenant('Acme', 'SCALE');
  expect(await usageOf(organizationId)).toEqual({ companies: 1, members: 1 });
  await clients.operator.setPlan(
    { organizationId, plan: '', subscriptionStatus: 'active', additionalLegalEntities: 1 },
    asOperator,
  );
  await clients.company.createCompany({ organizationId, name: 'Second', isDefault: false }, caller);
  const invitation = { organizationId, email: 'new@example.com', role: 'VIEWER' };
  await clients.member.inviteMember(invitation, caller);
  expect(await usageOf(organizationId)).toEqual({ companies: 2, members: 2 });
  aheadMs = EIGHT_DAYS_MS;
  expect(await usageOf(organizationId)).toEqual({ companies: 2, members: 1 });
});

test('an organization that does not exist has no usage', async () => {
  await expect(usageOf('01890000-0000-7000-8000-000000000000')).rejects.toMatchObject({ kind: 'not_found' });
});
