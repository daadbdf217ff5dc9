import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { HealthCheckResponse_ServingStatus, HealthDefinition } from '@invoicecontrol/contracts/grpc/health';
import { AuditServiceDefinition } from '@invoicecontrol/contracts/organization/v1/audit_service';
import type { ListAuditEventsResponse } from '@invoicecontrol/contracts/organization/v1/audit_service';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import { Client, credentials } from '@grpc/grpc-js';
import { MongoClient, MongoNetworkTimeoutError } from 'mongodb';
import { z } from 'zod';
import { openTestChannel, testIdentityDirectory } from './testing/test-identities.js';
import { serviceSettings } from './config.js';
import { client } from './grpc/client.js';
import { bind } from './grpc/server.js';
import type { Binding } from './grpc/server.js';
import { createLogger } from './logger.js';
import { connectMongo } from './mongo/connection.js';
import { announce, envelopes } from './mongo/event-envelope.js';
import type { Announcing } from './mongo/event-envelope.js';
import { indexBuilds } from './mongo/index-builds.js';
import type { Bus } from './nats/connection.js';
import { eventPublisher } from './nats/publish.js';
import type { RunningService } from './process.js';
import type { RequestContext } from './request-context.js';
import { handler, startServiceShell } from './service-shell.js';
import type { Connections, ServiceParts } from './service-shell.js';

const schema = z.object(serviceSettings('test'));
/** Timeout for calls that must not hang. Correct calls take far less time, even on a slow machine. */
const TIMEOUT_MS = 60_000;
const databaseName = testDatabaseName();
const otherDatabaseName = testDatabaseName();
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  lines.length = 0;
});
afterAll(async () => {
  const { mongodbUrl } = testInfrastructure();
  for (const name of [databaseName, otherDatabaseName]) {
    const mongo = await connectMongo({ url: mongodbUrl, databaseName: name, appName: 'test' });
    await mongo.db.dropDatabase();
    await mongo.close();
  }
});

interface Trial {
  readonly compose: (connections: Connections) => Promise<ServiceParts>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly callsEndMsMax?: number;
  readonly startMsMax?: number;
}

async function start({
  compose,
  settings = {},
  callsEndMsMax = TIMEOUT_MS,
  startMsMax = TIMEOUT_MS,
}: Trial): Promise<RunningService> {
  const { mongodbUrl, natsUrl } = testInfrastructure();
  const common = {
    GRPC_PORT: '0',
    HEALTH_PORT: '0',
    TLS_DIR: testIdentityDirectory('test'),
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    DATABASE_NAME: databaseName,
  };
  const config = schema.parse({ ...common, ...settings });
  const service = await startServiceShell(
    { name: 'test', schema, config, callsEndMsMax, compose },
    { logger, startMsMax },
  );
  closing.push(() => service.stop());
  return service;
}

const nothing: ListAuditEventsResponse = { auditEvents: [], nextPageToken: '' };

function audit(listAuditEvents: () => Promise<ListAuditEventsResponse> = async () => nothing): Binding {
  return bind(AuditServiceDefinition, { listAuditEvents });
}

const context: RequestContext = { requestId: 'request', actor: { type: 'API_KEY', id: 'key' } };
const { check } = HealthDefinition.methods;

/** Creates a client of the running service, as other services use it. */
function connect({ address }: Pick<RunningService, 'address'>) {
  const channel = openTestChannel('test', address);
  closing.push(() => channel.close());
  const health = client({ fullName: HealthDefinition.fullName, methods: { check } }, channel);
  const auditClient = client(AuditServiceDefinition, channel);
  const request = { organizationId: 'o', pageSize: 1, pageToken: '', createdFromTime: undefined };
  return {
    call: () =>
      auditClient.listAuditEvents({ ...request, createdToTime: undefined }, { context, timeoutMs: TIMEOUT_MS }),
    async isServing(service: '' | 'ready') {
      const { status } = await health.check({ service }, { context });
      return status === HealthCheckResponse_ServingStatus.SERVING;
    },
  };
}

