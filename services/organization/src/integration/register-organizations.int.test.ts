import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { asKey, connect, testConfig } from '../testing/clients.js';
import { startFakeBilling } from '../testing/fake-billing.js';
import type { FakeBilling } from '../testing/fake-billing.js';

const infrastructure = testInfrastructure();
const databaseName = testDatabaseName();
const DAY_MS = 24 * 3_600_000;
const RETRY_MS = 5 * 60_000;
/** Number of organizations that the job under test reads in one page. */
const PAGE_SIZE = 100;
/** Milliseconds by which the service's clock is ahead of real time; it only goes forward. */
let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
let billing: FakeBilling;
let mongo: MongoConnection;

beforeAll(async () => {
  billing = await startFakeBilling();
  mongo = await connectMongo({ url: infrastructure.mongodbUrl, databaseName, appName: 'test' });
});
afterAll(async () => {
  await billing.stop(1_000);
  await mongo.db.dropDatabase();
  await mongo.close();
});

test('billing is told of every organization that is not deleted, at the first start and once a day, and again soon after a failure', async () => {
  const start = () =>
    startService(testConfig(infrastructure, databaseName, { BILLING_ADDRESS: billing.address }), {
      clock,
      jobPauseMsMax: 250,
    });
  const first = await start();
  const clients = connect(first.address);
  const created: string[] = [];
  for (let number = 0; number <= PAGE_SIZE; number++) {
    created.push((await clients.createTenant(`Acme ${number}`)).organizationId);
  }
  const [deleted = '', ...kept] = created;
  await clients.organization.deleteOrganization({ organizationId: deleted, confirmName: 'Acme 0' }, asKey('key'));
  clients.close();
  await first.stop();

  // Without the stored schedule, the database looks as if an earlier release without this job had written it.
  await mongo.db.collection('schedules').deleteMany({});
  billing.registered.length = 0;
  const second = await start();
  try {
    await eventually(() => expect(billing.registered.toSorted()).toEqual(kept.toSorted()));
    aheadMs += DAY_MS / 2;
    const schedules = mongo.db.collection<{ _id: string; dueAt: Date }>('schedules');
    const { dueAt } = (await schedules.findOne({ _id: 'register' })) ?? {};
    expect(dueAt?.getTime()).toBeGreaterThan(clock.now().getTime());
    expect(billing.registered).toHaveLength(kept.length);

    billing.setOutage(true);
    aheadMs += DAY_MS / 2;
    await eventually(async () => {
      const retry = await schedules.findOne({ _id: 'register' });
      expect(retry?.dueAt.getTime()).toBeLessThanOrEqual(clock.now().getTime() + RETRY_MS);
    });
    billing.setOutage(false);
    aheadMs += RETRY_MS;
    await eventually(() => expect(billing.registered).toHaveLength(2 * kept.length));
  } finally {
    await second.stop();
  }
});
