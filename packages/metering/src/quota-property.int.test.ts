import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { DomainError } from '@invoicecontrol/errors';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { createCounted } from './counted-create.js';
import { idOf, minuteOf, usageCollection } from './usage-counter.js';
import type { UsageDocument, UsageMark } from './usage-counter.js';
import { usageMonth } from './usage-month.js';
import { usageReconciliation } from './usage-reconciliation.js';
import { usageCounters } from './usage.js';
import type { UsageCounters } from './usage.js';

const SEEDS = 12;
const ROUNDS = 6;
const REPLICAS = 3;
const WORKERS = 6;
const MINUTE_MS = 60_000;
const logger = createLogger({ service: 'test', level: 'silent' });
const organizationId = 'organization';

interface Note {
  readonly organizationId: string;
  readonly month: string;
  readonly at: Date;
  readonly amount: number;
}

interface Replica {
  readonly mongo: MongoConnection;
  readonly notes: Collection<Note>;
  readonly usage: UsageCounters;
  readonly clock: { now(): Date };
  /** True if the replica runs the release that did not reserve units in blocks yet. */
  readonly isEarlier: boolean;
  isKilled: boolean;
}

/** A simulated request that was admitted or refused. Its times are those of one monotonic clock. */
interface Outcome {
  readonly month: string;
  readonly begunAt: number;
  readonly endedAt: number;
  readonly amount: number;
  readonly isRefused: boolean;
  readonly isEarlier: boolean;
}

const audits: MongoConnection[] = [];
beforeAll(async () => {
  for (let seed = 1; seed <= SEEDS; seed++) audits.push(await connect(testDatabaseName()));
});
afterAll(async () => {
  for (const audit of audits) {
    await audit.db.dropDatabase();
    await audit.close();
  }
});

function connect(databaseName: string): Promise<MongoConnection> {
  return connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
}

/** Reserves as the release before blocks does, which knows nothing of held units. */
function earlierCounters({ db }: MongoConnection, counters: UsageCounters): UsageCounters {
  const usage = usageCollection(db);
  return {
    ...counters,
    async reserve(mark, limit) {
      const reserved = await usage.findOneAndUpdate(
        {
          _id: idOf(mark),
          countedTo: { $lte: mark.at },
          ...(limit === undefined ? {} : { used: { $lte: limit - mark.amount } }),
        } as Filter<UsageDocument>,
        {
          $inc: { used: mark.amount, moves: 1, [`minutes.${minuteOf(mark.at)}`]: mark.amount },
          $min: { lookAt: new Date(mark.at.getTime() + 2 * MINUTE_MS) },
        } as UpdateFilter<UsageDocument>,
      );
      if (reserved === null) throw new DomainError('usage_exceeded', 'Refused by the earlier release.');
    },
  };
}

