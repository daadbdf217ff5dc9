import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Collection } from 'mongodb';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { newestPageOf, readPageRequest } from '../page.js';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { findPage } from './page.js';

interface NoteDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly createdAt: Date;
  readonly colour: string;
}

const organizationId = 'mine';
/** In this test, four documents share each creation time, and their ids are in the reverse order of insertion. */
const notes = Array.from({ length: 22 }, (_, index): NoteDocument & { id: string } => {
  const id = `note-of-the-list-${String(97 - index * 3).padStart(2, '0')}`;
  return {
    _id: id,
    id,
    organizationId,
    createdAt: new Date(Date.UTC(2026, 0, 1 + (index >> 2))),
    colour: index % 2 ? 'red' : 'blue',
  };
});
let mongo: MongoConnection;
let collection: Collection<NoteDocument>;

beforeAll(async () => {
  const databaseName = testDatabaseName();
  mongo = await connectMongo({ url: testInfrastructure().mongodbUrl, databaseName, appName: 'test' });
  collection = mongo.db.collection<NoteDocument>('notes');
  const foreign = notes.map((note) => ({ ...note, _id: `foreign-${note._id}`, organizationId: 'theirs' }));
  await collection.insertMany([...notes, ...foreign]);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const createdFromTime = new Date(Date.UTC(2026, 0, 2));
const createdToTime = new Date(Date.UTC(2026, 0, 5));

test.each<[string, { colour?: string }, { createdFromTime?: Date; createdToTime?: Date }]>([
  ['a whole list', {}, {}],
  ['a filtered list', { colour: 'red' }, {}],
  ['a list from an instant', {}, { createdFromTime }],
  ['a list up to an instant', {}, { createdToTime }],
  ['a filtered list between two instants', { colour: 'blue' }, { createdFromTime, createdToTime }],
])('%s has the same pages in the database as in memory', async (_, filter, bounds) => {
  const matching = notes.filter(({ colour }) => filter.colour === undefined || colour === filter.colour);
  for (const pageSize of [1, 2, 3, 5, 100]) {
    let pageToken = '';
    let items = 0;
    do {
      const request = readPageRequest({ pageSize, pageToken, ...bounds });
      const expected = newestPageOf(matching, request);
      const found = await findPage(collection, { organizationId, ...filter }, request);
      expect(found.items.map(({ _id }) => _id)).toEqual(expected.items.map(({ id }) => id));
      expect(found.nextPageToken).toBe(expected.nextPageToken);
      items += found.items.length;
      pageToken = found.nextPageToken;
    } while (pageToken !== '');
    expect(items).toBeGreaterThan(1);
  }
});

test('a page holds only what the projection keeps', async () => {
  const { items } = await findPage(collection, { organizationId }, readPageRequest({ pageSize: 1, pageToken: '' }), {
    colour: 0,
  });
  expect(items).toEqual([expect.not.objectContaining({ colour: expect.anything() })]);
});
