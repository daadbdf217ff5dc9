import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { events } from '@invoicecontrol/contracts/events';
import { SECOND_COMPANY_ID } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { polishDayOf } from '../domain/preconditions.js';
import type { ConnectionDocument } from '../storage/connections.js';
import type { InboxDocument } from '../storage/inboxes.js';
import { caller, connectionRequest, startKsef, stated } from '../testing/running-ksef.js';
import type { RunningKsef } from '../testing/running-ksef.js';

let running: RunningKsef;
beforeAll(async () => {
  running = await startKsef(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    // No server listens at this address, because the tests in this file need no KSeF.
    env: { KSEF_TEST_URL: 'http://127.0.0.1:1', KSEF_DEMO_URL: 'http://127.0.0.1:1' },
  });
});
afterAll(() => running.stop());

const connections = () => running.mongo.db.collection<ConnectionDocument>('connections');
const inboxes = () => running.mongo.db.collection<InboxDocument>('inboxes');

async function connect(organizationId: string, more: object = {}): Promise<string> {
  const request = { ...connectionRequest(organizationId), ...more };
  const { connection } = await running.connections.saveConnection(request, caller);
  return stated(connection).connectionId;
}
const update = (organizationId: string, connectionId: string, enabled: boolean, fromDate?: string) =>
  running.inbox.updateInbox({ organizationId, connectionId, enabled, fromDate }, caller);
const shown = async (organizationId: string, connectionId: string) =>
  stated((await running.connections.getConnection({ organizationId, connectionId }, caller)).connection).inbox;

