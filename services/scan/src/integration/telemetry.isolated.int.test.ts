import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTelemetry } from '@invoicecontrol/runtime/telemetry';
import { exportedMetrics } from '@invoicecontrol/testkit/exported-metrics';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { startScan } from '../testing/running-scan.js';
import type { RunningScan } from '../testing/running-scan.js';
import { rowsWithIds } from '../testing/scanning.js';

const { reader, value, histogram } = exportedMetrics();
let telemetry: { stop(): Promise<void> };
let running: RunningScan;

beforeAll(async () => {
  telemetry = await startTelemetry('test', 'http://127.0.0.1:4318', { metricReaders: [reader], spanProcessors: [] });
  running = await startScan(startService, testInfrastructure(), testDatabaseName());
});
afterAll(async () => {
  await running.stop();
  await telemetry.stop();
});

test('scans are counted by how they ended, their rows by what became of them', async () => {
  const organizationId = running.organization.newTenant();
  await running.scans.create(organizationId, rowsWithIds('a', 'b'));
  await running.scans.create(organizationId, rowsWithIds('b', 'c'));
  await expect(running.scans.create(organizationId, rowsWithIds('a', 'c'))).rejects.toMatchObject({
    kind: 'already_exists',
  });
  expect(await value('invoicecontrol.scans', { outcome: 'completed' })).toBe(2);
  expect(await value('invoicecontrol.scans', { outcome: 'withdrawn' })).toBe(1);
  const durations = await histogram('invoicecontrol.scan.duration');
  expect(durations?.counts.reduce((all, one) => all + one, 0)).toBe(2);
  expect(await value('invoicecontrol.scan.rows', { result: 'analyzed' })).toBe(3);
  expect(await value('invoicecontrol.scan.rows', { result: 'skipped' })).toBe(1);
});
