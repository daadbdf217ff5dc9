import { testGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_KEY_SECRET_LENGTH, formatApiKey } from '@invoicecontrol/api-key';
import { events } from '@invoicecontrol/contracts/events';
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
import { asKey, asOperator, connect, idOfKey, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const logger = createLogger({ service: 'test', level: 'silent' });
/** Milliseconds by which the service's clock is ahead of real time. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };

let mongo: MongoConnection;
let bus: Bus;
let service: RunningService;
let clients: Clients;
const revoked: string[] = [];

beforeAll(async () => {
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  bus = await connectTestNats({ url: infrastructure.natsUrl, name: 'test', logger });
  subscribeBroadcast(bus, [events.apiKeysRevoked], ({ apiKeyIds }) => revoked.push(...apiKeyIds), logger);
  service = await startService(testConfig(infrastructure, databaseName), { clock });
  clients = connect(service.address);
});
afterAll(async () => {
  clients.close();
  await service.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
  await bus.close();
});

const authenticate = (key: string) => clients.access.authenticateKey({ key }, asKey('none'));
const refusal = { kind: 'unauthenticated', publicMessage: 'The API key is missing or not valid.' };

/** Creates an API key of the member, or of no member, by the owner's key. */
async function newKey(
  organizationId: string,
  createdBy: string,
  { role, userId }: { role: string; userId?: string },
): Promise<string> {
  const { key } = await clients.apiKey.createApiKey(
    { organizationId, name: 'Another', role, scopes: [], userId },
    asKey(idOfKey(createdBy)),
  );
  return key;
}

const personOfKey = async (key: string) => (await authenticate(key)).principal?.person;

async function tenantWithKey(role: string): Promise<{ organizationId: string; ownerKeyId: string; key: string }> {
  const { organizationId, ownerKey } = await clients.createTenant('Acme');
  const ownerKeyId = idOfKey(ownerKey);
  const { key } = await clients.apiKey.createApiKey(
    { organizationId, name: 'Second', role, scopes: [] },
    asKey(ownerKeyId),
  );
  return { organizationId, ownerKeyId, key };
}

describe('the person behind a key', () => {
  test('is its member, regardless of who created it, and else the person behind the key that created it', async () => {
    const { organizationId, ownerKey, ownerUserId } = await clients.createTenant('Acme');
    const { userId } = await clients.operator.createMember(
      { organizationId, email: 'ann@example.com', name: 'Ann', role: 'ADMIN' },
      asOperator,
    );
    const ofAnn = await newKey(organizationId, ownerKey, { role: 'ANALYST', userId });
    const second = await newKey(organizationId, ownerKey, { role: 'ADMIN', userId });
    const byAnn = await newKey(organizationId, ofAnn, { role: 'VIEWER' });
    const byThat = await newKey(organizationId, byAnn, { role: 'VIEWER' });
    for (const key of [ofAnn, second, byAnn, byThat]) expect(await personOfKey(key)).toBe(`USER:${userId}`);
    const byOwner = await newKey(organizationId, ownerKey, { role: 'OWNER' });
    for (const key of [ownerKey, byOwner]) expect(await personOfKey(key)).toBe(`USER:${ownerUserId}`);
    await clients.apiKey.revokeApiKey({ organizationId, apiKeyId: idOfKey(ofAnn) }, asKey(idOfKey(ownerKey)));
    expect(await personOfKey(byThat)).toBe(`USER:${userId}`);
    const { key } = await clients.operator.createKey(
      { organizationId, name: 'Of nobody', role: 'OWNER', scopes: [] },
      asOperator,
    );
    expect(await personOfKey(key)).toBe('OPERATOR:tester');
  });

  test('must be an active member of the organization with at least the role of the key', async () => {
    const { organizationId, ownerKey } = await clients.createTenant('Acme');
    const other = await clients.createTenant('Other');
    const { userId } = await clients.operator.createMember(
      { organizationId, email: 'ann@example.com', name: 'Ann', role: 'ANALYST' },
      asOperator,
    );
    const invited = await clients.member.inviteMember(
      { organizationId, email: 'bob@example.com', role: 'ADMIN' },
      asKey(idOfKey(ownerKey)),
    );
    for (const refused of [
      { role: 'ADMIN', userId },
      { role: 'VIEWER', userId: other.ownerUserId },
      { role: 'VIEWER', userId: invited.member?.userId ?? '' },
      { role: 'VIEWER', userId: 'nobody' },
    ])
      await expect(newKey(organizationId, ownerKey, refused)).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('limits the rights of the key, and the key ends with the membership', async () => {
    const { organizationId, ownerKey } = await clients.createTenant('Acme');
    const { userId } = await clients.operator.createMember(
      { organizationId, email: 'ann@example.com', name: 'Ann', role: 'ADMIN' },
      asOperator,
    );
    const key = await newKey(organizationId, ownerKey, { role: 'ADMIN', userId });
    const asOwner = asKey(idOfKey(ownerKey));
    await clients.member.updateMember({ organizationId, userId, role: 'VIEWER' }, asOwner);
    const { principal } = await authenticate(key);
    expect(principal?.role).toBe('VIEWER');
    expect(principal?.scopes.every((scope) => scope.endsWith(':read'))).toBe(true);
    await clients.member.removeMember({ organizationId, userId }, asOwner);
    await expect(authenticate(key)).rejects.toMatchObject(refusal);
  });
});

describe('a key', () => {
  test('that an earlier release stored has all scopes of its role, unless it was restricted', async () => {
    const { organizationId, ownerKey } = await clients.createTenant('Acme');
    const whole = await newKey(organizationId, ownerKey, { role: 'ANALYST' });
    const { key: restricted } = await clients.apiKey.createApiKey(
      { organizationId, name: 'Narrow', role: 'ANALYST', scopes: ['invoices:read'] },
      asKey(idOfKey(ownerKey)),
    );
    const scopesOf = async (key: string) => (await authenticate(key)).principal?.scopes;
    const before = await scopesOf(whole);
    await mongo.db
      .collection<{ _id: string }>('api_keys')
      .updateMany(
        { _id: { $in: [idOfKey(whole), idOfKey(restricted)] } },
        { $unset: { scopeGeneration: '' }, $pull: { scopes: { $in: ['payments:read', 'payments:write'] } } as never },
      );
    expect(before).toContain('payments:write');
    expect(await scopesOf(whole)).toEqual(before);
    expect(await scopesOf(restricted)).toEqual(['invoices:read']);
  });

  test('authenticates with organization, rights, plan and limits', async () => {
    const { organizationId, ownerKey } = await clients.createTenant('Acme', 'CORE');
    const { principal } = await authenticate(ownerKey);
    expect(principal).toMatchObject({
      organizationId,
      apiKeyId: idOfKey(ownerKey),
      role: 'OWNER',
      scopes: ['*'],
      plan: 'CORE',
      hasActiveSubscription: false,
      limits: { analysesPerMonth: 250, scanRowsPerMonth: 5_000, companies: 1, webhooks: 0 },
    });
  });

  test('of an ENTERPRISE organization has an active subscription and no limits', async () => {
    const { ownerKey } = await clients.createTenant('Acme');
    const { principal } = await authenticate(ownerKey);
    expect(principal).toMatchObject({ plan: 'ENTERPRISE', hasActiveSubscription: true });
    expect(Object.values(principal?.limits ?? { missing: 0 })).toEqual(Array(8).fill(undefined));
  });

  test('that is malformed, unknown, with a wrong secret or of another kind is refused with one message', async () => {
    const { ownerKey } = await clients.createTenant('Acme');
    const id = idOfKey(ownerKey);
    const secret = ownerKey.split('_')[3]?.slice(0, API_KEY_SECRET_LENGTH) ?? '';
    const wrong = [
      '',
      ownerKey.slice(0, -1),
      formatApiKey('live', '0000000000000000', secret),
      formatApiKey('live', id, 'x'.repeat(API_KEY_SECRET_LENGTH)),
      formatApiKey('test', id, secret),
    ];
    for (const key of wrong) await expect(authenticate(key)).rejects.toMatchObject(refusal);
  });

  test('that was revoked is refused on the next call, and caches are told by an event', async () => {
    const { organizationId, ownerKeyId, key } = await tenantWithKey('ANALYST');
    await authenticate(key);
    await clients.apiKey.revokeApiKey({ organizationId, apiKeyId: idOfKey(key) }, asKey(ownerKeyId));
    await expect(authenticate(key)).rejects.toMatchObject(refusal);
    await eventually(() => expect(revoked).toContain(idOfKey(key)));
  });

  test('that was lowered has its new rights on the next call, and caches are told by an event', async () => {
    const { organizationId, ownerKeyId, key } = await tenantWithKey('ANALYST');
    const update = { organizationId, apiKeyId: idOfKey(key), role: 'VIEWER', scopes: [] };
    await clients.apiKey.updateApiKey(update, asKey(ownerKeyId));
    expect((await authenticate(key)).principal).toMatchObject({ role: 'VIEWER' });
    await eventually(() => expect(revoked).toContain(idOfKey(key)));
  });

  test('that was only renamed publishes no event', async () => {
    const { organizationId, ownerKeyId, key } = await tenantWithKey('ANALYST');
    const update = { organizationId, apiKeyId: idOfKey(key), name: 'Other', scopes: [] };
    expect((await clients.apiKey.updateApiKey(update, asKey(ownerKeyId))).apiKey?.name).toBe('Other');
    const stored = await mongo.db.collection('api_keys').findOne({ organizationId, name: 'Other' });
    expect(stored).not.toHaveProperty('outbox');
    expect(stored).not.toHaveProperty('recentEvents');
  });

  test('is refused from its expiry on, without any cleanup job', async () => {
    const { organizationId, ownerKey } = await clients.createTenant('Acme');
    const expiresTime = new Date(Date.now() + 60_000);
    const { key, apiKey } = await clients.apiKey.createApiKey(
      { organizationId, name: 'Short', role: 'VIEWER', scopes: [], expiresTime },
      asKey(idOfKey(ownerKey)),
    );
    expect(apiKey?.expiresTime).toEqual(expiresTime);
    await authenticate(key);
    aheadMs = 60_000;
    try {
      await expect(authenticate(key)).rejects.toMatchObject(refusal);
    } finally {
      aheadMs = 0;
    }
  });

  test('of an organization whose creation failed midway is refused', async () => {
    const { organizationId, ownerKey } = await clients.createTenant('Acme');
    await mongo.db.collection<{ _id: string }>('organizations').deleteOne({ _id: organizationId });
    await expect(authenticate(ownerKey)).rejects.toMatchObject(refusal);
  });
});

describe('keys', () => {
  test('are created within the rights only that the grant of the caller proves', async () => {
    const { organizationId, key } = await tenantWithKey('ADMIN');
    const { principal } = await authenticate(key);
    const { context } = asKey(idOfKey(key));
    const grant = testGrant(organizationId, { role: 'ADMIN', scopes: principal?.scopes ?? [] });
    const create = (role: string, scopes: string[]) =>
      clients.apiKey.createApiKey({ organizationId, name: 'x', role, scopes }, { context: { ...context, grant } });
    await expect(create('OWNER', [])).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(create('ADMIN', ['*'])).rejects.toMatchObject({ kind: 'forbidden' });
    expect((await create('ADMIN', [])).apiKey?.role).toBe('ADMIN');
  });

  test('are revoked only with the grant of an ADMIN, whatever the gateway has checked', async () => {
    const { organizationId, ownerKeyId, key } = await tenantWithKey('ADMIN');
    const { context } = asKey(ownerKeyId);
    const grant = testGrant(organizationId, { actorId: ownerKeyId, role: 'ANALYST' });
    await expect(
      clients.apiKey.revokeApiKey({ organizationId, apiKeyId: idOfKey(key) }, { context: { ...context, grant } }),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });

  test('are revoked by another key of the same or a higher role', async () => {
    const { organizationId, ownerKeyId, key } = await tenantWithKey('ADMIN');
    const revoke = (apiKeyId: string, by: string) =>
      clients.apiKey.revokeApiKey({ organizationId, apiKeyId }, asKey(by));
    await expect(revoke(ownerKeyId, idOfKey(key))).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(revoke(ownerKeyId, ownerKeyId)).rejects.toMatchObject({ kind: 'wrong_state' });
    await revoke(idOfKey(key), ownerKeyId);
    await expect(revoke(ownerKeyId, idOfKey(key))).rejects.toMatchObject({ kind: 'unauthenticated' });
  });

  test('are listed without the revoked ones, newest first, in pages', async () => {
    const { organizationId, ownerKeyId, key } = await tenantWithKey('ADMIN');
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { apiKeyId } = await clients.operator.createKey(
        { organizationId, name, role: 'VIEWER', scopes: [] },
        asOperator,
      );
      made.unshift(apiKeyId);
    }
    await clients.apiKey.revokeApiKey({ organizationId, apiKeyId: idOfKey(key) }, asKey(ownerKeyId));
    const listed: string[] = [];
    let pageToken = '';
    do {
      const page = await clients.apiKey.listApiKeys({ organizationId, pageSize: 2, pageToken }, asKey(ownerKeyId));
      listed.push(...page.apiKeys.map(({ apiKeyId }) => apiKeyId));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(listed).toEqual([...made, ownerKeyId]);
  });
});

describe('across restarts', () => {
  test('a key made with an older pepper stays valid after a new pepper is added', async () => {
    const { organizationId, ownerKey } = await clients.createTenant('Acme');
    const peppers = `p2:${Buffer.alloc(32, 2).toString('base64')},p1:${Buffer.alloc(32, 1).toString('base64')}`;
    const other = await startService(testConfig(infrastructure, databaseName, { API_KEY_PEPPERS: peppers }));
    const there = connect(other.address);
    try {
      const { key } = await there.operator.createKey(
        { organizationId, name: 'x', role: 'VIEWER', scopes: [] },
        asOperator,
      );
      for (const each of [ownerKey, key]) {
        const { principal } = await there.access.authenticateKey({ key: each }, asOperator);
        expect(principal?.organizationId).toBe(organizationId);
      }
      await expect(authenticate(key)).rejects.toBeInstanceOf(DomainError);
    } finally {
      there.close();
      await other.stop();
    }
  });

  test('the day of the last use is kept: pending days are written when the service stops', async () => {
    const other = await startService(testConfig(infrastructure, databaseName));
    const there = connect(other.address);
    const { organizationId, ownerKey } = await there.createTenant('Acme');
    await there.access.authenticateKey({ key: ownerKey }, asOperator);
    there.close();
    await other.stop();
    const { apiKey } = await clients.apiKey.getApiKey({ organizationId, apiKeyId: idOfKey(ownerKey) }, asOperator);
    expect(apiKey?.lastUsedTime?.toISOString()).toMatch(/T00:00:00\.000Z$/);
    expect(Date.now() - (apiKey?.lastUsedTime?.getTime() ?? 0)).toBeLessThan(2 * 24 * 3_600_000);
  });
});
