import { callWithGrant } from '@invoicecontrol/runtime/testing/test-identities';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConnectionStatus } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import type { CreateConnectionRequest } from '@invoicecontrol/contracts/erp_sync/v1/connection_service';
import { events } from '@invoicecontrol/contracts/events';
import type { PlacesDocument } from '@invoicecontrol/metering/places';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { withoutRepeats } from '@invoicecontrol/testkit/without-repeats';
import { startService } from '../compose.js';
import type { ConnectionDocument } from '../storage/connections.js';
import { businessCentralRequest, caller, guid, startErpSync, stated } from '../testing/running-erp-sync.js';
import type { RunningErpSync } from '../testing/running-erp-sync.js';

let running: RunningErpSync;
const announced: { name: string; organizationId: string; status?: string; action?: string }[] = [];
let closeBroadcast: () => void;
beforeAll(async () => {
  running = await startErpSync(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: { ERP_EGRESS_ALLOW_ORIGINS: 'http://127.0.0.1:8069' },
  });
  const types = [events.connectionChanged, events.erpSyncAuditRecorded] as (typeof events.connectionChanged)[];
  ({ close: closeBroadcast } = subscribeBroadcast(
    running.bus,
    types,
    withoutRepeats((event, { name }) => announced.push({ name, ...event })),
    createLogger({ service: 'test', level: 'silent' }),
  ));
});
afterAll(async () => {
  closeBroadcast();
  await running.stop();
});

const newTenant = (): string => running.organization.newTenant();
const stored = () => running.mongo.db.collection<ConnectionDocument>('connections');
const create = async ({
  connectionsLimit,
  ...part
}: Partial<CreateConnectionRequest> & { readonly organizationId: string; readonly connectionsLimit?: number }) => {
  const limits = connectionsLimit === undefined ? {} : { erpConnections: connectionsLimit };
  const reply = await running.connections.createConnection(
    { ...businessCentralRequest(part.organizationId), ...part },
    callWithGrant(caller, part.organizationId, { limits }),
  );
  return stated(reply.connection);
};
const read = async (organizationId: string, connectionId: string) =>
  stated((await running.connections.getConnection({ organizationId, connectionId }, caller)).connection);
const odoo = (organizationId: string, config: object) => ({
  organizationId,
  provider: 'ODOO',
  configJson: JSON.stringify(config),
  secretName: 'api_key',
  secret: 'key',
});
const list = (organizationId: string, part: object = {}) =>
  running.connections.listConnections(
    {
      organizationId,
      pageSize: 10,
      pageToken: '',
      status: ConnectionStatus.UNSPECIFIED,
      createdFromTime: undefined,
      createdToTime: undefined,
      ...part,
    },
    caller,
  );

