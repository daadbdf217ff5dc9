import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from 'mongodb';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { BLOCK_MS_MAX, BLOCK_UNITS_MAX } from './unit-blocks.js';
import { usageCollection } from './usage-counter.js';
import type { UsageDocument, UsageMark } from './usage-counter.js';
import { usageMonth } from './usage-month.js';
import { usageReconciliation } from './usage-reconciliation.js';
import { stepOf } from './usage-steps.js';
import { HELD_POLL_MS, HELD_POLLS_MAX, RESERVE_TRIES_MAX, usageCounters } from './usage.js';
import type { OnUsed, UsageCounters } from './usage.js';

const MINUTE_MS = 60_000;
const LIMIT = 1_000;
/** Units of a block that is opened with the second unit of {@link LIMIT}, before the notice at 80 percent. */
const BLOCK_UNITS = 39;
const REFUSED = { kind: 'usage_exceeded' };
const logger = createLogger({ service: 'test', level: 'silent' });
const databaseName = testDatabaseName();

let mongo: MongoConnection;
let now: Date;
const clock = { now: () => now };
const opened: UsageCounters[] = [];
let organizationId: string;
let organizations = 0;

const connect = (): Promise<MongoConnection> =>
  connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
interface Interruptions {
  /** Runs before the change of a usage counter with this number. */
  readonly beforeChange?: (change: number) => Promise<unknown>;
  /** Function that runs before each read of a usage counter. */
  readonly beforeRead?: () => Promise<unknown>;
  /** Runs after the read of a usage counter with this number, before its result is returned. */
  readonly afterRead?: (read: number) => Promise<unknown>;
}

/** Starts usage counters as a separate replica would. */
function startReplica(onUsed?: OnUsed, interruptions: Interruptions = {}): UsageCounters {
  const replica = usageCounters(interrupted(interruptions), clock, onUsed);
  opened.push(replica);
  return replica;
}

