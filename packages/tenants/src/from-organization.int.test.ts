import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { tenantsFromOrganization } from './from-organization.js';
import { startFakeOrganization } from './fake-organization.js';
import type { FakeOrganization } from './fake-organization.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const context = systemContext('test');
let organization: FakeOrganization;
let channel: Channel;
let bus: Bus;
let tenants: ReturnType<typeof tenantsFromOrganization>;

beforeAll(async () => {
  organization = await startFakeOrganization(logger);
  channel = openTestChannel('organization', organization.address);
  bus = await connectTestNats({ url: testInfrastructure().natsUrl, name: 'test', logger });
  tenants = tenantsFromOrganization(channel, bus, logger);
});
afterAll(async () => {
  tenants.close();
  await bus.close();
  channel.close();
  await organization.stop(1_000);
});

test('concurrent requests for one tenant share one call', async () => {
  const organizationId = organization.newTenant('PLN');
  const facts = await Promise.all(Array.from({ length: 20 }, () => tenants.factsOf(organizationId, context)));
  for (const { baseCurrency, defaultCompanyId } of facts)
    expect([baseCurrency, defaultCompanyId]).toEqual(['PLN', 'c-main']);
  expect(organization.factRequestsOf(organizationId)).toBe(1);
});

test('cached facts are dropped when the tenant announces a change', async () => {
  const organizationId = organization.newTenant();
  await tenants.factsOf(organizationId, context);
  const companyId = organization.newCompany(organizationId);
  const { subject, codec } = events.organizationRestored;
  const change = { eventId: 'evt_test', eventTime: new Date(), organizationId, version: 2 };
  bus.connection.publish(subject, JSON.stringify(codec.toJSON(change)));
  await eventually(async () => {
    const { companies } = await tenants.factsOf(organizationId, context);
    expect(companies.map((company) => company.companyId)).toContain(companyId);
  });
});

test('facts are loaded once more before a company that a caller names counts as unknown', async () => {
  const organizationId = organization.newTenant();
  await tenants.factsOf(organizationId, context);
  const companyId = organization.newCompany(organizationId);
  const { companies } = await tenants.factsOf(organizationId, context, companyId);
  expect(companies.map((company) => company.companyId)).toContain(companyId);
  await tenants.factsOf(organizationId, context, 'no-company');
  expect(organization.factRequestsOf(organizationId)).toBe(3);
});

test('an organization that is unknown or deleted is not found', async () => {
  await expect(tenants.factsOf('nobody', context)).rejects.toMatchObject({ kind: 'not_found' });
});