describe('connecting an ERP with credentials', () => {
  test('stores it as PENDING with its first run due, tells of it, and shows it without the secret', async () => {
    const organizationId = newTenant();
    const created = await create({ organizationId, secret: 'hidden~secret.7', importFrom: '2026-01-01' });
    expect(created).toMatchObject({
      provider: 'PROVIDER_A',
      companyId: 'c-main',
      status: ConnectionStatus.PENDING,
      isPaused: false,
      importFrom: '2026-01-01',
      nextSyncTime: created.createdTime,
      recentRuns: [],
      version: 1,
    });
    expect(JSON.parse(created.configJson)).toEqual({
      tenantId: guid(0xa),
      environmentName: 'Production',
      companyId: guid(1),
      clientId: guid(0xc),
    });
    expect(await read(organizationId, created.connectionId)).toEqual(created);
    const dump = JSON.stringify(await stored().find({ organizationId }).toArray());
    expect(dump).toContain('e1.k1.');
    expect(dump).not.toContain('hidden~secret.7');
    await eventually(() => {
      const own = announced.filter((event) => event.organizationId === organizationId);
      expect(own.map(({ name }) => name).sort()).toEqual(['audit_recorded', 'connection_changed']);
      expect(own).toContainEqual(
        expect.objectContaining({ status: 'PENDING', providerName: 'Business Central', companyId: 'c-main' }),
      );
      expect(own).toContainEqual(
        expect.objectContaining({ action: 'erp_connection.created', target: `erp_connection:${created.connectionId}` }),
      );
    });
    expect(JSON.stringify(announced)).not.toContain('hidden~secret.7');
  });

  test.each([
    ['an unknown provider', { provider: 'PROVIDER_E' }, 'provider: must be one of PROVIDER_A'],
    ['a provider with consent', { provider: 'XERO' }, 'provider: Xero is connected by consent'],
    ['the secret of another provider', { secretName: 'api_key' }, 'client_secret: is required'],
    ['a secret that is too long', { secret: 'x'.repeat(513) }, 'client_secret: must have 1 to 512'],
    ['a secret with a byte order mark', { secret: '\ufeffa' }, 'client_secret: must have'],
    ['a secret with a line break', { secret: 'a\r\nb' }, 'client_secret: must have'],
    ['a company of another organization', { companyId: randomUUID() }, 'company_id: must be the id of a company'],
    ['a day that is none', { importFrom: '2026-02-30' }, 'import_from: must be a day'],
    ['a day in the future', { importFrom: '2999-01-01' }, 'import_from: must be a day'],
    ['a configuration that is no object', { configJson: '[]' }, 'config: Must be an object.'],
  ])('refuses %s and stores nothing', async (_, part, message) => {
    const organizationId = newTenant();
    await expect(create({ organizationId, ...part })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    });
    expect(await stored().countDocuments({ organizationId })).toBe(0);
    expect((await running.usage.getUsage({ organizationId }, caller)).meters).toEqual([
      { meter: 'erp_connections', used: 0 },
    ]);
  });

  test('refuses an address of Odoo that leads inside, and takes one that the installation allows', async () => {
    const organizationId = newTenant();
    for (const baseUrl of [
      'https://10.0.0.1',
      'http://127.0.0.1:8070',
      'https://localhost',
      'https://a@erp.example.com',
    ]) {
      await expect(create(odoo(organizationId, { baseUrl }))).rejects.toMatchObject({
        kind: 'invalid',
        message: expect.stringMatching(/^config\.baseUrl: must/),
      });
    }
    const created = await create(odoo(organizationId, { baseUrl: 'http://127.0.0.1:8069/demo/', erpCompanyId: 1 }));
    expect(JSON.parse(created.configJson)).toEqual({ baseUrl: 'http://127.0.0.1:8069/demo', erpCompanyId: 1 });
  });

  test('connects a remote company once in an organization, however it is written, and once more after its deletion', async () => {
    const organizationId = newTenant();
    const created = await create({ organizationId });
    const other = businessCentralRequest(organizationId);
    const upperCase = { ...other, configJson: other.configJson.replace('Production', 'PRODUCTION') };
    await expect(create(upperCase)).rejects.toMatchObject({ kind: 'already_exists' });
    await create({ organizationId: newTenant() });
    const before = await stored().findOne({ _id: created.connectionId });
    await running.connections.deleteConnection({ organizationId, connectionId: created.connectionId }, caller);
    const again = await create(upperCase);
    const after = await stored().findOne({ _id: again.connectionId });
    expect(after?.remoteCompanyId).toBe(before?.remoteCompanyId);
    expect((await running.usage.getUsage({ organizationId }, caller)).meters).toEqual([
      { meter: 'erp_connections', used: 1 },
    ]);
  });

  test('lets exactly as many through as the plan allows, also at once, and counts those that are not DISABLED', async () => {
    const organizationId = newTenant();
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        create({ ...businessCentralRequest(organizationId, index), connectionsLimit: 3 }),
      ),
    );
    const created = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(created).toHaveLength(3);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ kind: 'usage_exceeded' });
    }
    const connectionId = stated(created[0]).connectionId;
    await running.connections.deleteConnection({ organizationId, connectionId }, caller);
    await create({ ...businessCentralRequest(organizationId, 50), connectionsLimit: 3 });
    await expect(create({ ...businessCentralRequest(organizationId, 51), connectionsLimit: 3 })).rejects.toMatchObject({
      kind: 'usage_exceeded',
      message: expect.stringContaining('allows 3 ERP connections'),
    });
  });

  test('finds places again that a crash took with it', async () => {
    const organizationId = newTenant();
    const places = running.mongo.db.collection<PlacesDocument<'connectionIds'>>('connection_places');
    // A request that crashed before it stored an ERP connection reserved this place in the plan long ago.
    const lost = '0190a000-0000-7000-8000-000000000002';
    await places.insertOne({ _id: organizationId, used: 1, connectionIds: [lost] });
    const { connectionId } = await create({ organizationId, connectionsLimit: 1 });
    expect(await places.findOne({ _id: organizationId })).toMatchObject({ used: 1, connectionIds: [connectionId] });
    await expect(create({ ...businessCentralRequest(organizationId, 2), connectionsLimit: 1 })).rejects.toMatchObject({
      kind: 'usage_exceeded',
      message: expect.stringContaining('allows 1 ERP connection,'),
    });
  });

  test('takes a secret of 512 characters', async () => {
    expect(await create({ organizationId: newTenant(), secret: '~'.repeat(512) })).toMatchObject({ version: 1 });
  });

  test.each([
    ['with and without the database', { erpCompanyId: 1 }, { database: 'main', erpCompanyId: 1 }],
    ['with and without the company', { database: 'main', erpCompanyId: 1 }, { database: 'main' }],
  ])('connects an Odoo once %s, and keeps its ids when it is connected again', async (_, one, other) => {
    const organizationId = newTenant();
    const baseUrl = 'http://127.0.0.1:8069/demo';
    const { connectionId } = await create(odoo(organizationId, { baseUrl, ...one }));
    await expect(create(odoo(organizationId, { baseUrl, ...other }))).rejects.toMatchObject({ kind: 'already_exists' });
    await create(odoo(organizationId, { baseUrl: `${baseUrl}2`, ...other }));
    await create(odoo(newTenant(), { baseUrl, ...other }));
    await running.connections.deleteConnection({ organizationId, connectionId }, caller);
    const again = await create(odoo(organizationId, { baseUrl, ...other }));
    const ids = await stored()
      .find({ _id: { $in: [connectionId, again.connectionId] } })
      .toArray();
    expect(new Set(ids.map(({ remoteCompanyId }) => remoteCompanyId)).size).toBe(1);
  });

  test('connects a company once of many requests at once in two spellings', async () => {
    const baseUrl = 'http://127.0.0.1:8069/demo';
    for (let round = 0; round < 5; round++) {
      const organizationId = newTenant();
      const attempts = await Promise.allSettled(
        [{}, { database: 'main' }, { erpCompanyId: 1 }, { database: 'main', erpCompanyId: 1 }].map((config) =>
          create(odoo(organizationId, { baseUrl, ...config })),
        ),
      );
      expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const attempt of attempts) {
        if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ kind: 'already_exists' });
      }
      expect(await stored().countDocuments({ organizationId })).toBe(1);
      expect((await running.usage.getUsage({ organizationId }, caller)).meters).toEqual([
        { meter: 'erp_connections', used: 1 },
      ]);
    }
  });

  test('connects as many companies as are asked for at the same moment', async () => {
    const organizationId = newTenant();
    const companies = Array.from({ length: 24 }, (_, index) => index + 1);
    const baseUrl = 'http://127.0.0.1:8069/demo';
    await Promise.all(companies.map((erpCompanyId) => create(odoo(organizationId, { baseUrl, erpCompanyId }))));
    expect(await stored().countDocuments({ organizationId })).toBe(companies.length);
  });

  test('connects two companies of one Odoo, and two tenants of Business Central', async () => {
    const organizationId = newTenant();
    const baseUrl = 'http://127.0.0.1:8069/demo';
    for (const erpCompanyId of [1, 2]) await create(odoo(organizationId, { baseUrl, erpCompanyId }));
    const request = businessCentralRequest(organizationId);
    await create(request);
    await create({ ...request, configJson: request.configJson.replace(guid(0xa), guid(0xb)) });
    const byDomain = { ...request, configJson: request.configJson.replace(guid(0xa), 'contoso.onmicrosoft.com') };
    await expect(create(byDomain)).rejects.toMatchObject({ kind: 'already_exists' });
  });

  test('tells that a company is connected also where the plan has no place left', async () => {
    const organizationId = newTenant();
    await create({ organizationId, connectionsLimit: 1 });
    await expect(create({ organizationId, connectionsLimit: 1 })).rejects.toMatchObject({ kind: 'already_exists' });
  });

  test('gives the place of a refused connection back', async () => {
    const organizationId = newTenant();
    await create({ organizationId, connectionsLimit: 2 });
    await expect(create({ organizationId, connectionsLimit: 2 })).rejects.toMatchObject({ kind: 'already_exists' });
    await create({ ...businessCentralRequest(organizationId, 2), connectionsLimit: 2 });
  });
});

