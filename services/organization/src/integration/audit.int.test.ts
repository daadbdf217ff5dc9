import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { client, openChannel } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { announce, envelopes } from '@invoicecontrol/runtime/mongo/event-envelope';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { callWithGrant, testIdentity } from '@invoicecontrol/runtime/testing/test-identities';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { AuditEventDocument } from '../storage/audit-events.js';
import { asKey, asOperator, connect, idOfKey, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';
import { startFakeBilling } from '../testing/fake-billing.js';
import type { FakeBilling } from '../testing/fake-billing.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const logger = createLogger({ service: 'test', level: 'silent' });
let mongo: MongoConnection;
let bus: Bus;
let billing: FakeBilling;
let service: RunningService;
let clients: Clients;
const received: string[] = [];

beforeAll(async () => {
  billing = await startFakeBilling();
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
  subscribeBroadcast(bus, [events.apiKeysRevoked], ({ eventId }) => received.push(eventId), logger);
  service = await startService(testConfig(infrastructure, databaseName, { BILLING_ADDRESS: billing.address }));
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

async function trail(organizationId: string) {
  const { auditEvents } = await clients.audit.listAuditEvents(
    { organizationId, pageSize: 100, pageToken: '' },
    asOperator,
  );
  return auditEvents;
}

test('calls that a service may not make, or whose organization it has not proved, are in the trail, once a minute', async () => {
  const { organizationId } = await clients.createTenant('Tried');
  const context = { requestId: 'refused', actor: { type: 'USER', id: 'somebody' } } as const;
  const request = { organizationId, pageSize: 1, pageToken: '' };
  for (const name of ['webhooks', 'gateway']) {
    const channel = openChannel(service.address, { service: 'organization', identity: testIdentity(name) });
    const audit = client(AuditServiceDefinition, channel);
    for (let calls = 0; calls < 3; calls++)
      await expect(audit.listAuditEvents(request, { context })).rejects.toMatchObject({ kind: 'forbidden' });
    channel.close();
  }
  const refused = async () => (await trail(organizationId)).filter(({ action }) => action === 'rpc.refused');
  await eventually(async () => expect(await refused()).toHaveLength(2));
  const target = 'rpc:invoicecontrol.organization.v1.AuditService/ListAuditEvents';
  const entry = { actorType: 'SYSTEM', outcome: 'REFUSED', requestId: 'refused' };
  expect(await refused()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...entry, actorId: 'webhooks', target: `${target} not_listed` }),
      expect.objectContaining({ ...entry, actorId: 'gateway', target: `${target} grant_missing` }),
    ]),
  );
});

