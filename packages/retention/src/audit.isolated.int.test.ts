import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { exportedMetrics } from '@invoicecontrol/testkit/exported-metrics';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import type { MongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { startTelemetry } from '@invoicecontrol/runtime/telemetry';
import { auditBuffer, AUDIT_LINES } from './audit.js';
import type { AuditBuffer } from './audit.js';
import { connectMongo, isMongoUnavailable } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { Announcing } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';

const LINES_MAX = 10_000;
const { reader, value } = exportedMetrics();
const databaseName = testDatabaseName();
const logged: string[] = [];
const logger = createLogger({ service: 'test', level: 'error', destination: { write: (line) => logged.push(line) } });
/** The outbox relay would publish the stored audit events. This test only checks that they are stored. */
const outbox: Outbox = { nudge: () => {}, idle: async () => {}, stop: async () => {} };
const context: RequestContext = { requestId: 'r', actor: { type: 'API_KEY', id: 'key' }, ip: '192.0.2.7' };

let telemetry: { stop(): Promise<void> };
let proxy: MongoProxy;
let behindProxy: MongoConnection;
let mongo: MongoConnection;
let buffer: AuditBuffer;

beforeAll(async () => {
  telemetry = await startTelemetry('test', 'http://127.0.0.1:4318', { metricReaders: [reader], spanProcessors: [] });
  const { mongodbUrl } = testInfrastructure();
  proxy = await startMongoProxy(mongodbUrl);
  behindProxy = await connectMongo({ url: proxy.url, databaseName, appName: 'test' });
  mongo = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
  const deps = { db: behindProxy.db, outbox, clock: systemClock, logger };
  buffer = await auditBuffer(events.analysisAuditRecorded, deps);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
  await behindProxy.close();
  await proxy.close();
  await telemetry.stop();
});

const stored = () => mongo.db.collection<Announcing>(AUDIT_LINES);
const read = (target: string) =>
  buffer.record('organization', context, { action: 'note.read', target, outcome: 'SUCCEEDED' });

test('keeps lines while the database is unavailable and stores each of them once when it is back', async () => {
  read('note:1');
  read('note:2');
  proxy.cut();
  const failure = await buffer.flush().catch((error: unknown) => error);
  expect(isMongoUnavailable(failure)).toBe(true);
  read('note:3');
  proxy.heal();
  await eventually(() => buffer.flush());
  await buffer.flush();
  const documents = await stored().find().toArray();
  const payloads = documents.flatMap(({ outbox: waiting = [] }) => waiting.map(({ payload }) => JSON.parse(payload)));
  expect(payloads).toHaveLength(3);
  expect(new Set(payloads.map(({ target }) => target))).toEqual(new Set(['note:1', 'note:2', 'note:3']));
  expect(payloads[0]).toMatchObject({
    eventTime: expect.any(String),
    organizationId: 'organization',
    actorType: 'API_KEY',
    actorId: 'key',
    action: 'note.read',
    outcome: 'SUCCEEDED',
    requestId: 'r',
    ip: '192.0.2.7',
  });
  expect(new Set(payloads.map(({ eventId }) => eventId)).size).toBe(3);
});

test('drops what does not fit, and says and counts how many', async () => {
  await stored().deleteMany({});
  for (let line = 0; line < LINES_MAX + 3; line++) read(`note:${line}`);
  await buffer.flush();
  expect(await stored().countDocuments({})).toBe(LINES_MAX);
  expect(await value('invoicecontrol.audit.lines_dropped', {}, 'analysis')).toBe(3);
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ dropped: 3, msg: 'audit lines were dropped: the buffer is full' }),
  ]);
  read('note:next');
  await buffer.flush();
  expect(await stored().countDocuments({})).toBe(LINES_MAX + 1);
});
