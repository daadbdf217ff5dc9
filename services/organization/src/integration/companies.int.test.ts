import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import type { OrganizationChanged } from '@invoicecontrol/contracts/organization/v1/events';
import { DomainError } from '@invoicecontrol/errors';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { asKey, asOperator, connect, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const logger = createLogger({ service: 'test', level: 'silent' });
const caller = asKey('test-key');
let mongo: MongoConnection;
let bus: Bus;
let service: RunningService;
let clients: Clients;
/** Events by id, because an event may be delivered twice. */
const received = new Map<string, OrganizationChanged>();

beforeAll(async () => {
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
  subscribeBroadcast(bus, [events.organizationChanged], (event) => received.set(event.eventId, event), logger);
  service = await startService(testConfig(infrastructure, databaseName));
  clients = connect(service.address);
});
afterAll(async () => {
  clients.close();
  await service.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
  await bus.close();
});

/** Waits for concurrent calls, and returns how many succeeded and with which kinds of error the others failed. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<{ succeeded: number; refusals: string[] }> {
  const settled = await Promise.allSettled(calls);
  const failed = settled.filter((outcome) => outcome.status === 'rejected');
  const refusals = failed.map(({ reason }) => (reason instanceof DomainError ? reason.kind : String(reason)));
  return { succeeded: settled.length - failed.length, refusals };
}

const create = (organizationId: string, name: string, others: { taxId?: string; isDefault?: boolean } = {}) =>
  clients.company.createCompany({ organizationId, name, isDefault: false, ...others }, caller);
const listAll = async (organizationId: string) =>
  (await clients.company.listCompanies({ organizationId, pageSize: 100, pageToken: '' }, caller)).companies;

describe('a company', () => {
  test('is created, read, changed and removed', async () => {
    const { organizationId, companyId: first } = await clients.createTenant('Acme');
    const input = { organizationId, name: ' Acme Polska ', taxId: 'PL5260001246', country: 'PL', isDefault: false };
    const { company } = await clients.company.createCompany(input, caller);
    const companyId = company?.companyId ?? '';
    expect(company).toMatchObject({ name: 'Acme Polska', taxId: 'PL5260001246', country: 'PL', isDefault: false });
    expect((await clients.company.getCompany({ organizationId, companyId }, caller)).company).toEqual(company);

    const change = { organizationId, companyId, name: 'Acme PL', isDefault: true };
    expect((await clients.company.updateCompany(change, caller)).company).toMatchObject({
      name: 'Acme PL',
      taxId: 'PL5260001246',
      isDefault: true,
    });
    await clients.company.deleteCompany({ organizationId, companyId: first }, caller);
    expect((await listAll(organizationId)).map(({ companyId: id }) => id)).toEqual([companyId]);
  });

  test('that is the default one cannot be removed', async () => {
    const { organizationId, companyId } = await clients.createTenant('Acme');
    await expect(clients.company.deleteCompany({ organizationId, companyId }, caller)).rejects.toMatchObject({
      kind: 'wrong_state',
    });
  });

  test('that changes increases the version of the tenant facts, which the event carries', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const before = await clients.organization.getTenantFacts({ organizationId }, caller);
    const { company } = await create(organizationId, 'Second', { taxId: 'DE136695976', isDefault: true });
    const after = await clients.organization.getTenantFacts({ organizationId }, caller);
    expect(after).toMatchObject({ version: before.version + 1, defaultCompanyId: company?.companyId });
    expect(after.companies.map(({ taxId }) => taxId)).toEqual([undefined, 'DE136695976']);
    await eventually(() =>
      expect([...received.values()].filter((event) => event.organizationId === organizationId)).toMatchObject([
        { version: after.version, changed: ['companies'] },
      ]),
    );
  });

  test('updated without a difference changes nothing and publishes no event', async () => {
    const { organizationId, companyId } = await clients.createTenant('Acme');
    await clients.company.updateCompany({ organizationId, companyId, name: 'Acme', isDefault: true }, caller);
    expect((await clients.organization.getTenantFacts({ organizationId }, caller)).version).toBe(1);
  });
});

describe('concurrently', () => {
  test('20 moves of the default leave exactly one default', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const ids: string[] = [];
    for (let count = 0; count < 20; count++) {
      ids.push((await create(organizationId, `c${count}`)).company?.companyId ?? '');
    }
    const { succeeded, refusals } = await outcomes(
      ids.map((companyId) => clients.company.updateCompany({ organizationId, companyId, isDefault: true }, caller)),
    );
    expect(succeeded).toBeGreaterThan(0);
    expect(refusals.filter((kind) => kind !== 'concurrent_change')).toEqual([]);
    expect((await listAll(organizationId)).filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });

  test('removing a company while it becomes the default leaves an existing default', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    for (let round = 0; round < 5; round++) {
      const companyId = (await create(organizationId, `c${round}`)).company?.companyId ?? '';
      await outcomes([
        clients.company.updateCompany({ organizationId, companyId, isDefault: true }, caller),
        clients.company.deleteCompany({ organizationId, companyId }, caller),
      ]);
      expect((await listAll(organizationId)).filter(({ isDefault }) => isDefault)).toHaveLength(1);
    }
  });

  test('20 creations with one VAT id create one company', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const { succeeded, refusals } = await outcomes(
      Array.from({ length: 20 }, (_, count) =>
        create(organizationId, `c${count}`, { taxId: count % 2 === 0 ? 'DE136695976' : 'DE 136 695 976' }),
      ),
    );
    expect(succeeded).toBe(1);
    expect(new Set(refusals)).toEqual(new Set(['already_exists']));
    expect(await listAll(organizationId)).toHaveLength(2);
  });

  test('companies never exceed the limit of the plan', async () => {
    const { organizationId } = await clients.createTenant('Acme', 'SCALE');
    const plan = { organizationId, plan: '', subscriptionStatus: 'active', additionalLegalEntities: 3 };
    await clients.operator.setPlan(plan, asOperator);
    const { refusals } = await outcomes(Array.from({ length: 10 }, (_, count) => create(organizationId, `c${count}`)));
    expect(refusals.every((kind) => kind === 'usage_exceeded' || kind === 'concurrent_change')).toBe(true);
    expect(await listAll(organizationId)).toHaveLength(4);
    await expect(create(organizationId, 'one more')).rejects.toMatchObject({
      kind: 'usage_exceeded',
      publicMessage: "The plan's limit of 4 companies is reached. Remove a company, or change the plan.",
    });
  });
});