test('a caller who may read invoices reads the trail of one invoice, and no other part of it', async () => {
  const { organizationId, ownerKey } = await clients.createTenant('Read in part');
  const read = (target: string | undefined, facts: object) => {
    const call = callWithGrant(asKey(idOfKey(ownerKey), 'part'), organizationId, facts);
    return clients.audit.listAuditEvents({ organizationId, pageSize: 10, pageToken: '', target }, call);
  };
  const viewer = { role: 'VIEWER', scopes: ['*'] };
  expect((await read('invoice:0198a000-0000-7000-8000-000000000001', viewer)).auditEvents).toEqual([]);
  for (const facts of [viewer, { role: 'OWNER', scopes: ['invoices:read'] }]) {
    await expect(read(undefined, facts)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(read('company:1', facts)).rejects.toMatchObject({ kind: 'forbidden' });
  }
  expect((await read(undefined, { role: 'ADMIN', scopes: ['organization:read'] })).auditEvents).not.toEqual([]);
});

test('the trail is filtered by actor, action, target and outcome, page by page', async () => {
  const { organizationId, ownerKey, companyId } = await clients.createTenant('Filtered');
  const actorId = idOfKey(ownerKey);
  for (const name of ['A', 'B', 'C']) {
    await clients.company.updateCompany({ organizationId, companyId, name }, asKey(actorId, `name-${name}`));
  }
  const found = async (filter: object, pageSize = 100) => {
    const requestIds: string[] = [];
    for (let pageToken = '', pages = 0; pages === 0 || pageToken !== ''; pages++) {
      const page = await clients.audit.listAuditEvents({ organizationId, pageSize, pageToken, ...filter }, asOperator);
      expect(page.auditEvents.length).toBeLessThanOrEqual(pageSize);
      requestIds.push(...page.auditEvents.map(({ requestId }) => requestId));
      ({ nextPageToken: pageToken } = page);
    }
    return requestIds;
  };
  const renamed = ['name-C', 'name-B', 'name-A'];
  const target = `company:${companyId}`;
  expect(await found({ actorId })).toEqual(renamed);
  expect(await found({ action: 'company.updated', target }, 1)).toEqual(renamed);
  expect(await found({ target, outcome: 'SUCCEEDED', actorId, action: 'company.updated' }, 2)).toEqual(renamed);
  expect(await found({ outcome: 'REFUSED' })).toEqual([]);
  expect(await found({ actorId: 'somebody' })).toEqual([]);
  expect(await found({ target: 'company:' })).toEqual([]);
  const { organizationId: other } = await clients.createTenant('Other');
  const { auditEvents } = await clients.audit.listAuditEvents(
    { organizationId: other, pageSize: 100, pageToken: '', target },
    asOperator,
  );
  expect(auditEvents).toEqual([]);
});

test('every change has one entry with actor, action, time and address before the caller gets the answer', async () => {
  const { organizationId, ownerKey, companyId, ownerUserId } = await clients.createTenant('Acme');
  const ownerKeyId = idOfKey(ownerKey);
  const as = (requestId: string) => asKey(ownerKeyId, requestId);
  await clients.organization.updateOrganization({ organizationId, name: 'Acme AG' }, as('r1'));
  await clients.organization.updateBaseCurrency({ organizationId, baseCurrency: 'USD' }, as('r2'));
  await clients.organization.updateReferenceValidation({ organizationId, mode: 'OFF' }, as('r3'));
  const { company } = await clients.company.createCompany({ organizationId, name: 'B', isDefault: true }, as('r4'));
  await clients.company.updateCompany({ organizationId, companyId, name: 'A' }, as('r5'));
  await clients.company.deleteCompany({ organizationId, companyId }, as('r6'));
  const made = await clients.apiKey.createApiKey({ organizationId, name: 'k', role: 'ADMIN', scopes: [] }, as('r7'));
  const apiKeyId = made.apiKey?.apiKeyId ?? '';
  await clients.apiKey.updateApiKey({ organizationId, apiKeyId, role: 'VIEWER', scopes: [] }, as('r8'));
  await clients.apiKey.revokeApiKey({ organizationId, apiKeyId }, as('r9'));
  await clients.operator.setPlan({ organizationId, plan: 'CORE', subscriptionStatus: '' }, asOperator);
  const member = await clients.operator.createMember(
    { organizationId, email: 'ann@example.com', name: '', role: 'VIEWER' },
    asOperator,
  );
  const invited = await clients.member.inviteMember(
    { organizationId, email: 'bob@example.com', role: 'VIEWER' },
    as('r11'),
  );
  const userId = invited.member?.userId ?? '';
  await clients.member.updateMember({ organizationId, userId, role: 'ANALYST' }, as('r12'));
  await clients.member.removeMember({ organizationId, userId }, as('r13'));
  await clients.organization.deleteOrganization({ organizationId, confirmName: 'Acme AG' }, as('r10'));
  const { ownerKey: second } = await clients.operator.undeleteOrganization({ organizationId }, asOperator);

  const entries = await trail(organizationId);
  const organization = `organization:${organizationId}`;
  const byOwner = (requestId: string, action: string, target: string) => ({
    actorType: 'API_KEY',
    actorId: ownerKeyId,
    actorName: 'owner@example.com',
    ip: '192.0.2.7',
    requestId,
    action,
    target,
    outcome: 'SUCCEEDED',
  });
  const byOperator = (action: string, target: string) => ({
    actorType: 'OPERATOR',
    actorId: 'tester',
    actorName: '',
    ip: '',
    requestId: 'operator-request',
    action,
    target,
    outcome: 'SUCCEEDED',
  });
  const shown = entries.map(({ auditEventId: _id, eventTime: _time, ...entry }) => entry);
  const expected = [
    byOperator('organization.created', organization),
    byOperator('company.created', `company:${companyId}`),
    byOperator('member.created', `member:${ownerUserId}`),
    byOperator('api_key.created', `api_key:${ownerKeyId}`),
    byOwner('r1', 'organization.updated', organization),
    byOwner('r2', 'organization.base_currency_changed', organization),
    byOwner('r3', 'organization.reference_validation_changed', organization),
    byOwner('r4', 'company.created', `company:${company?.companyId}`),
    byOwner('r5', 'company.updated', `company:${companyId}`),
    byOwner('r6', 'company.removed', `company:${companyId}`),
    byOwner('r7', 'api_key.created', `api_key:${apiKeyId}`),
    byOwner('r8', 'api_key.updated', `api_key:${apiKeyId}`),
    byOwner('r9', 'api_key.revoked', `api_key:${apiKeyId}`),
    byOperator('organization.plan_changed', organization),
    byOperator('member.created', `member:${member.userId}`),
    byOwner('r11', 'member.invited', `member:${userId}`),
    byOwner('r12', 'member.updated', `member:${userId}`),
    byOwner('r13', 'member.removed', `member:${userId}`),
    byOwner('r10', 'organization.deleted', organization),
    byOperator('organization.restored', organization),
    byOperator('api_key.created', `api_key:${idOfKey(second)}`),
  ];
  expect(shown).toHaveLength(expected.length);
  expect(shown).toEqual(expect.arrayContaining(expected));
  const times = entries.map(({ eventTime }) => eventTime?.getTime() ?? 0);
  expect(times).toEqual([...times].sort((left, right) => right - left));
});

test('a restoring by the recovery token is attributed to who deleted the organization and was given the token', async () => {
  const { organizationId, ownerKey } = await clients.createTenant('Acme');
  const ownerKeyId = idOfKey(ownerKey);
  const deletion = { organizationId, confirmName: 'Acme' };
  const { recoveryToken } = await clients.organization.deleteOrganization(deletion, asKey(ownerKeyId, 'r1'));
  // If a request has no API key, the only known actor is the gateway.
  const withoutKey = {
    context: { requestId: 'r2', actor: { type: 'SYSTEM', id: 'gateway' }, ip: '192.0.2.9' },
  } as const;
  const { ownerKey: second } = await clients.organization.restoreOrganization({ recoveryToken }, withoutKey);
  const ofRestore = (await trail(organizationId)).filter(({ requestId }) => requestId === 'r2');
  const by = { actorType: 'API_KEY', actorId: ownerKeyId, ip: '192.0.2.9' };
  expect(ofRestore).toHaveLength(2);
  expect(ofRestore).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...by, action: 'organization.restored', target: `organization:${organizationId}` }),
      expect.objectContaining({ ...by, action: 'api_key.created', target: `api_key:${idOfKey(second)}` }),
    ]),
  );
});