describe('connections of an organization', () => {
  test('are listed newest first, by company, provider in both spellings, and status', async () => {
    const organizationId = newTenant();
    const first = await create({ organizationId });
    const second = await create({ ...businessCentralRequest(organizationId, 2), companyId: SECOND_COMPANY_ID });
    const third = await create(odoo(organizationId, { baseUrl: 'http://127.0.0.1:8069' }));
    await running.connections.deleteConnection({ organizationId, connectionId: first.connectionId }, caller);
    const idsOf = async (part: object) => (await list(organizationId, part)).connections.map((one) => one.connectionId);
    expect(await idsOf({})).toEqual([third.connectionId, second.connectionId, first.connectionId]);
    expect(await idsOf({ companyId: SECOND_COMPANY_ID })).toEqual([second.connectionId]);
    expect(await idsOf({ provider: 'ODOO' })).toEqual([third.connectionId]);
    expect(await idsOf({ provider: 'PROVIDER_B' })).toEqual([third.connectionId]);
    expect(await idsOf({ status: ConnectionStatus.DISABLED })).toEqual([first.connectionId]);
    const page = await list(organizationId, { pageSize: 2 });
    expect(page.connections).toHaveLength(2);
    expect(await idsOf({ pageSize: 2, pageToken: page.nextPageToken })).toEqual([first.connectionId]);
  });

  test('are not found by another organization, whatever is asked', async () => {
    const { connectionId } = await create({ organizationId: newTenant() });
    const organizationId = newTenant();
    const foreign = { organizationId, connectionId };
    const notFound = { kind: 'not_found', message: 'No such ERP connection.' };
    await expect(running.connections.getConnection(foreign, caller)).rejects.toMatchObject(notFound);
    await expect(
      running.connections.updateConnection({ ...foreign, isPaused: true, secretName: '' }, caller),
    ).rejects.toMatchObject(notFound);
    await expect(running.connections.testConnection(foreign, caller)).rejects.toMatchObject(notFound);
    await expect(running.connections.deleteConnection(foreign, caller)).rejects.toMatchObject(notFound);
    const unknown = { organizationId, connectionId: randomUUID() };
    await expect(running.connections.getConnection(unknown, caller)).rejects.toMatchObject(notFound);
    expect((await list(organizationId)).connections).toEqual([]);
  });

  test('are called by the names of their products where the installation says so', async () => {
    const replica = await running.startReplica({ ERP_PROVIDER_NAMES: 'products' });
    try {
      const organizationId = newTenant();
      const { connectionId } = await create({ organizationId });
      const { connection } = await replica.connections.getConnection({ organizationId, connectionId }, caller);
      expect(connection?.provider).toBe('BUSINESS_CENTRAL');
    } finally {
      await replica.stop();
    }
  });
});