describe('an inbox', () => {
  test('is enabled from today in Poland, is shown with its connection, and announces itself once', async () => {
    const told: string[] = [];
    const subscription = running.bus.connection.subscribe(events.ksefInboxChanged.subject);
    void (async () => {
      for await (const message of subscription) told.push(Buffer.from(message.data).toString('utf8'));
    })();
    const organizationId = running.organization.newTenant();
    const connectionId = await connect(organizationId);
    expect(await shown(organizationId, connectionId)).toBeUndefined();
    const { connection } = await update(organizationId, connectionId, true);
    const inbox = {
      enabled: true,
      fromDate: polishDayOf(new Date()),
      receivedThroughTime: undefined,
      lastRunTime: undefined,
      lastErrorMessage:
        'The KSeF inbox receives no invoices while the connection status is PENDING. Test the connection.',
      invoicesReceived: 0,
      refused: [],
    };
    expect(connection?.inbox).toEqual(inbox);
    await update(organizationId, connectionId, true);
    expect(await shown(organizationId, connectionId)).toEqual(inbox);
    await update(organizationId, connectionId, false);
    await update(organizationId, connectionId, false);
    // The relay may publish an event again. The broker recognizes it by its id, and this subscription does not.
    const announced = (): Set<string> =>
      new Set(
        told
          .filter((text) => text.includes(connectionId))
          .map((text) => (JSON.parse(text) as { eventId: string }).eventId),
      );
    await eventually(() => expect([...announced()]).toHaveLength(2));
    subscription.unsubscribe();
  });

  test('is enabled once by parallel requests', async () => {
    const organizationId = running.organization.newTenant();
    const connectionId = await connect(organizationId);
    await Promise.all(Array.from({ length: 5 }, () => update(organizationId, connectionId, true, '2026-03-01')));
    expect((await shown(organizationId, connectionId))?.fromDate).toBe('2026-03-01');
    expect(await inboxes().countDocuments({ organizationId })).toBe(1);
  });

  test('begins on 1 February 2026 at the earliest and today at the latest, whether it is enabled or not', async () => {
    const organizationId = running.organization.newTenant();
    const connectionId = await connect(organizationId);
    for (const from of ['2026-01-31', '2999-01-01', '2026-02-30', 'yesterday']) {
      for (const enabled of [true, false]) {
        await expect(update(organizationId, connectionId, enabled, from)).rejects.toMatchObject({
          kind: 'invalid',
          details: [{ path: 'inbox.from' }],
        });
      }
    }
    await update(organizationId, connectionId, true, '2026-02-01');
  });

  test('of one environment at most is enabled in an organization, also of two that are enabled at once', async () => {
    const organizationId = running.organization.newTenant();
    const tests = [await connect(organizationId), await connect(organizationId, { companyId: SECOND_COMPANY_ID })];
    const demo = await connect(organizationId, { environment: Environment.DEMO });
    for (const connectionId of tests) await update(organizationId, connectionId, true);
    const refused = { kind: 'wrong_state', publicMessage: expect.stringContaining('Disable the inboxes of the TEST') };
    await expect(update(organizationId, demo, true)).rejects.toMatchObject(refused);
    await update(organizationId, stated(tests[0]), false);
    await expect(update(organizationId, demo, true)).rejects.toMatchObject(refused);
    await update(organizationId, stated(tests[1]), false);
    await update(organizationId, demo, true);

    const raced = running.organization.newTenant();
    const ids = [await connect(raced), await connect(raced, { environment: Environment.DEMO })];
    const results = await Promise.allSettled(ids.map((id) => update(raced, id, true)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await inboxes().countDocuments({ organizationId: raced, isEnabled: true })).toBe(1);
  });

  test('ends with its connection, without keys, and makes room for another environment', async () => {
    const organizationId = running.organization.newTenant();
    const connectionId = await connect(organizationId);
    const demo = await connect(organizationId, { environment: Environment.DEMO });
    await update(organizationId, connectionId, true);
    await running.connections.disableConnection({ organizationId, connectionId }, caller);
    expect((await shown(organizationId, connectionId))?.enabled).toBe(false);
    await expect(update(organizationId, connectionId, true)).rejects.toMatchObject({
      kind: 'wrong_state',
      publicMessage: expect.stringContaining('connection is disabled'),
    });
    await update(organizationId, connectionId, false);
    await update(organizationId, demo, true);
  });

  test('of another organization is not found', async () => {
    const connectionId = await connect(running.organization.newTenant());
    const organizationId = running.organization.newTenant();
    const missing = { kind: 'not_found' };
    await expect(update(organizationId, connectionId, true)).rejects.toMatchObject(missing);
    await expect(running.inbox.startInboxRuns({ organizationId, connectionId }, caller)).rejects.toMatchObject(missing);
    await expect(running.inbox.listInboxRuns({ organizationId, connectionId }, caller)).rejects.toMatchObject(missing);
  });
});

describe('runs', () => {
  test('are started of an enabled inbox whose connection is CONNECTED', async () => {
    const organizationId = running.organization.newTenant();
    const connectionId = await connect(organizationId);
    const start = () => running.inbox.startInboxRuns({ organizationId, connectionId }, caller);
    await expect(start()).rejects.toMatchObject({ kind: 'wrong_state', publicMessage: /not enabled/ });
    await update(organizationId, connectionId, true);
    await expect(start()).rejects.toMatchObject({ kind: 'wrong_state', publicMessage: /connection is PENDING/ });
    await connections().updateOne({ _id: connectionId, organizationId }, { $set: { status: 'CONNECTED' } });
    await start();
    const { runs } = await running.inbox.listInboxRuns({ organizationId, connectionId }, caller);
    expect(runs.length).toBeLessThanOrEqual(3);
  });

  test('that ended are listed newest first, the newest 100', async () => {
    const organizationId = running.organization.newTenant();
    const connectionId = await connect(organizationId);
    expect((await running.inbox.listInboxRuns({ organizationId, connectionId }, caller)).runs).toEqual([]);
    await update(organizationId, connectionId, true);
    await update(organizationId, connectionId, false);
    const runs = Array.from({ length: 101 }, (_, index) => ({
      id: randomUUID(),
      role: 'SUBJECT2' as const,
      trigger: 'SCHEDULE' as const,
      status: 'SUCCEEDED' as const,
      from: '2026-03-01T00:00:00Z',
      received: index,
      repeated: 0,
      refused: [],
      startedAt: new Date(index * 1_000),
    }));
    await inboxes().updateOne({ _id: connectionId, organizationId }, { $set: { runs } });
    const listed = (await running.inbox.listInboxRuns({ organizationId, connectionId }, caller)).runs;
    expect([listed.length, listed[0]?.received, listed.at(-1)?.received]).toEqual([100, 100, 1]);
  });
});
