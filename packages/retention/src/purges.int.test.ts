import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { DeadLetter } from '@invoicecontrol/runtime/dead-letters';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { purgedOrganizations } from './purged-organizations.js';
import { openPurges } from './purges.js';
import type { Purges } from './purges.js';
import { deadLettersOf, documentOfOrganization, ownedDocuments, prefixedDocuments } from './tenant-data.js';
import type { TenantData } from './tenant-data.js';

interface Owned {
  readonly _id: string;
  readonly organizationId: string;
  readonly outboxPending?: true;
  readonly note?: string;
}

const logger = createLogger({ service: 'test', level: 'silent' });
let mongo: MongoConnection;
let now = new Date('2026-03-01T12:00:00Z');
const clock = { now: () => now };
/** Number of documents that a purge deletes in one batch. It must equal the value in the module. */
const BATCH_DOCUMENTS = 500;

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

const owned = (name: string) => mongo.db.collection<Owned>(name);
const open = (kinds: readonly TenantData[]): Promise<Purges> =>
  openPurges({ db: mongo.db, service: 'test', purged: purgedOrganizations(mongo.db, clock), clock, logger }, kinds);
const run = ({ job }: Purges): Promise<unknown> => job.run(new AbortController().signal);
/** Returns how many documents of an organization remain, for each kind of data by its name. */
async function countsOf({ data }: Purges, organizationId: string): Promise<Record<string, number>> {
  const counts = await Promise.all(data.map(async ({ name, count }) => [name, await count(organizationId)] as const));
  return Object.fromEntries(counts);
}
function documentsOf(organizationId: string, count: number): Owned[] {
  return Array.from({ length: count }, (_, index) => ({ _id: `${organizationId}-${index}`, organizationId }));
}

test.each([BATCH_DOCUMENTS, BATCH_DOCUMENTS + 1])(
  'removes all %i documents of the organization and none of another',
  async (count) => {
    const [gone, kept] = [`gone-${count}`, `kept-${count}`];
    const collection = owned(`owned_${count}`);
    await collection.insertMany([...documentsOf(gone, count), ...documentsOf(kept, 3)]);
    const purges = await open([ownedDocuments(collection)]);
    await purges.request(gone);
    expect(await countsOf(purges, gone)).toEqual({ [`owned_${count}`]: count, purges: 1 });
    await run(purges);
    expect(await countsOf(purges, gone)).toEqual({ [`owned_${count}`]: 0, purges: 0 });
    expect(await collection.countDocuments({ organizationId: kept })).toBe(3);
  },
);

test('finds documents by the prefix of their id, by their id and by their content', async () => {
  const [organizationId, neighbour] = ['0199-a', '0199-ab'];
  const usage = mongo.db.collection<{ _id: string }>('prefixed');
  await usage.insertMany([`${organizationId}:2026-03:scans`, `${neighbour}:2026-03:scans`].map((_id) => ({ _id })));
  const places = mongo.db.collection<{ _id: string }>('whole');
  await places.insertMany([organizationId, neighbour].map((_id) => ({ _id })));
  const letters = mongo.db.collection<Omit<DeadLetter, 'id'> & { readonly _id: string }>('letters');
  await letters.insertMany(
    Array.from({ length: 1_001 }, (_, index) => ({
      _id: `letter-${index}`,
      subject: 'invoicecontrol.test',
      payload: JSON.stringify({ organizationId: index === 1_000 || index === 7 ? organizationId : neighbour }),
      error: 'no reason',
      at: now,
    })),
  );
  const purges = await open([
    prefixedDocuments(usage, (id) => `${id}:`),
    documentOfOrganization(places),
    deadLettersOf(letters),
  ]);
  expect(await countsOf(purges, organizationId)).toEqual({ prefixed: 1, whole: 1, letters: 2, purges: 0 });
  await purges.request(organizationId);
  await run(purges);
  expect(await countsOf(purges, organizationId)).toEqual({ prefixed: 0, whole: 0, letters: 0, purges: 0 });
  expect(await countsOf(purges, neighbour)).toEqual({ prefixed: 1, whole: 1, letters: 999, purges: 0 });
});