describe('changing a connection', () => {
  const update = async (organizationId: string, connectionId: string, part: object) =>
    stated(
      (await running.connections.updateConnection({ organizationId, connectionId, secretName: '', ...part }, caller))
        .connection,
    );

  test('pauses and resumes it: a paused one is not due', async () => {
    const organizationId = newTenant();
    const { connectionId } = await create({ organizationId });
    expect(await update(organizationId, connectionId, { isPaused: true })).toMatchObject({
      isPaused: true,
      nextSyncTime: undefined,
      version: 2,
    });
    const resumed = await update(organizationId, connectionId, { isPaused: false });
    expect(resumed).toMatchObject({ isPaused: false, version: 3 });
    expect(resumed.nextSyncTime).toBeInstanceOf(Date);
  });

  test('takes new credentials, which make a connection in ERROR due again', async () => {
    const organizationId = newTenant();
    const { connectionId } = await create({ organizationId });
    await stored().updateOne({ _id: connectionId }, { $set: { status: 'ERROR' }, $unset: { nextSyncAt: '' } });
    const before = await stored().findOne({ _id: connectionId });
    const changed = await update(organizationId, connectionId, { secret: 'new', secretName: 'client_secret' });
    expect(changed.status).toBe(ConnectionStatus.ERROR);
    expect(changed.nextSyncTime).toBeInstanceOf(Date);
    const after = await stored().findOne({ _id: connectionId });
    expect(after?.credential?.sealed).not.toBe(before?.credential?.sealed);
    await expect(update(organizationId, connectionId, { secret: 'new', secretName: 'api_key' })).rejects.toMatchObject({
      kind: 'invalid',
    });
  });

  test('has bills read again from another day, but not while a run is on', async () => {
    const organizationId = newTenant();
    const { connectionId } = await create({ organizationId });
    const cursor = { cursor: '2026-03-01T00:00:00Z', succeededAt: new Date() };
    await stored().updateOne({ _id: connectionId }, { $set: { streams: { vendors: cursor, bills: cursor } } });
    await stored().updateOne({ _id: connectionId }, { $set: { runningRunId: randomUUID() } });
    await expect(update(organizationId, connectionId, { importFrom: '2025-01-01' })).rejects.toMatchObject({
      kind: 'in_progress',
    });
    await stored().updateOne({ _id: connectionId }, { $unset: { runningRunId: '' } });
    expect(await update(organizationId, connectionId, { importFrom: '2025-01-01' })).toMatchObject({
      importFrom: '2025-01-01',
      streamSuccessTimes: { vendors: cursor.succeededAt },
    });
    expect(Object.keys((await stored().findOne({ _id: connectionId }))?.streams ?? {})).toEqual(['vendors']);
  });

  test('is refused after its deletion', async () => {
    const organizationId = newTenant();
    const { connectionId } = await create({ organizationId });
    await running.connections.deleteConnection({ organizationId, connectionId }, caller);
    await expect(update(organizationId, connectionId, { isPaused: false })).rejects.toMatchObject({
      kind: 'wrong_state',
    });
  });
});