/** Asks the port for probes as Kubernetes does, without TLS. */
async function probe(port: number, service: '' | 'ready'): Promise<string> {
  const caller = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const { requestType, responseType } = check;
  try {
    return await new Promise<string>((resolve, reject) => {
      caller.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => responseType.decode(bytes),
        Buffer.from(requestType.encode({ service }).finish()),
        (error, answer) => {
          if (error === null && answer !== undefined)
            resolve(answer.status === HealthCheckResponse_ServingStatus.SERVING ? 'SERVING' : 'NOT_SERVING');
          else reject(error as Error);
        },
      );
    });
  } finally {
    caller.close();
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Returns a promise on which the test waits, and the function that resolves it. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** Publishes an event that only this test file consumes. */
async function publish(bus: Bus, version: number): Promise<void> {
  const aggregate = { id: databaseName, organizationId: databaseName, version };
  const [event] = envelopes(aggregate, [announce(events.organizationRestored, { version })], new Date());
  if (event === undefined) throw new Error('no event');
  const publisher = await eventPublisher(bus, 'organization');
  // If the broker responds too late, it may have stored the event although the call failed. Publishing again is safe,
  // because the broker stores an event id only once.
  await eventually(() => publisher.publish(event));
}

test('calls end before jobs, jobs before handlers, then what was opened last; database and broker answer until the end', async () => {
  const ended: string[] = [];
  const connections: Connections[] = [];
  const [called, handling, working, callMayEnd, jobEnded] = [gate(), gate(), gate(), gate(), gate()];
  const service = await start({
    async compose(given) {
      connections.push(given);
      const end = async (name: string): Promise<void> => {
        await Promise.all([given.db.command({ ping: 1 }), given.bus.ping()]);
        ended.push(name);
      };
      given.onStop('opened first', () => end('opened first'));
      given.onStop('opened last', () => end('opened last'));
      const rpcs = audit(async () => {
        called.open();
        await callMayEnd.opened;
        await end('call');
        return nothing;
      });
      const restored = handler(events.organizationRestored, async ({ organizationId }) => {
        if (organizationId !== databaseName) return;
        handling.open();
        // The wait has a timeout, so that a wrong order fails instead of waiting forever.
        await Promise.race([jobEnded.opened, delay(TIMEOUT_MS, undefined, { ref: false })]);
        await end('handler');
      });
      const work = async (signal: AbortSignal): Promise<void> => {
        working.open();
        await once(signal, 'abort');
        await end('job');
        jobEnded.open();
      };
      return {
        rpcGroups: [rpcs],
        tenantData: [],
        eventHandlers: [restored],
        jobs: [{ name: 'work', pauseMs: 1, run: work }],
      };
    },
  });
  const [{ db, bus }] = connections as [Connections];
  await publish(bus, 1);
  const answer = connect(service).call();
  await Promise.all([called.opened, handling.opened, working.opened]);

  const stopped = service.stop();
  const { isServing } = connect(service);
  await eventually(() => expect(isServing('')).rejects.toMatchObject({ kind: 'unavailable' }));
  expect(ended).toEqual([]);
  callMayEnd.open();
  expect(await answer).toEqual(nothing);
  await stopped;
  expect(ended).toEqual(['call', 'job', 'handler', 'opened last', 'opened first']);
  await expect(db.command({ ping: 1 })).rejects.toThrow(/connected/);
  expect(bus.connection.isClosed()).toBe(true);
});

test('a stopping service says that it is not ready and goes on taking calls for the drain delay', async () => {
  // If the machine was stopped until the delay was over, the attempt has shown nothing. The next delay is twice as
  // long.
  for (let seconds = 1; ; seconds *= 2) {
    const settings = { DRAIN_DELAY_SECONDS: String(seconds) };
    const service = await start({ settings, compose: async () => ({ rpcGroups: [audit()], tenantData: [] }) });
    const caller = connect(service);
    await eventually(async () => expect(await caller.isServing('ready')).toBe(true));
    const stoppingAt = performance.now();
    const stopped = service.stop();
    const answers = await Promise.allSettled([caller.isServing('ready'), caller.isServing(''), caller.call()]);
    const isWithinDelay = performance.now() - stoppingAt < seconds * 1_000;
    await stopped;
    await expect(caller.call()).rejects.toMatchObject({ kind: 'unavailable' });
    if (!isWithinDelay) continue;
    expect(answers).toEqual([false, true, nothing].map((value) => ({ status: 'fulfilled', value })));
    return;
  }
});

test('a call that does not end in time does not keep the service from stopping', async () => {
  const called = gate();
  const stuck = (): Promise<never> => {
    called.open();
    return new Promise(() => {});
  };
  const service = await start({
    callsEndMsMax: 50,
    compose: async () => ({ rpcGroups: [audit(stuck)], tenantData: [] }),
  });
  const answer = connect(service).call();
  await Promise.all([
    expect(answer).rejects.toMatchObject({ kind: 'unavailable' }),
    called.opened.then(() => service.stop()),
  ]);
});

test('a service is ready and answers calls while the broker does not respond', async () => {
  const { hostname, port } = new URL(testInfrastructure().natsUrl);
  const proxy = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  closing.push(() => proxy.close());
  const service = await start({
    settings: { NATS_URL: `tls://127.0.0.1:${proxy.port}` },
    compose: async () => ({ rpcGroups: [audit()], tenantData: [] }),
  });
  proxy.stall();
  const caller = connect(service);
  await eventually(async () => expect(await caller.isServing('ready')).toBe(true), { timeoutMs: 10_000 });
  expect(await caller.call()).toEqual(nothing);
  proxy.heal();
});

test('a service is alive while the database does not answer, and ready only when it does', async () => {
  const { hostname, port } = new URL(testInfrastructure().mongodbUrl);
  const proxy = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  closing.push(() => proxy.close());
  const service = await start({
    settings: {
      MONGODB_URL: Object.assign(new URL(testInfrastructure().mongodbUrl), { port: String(proxy.port) }).href,
    },
    compose: async () => ({ rpcGroups: [audit()], tenantData: [] }),
  });
  proxy.stall();
  const caller = connect(service);
  await eventually(async () => expect(await caller.isServing('ready')).toBe(false));
  expect(await caller.isServing('')).toBe(true);
  proxy.heal();
  await eventually(async () => expect(await caller.isServing('ready')).toBe(true));
});

test('a service starts and is ready without the broker, and publishes and handles events as soon as the broker is available', async () => {
  const { hostname, port } = new URL(testInfrastructure().natsUrl);
  const proxy = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  closing.push(() => proxy.close());
  proxy.cut();
  const organizationId = randomUUID();
  const type = {
    ...events.organizationRestored,
    service: 'test',
    stream: 'INVOICECONTROL_TEST',
    subject: `invoicecontrol.test.v1.organization_restored_${organizationId.slice(0, 8)}`,
  };
  const handled: number[] = [];
  const stored: string[] = [];
  const service = await start({
    settings: { NATS_URL: `tls://127.0.0.1:${proxy.port}` },
    async compose({ db, openOutbox, onStop }) {
      const documents = db.collection<Announcing>('started_without_broker');
      const outbox = await openOutbox([documents.collectionName]);
      const document = { id: organizationId, organizationId, version: 1 };
      const pending = envelopes(document, [announce(type, { version: 1 })], new Date());
      await documents.insertOne({ _id: organizationId, version: 1, outbox: pending, outboxPending: true });
      outbox.nudge(documents.collectionName, { id: organizationId, version: 1, events: pending });
      onStop('outbox of the test', async () => {
        await outbox.idle();
        const { outbox: left = [] } = (await documents.findOne({ _id: organizationId })) ?? {};
        stored.push(...left.map(({ id }) => id));
      });
      const restored = handler(type, async ({ version }) => void handled.push(version));
      return { rpcGroups: [audit()], tenantData: [], eventHandlers: [restored] };
    },
  });
  const caller = connect(service);
  await eventually(async () => expect(await caller.isServing('ready')).toBe(true));
  expect(await caller.call()).toEqual(nothing);
  expect(handled).toEqual([]);
  expect(lines.some((line) => line.includes('the broker is unavailable; starting without it'))).toBe(true);
  proxy.heal();
  await eventually(() => expect(handled).toEqual([1]));
  await service.stop();
  expect(stored).toEqual([]);
});

test('a service that never reached the broker stops at once', async () => {
  const service = await start({
    settings: { NATS_URL: `tls://127.0.0.1:${await freePort()}` },
    async compose({ openOutbox }) {
      await openOutbox(['started_without_broker']);
      const restored = handler(events.organizationRestored, async () => {});
      return { rpcGroups: [audit()], tenantData: [], eventHandlers: [restored] };
    },
  });
  expect(await connect(service).call()).toEqual(nothing);
  await service.stop();
  expect(lines.filter((line) => /"level":50/.test(line))).toEqual([]);
});

test('a service waits for a database that starts late, and reopens what it had opened before', async () => {
  const { hostname, port } = new URL(testInfrastructure().mongodbUrl);
  const proxy = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
  closing.push(() => proxy.close());
  proxy.cut();
  const opened: string[] = [];
  const starting = start({
    settings: {
      MONGODB_URL: Object.assign(new URL(testInfrastructure().mongodbUrl), { port: String(proxy.port) }).href,
    },
    async compose({ db, onStop }) {
      onStop('something', () => void opened.pop());
      opened.push('something');
      if (lines.filter((line) => line.includes('unavailable at startup')).length === 1) proxy.cut();
      await db.command({ ping: 1 });
      return { rpcGroups: [audit()], tenantData: [] };
    },
  });
  starting.catch(() => {});
  for (const times of [1, 2]) {
    await eventually(() => expect(lines.filter((line) => line.includes('unavailable at startup'))).toHaveLength(times));
    proxy.heal();
  }
  expect(await connect(await starting).call()).toEqual(nothing);
  expect(opened).toEqual(['something']);
});

test('a service whose start meets a long index build waits for it, answers that it is alive, and says what is built', async () => {
  const { mongodbUrl } = testInfrastructure();
  const databaseName = testDatabaseName();
  const operator = new MongoClient(mongodbUrl);
  closing.push(() => operator.close());
  const large = operator.db(databaseName).collection('large');
  closing.push(async () => void (await operator.db(databaseName).dropDatabase()));
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, field) => [`field${field}`, field]));
  for (let batch = 0; batch < 8; batch += 1) {
    await large.insertMany(Array.from({ length: 250 }, () => ({ ...fields })));
  }
  const findBuilds = () => indexBuilds(operator.db(databaseName));
  const building = large.createIndexes([{ key: { '$**': 1 }, name: 'everything' }]);
  await eventually(async () => expect(await findBuilds()).toEqual(['large.everything']));
  // An index build cannot end while a transaction uses the collection, so the test decides how long the build lasts.
  const reader = operator.startSession();
  closing.push(() => reader.endSession());
  reader.startTransaction();
  await large.findOne({}, { session: reader });
  expect(await findBuilds()).toEqual(['large.everything']);
  let mayEnd = false;
  const port = await freePort();
  const starting = start({
    settings: { DATABASE_NAME: databaseName, HEALTH_PORT: String(port) },
    startMsMax: 1,
    async compose() {
      // Error of the driver for a command that takes longer than 30 seconds.
      if (!mayEnd) throw new MongoNetworkTimeoutError('connection timed out');
      await reader.abortTransaction();
      await building;
      return { rpcGroups: [audit()], tenantData: [] };
    },
  });
  starting.catch(() => {});
  await eventually(() => expect(lines.join()).toContain('"indexes":["large.everything"]'));
  await eventually(async () => expect(await probe(port, '')).toBe('SERVING'));
  expect(await probe(port, 'ready')).toBe('NOT_SERVING');
  mayEnd = true;
  expect(await connect(await starting).call()).toEqual(nothing);
  await eventually(async () => expect(await probe(port, 'ready')).toBe('SERVING'));
  expect(await findBuilds()).toEqual([]);
});