test.concurrent.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
  'whatever replicas, kills, limits and clocks do: never a unit above the limit, none refused that is left, and exact after the job (seed %d)',
  async (seed) => {
    const audit = audits[seed - 1] as MongoConnection;
    let state = seed;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    let nowMs = Date.parse(seed % 2 === 0 ? '2026-03-31T23:57:30Z' : '2026-03-10T12:00:30Z');
    const clock = { now: () => new Date(nowMs) };
    const notes = audit.db.collection<Note>('notes');
    const usage = usageCollection(audit.db);
    const storedIn = async (month: string): Promise<number> =>
      (await notes.find({ month }).toArray()).reduce((sum, { amount }) => sum + amount, 0);
    const job = await usageReconciliation({
      db: audit.db,
      clock,
      logger,
      marks: {
        analyses: async (_organization, month, { from, to }) =>
          (await notes.find({ month, at: { $gte: from ?? new Date(0), $lt: to } }).toArray()).reduce(
            (sum, { amount }) => sum + amount,
            0,
          ),
      },
    });
    const runJob = (): Promise<unknown> => job.run(new AbortController().signal);
    const startReplica = async (isEarlier = false): Promise<Replica> => {
      const mongo = await connect(audit.db.databaseName);
      const skewMs = random(10_000) - 5_000;
      const own = { now: () => new Date(nowMs + skewMs) };
      const counters = usageCounters(mongo.db, own);
      return {
        mongo,
        notes: mongo.db.collection<Note>('notes'),
        usage: isEarlier ? earlierCounters(mongo, counters) : counters,
        clock: own,
        isEarlier,
        isKilled: false,
      };
    };
    const create = async (
      replica: Replica,
      amount: number,
      limit: number | undefined,
    ): Promise<Outcome | undefined> => {
      const at = replica.clock.now();
      const mark: UsageMark = { organizationId, month: usageMonth(at), meter: 'analyses', amount, at };
      const begunAt = performance.now();
      const outcome = (isRefused: boolean): Outcome => ({
        month: mark.month,
        begunAt,
        endedAt: performance.now(),
        amount,
        isRefused,
        isEarlier: replica.isEarlier,
      });
      try {
        await createCounted(replica, {
          mark,
          limit,
          insert: async () => {
            const note = { organizationId, month: mark.month, at, amount };
            await replica.notes.insertOne(note);
            return note;
          },
        });
        return outcome(false);
      } catch (error) {
        if (error instanceof DomainError) {
          expect(error.kind).toBe('usage_exceeded');
          return outcome(true);
        }
        if (!replica.isKilled) throw error;
        return undefined;
      }
    };

    const replicas: Replica[] = [];
    for (let index = 0; index < REPLICAS; index++) replicas.push(await startReplica(seed % 4 === 0 && index === 0));
    // The first reservation creates the usage counter of a month. The simulated earlier release does not create
    // counters.
    for (const month of ['2026-03', '2026-04']) {
      await replicas
        .at(-1)
        ?.usage.reserve({ organizationId, month, meter: 'analyses', amount: 0, at: clock.now() }, undefined);
    }
    const failures: string[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const month = usageMonth(clock.now());
      const before = await storedIn(month);
      // The quotas range from one with only few units left to one with many.
      const limit =
        [before + random(5), before + random(100), before + random(1_500), before - random(20)][random(4)] ?? 0;
      const outcomes: Outcome[] = [];
      // A replica may receive no more requests while it holds a block.
      const sleeping = random(3) === 0 ? replicas[random(REPLICAS)] : undefined;
      for (let request = 1; request <= 3 && sleeping !== undefined; request++) {
        const outcome = await create(sleeping, 1, limit);
        if (outcome !== undefined) outcomes.push(outcome);
      }
      const work = Array.from({ length: WORKERS }, async (_, worker) => {
        const requests = 3 + random(3) * random(40);
        for (let request = 0; request < requests; request++) {
          const replica = replicas[(worker + (request % 7 === 0 ? 1 : 0)) % REPLICAS];
          if (replica === undefined || replica.isKilled || replica === sleeping) return;
          const amount = random(15) === 0 ? 1 + random(50) : 1;
          const outcome = await create(replica, amount, limit);
          if (outcome !== undefined) outcomes.push(outcome);
          if (random(4) === 0) await delay(random(20));
        }
      });
      const isKilling = random(2) === 0;
      if (isKilling) {
        await delay(random(150));
        const index = random(REPLICAS);
        const victim = replicas[index];
        if (victim !== undefined) {
          victim.isKilled = true;
          await victim.mongo.close();
          await Promise.all(work);
          replicas[index] = await startReplica(victim.isEarlier);
        }
      }
      await Promise.all(work);

      const stored = await storedIn(month);
      if (stored > Math.max(limit, before))
        failures.push(`round ${round}: ${stored} stored, limit ${limit}, before ${before}`);
      for (const replica of replicas) await replica.usage.used({ organizationId, month, meter: 'analyses' });
      const { used = 0 } = (await usage.findOne({ _id: `${organizationId}:${month}:analyses` })) ?? {};
      const [refused, admitted] = [true, false].map((isRefused) =>
        outcomes.filter((one) => one.isRefused === isRefused && one.month === month),
      );
      for (const refusal of refused ?? []) {
        if (refusal.isEarlier) continue;
        if (used + refusal.amount <= limit)
          failures.push(`round ${round}: ${refusal.amount} refused at ${used} of ${limit}`);
        const later = admitted?.find(({ begunAt, amount }) => begunAt > refusal.endedAt && amount >= refusal.amount);
        if (later !== undefined)
          failures.push(`round ${round}: ${later.amount} admitted after ${refusal.amount} was refused`);
      }
      if (used < stored) failures.push(`round ${round}: ${stored} stored and only ${used} reserved`);
      // The clock usually moves forward, and sometimes a little back.
      nowMs += random(5) === 0 ? -random(4_000) : random(45_000);
      if (random(2) === 0) await runJob();
    }
    expect(failures).toEqual([]);
    await Promise.all(replicas.map(({ usage: counters }) => counters.close()));
    for (let elapsedMs = 0; elapsedMs < 5 * MINUTE_MS; elapsedMs += 5_000) {
      nowMs += 5_000;
      await runJob();
    }
    for (const month of ['2026-03', '2026-04']) {
      const counter = await usage.findOne({ _id: `${organizationId}:${month}:analyses` });
      expect([month, counter?.used]).toEqual([month, await storedIn(month)]);
      const shown = await replicas[0]?.usage.used({ organizationId, month, meter: 'analyses' });
      expect([month, shown]).toEqual([month, await storedIn(month)]);
    }
    for (const { mongo } of replicas) await mongo.close();
  },
  120_000,
);
