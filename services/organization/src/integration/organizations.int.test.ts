import { testGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import type { EventHeader } from '@invoicecontrol/contracts/events';
import { DomainError } from '@invoicecontrol/errors';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { announce, envelopes } from '@invoicecontrol/runtime/mongo/event-envelope';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { asKey, asOperator, connect, idOfKey, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startFakeBilling } from '../testing/fake-billing.js';
import type { FakeBilling } from '../testing/fake-billing.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const logger = createLogger({ service: 'test', level: 'silent' });
const DAY_MS = 24 * 3_600_000;
/** Milliseconds by which the service's clock is ahead of real time. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const caller = asKey('test-key');
let mongo: MongoConnection;
let bus: Bus;
let billing: FakeBilling;
let service: RunningService;
let clients: Clients;
const received: { name: string; organizationId: string }[] = [];

beforeAll(async () => {
  billing = await startFakeBilling();
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
  subscribeBroadcast<EventHeader>(
    bus,
    [events.organizationDeleted, events.organizationRestored],
    ({ organizationId }, { name }) => received.push({ name, organizationId }),
    logger,
  );
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
  await bus.close();
});

const authenticate = (key: string) => clients.access.authenticateKey({ key }, caller);
const deleted = (organizationId: string, confirmName = 'Acme') =>
  clients.organization.deleteOrganization({ organizationId, confirmName }, caller);
const restored = (recoveryToken: string) => clients.organization.restoreOrganization({ recoveryToken }, caller);

test('an organization is deleted only with the grant of an OWNER, whatever the gateway has checked', async () => {
  const { organizationId } = await clients.createTenant('Acme');
  const grant = testGrant(organizationId, { role: 'ADMIN' });
  const byAdmin = { ...caller, context: { ...caller.context, grant } };
  await expect(
    clients.organization.deleteOrganization({ organizationId, confirmName: 'Acme' }, byAdmin),
  ).rejects.toMatchObject({ kind: 'forbidden' });
  await deleted(organizationId);
});

describe('the four-eyes rule', () => {
  test('needs a second OWNER to be switched off, travels in the facts and is audited', async () => {
    const { organizationId, ownerUserId } = await clients.createTenant('Acme');
    const { userId } = await clients.operator.createMember(
      { organizationId, email: 'second@acme.example', name: 'Second', role: 'OWNER' },
      asOperator,
    );
    const change = async (fourEyes: boolean, person: string) => {
      const grant = testGrant(organizationId, { person });
      const asPerson = { ...caller, context: { ...caller.context, grant } };
      const reply = await clients.organization.updateOrganization({ organizationId, fourEyes }, asPerson);
      const facts = await clients.organization.getTenantFacts({ organizationId }, caller);
      expect(facts.fourEyes).toBe(reply.organization?.fourEyes);
      return reply.organization;
    };
    const first = `USER:${ownerUserId}`;
    expect(await change(true, first)).toMatchObject({ fourEyes: true });
    // The two calls of the first OWNER arrive at once, and still count as one person.
    for (const requested of await Promise.all([change(false, first), change(false, first)]))
      expect(requested).toMatchObject({ fourEyes: true, fourEyesRequest: { requestedBy: first } });
    expect(await change(false, `USER:${userId}`)).toMatchObject({ fourEyes: false });
    const { auditEvents } = await clients.audit.listAuditEvents(
      { organizationId, pageSize: 10, pageToken: '' },
      caller,
    );
    expect(auditEvents.slice(0, 3).map(({ action }) => action)).toEqual([
      'organization.four_eyes_changed',
      'organization.four_eyes_off_requested',
      'organization.four_eyes_changed',
    ]);
  });
});

describe('the operator', () => {
  test('creates an organization whose owner key works at once', async () => {
    const { organizationId, companyId, ownerKey, ownerUserId } = await clients.operator.createOrganization(
      { name: ' Acme ', ownerEmail: 'owner@acme.example', plan: 'SCALE', baseCurrency: 'pln' },
      asOperator,
    );
    expect((await authenticate(ownerKey)).principal).toMatchObject({ organizationId, role: 'OWNER', plan: 'SCALE' });
    expect((await clients.organization.getOrganization({ organizationId }, caller)).organization).toMatchObject({
      name: 'Acme',
      billingEmail: 'owner@acme.example',
      baseCurrency: 'PLN',
      referenceValidationMode: 'DECLARED_PROFILES',
      plan: 'SCALE',
      subscriptionStatus: 'none',
    });
    const facts = await clients.organization.getTenantFacts({ organizationId }, caller);
    expect(facts).toMatchObject({ baseCurrency: 'PLN', defaultCompanyId: companyId, version: 1 });
    expect(facts).toMatchObject({
      name: 'Acme',
      plan: 'SCALE',
      hasActiveSubscription: false,
      erpConnectionsLimit: 10,
    });
    expect(facts.companies).toEqual([{ companyId, name: 'Acme' }]);
    expect(ownerUserId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('adds members, each address once, ignoring case', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const add = (email: string) =>
      clients.operator.createMember({ organizationId, email, name: 'Ann', role: 'ANALYST' }, asOperator);
    expect((await add('ann@example.com')).userId).toMatch(/^[0-9a-f-]{36}$/);
    await expect(add('Ann@Example.com')).rejects.toMatchObject({ kind: 'already_exists' });
  });
});

describe('a plan', () => {
  const tell = async (organizationId: string, version: number, status: string) => {
    const body = announce(events.subscriptionChanged, {
      version,
      plan: 'CORE',
      status,
      active: status === 'active',
      additionalLegalEntities: 0,
    });
    const [event] = envelopes({ id: organizationId, organizationId, version }, [body], new Date());
    if (event === undefined) throw new Error('no event');
    const publisher = await eventPublisher(bus, 'billing');
    await eventually(() => publisher.publish(event));
    const source = { _id: organizationId as never, 'subscriptionSource.version': version };
    await eventually(async () => expect(await mongo.db.collection('organizations').countDocuments(source)).toBe(1));
  };
  const planOf = async (organizationId: string) =>
    (await clients.organization.getTenantFacts({ organizationId }, caller)).plan;

  test('that nobody stated ends with the first subscription', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    expect(await planOf(organizationId)).toBe('ENTERPRISE');
    await tell(organizationId, 1, 'active');
    expect(await planOf(organizationId)).toBe('CORE');
    await tell(organizationId, 2, 'canceled');
    expect(await planOf(organizationId)).toBe('FREE');
    await clients.operator.setPlan({ organizationId, plan: 'ENTERPRISE', subscriptionStatus: '' }, asOperator);
    expect(await planOf(organizationId)).toBe('ENTERPRISE');
    await tell(organizationId, 3, 'active');
    expect(await planOf(organizationId)).toBe('ENTERPRISE');
  });

  test('that the operator stated at the creation is not lowered, also after it was set again', async () => {
    const { organizationId } = await clients.createTenant('Acme', 'ENTERPRISE');
    await tell(organizationId, 1, 'active');
    expect(await planOf(organizationId)).toBe('ENTERPRISE');
    await clients.operator.setPlan({ organizationId, plan: 'ENTERPRISE', subscriptionStatus: '' }, asOperator);
    await tell(organizationId, 2, 'active');
    expect(await planOf(organizationId)).toBe('ENTERPRISE');
    await clients.operator.setPlan({ organizationId, plan: 'FREE', subscriptionStatus: '' }, asOperator);
    await tell(organizationId, 3, 'active');
    expect(await planOf(organizationId)).toBe('CORE');
  });
});

describe('settings', () => {
  test('change one at a time and leave the others unchanged', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    await clients.organization.updateOrganization({ organizationId, billingEmail: 'ap@acme.example' }, caller);
    await clients.organization.updateBaseCurrency({ organizationId, baseCurrency: 'aed' }, caller);
    await clients.organization.updateReferenceValidation({ organizationId, mode: 'ALL' }, caller);
    const { organization } = await clients.organization.updateOrganization({ organizationId, name: 'Acme AG' }, caller);
    expect(organization).toMatchObject({
      name: 'Acme AG',
      billingEmail: 'ap@acme.example',
      baseCurrency: 'AED',
      referenceValidationMode: 'ALL',
    });
  });

  test('are refused with the wrong field', async () => {
    const { organizationId } = await clients.createTenant('Acme', 'FREE');
    const { organization } = clients;
    const faults = [
      [organization.updateBaseCurrency({ organizationId, baseCurrency: 'BGN' }, caller), 'base_currency'],
      [organization.updateReferenceValidation({ organizationId, mode: 'SOME' }, caller), 'mode'],
      [organization.updateOrganization({ organizationId, name: ' ' }, caller), 'name'],
      [organization.updateOrganization({ organizationId, billingEmail: 'no-address' }, caller), 'billing_email'],
      [deleted(organizationId, 'acme'), 'confirm_name'],
    ] as const;
    await Promise.all(
      faults.map(([call, path]) => expect(call).rejects.toMatchObject({ kind: 'invalid', details: [{ path }] })),
    );
    await expect(organization.updateReferenceValidation({ organizationId, mode: 'ALL' }, caller)).rejects.toMatchObject(
      { kind: 'subscription_required' },
    );
  });
});

describe('a deleted organization', () => {
  test('is refused for every caller and key after one write, and an event is published', async () => {
    const { organizationId, companyId, ownerKey } = await clients.createTenant('Acme');
    const { recoveryToken, deletedTime, recoveryExpiresTime } = await deleted(organizationId);
    expect(recoveryToken).toMatch(/^rec_[0-9A-Za-z]{43}$/);
    expect((recoveryExpiresTime?.getTime() ?? 0) - (deletedTime?.getTime() ?? 0)).toBe(30 * DAY_MS);
    await expect(authenticate(ownerKey)).rejects.toMatchObject({ kind: 'unauthenticated' });
    const gone = { kind: 'not_found', publicMessage: 'No such organization.' };
    const page = { organizationId, pageSize: 10, pageToken: '' };
    for (const call of [
      () => clients.organization.getOrganization({ organizationId }, caller),
      () => clients.organization.getTenantFacts({ organizationId }, caller),
      () => clients.company.getCompany({ organizationId, companyId }, caller),
      () => clients.apiKey.listApiKeys(page, caller),
      () => clients.audit.listAuditEvents(page, caller),
      () => clients.member.listMembers(page, caller),
      () => clients.notification.listNotifications(page, caller),
    ]) {
      await expect(call()).rejects.toMatchObject(gone);
    }
    await eventually(() => expect(received).toContainEqual({ name: 'organization_deleted', organizationId }));
  });

  test('was deleted by one of several requests at once, and the others are a conflict', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => deleted(organizationId)));
    const late = await Promise.allSettled([deleted(organizationId)]);
    const refused = [...answers, ...late].filter((answer) => answer.status === 'rejected');
    expect(refused).toHaveLength(4);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ kind: 'wrong_state', publicMessage: expect.stringContaining('another request') });
    }
  });

  test('cannot have a subscription: one that is not canceled prevents deletion', async () => {
    const { organizationId } = await clients.createTenant('Acme', 'SCALE');
    const setStatus = (subscriptionStatus: string) =>
      clients.operator.setPlan({ organizationId, plan: '', subscriptionStatus }, asOperator);
    for (const status of ['trialing', 'active', 'past_due', 'paused']) {
      await setStatus(status);
      await expect(deleted(organizationId)).rejects.toMatchObject({ kind: 'wrong_state' });
    }
    await setStatus('canceled');
    await deleted(organizationId);
  });

  test('is deleted by what billing knows at that moment, whatever its own status says', async () => {
    const { organizationId } = await clients.createTenant('Acme', 'SCALE');
    billing.setSubscription(organizationId, true);
    await expect(deleted(organizationId)).rejects.toMatchObject({ kind: 'wrong_state' });
    // The subscription is canceled in billing, but the event has not arrived yet.
    await clients.operator.setPlan({ organizationId, plan: '', subscriptionStatus: 'active' }, asOperator);
    billing.setSubscription(organizationId, false);
    await deleted(organizationId);
  });

  test('is not asked about at billing before its name is confirmed', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const before = billing.checks;
    await expect(deleted(organizationId, 'Other')).rejects.toMatchObject({ kind: 'invalid' });
    expect(billing.checks).toBe(before);
  });

  test('stays as it is while billing cannot be asked', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const config = testConfig(infrastructure, databaseName);
    const apart = await startService(config, { clock });
    const others = connect(apart.address);
    try {
      await expect(
        others.organization.deleteOrganization({ organizationId, confirmName: 'Acme' }, caller),
      ).rejects.toMatchObject({ kind: 'unavailable' });
    } finally {
      others.close();
      await apart.stop();
    }
    await clients.organization.getOrganization({ organizationId }, caller);
  });

  test('is restored by its token with all its data and a new owner key; the old keys stay revoked', async () => {
    const { organizationId, companyId, ownerKey: before } = await clients.createTenant('Acme');
    const { recoveryToken } = await deleted(organizationId);
    const { organization, ownerKey } = await restored(recoveryToken);
    expect(organization).toMatchObject({ organizationId, name: 'Acme' });
    expect((await authenticate(ownerKey)).principal).toMatchObject({ organizationId, role: 'OWNER' });
    await expect(authenticate(before)).rejects.toMatchObject({ kind: 'unauthenticated' });
    const { company } = await clients.company.getCompany({ organizationId, companyId }, caller);
    expect(company?.isDefault).toBe(true);
    const { apiKeys } = await clients.apiKey.listApiKeys({ organizationId, pageSize: 10, pageToken: '' }, caller);
    expect(apiKeys.map(({ apiKeyId }) => apiKeyId)).toEqual([idOfKey(ownerKey)]);
    await expect(clients.apiKey.getApiKey({ organizationId, apiKeyId: idOfKey(before) }, caller)).rejects.toMatchObject(
      { kind: 'not_found' },
    );
    await eventually(() => expect(received).toContainEqual({ name: 'organization_restored', organizationId }));
  });

  test('is restored once by concurrent calls with its token', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const { recoveryToken } = await deleted(organizationId);
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => restored(recoveryToken)));
    const keys = tries.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.ownerKey] : []));
    expect(keys).toHaveLength(1);
    for (const outcome of tries) {
      if (outcome.status === 'rejected') expect((outcome.reason as DomainError).kind).toBe('unauthenticated');
    }
    const { apiKeys } = await clients.apiKey.listApiKeys({ organizationId, pageSize: 10, pageToken: '' }, caller);
    expect(apiKeys.map(({ apiKeyId }) => apiKeyId)).toEqual(keys.map(idOfKey));
  });

  test('is not restored by a wrong, used or expired token; the operator restores it until its retention is over', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const { recoveryToken } = await deleted(organizationId);
    const refused = {
      kind: 'unauthenticated',
      publicMessage:
        'The recovery token of the organization is unknown, already used or expired. Send the token from the response to the last deletion of the organization.',
    };
    for (const token of ['', 'rec_', `rec_${'0'.repeat(43)}`, organizationId]) {
      await expect(restored(token)).rejects.toMatchObject(refused);
    }
    aheadMs = 30 * DAY_MS;
    try {
      await expect(restored(recoveryToken)).rejects.toMatchObject(refused);
      await expect(clients.operator.undeleteOrganization({ organizationId }, asOperator)).rejects.toMatchObject({
        kind: 'wrong_state',
      });
    } finally {
      aheadMs = 0;
    }
    const { ownerKey } = await clients.operator.undeleteOrganization({ organizationId }, asOperator);
    expect((await authenticate(ownerKey)).principal?.organizationId).toBe(organizationId);
    await expect(restored(recoveryToken)).rejects.toMatchObject(refused);
    const again = await clients.operator.undeleteOrganization({ organizationId }, asOperator);
    expect(again.ownerKey).toBe('');
  });
});

describe("another organization's id", () => {
  test('gets the same bytes as an unknown one in every rpc that takes one', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const other = await clients.createTenant('Other');
    const ids = {
      companyId: [other.companyId, '01890000-0000-7000-8000-000000000000'],
      apiKeyId: [idOfKey(other.ownerKey), '0000000000000000'],
      userId: [other.ownerUserId, '01890000-0000-7000-8000-000000000000'],
    };
    const calls = [
      ...ids.companyId.map((companyId) => [
        clients.company.getCompany({ organizationId, companyId }, caller),
        clients.company.updateCompany({ organizationId, companyId, name: 'x' }, caller),
        clients.company.deleteCompany({ organizationId, companyId }, caller),
      ]),
      ...ids.apiKeyId.map((apiKeyId) => [
        clients.apiKey.getApiKey({ organizationId, apiKeyId }, caller),
        clients.apiKey.updateApiKey({ organizationId, apiKeyId, name: 'x', scopes: [] }, caller),
        clients.apiKey.revokeApiKey({ organizationId, apiKeyId }, asOperator),
      ]),
      ...ids.userId.map((userId) => [
        clients.member.getMember({ organizationId, userId }, caller),
        clients.member.updateMember({ organizationId, userId, role: 'VIEWER' }, caller),
        clients.member.removeMember({ organizationId, userId }, caller),
      ]),
    ];
    const [foreignCompany, missingCompany, foreignKey, missingKey, foreignMember, missingMember] = await Promise.all(
      calls.map((group) => Promise.all(group.map(bytesOfRefusal))),
    );
    expect(foreignCompany).toEqual(missingCompany);
    expect(foreignKey).toEqual(missingKey);
    expect(foreignMember).toEqual(missingMember);
    expect((await authenticate(other.ownerKey)).principal?.organizationId).toBe(other.organizationId);
  });
});

/** Returns all bytes that a refused call sends to the caller. */
async function bytesOfRefusal(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    const { code, details, metadata } = (error as DomainError).cause as {
      code: number;
      details: string;
      metadata: { get(name: string): Buffer[] };
    };
    return { code, details, status: metadata.get('grpc-status-details-bin').map((bytes) => bytes.toString('hex')) };
  }
  throw new Error('the call was not refused');
}