test('a service gives up when its database stays unavailable, and says why', async () => {
  const settings = { MONGODB_URL: 'mongodb://127.0.0.1:1/?directConnection=true' };
  const starting = start({ settings, startMsMax: 1, compose: async () => ({ rpcGroups: [], tenantData: [] }) });
  await expect(starting).rejects.toThrow('ECONNREFUSED');
});

test('a service without the files of its identity, or with those of another service, does not start', async () => {
  const compose = async (): Promise<ServiceParts> => ({ rpcGroups: [audit()], tenantData: [] });
  expect(() => schema.parse({ MONGODB_URL: '', NATS_URL: '' })).toThrow('TLS_DIR');
  const missing = start({ settings: { TLS_DIR: '/nowhere' }, compose });
  await expect(missing).rejects.toThrow('TLS_DIR is /nowhere, which must contain tls.crt, tls.key and ca.crt');
  const ofAnother = start({ settings: { TLS_DIR: testIdentityDirectory('scan') }, compose });
  await expect(ofAnother).rejects.toThrow('tls.crt names scan and not test');
  const elsewhere = start({ settings: { TRUST_DOMAIN: 'elsewhere.example' }, compose });
  await expect(elsewhere).rejects.toThrow('is not of elsewhere.example');
});

test('a start that fails halfway closes what was opened and gives its reason', async () => {
  const closed: string[] = [];
  const connections: Connections[] = [];
  const starting = start({
    async compose(given) {
      connections.push(given);
      given.onStop('first', () => void closed.push('first'));
      given.onStop('last', () => void closed.push('last'));
      throw new Error('an index cannot be built');
    },
  });
  await expect(starting).rejects.toThrow('an index cannot be built');
  expect(closed).toEqual(['last', 'first']);
  await expect(connections[0]?.db.command({ ping: 1 })).rejects.toThrow(/connected/);
  expect(connections[0]?.bus.connection.isClosed()).toBe(true);
});