function interrupted({
  beforeChange = async () => {},
  beforeRead = async () => {},
  afterRead = async () => {},
}: Interruptions): Db {
  let [changes, reads] = [0, 0];
  const usage = usageCollection(mongo.db);
  const members = {
    async findOneAndUpdate(...args: Parameters<typeof usage.findOneAndUpdate>) {
      await beforeChange(++changes);
      return usage.findOneAndUpdate(...args);
    },
    find: (...args: Parameters<typeof usage.find>) => ({
      async toArray() {
        await beforeRead();
        const found = await usage.find(...args).toArray();
        await afterRead(++reads);
        return found;
      },
    }),
  };
  const collection = new Proxy(usage, {
    get(target, name) {
      if (name in members) return Reflect.get(members, name) as unknown;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return { collection: () => collection } as unknown as Db;
}

beforeAll(async () => {
  mongo = await connect();
});
beforeEach(() => {
  now = new Date('2026-03-10T12:00:30Z');
  organizationId = `organization-${++organizations}`;
});
afterAll(async () => {
  await Promise.all(opened.map((replica) => replica.close()));
  await mongo.db.dropDatabase();
  await mongo.close();
});

const mark = (amount = 1): UsageMark => ({
  organizationId,
  month: usageMonth(now),
  meter: 'analyses',
  amount,
  at: now,
});
async function counter(): Promise<UsageDocument> {
  const found = await usageCollection(mongo.db).findOne({ _id: `${organizationId}:${usageMonth(now)}:analyses` });
  if (found === null) throw new Error('no counter');
  return found;
}
const reserve = async (replica: UsageCounters, units: number, limit: number | undefined = LIMIT): Promise<void> => {
  for (let unit = 0; unit < units; unit++) await replica.reserve(mark(), limit);
};

describe('units that follow each other', () => {
  test('are reserved together: the second unit opens a block, which serves the next ones without a command', async () => {
    const replica = startReplica();
    await reserve(replica, 1);
    expect(await counter()).toMatchObject({ used: 1 });
    await reserve(replica, 1);
    const opening = await counter();
    expect(opening.used).toBe(2 + BLOCK_UNITS);
    await reserve(replica, BLOCK_UNITS);
    expect(await counter()).toEqual(opening);
    await reserve(replica, 1);
    expect((await counter()).moves).toBe(opening.moves + 1);
  });

  test(`are reserved ${BLOCK_UNITS_MAX} at once without a limit`, async () => {
    const replica = startReplica();
    await replica.reserve(mark(), undefined);
    await replica.reserve(mark(), undefined);
    expect((await counter()).used).toBe(2 + BLOCK_UNITS_MAX);
  });

  test('need one change for each unit if they are amounts of more than one', async () => {
    const replica = startReplica();
    for (let amounts = 1; amounts <= 3; amounts++) await replica.reserve(mark(2), LIMIT);
    expect((await counter()).used).toBe(6);
  });

  test.each([
    ['its units have their share of what is left', 18, 37],
    ['one unit less is left', 19, 0],
  ])('get a block, although another replica has used units since, only if %s', async (_, usedByOther, units) => {
    const [one, other] = [startReplica(), startReplica()];
    await reserve(one, 2 + BLOCK_UNITS);
    await other.reserve(mark(usedByOther), LIMIT);
    await reserve(one, 1);
    expect((await counter()).used).toBe(2 + BLOCK_UNITS + usedByOther + 1 + units);
    await one.close();
    expect((await counter()).used).toBe(2 + BLOCK_UNITS + usedByOther + 1);
  });

  test('are returned even if the block ends while it is being reserved', async () => {
    let closed: Promise<void> | undefined;
    const replica = startReplica(undefined, {
      async beforeChange(change) {
        await delay(1);
        if (change === 2) closed = replica.close();
      },
    });
    await startReplica().reserve(mark(), LIMIT);
    await reserve(replica, 2);
    await closed;
    expect((await counter()).used).toBe(3);
  });

  test('count in the minute and month of their marks', async () => {
    now = new Date('2026-03-31T23:59:59.500Z');
    const replica = startReplica();
    const march = mark();
    await reserve(replica, 3);
    now = new Date('2026-04-01T00:00:00.500Z');
    await replica.reserve(march, LIMIT);
    await reserve(replica, 2);
    expect(await replica.used(mark())).toBe(2);
    expect(await replica.used(march)).toBe(4);
  });

  test('are shown as used exactly by the replica that used them, and by others when the block ends', async () => {
    const [one, other] = [startReplica(), startReplica()];
    await reserve(one, 5);
    expect(await other.used(mark())).toBeLessThanOrEqual(5);
    expect(await one.used(mark())).toBe(5);
    expect(await other.used(mark())).toBe(5);
    await reserve(one, 5);
    await eventually(async () => expect(await other.used(mark())).toBe(10));
  });

  test('leave the counter exact when the block ends by its time, and when the replica stops', async () => {
    const replica = startReplica();
    await reserve(replica, 3);
    await eventually(async () => expect((await counter()).used).toBe(3), { timeoutMs: BLOCK_MS_MAX + 10_000 });
    await reserve(replica, 3);
    expect((await counter()).used).toBeGreaterThan(6);
    await replica.close();
    expect(await counter()).toMatchObject({ used: 6, held: { [now.getTime() / MINUTE_MS - 0.5]: 0 } });
  });

  test.each([
    ['for as long as a block lasts', BLOCK_MS_MAX - 1, 0],
    ['and not longer', BLOCK_MS_MAX, 1],
    ['and not if the clock is set back', -1, 1],
  ])('use the block %s', async (_, ms, changes) => {
    const replica = startReplica();
    await reserve(replica, 2);
    const before = await counter();
    now = new Date(now.getTime() + ms);
    await reserve(replica, 1);
    expect((await counter()).moves - before.moves >= 1).toBe(changes === 1);
    await replica.close();
    expect((await counter()).used).toBe(3);
  });
});

describe('nothing is refused while a block has unused units', () => {
  test('of the same replica, which returns them at once', async () => {
    const replica = startReplica();
    await reserve(replica, 2);
    const before = performance.now();
    await replica.reserve(mark(LIMIT - 2), LIMIT);
    expect(performance.now() - before).toBeLessThan(BLOCK_MS_MAX / 2);
    await expect(replica.reserve(mark(), LIMIT)).rejects.toMatchObject(REFUSED);
    expect(await replica.used(mark())).toBe(LIMIT);
  });

  test('of another replica: the request waits for them', async () => {
    const [one, other] = [startReplica(), startReplica()];
    await reserve(one, 2);
    await other.reserve(mark(LIMIT - 2), LIMIT);
    await expect(other.reserve(mark(), LIMIT)).rejects.toMatchObject(REFUSED);
    expect(await other.used(mark())).toBe(LIMIT);
  });

  test('nor is work that is counted later', async () => {
    const [one, other] = [startReplica(), startReplica()];
    await reserve(one, 2);
    await one.used(mark());
    await reserve(one, 1);
    await other.requireRoom(mark(LIMIT - 3), LIMIT);
    await expect(other.requireRoom(mark(LIMIT), LIMIT)).rejects.toMatchObject(REFUSED);
  });

  test('and what exceeds the limit even with them is refused at once', async () => {
    const [one, other] = [startReplica(), startReplica()];
    await reserve(one, 2);
    const before = performance.now();
    await expect(other.reserve(mark(LIMIT), LIMIT)).rejects.toMatchObject(REFUSED);
    expect(performance.now() - before).toBeLessThan(BLOCK_MS_MAX);
  });
});

describe('units that a replica holds longer than a block may last', () => {
  const UNITS = 50;
  /**
   * Reserves an amount of which another replica holds a part, until the given poll.
   * @returns the number of polls
   */
  async function reserveHeld(returnedAtPoll: number): Promise<number> {
    await startReplica().reserve(mark(LIMIT - UNITS), LIMIT);
    const usage = usageCollection(mongo.db);
    const { _id } = await counter();
    const change = (units: number) => {
      const inMinute = Math.floor(now.getTime() / MINUTE_MS);
      return usage.updateOne(
        { _id },
        { $inc: { used: units, [`minutes.${inMinute}`]: units, [`held.${inMinute}`]: units } },
      );
    };
    await change(UNITS);
    let reads = 0;
    const waiting = startReplica(undefined, {
      async afterRead(read) {
        reads = read;
        if (read === returnedAtPoll) await change(-UNITS);
      },
    });
    await waiting.reserve(mark(UNITS), LIMIT).catch((error: unknown) => {
      expect(error).toMatchObject(REFUSED);
      throw new Error(`refused after ${reads - 1} polls`);
    });
    return reads;
  }

  test('are waited for until the last poll, which takes longer than a block lasts', async () => {
    expect(HELD_POLLS_MAX * HELD_POLL_MS).toBeGreaterThan(BLOCK_MS_MAX);
    expect(await reserveHeld(HELD_POLLS_MAX)).toBe(HELD_POLLS_MAX);
  });

  test('are not waited for after that', async () => {
    await expect(reserveHeld(HELD_POLLS_MAX + 1)).rejects.toThrow(`refused after ${HELD_POLLS_MAX} polls`);
  });
});

describe('a unit for which others keep competing', () => {
  /** Reserves the last unit, which all attempts before the given one find used although there is room in between. */
  async function reserveContended(passingAttempt: number): Promise<void> {
    await startReplica().reserve(mark(LIMIT - 1), LIMIT);
    const { _id } = await counter();
    const setUsed = (used: number) => usageCollection(mongo.db).updateOne({ _id }, { $set: { used } });
    const contending = startReplica(undefined, {
      beforeChange: (change) => setUsed(change === passingAttempt ? LIMIT - 1 : LIMIT),
      beforeRead: () => setUsed(LIMIT - 1),
    });
    await contending.reserve(mark(), LIMIT);
  }

  test(`is reserved at the attempt number ${RESERVE_TRIES_MAX}`, async () => {
    await reserveContended(RESERVE_TRIES_MAX);
    expect((await counter()).used).toBe(LIMIT);
  });

  test('is not attempted again after that', async () => {
    await expect(reserveContended(RESERVE_TRIES_MAX + 1)).rejects.toMatchObject({ kind: 'concurrent_change' });
  });
});

describe('a limit that changes', () => {
  test('down applies to the next request, although the block was reserved under the former limit', async () => {
    const replica = startReplica();
    await reserve(replica, 3);
    await reserve(replica, 2, 5);
    await expect(replica.reserve(mark(), 5)).rejects.toMatchObject(REFUSED);
    expect(await replica.used(mark())).toBe(5);
  });

  test('down to a number that the block does not reach lets its units be used', async () => {
    const replica = startReplica();
    await reserve(replica, 2);
    const before = await counter();
    await reserve(replica, 1, 2 + BLOCK_UNITS);
    expect(await counter()).toEqual(before);
    await reserve(replica, 1, 1 + BLOCK_UNITS);
    await replica.close();
    expect((await counter()).used).toBe(4);
  });

  test('up, or to none, applies to the next request', async () => {
    const replica = startReplica();
    await reserve(replica, 2, 2);
    await expect(replica.reserve(mark(), 2)).rejects.toMatchObject(REFUSED);
    await reserve(replica, 1, 3);
    await expect(replica.reserve(mark(), 3)).rejects.toMatchObject(REFUSED);
    await replica.reserve(mark(), undefined);
    expect(await replica.used(mark())).toBe(4);
  });
});

describe('notices', () => {
  test.each([
    [100, 80],
    [1_000, 800],
    [37, 30],
  ])('of a quota of %d are due at the unit %d and at the last one, not earlier', async (limit, first) => {
    const reached: string[] = [];
    const replica = startReplica((_, used, allowed) => {
      const step = stepOf(used, allowed);
      if (step !== undefined && !reached.some((one) => one.startsWith(`${step} `))) reached.push(`${step} at ${used}`);
    });
    await reserve(replica, first - 1, limit);
    expect(reached).toEqual([]);
    await reserve(replica, 1, limit);
    expect(reached).toEqual([`80 at ${first}`]);
    await reserve(replica, limit - first - 1, limit);
    expect(reached).toEqual([`80 at ${first}`]);
    await reserve(replica, 1, limit);
    expect(reached).toEqual([`80 at ${first}`, `100 at ${limit}`]);
  });

  test('are not due for units that another replica only holds, and are when it has used them', async () => {
    const reached: number[] = [];
    const onUsed: OnUsed = (_, used, limit) => {
      if (stepOf(used, limit) !== undefined) reached.push(used);
    };
    const [one, other] = [startReplica(onUsed), startReplica(onUsed)];
    await reserve(one, 2);
    await other.reserve(mark(800 - 2 - BLOCK_UNITS), LIMIT);
    expect((await counter()).used).toBe(800);
    expect(reached).toEqual([]);
    await reserve(one, BLOCK_UNITS);
    await eventually(() => expect(reached).toEqual([800]));
  });
});

describe('a replica that is killed while it has a block', () => {
  /** Reserves and stores three units, and kills the replica. */
  async function kill(): Promise<void> {
    const own = await connect();
    const replica = usageCounters(own.db, clock);
    await reserve(replica, 3);
    await own.close();
    await replica.close();
  }
  const reconcile = async (): Promise<void> => {
    const job = await usageReconciliation({ db: mongo.db, clock, logger, marks: { analyses: async () => 3 } });
    now = new Date(now.getTime() + 3 * MINUTE_MS);
    await job.run(new AbortController().signal);
  };

  test('loses no unit: the counter is exact after the job, and not one unit is used twice before', async () => {
    await kill();
    const replica = startReplica();
    expect((await counter()).used).toBe(2 + BLOCK_UNITS);
    await replica.reserve(mark(LIMIT - 2 - BLOCK_UNITS), LIMIT);
    await expect(replica.reserve(mark(), LIMIT)).rejects.toMatchObject(REFUSED);
    await usageCollection(mongo.db).updateOne(
      { _id: (await counter())._id },
      { $inc: { used: 2 + BLOCK_UNITS - LIMIT } },
    );
    await reconcile();
    expect(await counter()).toMatchObject({ used: 3 });
    expect(await replica.used(mark())).toBe(3);
    await replica.reserve(mark(LIMIT - 3), LIMIT);
    await expect(replica.reserve(mark(), LIMIT)).rejects.toMatchObject(REFUSED);
  });

  test('leaves no block in the counter after the job', async () => {
    await kill();
    await reconcile();
    expect(await counter()).toMatchObject({ used: 3, minutes: {}, held: {} });
  });

  test('is waited for once, until the counter changes', async () => {
    await kill();
    const replica = startReplica();
    const refusalMs = async (): Promise<number> => {
      const before = performance.now();
      await expect(replica.reserve(mark(LIMIT - 3), LIMIT)).rejects.toMatchObject(REFUSED);
      return performance.now() - before;
    };
    expect(await refusalMs()).toBeGreaterThan(BLOCK_MS_MAX);
    expect(await refusalMs()).toBeLessThan(BLOCK_MS_MAX);
    await reconcile();
    await replica.reserve(mark(LIMIT - 3), LIMIT);
  });
});

test('a block whose minute was reconciled in between by a clock that is ahead asks for a count of the month', async () => {
  const replica = startReplica();
  await reserve(replica, 3);
  const ahead = { now: () => new Date(now.getTime() + 3 * MINUTE_MS) };
  const job = await usageReconciliation({ db: mongo.db, clock: ahead, logger, marks: { analyses: async () => 3 } });
  await job.run(new AbortController().signal);
  expect(await counter()).toMatchObject({ used: 3 });
  await replica.close();
  expect(await counter()).toMatchObject({ used: 3, recounts: 1 });
});
