import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { deadLetterStore } from './dead-letters.js';

let mongo: MongoConnection;

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

test('a dead letter that is stored already stays as it is', async () => {
  const deadLetters = deadLetterStore(mongo.db);
  const letter = { id: 'scan__thing:evt_1', subject: 'a.b', payload: '{}', error: 'first', at: new Date(0) };
  await deadLetters.store(letter);
  await deadLetters.store({ ...letter, error: 'second' });
  const { id: _id, ...fields } = letter;
  expect(await mongo.db.collection('dead_letters').find().toArray()).toEqual([{ _id, ...fields }]);
});