test('keeps a document until its events are published, and then removes it without a further request', async () => {
  const collection = owned('announcing');
  await collection.insertMany([
    { _id: 'waiting', organizationId: 'announcer', outboxPending: true },
    { _id: 'published', organizationId: 'announcer' },
  ]);
  const purges = await open([ownedDocuments(collection)]);
  await purges.request('announcer');
  await run(purges);
  expect((await collection.find({ organizationId: 'announcer' }).toArray()).map(({ _id }) => _id)).toEqual(['waiting']);
  await collection.updateOne({ _id: 'waiting' }, { $unset: { outboxPending: '' } });
  now = new Date(now.getTime() + 60_000);
  await run(purges);
  expect(await countsOf(purges, 'announcer')).toEqual({ announcing: 0, purges: 0 });
});

test('goes on after a crash with what is left', async () => {
  const collection = owned('crashing');
  await collection.insertMany(documentsOf('crashed', 3));
  let crashes = 1;
  const data = ownedDocuments(collection);
  const purges = await open([
    {
      ...data,
      async remove(organizationId) {
        const removed = await data.remove(organizationId, 1);
        if (crashes-- > 0) throw new Error('the process ends here');
        return removed;
      },
    },
  ]);
  await purges.request('crashed');
  await expect(run(purges)).rejects.toThrow('the process ends here');
  expect(await collection.countDocuments({ organizationId: 'crashed' })).toBe(2);
  now = new Date(now.getTime() + 60_000);
  await run(purges);
  expect(await countsOf(purges, 'crashed')).toEqual({ crashing: 0, purges: 0 });
});

test('is done again for a request that comes while it ends', async () => {
  const collection = owned('late');
  const data = ownedDocuments(collection);
  let isFirst = true;
  const late: TenantData = {
    ...data,
    async count(organizationId) {
      const left = await data.count(organizationId);
      if (isFirst) {
        isFirst = false;
        await collection.insertOne({ _id: 'late', organizationId });
        await purges.request(organizationId);
      }
      return left;
    },
  };
  const purges: Purges = await open([late]);
  await purges.request('latecomer');
  await run(purges);
  now = new Date(now.getTime() + 60_000);
  await run(purges);
  expect(await countsOf(purges, 'latecomer')).toEqual({ late: 0, purges: 0 });
});

test('of a hundred requests at once makes one piece of work', async () => {
  const purges = await open([]);
  await Promise.all(Array.from({ length: 100 }, () => purges.request('popular')));
  expect(await mongo.db.collection('purges').countDocuments({})).toBe(1);
  await run(purges);
  expect(await mongo.db.collection('purges').countDocuments({})).toBe(0);
});

test('knows a purged organization for good, from the request on, by a hash alone', async () => {
  const purged = purgedOrganizations(mongo.db, clock);
  const [gone, kept] = ['0199-gone', '0199-kept'];
  const purges = await open([]);
  expect(await purged.has(gone)).toBe(false);
  await purges.request(gone);
  expect(await purged.has(gone)).toBe(true);
  await Promise.all([purges.request(gone), run(purges)]);
  // If a second request arrives during a run, the run leaves the work to a later one.
  now = new Date(now.getTime() + 60_000);
  await run(purges);
  expect([await purged.has(gone), await purged.has(kept)]).toEqual([true, false]);
  const stored = await mongo.db.collection('purged_organizations').find({}).toArray();
  expect(JSON.stringify(stored)).not.toContain(gone);
});

test('tells the operator of a purge that does not end', async () => {
  const collection = owned('stuck');
  await collection.insertOne({ _id: 'stuck', organizationId: 'stuck', outboxPending: true });
  const purges = await open([ownedDocuments(collection)]);
  await purges.request('stuck');
  await run(purges);
  const found = await purges.findStuck(now, now);
  expect(found).toMatchObject([{ kind: 'purge', what: 'purge of organization stuck in test', since: now }]);
});
