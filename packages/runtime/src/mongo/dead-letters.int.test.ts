import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { deadLetterStore } from './dead-letters.js';
import { stuckDeadLetters } from './stuck-documents.js';

let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
});
afterEach(() => mongo.db.collection('dead_letters').deleteMany({}));
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

test('a dead letter that is stored already stays as it is', async () => {
  const deadLetters = deadLetterStore(mongo.db);
  const letter = { id: 'scan__thing:evt_1', subject: 'a.b', payload: '{}', error: 'first', at: new Date(0) };
  await deadLetters.store(letter);
  await deadLetters.store({ ...letter, error: 'second' });
  const { id: _id, ...fields } = letter;
  expect(await mongo.db.collection('dead_letters').find().toArray()).toEqual([{ _id, ...fields }]);
});

test('the operator is told of the oldest of very many dead letters, whenever it was stored', async () => {
  const letter = (id: string, day: number) => ({ id, subject: 'a.b', payload: '{}', error: id, at: new Date(day) });
  const deadLetters = deadLetterStore(mongo.db);
  await Promise.all(Array.from({ length: 300 }, (_, index) => deadLetters.store(letter(`newer-${index}`, 2))));
  await deadLetters.store(letter('oldest', 1));
  const stuck = await stuckDeadLetters(mongo.db, 'scan')(new Date(3), new Date(3));
  expect(stuck).toMatchObject([{ since: new Date(1), why: 'oldest' }]);
});
