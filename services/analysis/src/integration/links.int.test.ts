import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import { linkStores } from '../records/storage/links.js';
import type { LinkDocument } from '../records/storage/links.js';

const KEY = 'the same text names an account and an order';
const account: BankLink = { bankKey: KEY, suppliers: [] };
const order: OrderLink = { poKey: KEY, suppliers: [], uses: [] };

let mongo: MongoConnection;
let stores: ReturnType<typeof linkStores>;
let organizationId: string;

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  stores = linkStores(mongo.db.collection<LinkDocument>('links'));
});
beforeEach(() => {
  organizationId = randomUUID();
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** Writes both links of one invoice at the same time, with the versions at which they were read. */
const writeBoth = (accountVersion: number, orderVersion: number, unitId: string): Promise<boolean[]> => {
  const counted = <L>(version: number, link: L, countedUnits: readonly string[]) => ({ version, link, countedUnits });
  const next = <L>(version: number, link: L) => ({
    before: version === 0 ? undefined : counted(version, link, []),
    record: counted(version, link, [unitId]),
    unitId,
  });
  return Promise.all([
    stores.bankLinks.writeCounted(organizationId, KEY, next(accountVersion, account)),
    stores.orderLinks.writeCounted(organizationId, KEY, next(orderVersion, order)),
  ]);
};
const findBoth = () =>
  Promise.all([stores.bankLinks.find(organizationId, KEY), stores.orderLinks.find(organizationId, KEY)]);

test('links of an account and of an order with the same key are two records', async () => {
  expect(await findBoth()).toEqual([undefined, undefined]);
  expect(await writeBoth(0, 0, 'a')).toEqual([true, true]);
  expect(await findBoth()).toEqual([
    { version: 1, link: account, countedUnits: ['a'] },
    { version: 1, link: order, countedUnits: ['a'] },
  ]);
  expect(await writeBoth(1, 1, 'b')).toEqual([true, true]);
  expect((await findBoth()).map((record) => record?.version)).toEqual([2, 2]);
});

test('another organization has links of its own', async () => {
  await writeBoth(0, 0, 'a');
  expect(await stores.bankLinks.find(randomUUID(), KEY)).toBeUndefined();
});

test.each([
  ['a first link that already exists', 0],
  ['a link that has changed since it was read', 1],
])('%s stays as it is, and the other link of the same command is stored', async (_title, version) => {
  const { bankLinks } = stores;
  await bankLinks.write(organizationId, KEY, { version: 0, link: account, countedUnits: ['first'] });
  await bankLinks.write(organizationId, KEY, { version: 1, link: account, countedUnits: ['second'] });
  expect(await writeBoth(version, 0, 'late')).toEqual([false, true]);
  const [bankLink, orderLink] = await findBoth();
  expect(bankLink).toEqual({ version: 2, link: account, countedUnits: ['second'] });
  expect(orderLink).toEqual({ version: 1, link: order, countedUnits: ['late'] });
});

test('a link that another worker wrote with the same unit is counted, and one without it is not', async () => {
  const { bankLinks, orderLinks } = stores;
  const first = { version: 1, link: account, countedUnits: ['first'] };
  const counted = (unitId: string) => ({
    before: first,
    record: { ...first, countedUnits: ['first', unitId] },
    unitId,
  });
  await bankLinks.write(organizationId, KEY, { ...first, version: 0 });
  await bankLinks.write(organizationId, KEY, counted('theirs').record);
  const outcomes = await Promise.all([
    bankLinks.writeCounted(organizationId, KEY, counted('theirs')),
    bankLinks.writeCounted(organizationId, KEY, counted('ours')),
    orderLinks.writeCounted(organizationId, KEY, {
      before: undefined,
      record: { version: 0, link: order, countedUnits: ['ours'] },
      unitId: 'ours',
    }),
  ]);
  expect(outcomes).toEqual([true, false, true]);
  expect((await bankLinks.find(organizationId, KEY))?.countedUnits).toEqual(['first', 'theirs']);
});

test('one of many who write a first link at once is the first', async () => {
  const write = (unit: number): Promise<boolean> =>
    // Each of the concurrent calls has stores of its own, as separate processes would have.
    linkStores(mongo.db.collection<LinkDocument>('links')).bankLinks.write(organizationId, KEY, {
      version: 0,
      link: account,
      countedUnits: [String(unit)],
    });
  const stored = await Promise.all(Array.from({ length: 20 }, (_, unit) => write(unit)));
  expect(stored.filter(Boolean)).toHaveLength(1);
  const found = await stores.bankLinks.find(organizationId, KEY);
  expect(found).toMatchObject({ version: 1, countedUnits: [String(stored.indexOf(true))] });
});
