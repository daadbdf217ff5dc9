import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import type { SaveConnectionRequest } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';
import { sealedField } from '@invoicecontrol/secretbox/sealed-field';
import { secretbox } from '@invoicecontrol/secretbox/secretbox';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { createSessionKey, decodeSessionKey, encodeSessionKey } from '../domain/encryption.js';
import { queued } from '../domain/submission.js';
import type { ConnectionDocument } from '../storage/connections.js';
import type { InboxDocument } from '../storage/inboxes.js';
import type { SubmissionDocument } from '../storage/submissions.js';
import { caller, connectionRequest, exampleToken, startKsef, stated } from '../testing/running-ksef.js';
import type { RunningKsef } from '../testing/running-ksef.js';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [first, second, third] = [key('k1'), key('k2'), key('k3')];

let running: RunningKsef;
const audited: { eventId: string; organizationId: string; action: string; target: string }[] = [];
let closeBroadcast: () => void;
beforeAll(async () => {
  running = await startKsef(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: { SECRETBOX_KEYS: first },
  });
  ({ close: closeBroadcast } = subscribeBroadcast(
    running.bus,
    [events.ksefAuditRecorded],
    (event) => void audited.push(event),
    createLogger({ service: 'test', level: 'silent' }),
  ));
});
afterAll(async () => {
  closeBroadcast();
  await running.stop();
});

const newTenant = (): string => running.organization.newTenant();
const documents = () => running.mongo.db.collection<ConnectionDocument>('connections');
const save = async (part: Partial<SaveConnectionRequest> & { organizationId: string }) => {
  const { connection, created } = await running.connections.saveConnection(
    { ...connectionRequest(part.organizationId), ...part },
    caller,
  );
  return { connection: stated(connection), created };
};
const read = async (organizationId: string, connectionId: string) =>
  stated((await running.connections.getConnection({ organizationId, connectionId }, caller)).connection);
const disable = (organizationId: string, connectionId: string) =>
  running.connections.disableConnection({ organizationId, connectionId }, caller);
const list = async (organizationId: string, part: object = {}) =>
  running.connections.listConnections(
    {
      organizationId,
      pageSize: 10,
      pageToken: '',
      environment: Environment.UNSPECIFIED,
      status: ConnectionStatus.UNSPECIFIED,
      createdFromTime: undefined,
      createdToTime: undefined,
      ...part,
    },
    caller,
  );
/** Returns each action once, because an event may be delivered twice. */
const actionsOf = (organizationId: string) => [
  ...new Map(
    audited.filter((line) => line.organizationId === organizationId).map(({ eventId, action }) => [eventId, action]),
  ).values(),
];

const submissions = () => running.mongo.db.collection<SubmissionDocument>('submissions');
/** Stores a submission that KSeF is processing. The service polls it again only after an hour. */
async function submissionUnderWay(organizationId: string, connectionId: string): Promise<string> {
  const now = new Date();
  const { status, dueAt, ...progress } = queued(now);
  const id = randomUUID();
  await submissions().insertOne({
    _id: id,
    organizationId,
    version: 1,
    companyId: 'c-main',
    connectionId,
    invoiceId: randomUUID(),
    environment: 'TEST',
    document: {
      uploadId: randomUUID(),
      hash: '',
      byteSize: 1,
      sellerNip: '5265877635',
      kind: 'VAT',
      number: '1',
      issueDate: '2026-02-15',
    },
    status: 'PROCESSING',
    progress,
    attempts: [],
    dueAt: new Date(now.getTime() + 3_600_000),
    leaseUntil: new Date(0),
    isOpen: true,
    wasSent: true,
    createdAt: now,
    updatedAt: now,
  });
  expect(status).toBe('QUEUED');
  return id;
}