describe('the names of actors', () => {
  const named = async (organizationId: string, actors: readonly (readonly [string, string])[]) => {
    const references = actors.map(([actorType, actorId]) => ({ actorType, actorId }));
    return (await clients.member.nameActors({ organizationId, actors: references }, asOperator)).names;
  };
  const newKey = async (organizationId: string, userId?: string) => {
    const own = { organizationId, name: 'Desk', role: 'VIEWER', scopes: [], userId };
    return idOfKey((await clients.apiKey.createApiKey({ ...own }, asKey('test-key'))).key);
  };

  test('are those of members, also behind their keys, and of keys of no member, also revoked', async () => {
    const { organizationId, ownerUserId } = await clients.createTenant('Acme');
    const ann = { organizationId, email: 'ann@example.com', name: 'Ann', role: 'VIEWER' };
    const { userId } = await clients.operator.createMember(ann, asOperator);
    const [ofAnn, ofNobody] = [await newKey(organizationId, userId), await newKey(organizationId)];
    await clients.apiKey.revokeApiKey({ organizationId, apiKeyId: ofNobody }, asOperator);
    const actors = [
      ['API_KEY', ofNobody],
      ['USER', userId],
      ['API_KEY', ofAnn],
      ['USER', ownerUserId],
      ['SYSTEM', userId],
      ['RULE', userId],
      ['API_KEY', 'unknown'],
    ] as const;
    expect(await named(organizationId, actors)).toEqual(['Desk', 'Ann', 'Ann', 'owner@example.com', '', '', '']);

    await clients.member.removeMember({ organizationId, userId }, asKey('test-key'));
    expect(await named(organizationId, actors)).toEqual(['Desk', '', 'Desk', 'owner@example.com', '', '', '']);
  });

  test('of another organization look like those of nobody, and an invited person has none yet', async () => {
    const other = await clients.createTenant('Other');
    const { organizationId } = await clients.createTenant('Acme');
    const invitation = { organizationId, email: 'bob@example.com', role: 'VIEWER' };
    const { member } = await clients.member.inviteMember(invitation, asKey('test-key'));
    const actors = [
      ['USER', other.ownerUserId],
      ['API_KEY', idOfKey(other.ownerKey)],
      ['USER', member?.userId ?? ''],
    ] as const;
    expect(await named(organizationId, actors)).toEqual(['', '', '']);
  });

  test('can be read for 200 actors at once, and not for 201', async () => {
    const { organizationId } = await clients.createTenant('Acme');
    const many = Array.from({ length: 201 }, (_, index) => ['API_KEY', `key-${index}`] as const);
    expect(await named(organizationId, many.slice(1))).toHaveLength(200);
    await expect(named(organizationId, many)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ path: 'actors', message: 'must have at most 200 entries.' }],
    });
  });
});

