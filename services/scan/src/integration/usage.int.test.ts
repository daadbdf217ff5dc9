import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { usageCounters } from '@invoicecontrol/metering/usage';
import { usageMonth } from '@invoicecontrol/metering/usage-month';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { startFakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import type { FakeOrganization } from '@invoicecontrol/tenants/fake-organization';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { startService } from '../compose.js';
import { startFakeAnalysis } from '../testing/fake-analysis.js';
import type { FakeAnalysis } from '../testing/fake-analysis.js';
import { call, connect, rowsWithIds, testConfig, wireRow } from '../testing/scanning.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
/** The middle of a month, so that no test runs across the end of a month. */
const now = new Date('2026-03-15T12:00:00Z');
const clock = { now: () => new Date(now) };
let organization: FakeOrganization;
let analysis: FakeAnalysis;
let service: RunningService;
let mongo: MongoConnection;

beforeAll(async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  organization = await startFakeOrganization(logger);
  analysis = await startFakeAnalysis(logger);
  const others = { organization: organization.address, analysis: analysis.address };
  service = await startService(testConfig(infrastructure, databaseName, others), { clock, jobPauseMsMax: 250 });
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
});
afterAll(async () => {
  await service.stop();
  await analysis.stop(1_000);
  await organization.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
});

test('the counter of rows can be read, and is exact within five minutes of a crash that left it too high', async () => {
  const organizationId = organization.newTenant();
  const scans = connect(service.address);
  const channel = openTestChannel('scan', service.address);
  const used = async () =>
    (await client(UsageServiceDefinition, channel).getUsage({ organizationId }, call)).meters.map(
      ({ meter, used: rows }) => [meter, rows],
    );
  expect(await used()).toEqual([['scan_rows', 0]]);
  await scans.create(organizationId, rowsWithIds('a', 'a', 'b'));
  expect(await used()).toEqual([['scan_rows', 2]]);

  // Simulates a process that crashed between counting and storing.
  await usageCounters(mongo.db, clock).reserve(
    { organizationId, month: usageMonth(now), meter: 'scan_rows', amount: 98, at: new Date(now) },
    undefined,
  );
  const limited = { scanRowsPerMonthLimit: 100 };
  await expect(scans.create(organizationId, [wireRow()], limited)).rejects.toMatchObject({ kind: 'usage_exceeded' });
  // The clock moves in steps, because a usage counter check that runs during a step schedules the next check a minute
  // later.
  const latest = now.getTime() + 5 * 60_000;
  now.setMinutes(now.getMinutes() + 3);
  await eventually(async () => {
    now.setTime(Math.min(now.getTime() + 5_000, latest));
    expect(await used()).toEqual([['scan_rows', 2]]);
  });
  const { scan } = await scans.create(organizationId, [wireRow()], limited);
  expect(scan?.invoicesAnalyzed).toBe(1);
  scans.close();
  channel.close();
});
