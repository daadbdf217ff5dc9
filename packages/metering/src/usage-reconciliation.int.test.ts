import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { usageReconciliation } from './usage-reconciliation.js';
import type { SumOfMarks } from './usage-reconciliation.js';
import { usageCounters } from './usage.js';
import { usageCollection } from './usage-counter.js';
import type { UsageDocument, UsageMark } from './usage-counter.js';
import { usageMonth } from './usage-month.js';
import type { UsageCounters } from './usage.js';

const MINUTE_MS = 60_000;
const POLL_MS = 5_000;
const DAY = new Date('2026-03-10T12:00:00Z');
const running = new AbortController().signal;
const logger = createLogger({ service: 'test', level: 'silent' });

interface Stored {
  readonly organizationId: string;
  readonly month: string;
  readonly at: Date;
  amount: number;
}

let mongo: MongoConnection;
let usage: UsageCounters;
let now: Date;
const clock = { now: () => now };
/** Records that the test has stored, with the amount that each counts. */
let stored: Stored[];
const sumOfStored: SumOfMarks = async (organizationId, month, { from, to }) =>
  stored
    .filter((one) => one.organizationId === organizationId && one.month === month)
    .filter(({ at }) => (from === undefined || at >= from) && at < to)
    .reduce((sum, { amount }) => sum + amount, 0);

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
  stored = [];
  now = DAY;
});

const mark = (organizationId: string, amount = 1): UsageMark => ({
  organizationId,
  month: usageMonth(now),
  meter: 'analyses',
  amount,
  at: now,
});
const after = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
const store = ({ organizationId, month, at, amount }: UsageMark): Stored => {
  const one = { organizationId, month, at, amount };
  stored.push(one);
  return one;
};
/** Reserves quota units and stores a record at once, as a request does. */
const create = async (organizationId: string, amount = 1): Promise<Stored> => {
  const created = mark(organizationId, amount);
  await usage.reserve(created, undefined);
  return store(created);
};
const counterOf = (organizationId: string): Promise<UsageDocument | null> =>
  usageCollection(mongo.db).findOne({ _id: `${organizationId}:2026-03:analyses` });

async function run(sumOfMarks: SumOfMarks = sumOfStored, signal = running): Promise<void> {
  const job = await usageReconciliation({ db: mongo.db, clock, logger, marks: { analyses: sumOfMarks } });
  await job.run(signal);
}

/** Runs the job every five seconds, as the service does. */
async function runFor(ms: number, each: () => Promise<unknown> = async () => {}): Promise<void> {
  for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += POLL_MS) {
    after(POLL_MS);
    await each();
    await run();
  }
}

describe('a counter that a crash left too high', () => {
  test('is exact within five minutes, and the quota can be used again', async () => {
    await usage.reserve(mark('crash', 3), 3);
    store(mark('crash', 2));
    await runFor(3 * MINUTE_MS);
    expect(await usage.used(mark('crash'))).toBe(2);
    await usage.reserve(mark('crash'), 3);
    await expect(usage.reserve(mark('crash'), 3)).rejects.toMatchObject({ kind: 'usage_exceeded' });
  });

  test('is exact within five minutes while requests never pause', async () => {
    await create('busy');
    await usage.reserve(mark('busy', 49), undefined);
    await runFor(5 * MINUTE_MS, () => create('busy'));
    expect(await usage.used(mark('busy'))).toBe(stored.length);
  });

  test('keeps what is reserved and not stored yet', async () => {
    await usage.reserve(mark('early', 3), 10);
    after(MINUTE_MS);
    await run();
    expect(await usage.used(mark('early'))).toBe(3);
  });

  test('is exact for each month, across its end', async () => {
    now = new Date('2026-03-31T23:59:30Z');
    await create('months', 2);
    await usage.reserve(mark('months', 5), undefined);
    after(MINUTE_MS);
    await create('months', 3);
    await usage.reserve(mark('months', 7), undefined);
    await runFor(4 * MINUTE_MS);
    expect(await usage.used({ ...mark('months'), month: '2026-03' })).toBe(2);
    expect(await usage.used({ ...mark('months'), month: '2026-04' })).toBe(3);
  });

  test('is exact after the job itself was away for hours', async () => {
    for (let minute = 0; minute < 180; minute++) {
      await create('away');
      after(MINUTE_MS);
    }
    await usage.reserve(mark('away', 9), undefined);
    await runFor(3 * MINUTE_MS);
    expect(await usage.used(mark('away'))).toBe(180);
  });
});

describe('a counter that a crash left too low', () => {
  test('is exact within five minutes of the work being finished by another', async () => {
    const created = mark('low');
    store(created);
    after(35_000);
    await usage.reserve({ ...created, amount: 0 }, undefined);
    await runFor(3 * MINUTE_MS);
    expect(await usage.used(created)).toBe(1);
  });
});