test('a refused change leaves no entry', async () => {
  const { organizationId, companyId } = await clients.createTenant('Acme');
  const caller = asKey('test-key');
  await expect(clients.company.deleteCompany({ organizationId, companyId }, caller)).rejects.toMatchObject({
    kind: 'wrong_state',
  });
  await expect(
    clients.organization.deleteOrganization({ organizationId, confirmName: 'x' }, caller),
  ).rejects.toMatchObject({ kind: 'invalid' });
  expect(await trail(organizationId)).toHaveLength(4);
});

test('a crash right after a change loses neither its event nor its audit entries and duplicates none', async () => {
  const { organizationId, ownerKey } = await clients.createTenant('Acme');
  const apiKeyId = idOfKey(ownerKey);
  // The stored document is put into the state that a crash leaves directly after the write of a revocation.
  const at = new Date(Date.now() - 10_000);
  const body = announce(events.apiKeysRevoked, { version: 2, apiKeyIds: [apiKeyId] });
  const outbox = envelopes({ id: apiKeyId, organizationId, version: 2 }, [body], at);
  const entry = (index: number): AuditEventDocument => ({
    _id: `${apiKeyId}-${index}`,
    organizationId,
    createdAt: at,
    actorType: 'API_KEY',
    actorId: apiKeyId,
    action: 'api_key.revoked',
    target: `api_key:${apiKeyId}`,
    outcome: 'SUCCEEDED',
    requestId: 'lost',
  });
  const auditEntries = [entry(0), entry(1)];
  // One of the two audit entries is stored already, as if it had been relayed before the crash.
  await mongo.db.collection<AuditEventDocument>('audit_events').insertOne(entry(0));
  await mongo.db
    .collection<{ _id: string }>('api_keys')
    .updateOne(
      { _id: apiKeyId },
      { $set: { version: 2, revokedAt: at, outbox, outboxPending: true, auditEntries, auditPending: true } },
    );

  await eventually(async () => {
    const left = await mongo.db.collection<{ _id: string }>('api_keys').findOne({ _id: apiKeyId });
    expect(left).not.toHaveProperty('outbox');
    expect(left).not.toHaveProperty('auditEntries');
    expect(left).not.toHaveProperty('auditPending');
  });
  await eventually(() => expect(received).toContain(outbox[0]?.id));
  const copied = (await trail(organizationId)).filter(({ requestId }) => requestId === 'lost');
  expect(copied.map(({ auditEventId }) => auditEventId).sort()).toEqual(auditEntries.map(({ _id }) => _id));
});

