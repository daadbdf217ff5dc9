import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { exportedMetrics } from '@invoicecontrol/testkit/exported-metrics';
import { exportedSpans } from '@invoicecontrol/testkit/exported-spans';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { connectMongo } from './mongo/connection.js';
import type { MongoConnection } from './mongo/connection.js';
import { measure, polled, startTelemetry } from './telemetry.js';
import { activeRequestId, activeTrace } from './trace-context.js';

const { reader, histogram } = exportedMetrics();
const exported = exportedSpans();
const databaseName = testDatabaseName();
let telemetry: { stop(): Promise<void> };
let mongo: MongoConnection;

beforeAll(async () => {
  telemetry = await startTelemetry('test', 'http://127.0.0.1:4318', {
    metricReaders: [reader],
    spanProcessors: [exported.processor],
  });
  mongo = await connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
});
afterEach(() => exported.clear());
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
  await telemetry.stop();
});

const notes = () => mongo.db.collection<{ _id: string; n: number }>('notes');

test('a poll that finds nothing has no span', async () => {
  await polled('job poll', {}, async () => {
    await notes().find().toArray();
    await notes().findOneAndUpdate({ _id: 'absent' }, { $set: { n: 1 } });
    await notes().updateOne({ _id: 'absent' }, { $set: { n: 1 } });
  });
  expect(exported.spans()).toEqual([]);
});

test('a poll that does something has a root span with what it did', async () => {
  await polled('job poll', { 'job.name': 'poll' }, async () => {
    await notes().find().toArray();
    await notes().insertOne({ _id: 'new', n: 0 });
    await notes().find().toArray();
  });
  const [insert, find, run] = exported.spans();
  expect([insert?.name, find?.name, run?.name]).toEqual(['insert notes', 'find notes', 'job poll']);
  expect(run?.parentSpanId).toBeUndefined();
  for (const span of [insert, find]) expect(span?.parentSpanId).toBe(run?.spanId);
});

test('a poll that fails has a span with the class of the error', async () => {
  const failing = polled('job poll', {}, () => Promise.reject(new RangeError('secret')));
  await expect(failing).rejects.toThrow('secret');
  expect(exported.spans()).toEqual([
    expect.objectContaining({ name: 'job poll', attributes: { 'error.type': 'RangeError' } }),
  ]);
});

test('entries of tracestate travel with the trace', () => {
  const headers = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'mesh=1,other=2',
  };
  const measured = measure('server', 'x', { parent: headers });
  expect(measured.headers.tracestate).toBe(headers.tracestate);
  expect(measured.headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
});

test('work of a caller that is not recorded has no span, passes on the trace and is measured', async () => {
  const headers = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    tracestate: 'mesh=1',
  };
  const measured = measure('server', 'x', {
    parent: headers,
    requestId: 'req-1',
    duration: 'rpc.server.call.duration',
  });
  expect(measured.headers).toEqual(headers);
  const within = measured.during(() => {
    const nested = measure('client', 'y', { parent: activeTrace() });
    nested.end({ failed: false, attributes: {} });
    return [nested.headers, activeRequestId()];
  });
  expect(within).toEqual([headers, 'req-1']);
  const attributes = { 'rpc.method': 'unrecorded' };
  measured.end({ failed: false, attributes: attributes as never });
  expect(exported.spans()).toEqual([]);
  expect((await histogram('rpc.server.call.duration', attributes))?.counts.filter((count) => count > 0)).toEqual([1]);
});

test('a stranger gets a link and not a place in the trace, whatever its flag says', () => {
  for (const flag of ['00', '01']) {
    const traceparent = `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flag}`;
    const measured = measure('server', 'edge', { stranger: { traceparent } });
    measured.end({ failed: false, attributes: {} });
    expect(measured.headers.traceparent).toMatch(/-01$/);
    expect(measured.headers.traceparent).not.toContain('0af7651916cd43dd8448eb211c80319c');
  }
  expect(exported.spans().map(({ linkedTraceIds }) => linkedTraceIds)).toEqual([
    ['0af7651916cd43dd8448eb211c80319c'],
    ['0af7651916cd43dd8448eb211c80319c'],
  ]);
});
