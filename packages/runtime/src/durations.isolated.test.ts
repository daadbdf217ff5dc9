import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { exportedMetrics } from '@invoicecontrol/testkit/exported-metrics';
import { measure, startTelemetry } from './telemetry.js';
import type { Duration } from './telemetry.js';

const { reader, histogram } = exportedMetrics();
let telemetry: { stop(): Promise<void> };

beforeAll(async () => {
  telemetry = await startTelemetry('test', 'http://127.0.0.1:4318', { metricReaders: [reader], spanProcessors: [] });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await telemetry.stop();
});

/** Records one measured piece of work with the given duration. */
function take(seconds: number, duration: Duration, name: string): void {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const measured = measure('internal', name, { duration });
  now.mockReturnValue(1_000 + seconds * 1_000);
  measured.end({ failed: false, attributes: { name } });
  now.mockRestore();
}

const ofCalls = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120];
const ofCommands = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

test.each<[Duration, readonly number[]]>([
  ['http.server.request.duration', ofCalls],
  ['rpc.server.call.duration', ofCalls],
  ['rpc.client.call.duration', ofCalls],
  ['messaging.client.operation.duration', ofCalls],
  ['messaging.process.duration', ofCalls],
  ['db.client.operation.duration', ofCommands],
])('%s is exported in seconds, with buckets that are made for seconds', async (name, boundaries) => {
  take(0.02, name, 'x');
  expect(await histogram(name, { name: 'x' })).toMatchObject({ unit: 's', boundaries });
});

test.each([
  [0.004, 0.005],
  [0.02, 0.025],
  [0.3, 0.5],
  [4, 5],
  [45, 60],
  [119, 120],
])('a request of %d s falls into the bucket up to %d s', async (seconds, boundary) => {
  const name = String(seconds);
  take(seconds, 'http.server.request.duration', name);
  const { boundaries, counts } = (await histogram('http.server.request.duration', { name })) ?? missing();
  expect(boundaries[counts.indexOf(1)]).toBe(boundary);
});

function missing(): never {
  throw new Error('nothing was exported');
}