test('concurrent changes of one document have one entry each', async () => {
  const { organizationId } = await clients.createTenant('Acme');
  const renames = Array.from({ length: 8 }, (_, count) =>
    clients.organization.updateOrganization({ organizationId, name: `Acme ${count}` }, asKey('k', `rename-${count}`)),
  );
  const succeeded = (await Promise.allSettled(renames)).flatMap((outcome, count) =>
    outcome.status === 'fulfilled' ? [`rename-${count}`] : [],
  );
  await eventually(async () => {
    const entries = (await trail(organizationId)).map(({ requestId }) => requestId);
    expect(entries.filter((requestId) => requestId.startsWith('rename')).sort()).toEqual(succeeded);
  });
});

test('the trail is listed in pages, newest first, within a time range', async () => {
  const { organizationId } = await clients.createTenant('Acme');
  for (const name of ['A', 'B', 'C']) {
    await clients.organization.updateOrganization({ organizationId, name }, asKey('k', `page-${name}`));
  }
  const whole = (await trail(organizationId)).map(({ auditEventId }) => auditEventId);
  const pages: string[] = [];
  let pageToken = '';
  do {
    const page = await clients.audit.listAuditEvents({ organizationId, pageSize: 3, pageToken }, asOperator);
    pages.push(...page.auditEvents.map(({ auditEventId }) => auditEventId));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(pages).toEqual(whole);
  const [newest] = await trail(organizationId);
  const createdFromTime = newest?.eventTime;
  const since = await clients.audit.listAuditEvents(
    { organizationId, pageSize: 10, pageToken: '', createdFromTime },
    asOperator,
  );
  expect(since.auditEvents[0]?.requestId).toBe('page-C');
  const before = await clients.audit.listAuditEvents(
    { organizationId, pageSize: 10, pageToken: '', createdToTime: createdFromTime },
    asOperator,
  );
  expect(before.auditEvents.map(({ requestId }) => requestId)).not.toContain('page-C');
});

test('an act that another service publishes twice is one entry with the time of the act, also for a deleted organization', async () => {
  const { organizationId, ownerKey } = await clients.createTenant('Acme');
  const other = await clients.createTenant('Other');
  await clients.organization.deleteOrganization({ organizationId, confirmName: 'Acme' }, asKey(idOfKey(ownerKey)));
  const at = new Date(Date.now() - 3_600_000);
  const body = announce(events.analysisAuditRecorded, {
    actorType: 'API_KEY',
    actorId: 'key',
    action: 'finding.reviewed',
    target: 'finding:f1',
    outcome: 'REFUSED',
    requestId: 'elsewhere',
    ip: '192.0.2.9',
  });
  const [event] = envelopes({ id: organizationId, organizationId, version: 7 }, [body], at);
  if (event === undefined) throw new Error('no event');
  const publisher = await eventPublisher(bus, 'analysis');
  await eventually(() => publisher.publish(event));
  // The same event is published with another message id, so the broker does not deduplicate it.
  await bus.jetstream.publish(event.subject, event.payload);
  const auditEvents = mongo.db.collection<AuditEventDocument>('audit_events');
  const entry = {
    createdAt: at,
    actorType: 'API_KEY',
    actorId: 'key',
    action: 'finding.reviewed',
    target: 'finding:f1',
    outcome: 'REFUSED',
    ip: '192.0.2.9',
  };
  // Events are handled in order, so this one shows that both earlier events are handled.
  const [last] = envelopes({ id: organizationId, organizationId, version: 8 }, [body], new Date());
  if (last === undefined) throw new Error('no event');
  await eventually(() => publisher.publish(last));
  await eventually(async () =>
    expect(await auditEvents.countDocuments({ organizationId, requestId: 'elsewhere', createdAt: { $gt: at } })).toBe(
      1,
    ),
  );
  const kept = await auditEvents.find({ organizationId, requestId: 'elsewhere', createdAt: at }).toArray();
  expect(kept).toEqual([expect.objectContaining(entry)]);
  await clients.operator.undeleteOrganization({ organizationId }, asOperator);
  const shown = (await trail(organizationId)).filter(({ requestId }) => requestId === 'elsewhere');
  expect(shown).toHaveLength(2);
  expect(shown.at(-1)).toMatchObject({ eventTime: at, actorId: 'key', outcome: 'REFUSED', ip: '192.0.2.9' });
  expect((await trail(other.organizationId)).map(({ requestId }) => requestId)).not.toContain('elsewhere');
});
