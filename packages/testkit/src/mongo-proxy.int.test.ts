import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MongoClient } from 'mongodb';
import type { Collection } from 'mongodb';
import { testDatabaseName, testInfrastructure } from './infrastructure.js';
import { startMongoProxy } from './mongo-proxy.js';
import type { MongoProxy } from './mongo-proxy.js';

interface Note {
  readonly _id: string;
  readonly text?: string;
}

const { mongodbUrl } = testInfrastructure();
const databaseName = testDatabaseName();
const direct = new MongoClient(mongodbUrl);
const stored = direct.db(databaseName).collection<Note>('notes');
let proxy: MongoProxy;
let client: MongoClient;
let notes: Collection<Note>;

beforeAll(async () => {
  proxy = await startMongoProxy(mongodbUrl);
  client = new MongoClient(proxy.url, { retryWrites: false, retryReads: false });
  notes = client.db(databaseName).collection<Note>('notes');
  await direct.connect();
});
beforeEach(() => stored.deleteMany({}));
afterAll(async () => {
  await client.close();
  await stored.db.dropDatabase();
  await direct.close();
  await proxy.close();
});

describe('a MongoDB proxy', () => {
  test('names the commands it carries, with their collections', async () => {
    await notes.insertOne({ _id: 'a' });
    await notes.findOneAndUpdate({ _id: 'a' }, { $set: { text: 'long'.repeat(100_000) } });
    await notes.bulkWrite([{ updateOne: { filter: { _id: 'a' }, update: { $set: { text: 'b' } } } }]);
    expect(await notes.findOne({ _id: 'a' })).toEqual({ _id: 'a', text: 'b' });
    expect(proxy.commandNames()).toEqual(['find notes', 'findAndModify notes', 'insert notes', 'update notes']);
  });

  test('keeps a command from the database, for ever when it is dropped', async () => {
    const hold = proxy.hold({ command: 'insert notes', side: 'before' });
    const insert = notes.insertOne({ _id: 'a' }).catch((error: unknown) => error);
    await hold.complete;
    hold.drop();
    expect(await insert).toMatchObject({ name: 'MongoNetworkError' });
    expect(await stored.findOne({ _id: 'a' })).toBeNull();
    await notes.insertOne({ _id: 'b' });
  });

  test('keeps a reply from the client when the command was carried out', async () => {
    const hold = proxy.hold({ command: 'insert notes', side: 'after' });
    const insert = notes.insertOne({ _id: 'a' }).catch((error: unknown) => error);
    await hold.complete;
    expect(await stored.findOne({ _id: 'a' })).toEqual({ _id: 'a' });
    hold.drop();
    expect(await insert).toMatchObject({ name: 'MongoNetworkError' });
  });

  test('holds what mentions one of the texts, until each was seen, and lets everything else pass', async () => {
    const hold = proxy.hold({ command: 'insert notes', side: 'before', mentioning: ['violet', 'blue'] });
    const violet = notes.insertOne({ _id: 'a', text: 'violet' }).catch((error: unknown) => error);
    await notes.insertOne({ _id: 'b', text: 'green' });
    const blue = notes.insertOne({ _id: 'c', text: 'blue' }).catch((error: unknown) => error);
    await hold.complete;
    hold.drop();
    await Promise.all([violet, blue]);
    expect(await stored.find().toArray()).toEqual([{ _id: 'b', text: 'green' }]);
  });

  test('holds the n-th of the commands that mention a text, each text counted for itself', async () => {
    const hold = proxy.hold({
      command: 'insert notes',
      side: 'before',
      mentioning: ['violet', 'blue'],
      occurrence: 2,
    });
    await notes.insertOne({ _id: 'a', text: 'violet' });
    await notes.insertOne({ _id: 'b', text: 'blue' });
    const held = ['violet', 'blue'].map((text) =>
      notes.insertOne({ _id: `second ${text}`, text }).catch((error: unknown) => error),
    );
    await hold.complete;
    hold.drop();
    await Promise.all(held);
    expect((await stored.find().toArray()).map(({ _id }) => _id).toSorted()).toEqual(['a', 'b']);
  });

  test('holds several commands at once, and drops each independently', async () => {
    const violet = proxy.hold({ command: 'insert notes', side: 'before', mentioning: ['violet'] });
    const blue = proxy.hold({ command: 'insert notes', side: 'after', mentioning: ['blue'] });
    const inserts = ['violet', 'blue'].map((text) =>
      notes.insertOne({ _id: text, text }).catch((error: unknown) => error),
    );
    await Promise.all([violet.complete, blue.complete]);
    violet.drop();
    expect(await inserts[0]).toMatchObject({ name: 'MongoNetworkError' });
    expect(await stored.find().toArray()).toEqual([{ _id: 'blue', text: 'blue' }]);
    blue.drop();
    expect(await inserts[1]).toMatchObject({ name: 'MongoNetworkError' });
  });
});
