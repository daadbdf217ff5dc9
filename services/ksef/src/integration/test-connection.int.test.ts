import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { ConnectionStatus } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { testConnection } from '../application/connections/test-connection.js';
import { startService } from '../compose.js';
import { connectionStore } from '../storage/connections.js';
import type { ConnectionDocument } from '../storage/connections.js';
import { caller, connectionRequest, startKsef, stated } from '../testing/running-ksef.js';
import type { RunningKsef } from '../testing/running-ksef.js';
import { simulatorControl } from '../testing/simulator-control.js';

interface ControlAnswer {
  readonly id: string;
  readonly items: readonly { readonly hits: number }[];
}

let simulator: KsefSimulator;
const control = simulatorControl<ControlAnswer>(() => `${simulator.url}/test`);
let running: RunningKsef;
const failed: { eventId: string; connectionId: string; message: string }[] = [];
const audited: { action: string; target: string }[] = [];
const closeSubscriptions: (() => void)[] = [];
beforeAll(async () => {
  simulator = await startKsefSimulator();
  const url = `${simulator.url}/test/v2`;
  running = await startKsef(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: { KSEF_TEST_URL: url, KSEF_DEMO_URL: url, KSEF_PRODUCTION_URL: url, KSEF_WAIT_FACTOR: '0.001' },
  });
  const logger = createLogger({ service: 'test', level: 'silent' });
  closeSubscriptions.push(
    subscribeBroadcast(running.bus, [events.ksefConnectionFailed], (event) => void failed.push(event), logger).close,
    subscribeBroadcast(running.bus, [events.ksefAuditRecorded], (event) => void audited.push(event), logger).close,
  );
});
afterAll(async () => {
  for (const close of closeSubscriptions) close();
  await running.stop();
  await simulator.stop();
});

let nips = 1_000_000_000;
/** Creates a KSeF connection whose token KSeF knows. */
async function newConnection(permissions?: readonly string[]) {
  const organizationId = running.organization.newTenant();
  const contextNip = String(nips++);
  const ksefToken = `token-of-${contextNip}-${randomUUID()}`;
  const request = { ...connectionRequest(organizationId), contextNip, ksefToken };
  await control('PUT', `contexts/${contextNip}`, { tokens: [{ token: ksefToken, permissions }], limitFactor: 0 });
  const { connectionId } = stated((await running.connections.saveConnection(request, caller)).connection);
  return { organizationId, connectionId, contextNip, request };
}

const run = (of: { organizationId: string; connectionId: string }) =>
  running.connections.testConnection({ organizationId: of.organizationId, connectionId: of.connectionId }, caller);
const read = async ({ organizationId, connectionId }: { organizationId: string; connectionId: string }) =>
  stated((await running.connections.getConnection({ organizationId, connectionId }, caller)).connection);

test('a token that KSeF accepts makes the connection CONNECTED, and the test is in the audit trail', async () => {
  const connection = await newConnection();
  const { status, testedTime } = await run(connection);
  expect(status).toBe(ConnectionStatus.CONNECTED);
  expect(await read(connection)).toMatchObject({
    status: ConnectionStatus.CONNECTED,
    lastTestedTime: testedTime,
    lastErrorMessage: undefined,
  });
  await eventually(async () =>
    expect(audited).toContainEqual(
      expect.objectContaining({
        action: 'ksef_connection.tested',
        target: `ksef_connection:${connection.connectionId}`,
      }),
    ),
  );
});

test('a test shows the warnings of KSeF on the connection, without its token, until another token is stored', async () => {
  const connection = await newConnection();
  const { ksefToken } = connection.request;
  await control('PUT', 'settings', { systemWarning: `[sig-001]: Weak signature of ${ksefToken} | [api-2]: Soon.` });
  try {
    await run(connection);
    const { warnings } = await read(connection);
    expect(warnings).toEqual([
      { code: 'sig-001', message: 'Weak signature of …', time: expect.any(Date) },
      { code: 'api-2', message: 'Soon.', time: expect.any(Date) },
    ]);
    await run(connection);
    expect((await read(connection)).warnings).toHaveLength(2);
  } finally {
    await control('PUT', 'settings', { systemWarning: null });
  }
  await running.connections.saveConnection({ ...connection.request, ksefToken: `${ksefToken}-new` }, caller);
  expect((await read(connection)).warnings).toEqual([]);
});

