import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportedMetrics } from '@invoicecontrol/testkit/exported-metrics';
import { count, record, startTelemetry } from './telemetry.js';
import { declarationOf, metrics, REQUEST_BUCKETS } from './telemetry/schema.js';
import type { MetricName, NameOf } from './telemetry/schema.js';

const { reader, histogram, value } = exportedMetrics();
let telemetry: { stop(): Promise<void> };

beforeAll(async () => {
  telemetry = await startTelemetry('scan', 'http://127.0.0.1:4318', { metricReaders: [reader], spanProcessors: [] });
});
afterAll(() => telemetry.stop());

const histograms = (Object.keys(metrics) as MetricName[]).filter(
  (name): name is NameOf<'histogram'> => declarationOf(name).instrument === 'histogram',
);

test.each(histograms)('%s is exported with the unit and the buckets of its declaration', async (name) => {
  const attributes = { name };
  record(name, 0.02, attributes as never);
  const { unit, buckets } = declarationOf(name);
  expect(await histogram(name, attributes)).toMatchObject({ unit, boundaries: buckets });
});

test.each([
  [0.004, 0.005],
  [0.02, 0.025],
  [0.3, 0.5],
  [4, 5],
  [9, 10],
])('a request of %d s falls into the bucket up to %d s', async (seconds, boundary) => {
  const attributes = { seconds: String(seconds) };
  record('http.server.request.duration', seconds, attributes as never);
  const exported = await histogram('http.server.request.duration', attributes);
  expect(REQUEST_BUCKETS[exported?.counts.indexOf(1) ?? -1]).toBe(boundary);
});

test('counters of the service start at zero for each of their values, and those of other services do not exist', async () => {
  expect(await value('invoicecontrol.scans', { outcome: 'withdrawn' })).toBe(0);
  expect(await value('invoicecontrol.scan.tries_failed', { reason: 'fault', set_aside: 'true' })).toBe(0);
  expect(await value('invoicecontrol.decisions', { decision: 'pass', source: 'api' })).toBeUndefined();
  count('invoicecontrol.scans', { outcome: 'withdrawn' });
  expect(await value('invoicecontrol.scans', { outcome: 'withdrawn' })).toBe(1);
});

test('the process shows its CPU time and memory', async () => {
  expect(await value('process.cpu.time', { 'cpu.mode': 'user' })).toBeGreaterThan(0);
  expect(await value('process.memory.usage')).toBeGreaterThan(1e6);
});
