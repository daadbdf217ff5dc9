import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { createLogger } from '../logger.js';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { usageReconciliation } from './usage-reconciliation.js';
import type { SumOfMarks } from './usage-reconciliation.js';
import { usageCollection, usageCounters } from './usage.js';
import type { UsageCounters, UsageMark } from './usage.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY = new Date('2026-03-10T12:00:00Z');
const NIGHT = new Date('2026-03-11T02:00:00Z');
const running = new AbortController().signal;
const logger = createLogger({ service: 'test', level: 'silent' });

let mongo: MongoConnection;
let usage: UsageCounters;
let now: Date;
const clock = { now: () => now };
/** What is stored with a mark, by `<organization>:<month>`. */
let stored: Map<string, number>;
const sumOfStored: SumOfMarks = async (organizationId, month) => stored.get(`${organizationId}:${month}`) ?? 0;

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  usage = usageCounters(mongo.db, clock);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  await usageCollection(mongo.db).deleteMany({});
  stored = new Map();
  now = DAY;
});

const mark = (organizationId: string, amount = 1, month = '2026-03'): UsageMark => ({
  organizationId,
  month,
  meter: 'analyses',
  amount,
});
const after = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
const store = (organizationId: string, amount: number, month = '2026-03'): void => {
  stored.set(`${organizationId}:${month}`, amount);
};

async function run(sumOfMarks: SumOfMarks = sumOfStored, signal = running): Promise<void> {
  const job = await usageReconciliation({ db: mongo.db, clock, logger, marks: { analyses: sumOfMarks } });
  await job.run(signal);
}

/** Both checks of a round that begins now. */
async function round(): Promise<void> {
  await run();
  after(MINUTE_MS);
  await run();
}

