import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import type { Outbox } from '@invoicecontrol/runtime/mongo/outbox';
import { usageNoticeCollection, usageNotices } from './usage-notices.js';
import { usageCounters } from './usage.js';
import type { UsageMark } from './usage-counter.js';

const now = new Date('2026-03-10T12:00:00Z');
const clock = { now: () => now };
const logger = createLogger({ service: 'test', level: 'silent' });
/** The outbox relay would publish the stored notices. This test only checks that they are stored. */
const outbox: Outbox = { nudge: () => {}, idle: async () => {}, stop: async () => {} };

let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** Starts usage counters as a separate process would. */
async function startCounters() {
  return usageCounters(
    mongo.db,
    clock,
    await usageNotices(events.analysisUsageReached, { db: mongo.db, outbox, clock, logger }),
  );
}

const mark = (organizationId: string, amount = 1): UsageMark => ({
  organizationId,
  month: '2026-03',
  meter: 'analyses',
  amount,
  at: now,
});

async function told(organizationId: string): Promise<string[]> {
  const found = await usageNoticeCollection(mongo.db).find({ organizationId }).toArray();
  return found.map(({ _id }) => _id.split(':').at(-1) ?? '').toSorted();
}

test('tells each step once, however many processes count', async () => {
  const [first, second] = [await startCounters(), await startCounters()];
  for (let at = 0; at < 7; at++) await first.reserve(mark('both'), 10);
  expect(await told('both')).toEqual([]);
  await first.reserve(mark('both'), 10);
  await second.reserve(mark('both'), 10);
  await eventually(async () => expect(await told('both')).toEqual(['80']));
  await second.reserve(mark('both'), 10);
  await expect(first.reserve(mark('both'), 10)).rejects.toMatchObject({ kind: 'usage_exceeded' });
  await eventually(async () => expect(await told('both')).toEqual(['100', '80']));
  const events_ = await usageNoticeCollection(mongo.db).find({ organizationId: 'both' }).toArray();
  expect(events_.map(({ outbox: waiting }) => waiting?.length)).toEqual([1, 1]);
});

test('a refusal tells what a crash before kept from being told', async () => {
  const silent = usageCounters(mongo.db, clock);
  await silent.reserve(mark('crashed', 10), 10);
  expect(await told('crashed')).toEqual([]);
  await expect((await startCounters()).reserve(mark('crashed'), 10)).rejects.toMatchObject({ kind: 'usage_exceeded' });
  await eventually(async () => expect(await told('crashed')).toEqual(['100']));
});