test('a refused token makes it ERROR, says why, and is announced once', async () => {
  const connection = await newConnection();
  await control('PUT', `contexts/${connection.contextNip}`, { tokens: [], limitFactor: 0 });
  expect((await run(connection)).status).toBe(ConnectionStatus.ERROR);
  expect((await run(connection)).status).toBe(ConnectionStatus.ERROR);
  const { status, lastErrorMessage, lastTestedTime } = await read(connection);
  expect(status).toBe(ConnectionStatus.ERROR);
  expect(lastErrorMessage).toContain('KSeF does not accept the token');
  expect(lastErrorMessage).not.toContain(connection.contextNip);
  expect(lastTestedTime).toBeInstanceOf(Date);
  // Copies of one event have the same id and count once.
  const own = () =>
    new Set(failed.filter((event) => event.connectionId === connection.connectionId).map((event) => event.eventId));
  await eventually(async () => expect(own().size).toBe(1));
});

describe('the permissions of a token', () => {
  test('to view invoices alone make the connection CONNECTED, with a warning until it may issue invoices, too', async () => {
    const connection = await newConnection(['InvoiceRead']);
    expect((await run(connection)).status).toBe(ConnectionStatus.CONNECTED);
    const { lastErrorMessage, lastTestedTime, warnings } = await read(connection);
    expect({ lastErrorMessage, warnings }).toEqual({
      lastErrorMessage: undefined,
      warnings: [
        {
          code: 'INVOICE_WRITE_MISSING',
          message: expect.stringMatching(/^The token lacks .*InvoiceWrite.* Grant InvoiceWrite in KSeF.* test/),
          time: lastTestedTime,
        },
      ],
    });
    expect(failed.filter(({ connectionId }) => connectionId === connection.connectionId)).toEqual([]);
    await run(connection);
    expect((await read(connection)).warnings[0]?.time).toEqual(lastTestedTime);
    const { ksefToken: token } = connection.request;
    await control('PUT', `contexts/${connection.contextNip}`, { tokens: [{ token }], limitFactor: 0 });
    expect((await run(connection)).status).toBe(ConnectionStatus.CONNECTED);
    expect((await read(connection)).warnings).toEqual([]);
  });

  test('to issue invoices alone make the connection CONNECTED', async () => {
    const connection = await newConnection(['InvoiceWrite']);
    expect((await run(connection)).status).toBe(ConnectionStatus.CONNECTED);
    expect(await read(connection)).toMatchObject({ lastErrorMessage: undefined, warnings: [] });
  });

  test('for neither make the connection ERROR, and the message says which permissions to grant', async () => {
    const connection = await newConnection(['CredentialsRead']);
    expect((await run(connection)).status).toBe(ConnectionStatus.ERROR);
    const { lastErrorMessage } = await read(connection);
    expect(lastErrorMessage).toMatch(
      /^The token lacks the permissions to issue and to view invoices\. Grant InvoiceWrite .* InvoiceRead .*, or both\./,
    );
  });

  test('that KSeF does not state leave the status', async () => {
    const connection = await newConnection(['InvoiceRead']);
    const fault = { operation: 'S10', kind: 'STATUS', status: 503, times: 0, context: connection.contextNip };
    const { id } = await control('POST', 'faults', fault);
    await expect(run(connection)).rejects.toMatchObject({ kind: 'foreign_failure' });
    await control('DELETE', `faults/${id}`);
    expect((await read(connection)).status).toBe(ConnectionStatus.PENDING);
  });
});

test('no answer of KSeF leaves the status, and is kept as the last error', async () => {
  const connection = await newConnection();
  await run(connection);
  const { id } = await control('POST', 'faults', {
    operation: 'A2',
    kind: 'STATUS',
    status: 503,
    times: 0,
  });
  await expect(run(connection)).rejects.toMatchObject({ kind: 'foreign_failure' });
  await control('DELETE', `faults/${id}`);
  const after = await read(connection);
  expect(after.status).toBe(ConnectionStatus.CONNECTED);
  expect(after.lastErrorMessage).toContain('503');
});

test('a login that worked counts, whatever KSeF answers to its end', async () => {
  const connection = await newConnection();
  const { contextNip: context } = connection;
  for (const more of [{ status: 403, body: '' }, { status: 500 }, { status: 401, body: '' }]) {
    const { id } = await control('POST', 'faults', { operation: 'A7', kind: 'STATUS', times: 0, context, ...more });
    expect((await run(connection)).status).toBe(ConnectionStatus.CONNECTED);
    await control('DELETE', `faults/${id}`);
    expect(await read(connection)).toMatchObject({
      status: ConnectionStatus.CONNECTED,
      lastErrorMessage: undefined,
    });
  }
});

test('a token that is too long makes it ERROR', async () => {
  const connection = await newConnection();
  const request = { ...connection.request, ksefToken: 'x'.repeat(4_096) };
  await running.connections.saveConnection(request, caller);
  expect((await run(connection)).status).toBe(ConnectionStatus.ERROR);
  expect((await read(connection)).lastErrorMessage).toContain('too long');
});