describe('storing a token', () => {
  test('makes a connection that is PENDING, belongs to the default company, and shows neither token nor NIP', async () => {
    const organizationId = newTenant();
    const { connection, created } = await save({ organizationId });
    expect(created).toBe(true);
    expect(connection).toMatchObject({
      companyId: 'c-main',
      companyName: expect.any(String),
      environment: Environment.TEST,
      contextNipMasked: '******7635',
      status: ConnectionStatus.PENDING,
      lastTestedTime: undefined,
      lastErrorMessage: undefined,
    });
    expect(JSON.stringify(connection)).not.toMatch(/5265877635|0f0f/);
    expect(await read(organizationId, connection.connectionId)).toEqual(connection);
    const dump = JSON.stringify(await documents().find({ organizationId }).toArray());
    expect(dump).toContain('e1.k1.');
    expect(dump).not.toContain('0f0f');
    await eventually(() => expect(actionsOf(organizationId)).toEqual(['ksef_connection.created']));
    expect(audited.find((line) => line.organizationId === organizationId)?.target).toBe(
      `ksef_connection:${connection.connectionId}`,
    );
  });

  test('again replaces it under the same id, and the connection must be tested again', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    const tested = { status: 'ERROR' as const, lastTestedAt: new Date(), lastErrorMessage: 'The token is revoked.' };
    await documents().updateOne({ _id: connection.connectionId }, { $set: tested });
    const before = stated(await documents().findOne({ _id: connection.connectionId }));
    const rotated = await save({ organizationId, ksefToken: `${exampleToken}2`, contextNip: '1111111111' });
    expect(rotated).toEqual({
      created: false,
      connection: { ...connection, contextNipMasked: '******1111' },
    });
    const after = stated(await documents().findOne({ _id: connection.connectionId }));
    expect(after.token?.sealed).not.toBe(before.token?.sealed);
    expect(
      sealedField(secretbox(keyRing.parse(first)), 'connections', 'token').open(
        { id: after._id, organizationId },
        stated(after.token),
      ),
    ).toBe(`${exampleToken}2`);
    await eventually(() =>
      expect(actionsOf(organizationId)).toEqual(['ksef_connection.created', 'ksef_connection.rotated']),
    );
  });

  test('many times at once for the first time makes one connection', async () => {
    const organizationId = newTenant();
    const saved = await Promise.all(Array.from({ length: 4 }, () => save({ organizationId })));
    expect(saved.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(saved.map(({ connection }) => connection.connectionId)).size).toBe(1);
    expect(await documents().countDocuments({ organizationId })).toBe(1);
  });

  test('is separate for each company and environment', async () => {
    const organizationId = newTenant();
    const parts = [{}, { environment: Environment.DEMO }, { companyId: SECOND_COMPANY_ID }];
    const saved = [];
    for (const part of parts) saved.push(await save({ organizationId, ...part }));
    expect(saved.map(({ created }) => created)).toEqual([true, true, true]);
    const ids = saved.map(({ connection }) => connection.connectionId);
    expect((await list(organizationId)).connections.map(({ connectionId }) => connectionId)).toEqual(ids.toReversed());
  });

  test.each([
    ['context_nip', { contextNip: '526587763' }],
    ['context_nip', { contextNip: '٥٢٦٥٨٧٧٦٣٥' }],
    ['ksef_token', { ksefToken: 'x'.repeat(19) }],
    ['ksef_token', { ksefToken: 'x'.repeat(4_097) }],
    ['ksef_token', { ksefToken: '\u200b'.repeat(30) }],
    ['company_id', { companyId: randomUUID() }],
  ])('is refused for a wrong %s, and stores nothing', async (field, part) => {
    const organizationId = newTenant();
    await expect(save({ organizationId, ...part })).rejects.toMatchObject({
      kind: 'invalid',
      details: [expect.objectContaining({ path: field })],
    });
    expect(await documents().countDocuments({ organizationId })).toBe(0);
  });

  test.each([20, 4_096])('takes one of %d characters', async (length) => {
    expect((await save({ organizationId: newTenant(), ksefToken: 'x'.repeat(length) })).created).toBe(true);
  });
});

describe('the list of connections', () => {
  test('filters by company, environment and status, and comes in pages', async () => {
    const organizationId = newTenant();
    const { connection: test } = await save({ organizationId });
    const { connection: demo } = await save({ organizationId, environment: Environment.DEMO });
    const { connection: other } = await save({ organizationId, companyId: SECOND_COMPANY_ID });
    await disable(organizationId, demo.connectionId);
    const idsOf = async (part: object) =>
      (await list(organizationId, part)).connections.map(({ connectionId }) => connectionId);
    expect(await idsOf({ companyId: SECOND_COMPANY_ID })).toEqual([other.connectionId]);
    expect(await idsOf({ environment: Environment.TEST })).toEqual([other.connectionId, test.connectionId]);
    expect(await idsOf({ status: ConnectionStatus.DISABLED })).toEqual([demo.connectionId]);
    const page = await list(organizationId, { pageSize: 2 });
    expect(page.connections).toHaveLength(2);
    expect(await idsOf({ pageSize: 2, pageToken: page.nextPageToken })).toEqual([test.connectionId]);
  });

  test('and every other call show nothing of another organization', async () => {
    const { connection } = await save({ organizationId: newTenant() });
    const stranger = newTenant();
    expect((await list(stranger)).connections).toEqual([]);
    for (const connectionId of [connection.connectionId, randomUUID()]) {
      await expect(read(stranger, connectionId)).rejects.toMatchObject({ kind: 'not_found' });
      await expect(disable(stranger, connectionId)).rejects.toMatchObject({ kind: 'not_found' });
    }
  });
});