test('a start on a port in use ends the jobs and handlers that already run', async () => {
  const { address } = await start({ compose: async () => ({ rpcGroups: [], tenantData: [] }) });
  const connections: Connections[] = [];
  let runs = 0;
  let seen = 0;
  const starting = start({
    settings: { GRPC_PORT: address.split(':')[1] ?? '', DATABASE_NAME: otherDatabaseName },
    async compose(given) {
      connections.push(given);
      return {
        rpcGroups: [],
        tenantData: [],
        eventHandlers: [handler(events.organizationRestored, async () => void seen++)],
        jobs: [{ name: 'work', pauseMs: 0, run: async () => runs++ }],
      };
    },
  });
  await expect(starting).rejects.toThrow(`Cannot listen on ${address}`);
  const before = { runs, seen };
  expect(connections[0]?.bus.connection.isClosed()).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect({ runs, seen }).toEqual(before);
});

test('a job that failed is named in the log and runs again', async () => {
  let runs = 0;
  const run = async (): Promise<void> => {
    if (++runs === 1) throw new Error('not yet');
  };
  await start({ compose: async () => ({ rpcGroups: [], tenantData: [], jobs: [{ name: 'sweep', pauseMs: 1, run }] }) });
  await eventually(() => expect(runs).toBeGreaterThan(1));
  const failures = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a job failed');
  expect(failures).toEqual([expect.objectContaining({ job: 'sweep' })]);
});

test('two systems on one broker do not take events from each other', async () => {
  const buses: Bus[] = [];
  const seen = new Set<string>();
  for (const name of [databaseName, otherDatabaseName]) {
    await start({
      settings: { DATABASE_NAME: name },
      async compose({ bus }) {
        buses.push(bus);
        const restored = handler(events.organizationRestored, async ({ organizationId, version }) => {
          if (organizationId === databaseName && version === 2) seen.add(name);
        });
        return { rpcGroups: [], tenantData: [], eventHandlers: [restored] };
      },
    });
  }
  const [bus] = buses as [Bus];
  await publish(bus, 2);
  await eventually(() => expect(seen).toEqual(new Set([databaseName, otherDatabaseName])));
});