describe('in the night', () => {
  test('a counter that a crash left too high is corrected', async () => {
    await usage.reserve(mark('crash', 3), 3);
    store('crash', 2);
    now = NIGHT;
    await round();
    expect(await usage.used(mark('crash'))).toBe(2);
    await usage.reserve(mark('crash'), 3);
    await expect(usage.reserve(mark('crash'), 3)).rejects.toMatchObject({ kind: 'usage_exceeded' });
  });

  test('a counter is not touched before a minute has passed without a move', async () => {
    await usage.reserve(mark('early', 3), 10);
    await round();
    expect(await usage.used(mark('early'))).toBe(3);
    now = NIGHT;
    await run();
    after(MINUTE_MS - 1);
    await run();
    expect(await usage.used(mark('early'))).toBe(3);
    after(1);
    await run();
    expect(await usage.used(mark('early'))).toBe(0);
  });

  test('a counter that moved between the two checks is not corrected until the next night', async () => {
    await usage.reserve(mark('busy', 3), 10);
    store('busy', 2);
    now = NIGHT;
    await run();
    await usage.reserve(mark('busy'), 10);
    after(MINUTE_MS);
    await run();
    await round();
    expect(await usage.used(mark('busy'))).toBe(4);
    now = new Date('2026-03-12T02:00:00Z');
    await round();
    expect(await usage.used(mark('busy'))).toBe(2);
  });

  test('a counter that moved while its marks were summed is not corrected', async () => {
    await usage.reserve(mark('moving', 3), 10);
    now = NIGHT;
    await run();
    after(MINUTE_MS);
    await run(async () => {
      await usage.reserve(mark('moving'), 10);
      return 0;
    });
    expect(await usage.used(mark('moving'))).toBe(4);
  });

  test('a month is counted apart from the one before it and the one after it', async () => {
    for (const month of ['2026-02', '2026-03', '2026-04']) await usage.reserve(mark('months', 5, month), 10);
    store('months', 1, '2026-02');
    store('months', 2, '2026-03');
    store('months', 3, '2026-04');
    now = NIGHT;
    await round();
    const used = ['2026-02', '2026-03', '2026-04'].map((month) => usage.used(mark('months', 1, month)));
    expect(await Promise.all(used)).toEqual([1, 2, 3]);
  });

  test('a correct counter is not checked again until it moves', async () => {
    await usage.reserve(mark('still', 2), 10);
    store('still', 2);
    now = NIGHT;
    await round();
    const sums: string[] = [];
    const listen: SumOfMarks = async (organizationId, month) => {
      sums.push(organizationId);
      return sumOfStored(organizationId, month);
    };
    const nights = async (day: string): Promise<void> => {
      now = new Date(`2026-03-${day}T02:00:00Z`);
      await run(listen);
      after(MINUTE_MS);
      await run(listen);
    };
    await nights('12');
    expect(sums).toEqual([]);
    await usage.reserve(mark('still'), 10);
    await nights('13');
    expect(sums).toEqual(['still']);
  });

  test('several replicas sum the marks of a counter once', async () => {
    await usage.reserve(mark('replicas', 3), 10);
    now = NIGHT;
    await run();
    after(MINUTE_MS);
    let sums = 0;
    const counting: SumOfMarks = async () => {
      sums++;
      return 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => run(counting)));
    expect(sums).toBe(1);
    expect(await usage.used(mark('replicas'))).toBe(1);
  });

  test('a failed sum does not delay other organizations and is retried', async () => {
    await usage.reserve(mark('bad', 3), 10);
    await usage.reserve(mark('good', 3), 10);
    now = NIGHT;
    await run();
    after(MINUTE_MS);
    await run(async (organizationId) => {
      if (organizationId === 'bad') throw new Error('the database is busy');
      return 1;
    });
    expect(await usage.used(mark('good'))).toBe(1);
    expect(await usage.used(mark('bad'))).toBe(3);
    after(5 * MINUTE_MS);
    await run();
    expect(await usage.used(mark('bad'))).toBe(0);
  });

  test('many organizations are processed in the order in which they became due', async () => {
    const counters = Array.from({ length: 450 }, (_, index) => ({
      _id: `many-${index}:2026-03:analyses`,
      used: 1,
      moves: 1,
      lookAt: new Date(NIGHT.getTime() - index),
    }));
    await usageCollection(mongo.db).insertMany(counters);
    now = NIGHT;
    await run();
    const seen = await usageCollection(mongo.db).distinct('_id', { seenMoves: { $exists: true } });
    expect(new Set(seen)).toEqual(new Set(counters.slice(-200).map(({ _id }) => _id)));
    for (let runs = 2; runs <= 3; runs++) await run();
    after(MINUTE_MS);
    for (let runs = 1; runs <= 3; runs++) await run();
    expect(await usageCollection(mongo.db).countDocuments({ used: 0 })).toBe(counters.length);
  });

  test('a stopping service begins no further check', async () => {
    await usage.reserve(mark('stopping', 3), 10);
    now = NIGHT;
    await run(sumOfStored, AbortSignal.abort());
    expect(await usageCollection(mongo.db).countDocuments({ seenMoves: { $exists: true } })).toBe(0);
  });
});

describe('after a refusal', () => {
  const refuse = (organizationId: string): Promise<void> =>
    expect(usage.reserve(mark(organizationId), 3)).rejects.toMatchObject({ kind: 'usage_exceeded' });

  test('the counter is checked without waiting for the night, and no other organization’s is', async () => {
    await usage.reserve(mark('refused', 3), 3);
    await usage.reserve(mark('bystander', 3), 3);
    store('refused', 2);
    await refuse('refused');
    await round();
    expect(await usage.used(mark('refused'))).toBe(2);
    expect(await usage.used(mark('bystander'))).toBe(3);
    await usage.reserve(mark('refused'), 3);
  });

  test('at most every ten minutes, however often an organization is refused', async () => {
    await usage.reserve(mark('often', 3), 3);
    store('often', 3);
    await refuse('often');
    await round();
    store('often', 2);
    after(9 * MINUTE_MS - SECOND_MS);
    await refuse('often');
    await round();
    expect(await usage.used(mark('often'))).toBe(3);
    await refuse('often');
    await round();
    expect(await usage.used(mark('often'))).toBe(2);
  });

  test('a further refusal does not shorten the minute between the checks', async () => {
    await usage.reserve(mark('hasty', 3), 3);
    now = NIGHT;
    await run();
    after(SECOND_MS);
    await refuse('hasty');
    await run();
    expect(await usage.used(mark('hasty'))).toBe(3);
  });
});
