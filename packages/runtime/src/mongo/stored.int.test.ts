import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import type { Collection, Filter } from 'mongodb';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';
import { setOrUnset, stored } from './stored.js';

interface Thing {
  readonly _id: string;
  readonly organizationId: string;
  readonly note?: string;
  readonly dueAt?: Date;
}

let mongo: MongoConnection;
let things: Collection<Thing>;
/** Returns undefined in place of an id, as a caller with wrong types may pass it. */
const unknownId = (): string => undefined as unknown as string;

beforeAll(async () => {
  mongo = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: testDatabaseName(),
    appName: 'test',
  });
  things = mongo.db.collection<Thing>('things');
});
beforeEach(async () => {
  await things.deleteMany({});
  await things.insertMany([
    { _id: 'a1', organizationId: 'a' },
    { _id: 'b1', organizationId: 'b' },
  ]);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

test('what is undefined is not stored: by an insert, by an update, at any depth', async () => {
  await things.insertOne(stored<Thing>({ _id: 'a2', organizationId: 'a', note: undefined, dueAt: undefined }));
  await things.updateOne({ _id: 'a1' }, { $set: { 'state.note': undefined, 'state.list': [{ note: undefined }] } });
  expect(await things.find({ organizationId: 'a' }).sort({ _id: 1 }).toArray()).toStrictEqual([
    { _id: 'a1', organizationId: 'a', state: { list: [{}] } },
    { _id: 'a2', organizationId: 'a' },
  ]);
});

test('an update of a state sets what is there and removes what is undefined', async () => {
  const dueAt = new Date(0);
  await things.updateOne({ _id: 'a1' }, setOrUnset<Thing>({ note: 'n', dueAt: undefined }));
  expect(await things.findOne({ _id: 'a1' })).toStrictEqual({ _id: 'a1', organizationId: 'a', note: 'n' });
  await things.updateOne({ _id: 'a1' }, setOrUnset<Thing>({ note: undefined, dueAt }));
  expect(await things.findOne({ _id: 'a1' })).toStrictEqual({ _id: 'a1', organizationId: 'a', dueAt });
});

describe('a condition without a value', () => {
  const filters: readonly [string, () => Filter<Thing>, string][] = [
    ['on the organization', () => ({ organizationId: unknownId() }), 'organizationId'],
    ['among others', () => ({ _id: 'a1', organizationId: unknownId() }), 'organizationId'],
    ['of an operator', () => ({ organizationId: 'a', _id: { $gte: unknownId(), $lt: 'z' } }), '$gte'],
    ['in a list of conditions', () => ({ organizationId: 'a', $or: [{ _id: unknownId() }] }), '_id'],
    ['in a list of values', () => ({ organizationId: { $in: [unknownId()] } }), '0'],
  ];

  test.each(filters)('%s is refused by every command, and nothing is read or changed', async (_, filter, member) => {
    const message = `the condition on ${member} has no value`;
    const commands = [
      () => things.find(filter()).toArray(),
      () => things.findOne(filter()),
      () => things.countDocuments(filter()),
      () => things.distinct('note', filter()),
      () => things.aggregate([{ $match: filter() }]).toArray(),
      () => things.updateOne(filter(), { $set: { note: 'changed' } }),
      () => things.updateMany(filter(), { $set: { note: 'changed' } }),
      () => things.findOneAndUpdate(filter(), { $set: { note: 'changed' } }),
      () => things.replaceOne(filter(), { organizationId: 'a' }),
      () => things.bulkWrite([{ updateOne: { filter: filter(), update: { $set: { note: 'changed' } } } }]),
      () => things.deleteOne(filter()),
      () => things.deleteMany(filter()),
    ];
    for (const run of commands) await expect(run()).rejects.toThrow(message);
    expect(await things.find({}).sort({ _id: 1 }).toArray()).toStrictEqual([
      { _id: 'a1', organizationId: 'a' },
      { _id: 'b1', organizationId: 'b' },
    ]);
  });

  test('is refused by the types', () => {
    const organizationId: string | undefined = undefined;
    // @ts-expect-error: the organization is not optional.
    const ofAll: Filter<Thing> = { organizationId };
    // @ts-expect-error: neither is what a document may lack.
    const ofNone: Filter<Thing> = { organizationId: 'a', note: undefined };
    expect([ofAll, ofNone]).toHaveLength(2);
  });

  test('is refused with the names of the command and the member, and without a value', async () => {
    const refused = things.deleteMany({ note: 'secret', organizationId: unknownId() });
    await expect(refused).rejects.toThrow(new TypeError('delete things: the condition on organizationId has no value'));
  });
});