test('a token that was replaced during the test is not judged by it', async () => {
  const connection = await newConnection();
  const { id } = await control('POST', 'faults', { operation: 'A3', kind: 'HOLD', context: connection.contextNip });
  const testing = run(connection).then(
    () => 'answered',
    (error: unknown) => error,
  );
  await eventually(async () => expect((await control('GET', 'faults')).items[0]).toMatchObject({ hits: 1 }));
  const request = { ...connection.request, ksefToken: `${connection.request.ksefToken}-new` };
  await running.connections.saveConnection(request, caller);
  await control('DELETE', `faults/${id}`);
  expect(await testing).toMatchObject({ kind: 'wrong_state' });
  expect(await read(connection)).toMatchObject({ status: ConnectionStatus.PENDING, lastTestedTime: undefined });
});

test('a disabled connection is not tested, and that of another organization is not found', async () => {
  const connection = await newConnection();
  const organizationId = running.organization.newTenant();
  await expect(run({ ...connection, organizationId })).rejects.toMatchObject({ kind: 'not_found' });
  await running.connections.disableConnection(
    { organizationId: connection.organizationId, connectionId: connection.connectionId },
    caller,
  );
  await expect(run(connection)).rejects.toMatchObject({ kind: 'wrong_state' });
});

/**
 * Creates a tester with real storage and `ksefTest` in place of KSeF. It calls `onRead` when a caller has read the KSeF
 * connection.
 */
function tester(ksefTest: (secret: string) => Promise<void>, testMsMax = 2_000, onRead = () => {}) {
  const outbox = { nudge: () => {} } as unknown as Parameters<typeof connectionStore>[1];
  const connections = connectionStore(
    running.mongo.db.collection<ConnectionDocument>('connections'),
    outbox,
    systemClock,
  );
  const test = testConnection({
    connections,
    submissions: { wake: () => Promise.resolve() },
    secrets: {
      open(_owner, { sealed }) {
        onRead();
        return sealed;
      },
    },
    ksef: {
      async test({ secret }) {
        await ksefTest(secret);
        return { isReadOnly: false };
      },
    },
    testMsMax,
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  return ({ organizationId, connectionId }: { organizationId: string; connectionId: string }) =>
    test(organizationId, connectionId, caller.context);
}

test('callers that come while a test runs share its answer', async () => {
  const connection = await newConnection();
  let tests = 0;
  let reads = 0;
  let finish = (): void => {};
  const held = new Promise<void>((resolve) => (finish = resolve));
  const runTest = tester(
    () => {
      tests++;
      return held;
    },
    20_000,
    () => reads++,
  );
  const calls = Array.from({ length: 10 }, () => runTest(connection));
  // In this test, ten callers have read the KSeF connection. Each of them joins the running test in the same turn of
  // the event loop.
  await eventually(() => expect(reads).toBe(10));
  finish();
  const results = await Promise.all(calls);
  expect(new Set(results.map(({ testedAt }) => testedAt.getTime())).size).toBe(1);
  expect(tests).toBe(1);
});

describe('a test that KSeF does not end in time', () => {
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'answered',
      (error: unknown) => error,
    );

  test('is answered as such, and the next caller joins it instead of beginning a second one', async () => {
    const connection = await newConnection();
    let tests = 0;
    let finish = (): void => {};
    const testing = new Promise<void>((resolve) => (finish = resolve));
    let reads = 0;
    const runTest = tester(
      () => {
        tests++;
        return testing;
      },
      2_000,
      () => reads++,
    );
    expect(await failure(runTest(connection))).toMatchObject({ kind: 'foreign_failure' });
    expect(await read(connection)).toMatchObject({
      status: ConnectionStatus.PENDING,
      lastTestedTime: expect.any(Date),
      lastErrorMessage: expect.stringContaining('in time'),
    });
    const second = runTest(connection);
    await eventually(() => expect(reads).toBe(2));
    finish();
    expect(await second).toMatchObject({ status: 'CONNECTED' });
    expect(tests).toBe(1);
    await runTest(connection);
    expect(tests).toBe(2);
  });

  test('says nothing about a token that was stored in the meantime, even the same one; that is tested afterwards', async () => {
    const connection = await newConnection();
    let underWay = 0;
    let atOnce = 0;
    let finish = (): void => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    const runTest = tester(async () => {
      atOnce = Math.max(atOnce, ++underWay);
      await held;
      underWay--;
    }, 20_000);
    const first = failure(runTest(connection));
    await eventually(() => expect(underWay).toBe(1));
    await running.connections.saveConnection(connection.request, caller);
    const second = failure(runTest(connection));
    finish();
    expect(await first).toMatchObject({ kind: 'wrong_state' });
    expect(await second).toBe('answered');
    expect(atOnce).toBe(1);
    expect((await read(connection)).status).toBe(ConnectionStatus.CONNECTED);
  });
});
