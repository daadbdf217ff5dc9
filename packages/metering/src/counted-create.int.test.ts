import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Collection } from 'mongodb';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { connectMongo, isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { createCounted } from './counted-create.js';
import type { CountedOutcome } from './counted-create.js';
import { usageCounters } from './usage.js';
import type { UsageCounters } from './usage.js';
import { usageCollection } from './usage-counter.js';
import type { UsageMark } from './usage-counter.js';

interface NoteDocument {
  readonly _id: string;
  readonly organizationId: string;
  /** Number of the request that stored the record. Repeated requests share one record. */
  readonly storedBy: number;
}

const MONTH = '2026-03';
const start = new Date('2026-03-10T12:00:00Z');
let mongo: MongoConnection;
let notes: Collection<NoteDocument>;
let usage: UsageCounters;
let organizations = 0;

beforeAll(async () => {
  const databaseName = testDatabaseName();
  mongo = await connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
  notes = mongo.db.collection<NoteDocument>('notes');
  usage = usageCounters(mongo.db, { now: () => start });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const newOrganization = (): string => `organization-${++organizations}`;
const markOf = (organizationId: string): UsageMark => ({
  organizationId,
  month: MONTH,
  meter: 'notes',
  amount: 1,
  at: start,
});
const stored = (organizationId: string): Promise<number> => notes.countDocuments({ organizationId });
const used = (organizationId: string): Promise<number> => usage.used(markOf(organizationId));

interface Options {
  readonly key: string;
  readonly by?: number;
  readonly limit?: number;
  readonly isCountUnsure?: boolean;
  /** Point at which the request stops, as if its process had crashed there. */
  readonly crashAt?: 'before the insert' | 'after the insert' | 'before giving back' | 'before the late count';
  /** Duration of the insert of the record in milliseconds. */
  readonly insertMs?: number;
}

class Crash extends Error {}

function createNote(
  organizationId: string,
  { key, by = 1, limit, isCountUnsure = false, crashAt, insertMs = 0 }: Options,
): Promise<CountedOutcome<NoteDocument, NoteDocument>> {
  let elapsedMs = 0;
  const clock = { now: () => new Date(start.getTime() + elapsedMs) };
  const own = usageCounters(mongo.db, clock);
  const crashing: UsageCounters = {
    ...own,
    async giveBack(mark) {
      if (crashAt === 'before giving back') throw new Crash();
      await own.giveBack(mark);
    },
    async recount(mark) {
      if (crashAt === 'before the late count') throw new Crash();
      await own.recount(mark);
    },
  };
  const _id = `${organizationId}:${key}`;
  return createCounted(
    { usage: crashing, clock },
    {
      mark: markOf(organizationId),
      limit,
      isCountUnsure,
      async insert() {
        if (crashAt === 'before the insert') throw new Crash();
        elapsedMs = insertMs;
        const note = { _id, organizationId, storedBy: by };
        try {
          await notes.insertOne(note);
        } catch (error) {
          if (isDuplicateKey(error)) return undefined;
          throw error;
        }
        if (crashAt === 'after the insert') throw new Crash();
        return note;
      },
      findFirst: async () => (await notes.findOne({ _id })) ?? undefined,
    },
  );
}

describe('fifty equal requests at once', () => {
  test.each<[string, { limit?: number; isCountUnsure?: boolean }]>([
    ['without a limit', {}],
    ['counted while they are stored', { isCountUnsure: true }],
    ['with one unit left', { limit: 1 }],
    ['with a few units left', { limit: 7 }],
  ])('%s store and count one, which all of them answer with', async (_, options) => {
    const organizationId = newOrganization();
    const requests = Array.from({ length: 50 }, (__, by) => createNote(organizationId, { key: 'k', by, ...options }));
    const outcomes = await Promise.all(requests);
    const created = outcomes.flatMap((outcome) => outcome.created ?? []);
    expect(created).toHaveLength(1);
    const firsts = outcomes.flatMap(({ first }) => first ?? []);
    expect(firsts).toHaveLength(49);
    expect(new Set(firsts.map(({ storedBy }) => storedBy))).toEqual(new Set([created[0]?.storedBy]));
    expect(await stored(organizationId)).toBe(1);
    expect(await used(organizationId)).toBe(1);
  });
});

test('of fifty different requests as many are stored as the limit allows, and the others fail with usage_exceeded', async () => {
  const organizationId = newOrganization();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) => createNote(organizationId, { key: `k${index}`, limit: 10 })),
  );
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(refused).toHaveLength(40);
  expect(refused).toEqual(refused.map(() => expect.objectContaining({ kind: 'usage_exceeded' })));
  expect(await stored(organizationId)).toBe(10);
  expect(await used(organizationId)).toBe(10);
});

test('a repeat gets what the first request stored when the limit has been reached since', async () => {
  const organizationId = newOrganization();
  await createNote(organizationId, { key: 'first', by: 1, limit: 1 });
  const repeat = await createNote(organizationId, { key: 'first', by: 2, limit: 1 });
  expect(repeat.first?.storedBy).toBe(1);
  await expect(createNote(organizationId, { key: 'second', limit: 1 })).rejects.toMatchObject({
    kind: 'usage_exceeded',
  });
});

describe('a crash', () => {
  test('before the insert leaves one counted too many, and the repeat is stored', async () => {
    const organizationId = newOrganization();
    await expect(createNote(organizationId, { key: 'k', crashAt: 'before the insert' })).rejects.toThrow(Crash);
    expect([await stored(organizationId), await used(organizationId)]).toEqual([0, 1]);
    expect((await createNote(organizationId, { key: 'k' })).created).toBeDefined();
    expect([await stored(organizationId), await used(organizationId)]).toEqual([1, 2]);
  });

  test('after the insert leaves it counted, and the repeat finds it', async () => {
    const organizationId = newOrganization();
    await expect(createNote(organizationId, { key: 'k', crashAt: 'after the insert' })).rejects.toThrow(Crash);
    expect((await createNote(organizationId, { key: 'k' })).first).toBeDefined();
    expect([await stored(organizationId), await used(organizationId)]).toEqual([1, 1]);
  });

  test('of a repeat before it gives back leaves one counted too many', async () => {
    const organizationId = newOrganization();
    await createNote(organizationId, { key: 'k' });
    await expect(createNote(organizationId, { key: 'k', crashAt: 'before giving back' })).rejects.toThrow(Crash);
    expect([await stored(organizationId), await used(organizationId)]).toEqual([1, 2]);
    expect((await createNote(organizationId, { key: 'k' })).first).toBeDefined();
  });

  test('before a late insert asks for a count of the month leaves the first count', async () => {
    const organizationId = newOrganization();
    const late = createNote(organizationId, { key: 'k', insertMs: 31_000, crashAt: 'before the late count' });
    await expect(late).rejects.toThrow(Crash);
    expect([await stored(organizationId), await used(organizationId)]).toEqual([1, 1]);
  });
});

test.each([
  [30_000, undefined],
  [30_001, 1],
])('an insert that took %d ms is counted once and asks for a count of the month: %p', async (insertMs, recounts) => {
  const organizationId = newOrganization();
  await createNote(organizationId, { key: 'k', insertMs });
  expect(await used(organizationId)).toBe(1);
  const counter = await usageCollection(mongo.db).findOne({ _id: `${organizationId}:${MONTH}:notes` });
  expect(counter?.recounts).toBe(recounts);
});

test('a limited create cannot be counted while it is stored', async () => {
  await expect(createNote(newOrganization(), { key: 'k', limit: 1, isCountUnsure: true })).rejects.toThrow(TypeError);
});