describe('deleting a connection', () => {
  test('removes its secret, keeps its record as DISABLED, ends its master, and succeeds again', async () => {
    const organizationId = newTenant();
    const { connectionId } = await create({ organizationId });
    const request = { organizationId, connectionId };
    await running.connections.deleteConnection(request, caller);
    await running.connections.deleteConnection(request, caller);
    expect(await read(organizationId, connectionId)).toMatchObject({
      status: ConnectionStatus.DISABLED,
      nextSyncTime: undefined,
    });
    const document = stated((await stored().findOne({ _id: connectionId })) ?? undefined);
    for (const field of ['credential', 'tokens', 'liveKey', 'nextSyncAt', 'leaseUntil', 'claim', 'endMasterSince']) {
      expect(document).not.toHaveProperty(field);
    }
    expect(running.analysis.endedMasters.filter((id) => id === connectionId)).toHaveLength(1);
    await eventually(() =>
      expect(
        announced.filter((event) => event.organizationId === organizationId && event.status === 'DISABLED'),
      ).toHaveLength(1),
    );
  });

  test('answers while analysis is unavailable, and ends the master when it is back', async () => {
    const organizationId = newTenant();
    const { connectionId } = await create({ organizationId });
    running.analysis.setAvailable(false);
    try {
      await running.connections.deleteConnection({ organizationId, connectionId }, caller);
      expect(await stored().countDocuments({ _id: connectionId, endMasterSince: { $exists: true } })).toBe(1);
    } finally {
      running.analysis.setAvailable(true);
    }
    // The sweep leaves recent deletions to the requests that began them.
    await stored().updateOne({ _id: connectionId }, { $set: { endMasterSince: new Date(0) } });
    await eventually(() => expect(running.analysis.endedMasters).toContain(connectionId));
    await eventually(async () =>
      expect(await stored().countDocuments({ _id: connectionId, endMasterSince: { $exists: true } })).toBe(0),
    );
  });
});
