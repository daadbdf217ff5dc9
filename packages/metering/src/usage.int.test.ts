import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { usageCounters } from './usage.js';
import { usageMonth } from './usage-month.js';
import type { UsageCounters } from './usage.js';
import type { UsageMark } from './usage-counter.js';

let mongo: MongoConnection;
let usage: UsageCounters;
let now = new Date('2026-03-10T12:00:00Z');
const mark = (organizationId: string, amount = 1): UsageMark => ({
  organizationId,
  month: '2026-03',
  meter: 'analyses',
  amount,
  at: now,
});

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  usage = usageCounters(mongo.db, { now: () => now });
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

test('of 100 at once at the quota minus one exactly one passes, 30 times', async () => {
  for (let round = 1; round <= 30; round++) {
    const organizationId = `last-${round}`;
    await usage.reserve(mark(organizationId, 9), 10);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, () => usage.reserve(mark(organizationId), 10)),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refusals).toHaveLength(99);
    for (const refusal of refusals) expect(refusal).toMatchObject({ kind: 'usage_exceeded' });
    expect(await usage.used(mark(organizationId))).toBe(10);
  }
}, 120_000);

test('the last unit passes and the one after it is refused', async () => {
  await usage.reserve(mark('edge', 9), 10);
  await usage.reserve(mark('edge'), 10);
  await expect(usage.reserve(mark('edge'), 10)).rejects.toMatchObject({ kind: 'usage_exceeded' });
});

test('an amount that does not fit is refused as a whole', async () => {
  await usage.reserve(mark('whole', 6), 10);
  await expect(usage.reserve(mark('whole', 5), 10)).rejects.toMatchObject({ kind: 'usage_exceeded' });
  expect(await usage.used(mark('whole'))).toBe(6);
});

test('what is given back can be used again, and other organizations have counters of their own', async () => {
  await usage.reserve(mark('back', 10), 10);
  await usage.giveBack(mark('back'));
  await usage.reserve(mark('back', 1), 10);
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

describe('a refusal', () => {
  const refusalOf = (asked: UsageMark, limit: number): Promise<unknown> =>
    usage.reserve(asked, limit).then(
      () => undefined,
      (error: unknown) => error,
    );

  test('names the meter, the limit, what is left and the end of the month', async () => {
    await usage.reserve(mark('words', 25), 25);
    expect(await refusalOf(mark('words'), 25)).toMatchObject({
      publicMessage:
        'The plan allows 25 analyses in 2026-03, of which none is left. ' +
        'Change the plan, or wait for the next month, which begins on 2026-04-01 at 00:00 UTC.',
    });
    const scan = { ...mark('words', 480), meter: 'scan_rows', month: '2026-12' };
    await usage.reserve(scan, 500);
    expect(await refusalOf({ ...scan, amount: 100 }, 500)).toMatchObject({
      publicMessage:
        'The plan allows 500 scan rows in 2026-12, of which 20 are left and 100 are needed. ' +
        'Change the plan, or wait for the next month, which begins on 2027-01-01 at 00:00 UTC.',
    });
  });

  test('says when to retry in the last 24 hours of the month, and not before', async () => {
    await usage.reserve(mark('wait'), 1);
    now = new Date('2026-03-30T23:59:59.999Z');
    expect(await refusalOf(mark('wait'), 1)).toMatchObject({ retryAfterSeconds: undefined });
    now = new Date('2026-03-31T00:00:00.000Z');
    expect(await refusalOf(mark('wait'), 1)).toMatchObject({ retryAfterSeconds: 86_400 });
    now = new Date('2026-03-31T23:59:59.999Z');
    expect(await refusalOf(mark('wait'), 1)).toMatchObject({ retryAfterSeconds: 1 });
  });
});