describe('disabling', () => {
  test('keeps the record, removes the token, and may be repeated', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    await disable(organizationId, connection.connectionId);
    await disable(organizationId, connection.connectionId);
    expect(await read(organizationId, connection.connectionId)).toEqual({
      ...connection,
      status: ConnectionStatus.DISABLED,
    });
    const stored = stated(await documents().findOne({ _id: connection.connectionId }));
    expect(stored.token).toBeUndefined();
    expect(stored.wipeTokenSince).toBeUndefined();
    await eventually(() =>
      expect(actionsOf(organizationId)).toEqual(['ksef_connection.created', 'ksef_connection.disabled']),
    );
  });

  test('ends with a new token, under the same id and time of creation', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    await disable(organizationId, connection.connectionId);
    expect(await save({ organizationId })).toEqual({ connection, created: false });
    expect(stated(await documents().findOne({ _id: connection.connectionId })).token).toBeDefined();
  });

  test('that a crash interrupted before the token was removed is finished', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    await documents().updateOne(
      { _id: connection.connectionId },
      { $set: { status: 'DISABLED', wipeTokenSince: new Date() } },
    );
    await eventually(async () =>
      expect(stated(await documents().findOne({ _id: connection.connectionId })).token).toBeUndefined(),
    );
  });
});

describe('a connection with an invoice under way', () => {
  test('takes a new token of the same NIP, and none of another', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    const submission = await submissionUnderWay(organizationId, connection.connectionId);
    await expect(save({ organizationId, contextNip: '1111111111' })).rejects.toMatchObject({ kind: 'wrong_state' });
    expect(await read(organizationId, connection.connectionId)).toEqual(connection);
    expect((await save({ organizationId, ksefToken: `${exampleToken}2` })).created).toBe(false);
    await submissions().updateOne({ _id: submission }, { $set: { status: 'ACCEPTED' } });
    const other = await save({ organizationId, contextNip: '1111111111' });
    expect(other.connection.contextNipMasked).toBe('******1111');
  });

  test('keeps its token after its end until the last of several has to be followed no more', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    const underWay = [
      await submissionUnderWay(organizationId, connection.connectionId),
      await submissionUnderWay(organizationId, connection.connectionId),
    ];
    const { connection: free } = await save({ organizationId, environment: Environment.DEMO });
    await disable(organizationId, connection.connectionId);
    await disable(organizationId, free.connectionId);
    const token = async (id: string) => stated(await documents().findOne({ _id: id })).token;
    for (const submission of underWay) {
      // The sweep has finished once it has also removed the secret of a KSeF connection that was disabled later.
      await documents().updateOne(
        { _id: free.connectionId },
        { $set: { token: { sealed: 'x', keyId: 'k1' }, wipeTokenSince: new Date() } },
      );
      await eventually(async () => expect(await token(free.connectionId)).toBeUndefined());
      expect(await token(connection.connectionId)).toBeDefined();
      const ended = { $set: { status: 'ACCEPTED' }, $unset: { dueAt: '', isOpen: '' } } as const;
      await submissions().updateOne({ _id: submission }, ended);
    }
    await eventually(async () => expect(await token(connection.connectionId)).toBeUndefined());
  });
});