describe('what happens late', () => {
  test('is counted once, though its minute was settled before it was stored', async () => {
    await create('late');
    const slow = mark('late');
    await usage.reserve(slow, undefined);
    await runFor(3 * MINUTE_MS);
    expect(await usage.used(mark('late'))).toBe(1);
    store(slow);
    await usage.recount(slow);
    await runFor(MINUTE_MS);
    expect(await usage.used(mark('late'))).toBe(2);
  });

  test('is not given back a second time', async () => {
    const repeat = mark('repeat');
    await create('repeat');
    await usage.reserve(repeat, undefined);
    await runFor(3 * MINUTE_MS);
    await usage.giveBack(repeat);
    expect(await usage.used(repeat)).toBe(1);
  });

  test('a reservation of a clock that is behind is counted once, stored or not', async () => {
    await create('behind');
    const [kept, lost] = [mark('behind'), mark('behind')];
    await runFor(3 * MINUTE_MS);
    await usage.reserve(kept, undefined);
    await usage.reserve(lost, undefined);
    store(kept);
    await runFor(MINUTE_MS);
    expect(await usage.used(kept)).toBe(2);
  });
});

describe('a mark that is lowered', () => {
  const lowerTo = (one: Stored, amount: number) => {
    const { organizationId, month, at } = one;
    const by = { organizationId, month, at, meter: 'analyses', amount: one.amount - amount };
    return (write: () => Promise<unknown>) => usage.lower(by, write);
  };
  const lowered = async (one: Stored, amount: number): Promise<unknown> =>
    lowerTo(
      one,
      amount,
    )(async () => {
      one.amount = amount;
    });

  test.each([
    ['at once', 0],
    ['long after', 10 * MINUTE_MS],
  ])('lowers the counter with it, %s', async (_, laterMs) => {
    const one = await create('lower', 10);
    await runFor(laterMs);
    await lowered(one, 8);
    expect(await usage.used(mark('lower'))).toBe(8);
    await runFor(3 * MINUTE_MS);
    expect(await usage.used(mark('lower'))).toBe(8);
  });

  test.each([
    ['before', 10, 0],
    ['after', 8, 0],
    ['before', 10, 10 * MINUTE_MS],
    ['after', 8, 10 * MINUTE_MS],
  ])('is exact within five minutes of a crash %s the write (%d stay)', async (_, amount, laterMs) => {
    const one = await create('crashed', 10);
    await runFor(laterMs);
    const crash = lowerTo(
      one,
      8,
    )(async () => {
      one.amount = amount;
      throw new Error('killed');
    });
    await expect(crash).rejects.toThrow('killed');
    await runFor(5 * MINUTE_MS, () => create('crashed'));
    expect(await usage.used(mark('crashed'))).toBe(amount + (5 * MINUTE_MS) / POLL_MS);
  });

  test('is not lowered twice by a worker that was paused for minutes', async () => {
    const one = await create('paused', 10);
    await lowerTo(
      one,
      8,
    )(async () => {
      await runFor(4 * MINUTE_MS);
      one.amount = 8;
    });
    await runFor(3 * MINUTE_MS);
    expect(await usage.used(mark('paused'))).toBe(8);
  });
});

test('whatever requests, repeats, lowerings and crashes follow each other, the counter is exact five minutes later', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    let state = seed;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const organizationId = `random-${seed}`;
    const units: Stored[] = [];
    const act = async (): Promise<void> => {
      const one = mark(organizationId, 1 + random(9));
      const unit = units[random(Math.max(1, units.length))];
      const choice = random(6);
      if (choice === 5 && unit !== undefined) {
        const by = { ...one, at: unit.at, month: unit.month, amount: random(unit.amount + 1) };
        const isKilled = random(2) === 0;
        const lowering = usage.lower(by, async () => {
          if (isKilled && random(2) === 0) throw new Error('killed');
          unit.amount -= by.amount;
          if (isKilled) throw new Error('killed');
        });
        await lowering.catch(() => undefined);
        return;
      }
      await usage.reserve(one, undefined);
      // A repeated request returns the units that it reserved, and a killed request stores nothing. All other requests
      // store a record.
      if (choice === 4) await usage.giveBack(one);
      else if (choice !== 3) units.push(store(one));
      else if (random(2) === 0) {
        store(one);
        units.push(stored.at(-1) as Stored);
      }
    };
    for (let step = 0; step < 60; step++) {
      after(random(25_000));
      await act();
      if (random(3) > 0) await run();
    }
    await runFor(5 * MINUTE_MS);
    const sum = units.reduce((total, { amount }) => total + amount, 0);
    expect([seed, await usage.used(mark(organizationId))]).toEqual([seed, sum]);
  }
});

