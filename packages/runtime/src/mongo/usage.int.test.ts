import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { usageCounters, usageMonth } from './usage.js';
import type { UsageCounters } from './usage.js';

let mongo: MongoConnection;
let usage: UsageCounters;
const mark = (organizationId: string, amount = 1) => ({ organizationId, month: '2026-03', meter: 'analyses', amount });

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  usage = usageCounters(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

test('of a hundred at once, as many pass as the limit has left, not one more', async () => {
  await usage.reserve(mark('race', 57), 60);
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => usage.reserve(mark('race'), 60)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(await usage.used(mark('race'))).toBe(60);
});

test('the last unit passes and the one after it is refused', async () => {
  await usage.reserve(mark('edge', 9), 10);
  await usage.reserve(mark('edge'), 10);
  await expect(usage.reserve(mark('edge'), 10)).rejects.toMatchObject({ kind: 'usage_exceeded' });
});

test('what does not fit is refused whole', async () => {
  await usage.reserve(mark('whole', 6), 10);
  await expect(usage.reserve(mark('whole', 5), 10)).rejects.toMatchObject({ kind: 'usage_exceeded' });
  expect(await usage.used(mark('whole'))).toBe(6);
});

test('what is given back can be used again, and other organizations have counters of their own', async () => {
  await usage.reserve(mark('back', 10), 10);
  await usage.giveBack(mark('back'));
  await usage.reserve(mark('back'), 10);
  await usage.reserve(mark('other', 10), 10);
  expect(await usage.used(mark('back'))).toBe(10);
});

test('without a limit everything is counted and nothing refused', async () => {
  await Promise.all(Array.from({ length: 20 }, () => usage.reserve(mark('free', 1_000), undefined)));
  expect(await usage.used(mark('free'))).toBe(20_000);
});

test('the period is the calendar month in UTC', () => {
  expect(usageMonth(new Date('2026-03-31T23:59:59.999Z'))).toBe('2026-03');
  expect(usageMonth(new Date('2026-04-01T00:00:00.000Z'))).toBe('2026-04');
});