describe('the keys that seal tokens', () => {
  test('are replaced: tokens are sealed again under the newest key and open to the same text', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    const replica = await running.startReplica({ SECRETBOX_KEYS: `${second},${first}` });
    await eventually(async () =>
      expect((await documents().findOne({ _id: connection.connectionId }))?.token).toMatchObject({ keyId: 'k2' }),
    );
    const { token } = stated(await documents().findOne({ _id: connection.connectionId }));
    const secrets = sealedField(secretbox(keyRing.parse(second)), 'connections', 'token');
    const owner = { id: connection.connectionId, organizationId };
    expect(secrets.open(owner, stated(token))).toBe(exampleToken);
    // A KSeF token can be decrypted only for its own connection.
    expect(() => secrets.open({ ...owner, id: 'another' }, stated(token))).toThrow(/belongs to another place/);
    await replica.stop();
  });

  test('are replaced for the keys of sessions, too, and a key that seals one must be known', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    const submission = await submissionUnderWay(organizationId, connection.connectionId);
    const owner = { id: submission, organizationId };
    const sessionKey = createSessionKey();
    const session = {
      referenceNumber: 'SO-1',
      validUntil: new Date(Date.now() + 3_600_000),
      key: sealedField(secretbox(keyRing.parse(first)), 'submissions', 'sessionKey').seal(
        owner,
        encodeSessionKey(sessionKey),
      ),
      sentAt: undefined,
      sends: 0,
      looks: 0,
      invoiceReferenceNumber: undefined,
      isAbandoned: false,
      isClosed: false,
    };
    await submissions().updateOne({ _id: submission }, { $set: { 'progress.sessions': [session] } });
    const before = stated(await submissions().findOne({ _id: submission }));
    const replica = await running.startReplica({ SECRETBOX_KEYS: `${second},${first}` });
    const key = async () => stated(stated(await submissions().findOne({ _id: submission })).progress.sessions[0]?.key);
    await eventually(async () => expect(await key()).toMatchObject({ keyId: 'k2' }));
    expect(
      decodeSessionKey(
        sealedField(secretbox(keyRing.parse(second)), 'submissions', 'sessionKey').open(owner, await key()),
      ),
    ).toEqual(sessionKey);
    const { version, updatedAt } = stated(await submissions().findOne({ _id: submission }));
    expect({ version, updatedAt }).toEqual({ version: before.version, updatedAt: before.updatedAt });
    await replica.stop();
    // The sealing key under test has sealed neither a KSeF token nor a canary.
    const other = sealedField(secretbox(keyRing.parse(third)), 'submissions', 'sessionKey').seal(
      owner,
      encodeSessionKey(sessionKey),
    );
    await submissions().updateOne({ _id: submission }, { $set: { 'progress.sessions': [{ ...session, key: other }] } });
    const keys = `${second},${first}`;
    await expect(running.startReplica({ SECRETBOX_KEYS: keys })).rejects.toThrow(/SECRETBOX_KEYS lacks k3/);
    await submissions().deleteOne({ _id: submission });
  });

  test('are replaced for the keys of exports, too, and a key that seals one must be known', async () => {
    const organizationId = newTenant();
    const { connection } = await save({ organizationId });
    const { connectionId } = stated(connection);
    await running.inbox.updateInbox({ organizationId, connectionId, enabled: true, fromDate: undefined }, caller);
    const inboxes = running.mongo.db.collection<InboxDocument>('inboxes');
    const owner = { id: connectionId, organizationId };
    const exportKey = createSessionKey();
    const fieldOf = (key: string) => sealedField(secretbox(keyRing.parse(key)), 'inboxes', 'exportKey');
    const storeSealed = async (key: string): Promise<void> => {
      const now = new Date();
      const run = {
        id: 'run',
        trigger: 'SCHEDULE' as const,
        startedAt: now,
        from: now.toISOString(),
        cursor: now.toISOString(),
        hasMoved: false,
        received: 0,
        repeated: 0,
        refused: [],
        restarts: 0,
        failures: 0,
        export: { key: fieldOf(key).seal(owner, encodeSessionKey(exportKey)), startedAt: now, polls: 0 },
      };
      await inboxes.updateOne({ _id: connectionId }, { $set: { 'roles.1.run': run } });
    };
    await storeSealed(first);
    const replica = await running.startReplica({ SECRETBOX_KEYS: `${second},${first}` });
    const key = async () => stated((await inboxes.findOne({ _id: connectionId }))?.roles[1]?.run?.export?.key);
    await eventually(async () => expect(await key()).toMatchObject({ keyId: 'k2' }));
    expect(decodeSessionKey(fieldOf(second).open(owner, await key()))).toEqual(exportKey);
    await replica.stop();
    await storeSealed(third);
    const keys = `${second},${first}`;
    await expect(running.startReplica({ SECRETBOX_KEYS: keys })).rejects.toThrow(/SECRETBOX_KEYS lacks k3/);
    await inboxes.deleteOne({ _id: connectionId });
  });

  test('must be known: a service without the key of a stored token does not start', async () => {
    await expect(running.startReplica({ SECRETBOX_KEYS: third })).rejects.toThrow(/SECRETBOX_KEYS lacks/);
  });
});
