import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { startEcbFeedSimulator } from '@invoicecontrol/simulators/ecb-feed';
import type { EcbFeedSimulator } from '@invoicecontrol/simulators/ecb-feed';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { ecbFeed } from '../rates/clients/ecb-feed.js';
import { rateStore } from '../rates/storage/rates.js';
import type { RateDocument } from '../rates/storage/rates.js';
import { isPublishingTime, rateLoader } from '../rates/application/load-rates.js';
import type { RateLoader } from '../rates/application/load-rates.js';
import { rateBook } from '../rates/application/rate-book.js';
import type { RateBook } from '../rates/application/rate-book.js';

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
/** The tests begin on a Friday at 16:00 in Frankfurt, when the European Central Bank publishes rates. */
let now = new Date('2026-05-08T14:00:00Z');
let mongo: MongoConnection;
let feed: EcbFeedSimulator;
let book: RateBook;
let loader: RateLoader;
const rates = () => mongo.db.collection<RateDocument>('rates');

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
});
afterAll(async () => {
  await feed.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(async () => {
  await feed?.stop();
  await rates().deleteMany({});
  lines.length = 0;
  now = new Date('2026-05-08T14:00:00Z');
  feed = await startEcbFeedSimulator({ first: '2025-11-03', today: '2026-05-08' });
  const store = rateStore(rates());
  book = rateBook(store);
  loader = rateLoader({ rates: store, book, feed: ecbFeed(feed.url), clock: { now: () => now }, logger });
});

test('an empty database gets the whole history, and every rate as the string that was published', async () => {
  await loader.catchUp();
  expect(await rates().countDocuments()).toBeGreaterThan(120);
  const { perEuro } = (await rates().findOne({ _id: '2026-05-08' })) ?? {};
  expect(perEuro?.['USD']).toMatch(/^1\.\d{4}$/);
  expect(book.published('2026-05-08')).toEqual(perEuro);
  expect(book.published('2026-05-02')).toBeUndefined();
});

test('after a pause of weeks only the last ninety days are read, and nothing is lost', async () => {
  await loader.catchUp();
  const before = await rates().countDocuments();
  feed.publish({ day: '2026-06-01', perEuro: { USD: '1.2000' } });
  now = new Date('2026-06-03T14:00:00Z');
  await loader.catchUp();
  expect(await rates().countDocuments()).toBe(before + 1);
  expect(book.published('2026-06-01')).toEqual({ USD: '1.2000' });
});

test('a corrected rate replaces the published one', async () => {
  await loader.catchUp();
  feed.publish({ day: '2026-05-08', perEuro: { USD: '9.9999' } });
  await loader.readDaily();
  expect(book.published('2026-05-08')).toEqual({ USD: '9.9999' });
});

test('a correction of the last weeks reaches replicas that already have the day', async () => {
  await loader.catchUp();
  const other = rateBook(rateStore(rates()));
  await other.refresh();
  await rates().updateOne({ _id: '2026-03-16' }, { $set: { perEuro: { USD: '9.9999' } } });
  await other.refresh();
  expect(other.published('2026-03-16')).toEqual({ USD: '9.9999' });
});

test('a replica that reads while another one stores the history has every day at the next reading', async () => {
  const days = Array.from({ length: 900 }, (_, index) => ({
    day: new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10),
    perEuro: { USD: '1.1000' },
  }));
  const store = rateStore(rates());
  const other = rateBook(store);
  let isStored = false;
  // The days are stored in the order of the feed, which lists the newest day first.
  const storing = store.save(days.toReversed()).then(() => (isStored = true));
  while (!isStored) await other.refresh();
  await storing;
  await other.refresh();
  expect(days.filter(({ day }) => other.published(day) === undefined)).toEqual([]);
});

test('an unchanged file is not sent twice', async () => {
  await loader.catchUp();
  await loader.readDaily();
  await loader.readDaily();
  expect(feed.requests).toEqual({ sent: 2, unchanged: 1 });
});

test('a change of the published currencies reaches the log', async () => {
  await loader.catchUp();
  feed.publish({ day: '2026-05-08', perEuro: { USD: '1.2', XYZ: '3' } });
  await loader.readDaily();
  expect(lines.join('')).toContain('"added":["XYZ"]');
});

test.each(['unavailable', 'not-xml', 'drop'] as const)('a feed that is %s changes nothing', async (fault) => {
  await loader.catchUp();
  const before = await rates().find().sort({ _id: 1 }).toArray();
  feed.setFault(fault);
  await expect(loader.readDaily()).rejects.toThrow('the feed');
  expect(await rates().find().sort({ _id: 1 }).toArray()).toEqual(before);
  expect(book.published('2026-05-08')).toBeDefined();
});

test('the daily file is asked for on weekdays when it appears, by the clock of Frankfurt', () => {
  expect(isPublishingTime(new Date('2026-05-08T13:30:00Z'))).toBe(true); // In summer, 13:30 UTC is 15:30 in Frankfurt.
  expect(isPublishingTime(new Date('2026-05-08T13:29:00Z'))).toBe(false);
  expect(isPublishingTime(new Date('2026-05-08T16:00:00Z'))).toBe(true);
  expect(isPublishingTime(new Date('2026-05-08T16:01:00Z'))).toBe(false);
  expect(isPublishingTime(new Date('2026-01-09T14:30:00Z'))).toBe(true); // In winter, 14:30 UTC is 15:30 in Frankfurt.
  expect(isPublishingTime(new Date('2026-05-09T14:00:00Z'))).toBe(false); // 9 May 2026 is a Saturday, when the European Central Bank publishes no rates.
});
