import { testGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { SESSION_IDLE_MS, SESSION_MS, SESSIONS_PER_KEY_MAX } from '../domain/session.js';
import type { SessionDocument } from '../storage/sessions.js';
import { asKey, asOperator, connect, idOfKey, testConfig } from '../testing/clients.js';
import type { Clients } from '../testing/clients.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const MINUTE_MS = 60_000;
/** Milliseconds by which the service's clock is ahead of real time. */
let aheadMs = 0;

let mongo: MongoConnection;
let service: RunningService;
let clients: Clients;
let organizationId: string;
let ownerKey: string;
let key: string;

beforeAll(async () => {
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
  service = await startService(testConfig(infrastructure, databaseName), {
    clock: { now: () => new Date(Date.now() + aheadMs) },
  });
  clients = connect(service.address);
});
afterAll(async () => {
  clients.close();
  await service.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  aheadMs = 0;
  ({ organizationId, ownerKey } = await clients.createTenant('Acme'));
  ({ key } = await clients.apiKey.createApiKey(
    { organizationId, name: 'Desk', role: 'ANALYST', scopes: [] },
    asKey(idOfKey(ownerKey)),
  ));
});

const open = (of = key) => clients.session.createSession({ organizationId, apiKeyId: idOfKey(of) }, asKey(idOfKey(of)));
const authenticate = async (token: string) =>
  (await clients.access.authenticateSession({ token }, asKey('none'))).principal;
const listed = async () => {
  const page = { organizationId, pageSize: 100, pageToken: '' };
  const { sessions } = await clients.session.listSessions(page, asKey(idOfKey(ownerKey)));
  return sessions.map(({ sessionId }) => sessionId);
};
const refusal = { kind: 'unauthenticated', publicMessage: 'The session is missing or has ended. Sign in again.' };

describe('a session', () => {
  test('has the rights, the person and the limits of its key, and a token of 256 bits whose HMAC alone is stored', async () => {
    const { session, token } = await open();
    expect(token).toMatch(/^ics_[0-9A-Za-z]{43}$/);
    const { principal } = await clients.access.authenticateKey({ key }, asKey('none'));
    expect(await authenticate(token)).toEqual({
      ...principal,
      session: {
        sessionId: session?.sessionId,
        expiresTime: session?.expiresTime,
        idleExpiresTime: session?.idleExpiresTime,
      },
    });
    const document = await mongo.db.collection<SessionDocument>('sessions').findOne({ _id: session?.sessionId ?? '' });
    expect(document?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(document)).not.toContain(token.slice(4));
  });

  test('is refused with one message, whether it is malformed, unknown or ended', async () => {
    const { session, token } = await open();
    const sessionId = session?.sessionId ?? '';
    await clients.session.endSession({ organizationId, sessionId }, asKey(idOfKey(key)));
    for (const text of ['', 'ics_', key, `ics_${'x'.repeat(43)}`, `${token}x`, token]) {
      await expect(authenticate(text)).rejects.toMatchObject(refusal);
    }
  });

  test('ends after half an hour without a request, and each request begins the half hour again', async () => {
    const { token } = await open();
    for (const minutes of [29, 58, 87]) {
      aheadMs = minutes * MINUTE_MS;
      await authenticate(token);
    }
    aheadMs += SESSION_IDLE_MS;
    await expect(authenticate(token)).rejects.toMatchObject(refusal);
  });

  test('ends after twelve hours although it is used', async () => {
    const { token } = await open();
    for (aheadMs = 0; aheadMs < SESSION_MS - MINUTE_MS; aheadMs += 25 * MINUTE_MS) await authenticate(token);
    aheadMs = SESSION_MS + MINUTE_MS;
    await expect(authenticate(token)).rejects.toMatchObject(refusal);
  });

  test('ends with its key', async () => {
    const { session, token } = await open();
    await authenticate(token);
    expect(await listed()).toEqual([session?.sessionId]);
    await clients.apiKey.revokeApiKey({ organizationId, apiKeyId: idOfKey(key) }, asKey(idOfKey(ownerKey)));
    await expect(authenticate(token)).rejects.toMatchObject(refusal);
    expect(await listed()).toEqual([]);
    await expect(open()).rejects.toMatchObject({ kind: 'unauthenticated' });
  });

  test('ends with the membership of its person, and has no more rights than the role of the member', async () => {
    const { userId } = await clients.operator.createMember(
      { organizationId, email: 'ann@example.com', name: 'Ann', role: 'ANALYST' },
      asOperator,
    );
    const created = await clients.apiKey.createApiKey(
      { organizationId, name: 'Ann', role: 'ANALYST', scopes: [], userId },
      asKey(idOfKey(ownerKey)),
    );
    const { session, token } = await open(created.key);
    expect(session?.userId).toBe(userId);
    const apiKeyId = idOfKey(created.key);
    expect((await clients.session.describeCaller({ organizationId, apiKeyId }, asKey(apiKeyId))).user).toMatchObject({
      userId,
      name: 'Ann',
      email: 'ann@example.com',
    });
    const change = { organizationId, userId };
    await clients.member.updateMember({ ...change, role: 'VIEWER' }, asKey(idOfKey(ownerKey)));
    expect(await authenticate(token)).toMatchObject({ role: 'VIEWER' });
    expect(await listed()).toEqual([session?.sessionId]);
    await clients.member.removeMember(change, asKey(idOfKey(ownerKey)));
    await expect(authenticate(token)).rejects.toMatchObject(refusal);
    expect(await listed()).toEqual([]);
  });

  test('is opened for the key that the grant of the caller proves, and for no other key of the organization', async () => {
    const stolen = { organizationId, apiKeyId: idOfKey(ownerKey) };
    await expect(clients.session.createSession(stolen, asKey(idOfKey(key)))).rejects.toMatchObject({
      kind: 'forbidden',
    });
    await expect(clients.session.describeCaller(stolen, asKey(idOfKey(key)))).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });

  test('of a session is not opened', async () => {
    const { context } = asKey(idOfKey(key));
    const grant = testGrant(organizationId, { actorId: idOfKey(key), sessionId: 'session-1' });
    const again = clients.session.createSession(
      { organizationId, apiKeyId: idOfKey(key) },
      { context: { ...context, grant } },
    );
    await expect(again).rejects.toMatchObject({ kind: 'forbidden' });
  });

  test('of another organization looks exactly like a missing one', async () => {
    const { session } = await open();
    const other = await clients.createTenant('Other');
    const caller = asKey(idOfKey(other.ownerKey));
    const end = (sessionId: string) =>
      clients.session.endSession({ organizationId: other.organizationId, sessionId }, caller).catch(String);
    expect(await end(session?.sessionId ?? '')).toBe(await end('nothing'));
    const theirs = await clients.session.listSessions(
      { organizationId: other.organizationId, pageSize: 0, pageToken: '' },
      caller,
    );
    expect(theirs.sessions).toEqual([]);
    const crossed = clients.session.createSession(
      { organizationId: other.organizationId, apiKeyId: idOfKey(key) },
      asKey(idOfKey(key)),
    );
    await expect(crossed).rejects.toMatchObject({ kind: 'unauthenticated' });
  });
});

describe('the sessions of a key', () => {
  test('are at most 20: the 21st ends the one that was used least recently', async () => {
    const tokens: string[] = [];
    for (let count = 0; count < SESSIONS_PER_KEY_MAX; count += 1) {
      aheadMs = count * 1_000;
      tokens.push((await open()).token);
    }
    for (const token of tokens) await authenticate(token);
    // The first session is used again, so the second one is now the least recent.
    aheadMs = 2 * MINUTE_MS;
    await authenticate(tokens[0] ?? '');
    const { token } = await open();
    await expect(authenticate(tokens[1] ?? '')).rejects.toMatchObject(refusal);
    for (const kept of [token, ...tokens.filter((_, index) => index !== 1)]) await authenticate(kept);
  });

  test('are at most 20 after sign-ins at the same time', async () => {
    await Promise.all(Array.from({ length: SESSIONS_PER_KEY_MAX + 8 }, () => open()));
    expect(await listed()).toHaveLength(SESSIONS_PER_KEY_MAX);
  });
});

test('signing in and out is in the audit trail', async () => {
  const { session } = await open();
  const sessionId = session?.sessionId ?? '';
  await clients.session.endSession({ organizationId, sessionId }, asKey(idOfKey(key)));
  await clients.session.endSession({ organizationId, sessionId }, asKey(idOfKey(key)));
  await eventually(async () => {
    const { auditEvents } = await clients.audit.listAuditEvents(
      { organizationId, pageSize: 100, pageToken: '' },
      asKey(idOfKey(ownerKey)),
    );
    const actions = auditEvents.filter(({ target }) => target === `session:${sessionId}`).map(({ action }) => action);
    expect(actions.toSorted()).toEqual(['session.created', 'session.ended']);
  });
});