describe('the job', () => {
  test('does not look at a counter again where nothing was reserved since', async () => {
    await create('still', 2);
    await runFor(5 * MINUTE_MS);
    const sums: string[] = [];
    const listen: SumOfMarks = async (organizationId, month, time) => {
      sums.push(organizationId);
      return sumOfStored(organizationId, month, time);
    };
    after(24 * 60 * MINUTE_MS);
    await run(listen);
    expect(sums).toEqual([]);
    expect(await counterOf('still')).not.toHaveProperty('lookAt');
  });

  test('sums only the new minutes, and the month once a day', async () => {
    const asked: (string | undefined)[] = [];
    const listen: SumOfMarks = async (organizationId, month, time) => {
      asked.push(time.from?.toISOString());
      return sumOfStored(organizationId, month, time);
    };
    for (const ms of [0, 3 * MINUTE_MS, 24 * 60 * MINUTE_MS]) {
      after(ms);
      await create('days');
      after(3 * MINUTE_MS);
      await run(listen);
    }
    expect(asked).toEqual([undefined, '2026-03-10T12:02:00.000Z', undefined]);
    expect(await usage.used(mark('days'))).toBe(3);
  });

  test('of several replicas sums the marks of a counter once', async () => {
    await usage.reserve(mark('replicas', 3), 10);
    after(3 * MINUTE_MS);
    let sums = 0;
    const counting: SumOfMarks = async () => {
      sums++;
      return 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => run(counting)));
    expect(sums).toBe(1);
    expect(await usage.used(mark('replicas'))).toBe(1);
  });

  test('corrects nothing by a sum during which something happened, and sums again', async () => {
    const one = mark('moving', 3);
    await usage.reserve(one, 10);
    after(3 * MINUTE_MS);
    await run(async () => {
      await usage.giveBack(one);
      return 3;
    });
    expect(await usage.used(one)).toBe(0);
    await runFor(MINUTE_MS);
    expect(await usage.used(one)).toBe(0);
  });

  test('retries a failed sum and delays no other organization by it', async () => {
    await usage.reserve(mark('bad', 3), 10);
    await usage.reserve(mark('good', 3), 10);
    after(3 * MINUTE_MS);
    await run(async (organizationId) => {
      if (organizationId === 'bad') throw new Error('the database is busy');
      return 1;
    });
    expect(await usage.used(mark('good'))).toBe(1);
    expect(await usage.used(mark('bad'))).toBe(3);
    await runFor(MINUTE_MS);
    expect(await usage.used(mark('bad'))).toBe(0);
  });

  test('checks 200 counters in one run, those that are due longest first', async () => {
    const counters = Array.from({ length: 450 }, (_, index) => ({
      _id: `many-${index}:2026-03:analyses`,
      used: 1,
      moves: 1,
      lookAt: new Date(DAY.getTime() - index),
    }));
    await usageCollection(mongo.db).insertMany(counters);
    await run();
    const seen = await usageCollection(mongo.db).distinct('_id', { used: 0 });
    expect(new Set(seen)).toEqual(new Set(counters.slice(-200).map(({ _id }) => _id)));
    for (let runs = 2; runs <= 3; runs++) await run();
    expect(await usageCollection(mongo.db).countDocuments({ used: 0 })).toBe(counters.length);
  });

  test('begins no further check when the service stops', async () => {
    await usage.reserve(mark('stopping', 3), 10);
    after(3 * MINUTE_MS);
    await run(sumOfStored, AbortSignal.abort());
    expect(await usage.used(mark('stopping'))).toBe(3);
  });
});

describe('after a refusal', () => {
  const refuse = (organizationId: string): Promise<void> =>
    expect(usage.reserve(mark(organizationId), 3)).rejects.toMatchObject({ kind: 'usage_exceeded' });

  test('the month is counted at once, at most every ten minutes, and no other organization’s is', async () => {
    await create('refused', 2);
    await create('bystander', 3);
    await runFor(5 * MINUTE_MS);
    // The test changes the usage counter directly; the reason for the difference does not matter.
    await usageCollection(mongo.db).updateMany({}, { $set: { used: 3 } });
    await refuse('refused');
    await run();
    expect(await usage.used(mark('refused'))).toBe(2);
    await usageCollection(mongo.db).updateMany({}, { $set: { used: 3 } });
    after(9 * MINUTE_MS);
    await refuse('refused');
    await run();
    expect(await usage.used(mark('refused'))).toBe(3);
    after(2 * MINUTE_MS);
    await refuse('refused');
    await run();
    expect(await usage.used(mark('refused'))).toBe(2);
    expect(await usage.used(mark('bystander'))).toBe(3);
  });
});
