import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  Binary,
  Decimal128,
  GridFSBucket,
  Long,
  MongoBulkWriteError,
  MongoClient,
  MongoServerError,
  ObjectId,
  UUID,
  type Collection,
  type Db,
  type Document,
  type IndexDescription,
} from 'mongodb';
import { startEmbeddedMongod, type EmbeddedMongod } from './server.js';

// What the product relies on. With MONGODB_URL set, the same tests run against that MongoDB and so verify this server.

interface Item extends Document {
  _id: number | string | ObjectId | UUID;
}

let server: EmbeddedMongod | undefined;
let client: MongoClient;
let db: Db;
let items: Collection<Item>;
/** The same collection, for documents that leave their `_id` to the driver. */
let documents: Collection;

beforeAll(async () => {
  const given = process.env['MONGODB_URL'];
  server = given === undefined ? await startEmbeddedMongod() : undefined;
  client = new MongoClient(given ?? server?.url ?? '', {
    readConcern: { level: 'majority' },
    writeConcern: { w: 'majority', journal: true },
  });
  db = client.db(`conformance_${randomUUID().slice(0, 8)}`);
});

beforeEach(() => {
  items = db.collection<Item>(`items_${randomUUID()}`);
  documents = db.collection(items.collectionName);
});

afterAll(async () => {
  await db.dropDatabase();
  await client.close();
  await server?.stop();
});

async function errorOf(work: Promise<unknown>): Promise<MongoServerError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof MongoServerError) return outcome;
  throw new Error(`Expected an error from the server, got ${String(outcome)}`);
}

async function idsOf(filter: Document, options: Document = {}): Promise<unknown[]> {
  const found = await items.find(filter, { sort: { _id: 1 }, ...options }).toArray();
  return found.map(({ _id }) => _id);
}

async function createIndex(key: Record<string, 1 | -1>, options: Omit<IndexDescription, 'key'> = {}): Promise<void> {
  await items.createIndexes([{ key, ...options }]);
}

/** The document that an update leaves behind. */
async function updated(before: Document, update: Document, options: Document = {}): Promise<Document> {
  await items.insertOne({ _id: 1, ...before });
  const after = await items.findOneAndUpdate({ _id: 1 }, update, { returnDocument: 'after', ...options });
  const { _id, ...rest } = after ?? {};
  return rest;
}

describe('inserting', () => {
  test('a document without _id gets an ObjectId', async () => {
    const { insertedId } = await documents.insertOne({ a: 1 });
    expect(insertedId).toBeInstanceOf(ObjectId);
    expect(await items.findOne({ _id: insertedId })).toEqual({ _id: insertedId, a: 1 });
  });

  test('an ordered batch stops at the first duplicate', async () => {
    const error = await errorOf(items.insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }]));
    expect(error.code).toBe(11000);
    expect(await idsOf({})).toEqual([1]);
  });

  test('an unordered batch stores everything but the duplicates and names each of them', async () => {
    const error = await errorOf(
      items.insertMany([{ _id: 1 }, { _id: 1 }, { _id: 2 }, { _id: 2 }, { _id: 3 }], { ordered: false }),
    );
    expect(error).toBeInstanceOf(MongoBulkWriteError);
    const { insertedCount, writeErrors } = error as MongoBulkWriteError;
    expect(insertedCount).toBe(3);
    expect([writeErrors].flat().map(({ index, code }) => [index, code])).toEqual([
      [1, 11000],
      [3, 11000],
    ]);
    expect(await idsOf({})).toEqual([1, 2, 3]);
  });

  test('a duplicate error names the index, its pattern and the value', async () => {
    await createIndex({ organizationId: 1, email: 1 }, { unique: true });
    await documents.insertOne({ organizationId: 'o', email: 'a@b' });
    const error = await errorOf(documents.insertOne({ organizationId: 'o', email: 'a@b' }));
    expect(error.code).toBe(11000);
    expect(error['keyPattern']).toEqual({ organizationId: 1, email: 1 });
    expect(error['keyValue']).toEqual({ organizationId: 'o', email: 'a@b' });
    expect(error.message).toContain('E11000 duplicate key error collection:');
    expect(error.message).toContain('organizationId_1_email_1');
  });

  test('all stored types are returned unchanged', async () => {
    const stored = {
      _id: new UUID(),
      decimal: Decimal128.fromString('12345678901234567890.1234'),
      date: new Date('1969-07-20T20:17:40.123Z'),
      long: Long.fromString('9223372036854775807'),
      id: new ObjectId(),
      fraction: 0.1,
      large: 5e9,
      negative: -1,
      bytes: new Binary(Buffer.from('abc')),
      nothing: null,
      nested: { list: [1, 'two', [3], { four: 4 }], empty: {}, none: [] },
      text: 'zażółć \u{1f9fe}',
    };
    await items.insertOne(stored);
    expect(await items.findOne({ _id: stored._id }, { promoteLongs: false })).toEqual(stored);
  });

  test('a large batch and a large document are stored completely', async () => {
    const { insertedCount } = await items.insertMany(
      Array.from({ length: 5000 }, (_, n) => ({ _id: n, pad: 'x'.repeat(1000) })),
    );
    expect(insertedCount).toBe(5000);
    await items.insertOne({ _id: 'large', text: 'z'.repeat(10_000_000) });
    expect((await items.findOne({ _id: 'large' }))?.['text']).toHaveLength(10_000_000);
    expect(await items.countDocuments({ pad: { $exists: true } })).toBe(5000);
  });
});

describe('guarded updates', () => {
  test('a save that names the current version moves it on; one that names an older version matches nothing', async () => {
    await items.insertOne({ _id: 'f', organizationId: 'o', version: 1, state: 'NEW' });
    const guard = { _id: 'f', organizationId: 'o', version: 1 };
    const change = {
      $set: { state: 'DONE' },
      $inc: { version: 1 },
      $push: { outbox: { $each: [{ id: 'e1' }] } },
    } as Document;
    const saved = await items.findOneAndUpdate(guard, change, { returnDocument: 'after' });
    expect(saved).toEqual({ _id: 'f', organizationId: 'o', version: 2, state: 'DONE', outbox: [{ id: 'e1' }] });
    expect(await items.findOneAndUpdate(guard, change, { returnDocument: 'after' })).toBeNull();
    expect(await items.updateOne(guard, change)).toMatchObject({ matchedCount: 0, modifiedCount: 0 });
  });

  test('findOneAndUpdate returns the state before or after, as requested', async () => {
    await items.insertOne({ _id: 1, n: 1 });
    expect(await items.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })).toEqual({ _id: 1, n: 1 });
    expect(await items.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' })).toEqual({
      _id: 1,
      n: 3,
    });
  });

  test('findOneAndUpdate updates the first in the requested order and returns the requested fields', async () => {
    await items.insertMany([
      { _id: 1, p: 1, s: 'Q' },
      { _id: 2, p: 5, s: 'Q' },
    ]);
    const options = { sort: { p: -1 }, projection: { p: 1 }, returnDocument: 'after' } as const;
    expect(await items.findOneAndUpdate({ s: 'Q' }, { $set: { s: 'R' } }, options)).toEqual({ _id: 2, p: 5 });
  });

  test('an upsert inserts the equalities of the filter and the operators', async () => {
    const filter = { $and: [{ a: 1 }], 'b.c': 2, d: { $gt: 5 }, e: { $eq: 3 } };
    const result = await items.updateOne(
      filter,
      { $setOnInsert: { f: 1 }, $set: { g: 1 }, $inc: { n: 2 } },
      { upsert: true },
    );
    expect(result).toMatchObject({ matchedCount: 0, upsertedCount: 1 });
    expect(await items.findOne({ a: 1 })).toEqual({
      _id: result.upsertedId,
      a: 1,
      b: { c: 2 },
      e: 3,
      f: 1,
      g: 1,
      n: 2,
    });
  });

  test('an upsert on an existing document ignores $setOnInsert', async () => {
    await items.insertOne({ _id: 'c', used: 3 });
    const result = await items.updateOne({ _id: 'c' }, { $setOnInsert: { used: 0 } }, { upsert: true });
    expect(result).toMatchObject({ matchedCount: 1, modifiedCount: 0, upsertedCount: 0 });
    expect(await items.findOne({})).toEqual({ _id: 'c', used: 3 });
  });

  test('an upsert whose guard misses an existing _id is a duplicate', async () => {
    await items.insertOne({ _id: 'a', version: 2 });
    const error = await errorOf(items.findOneAndUpdate({ _id: 'a', version: 1 }, { $set: { x: 1 } }, { upsert: true }));
    expect([error.code, error['keyPattern'], error['keyValue']]).toEqual([11000, { _id: 1 }, { _id: 'a' }]);
  });

  test('a quota is never exceeded: the increment that does not fit matches nothing', async () => {
    await items.insertOne({ _id: 'q', used: 8 });
    const take = (n: number): Promise<Document | null> =>
      items.findOneAndUpdate({ _id: 'q', used: { $lte: 10 - n } }, { $inc: { used: n } }, { returnDocument: 'after' });
    expect(await take(2)).toEqual({ _id: 'q', used: 10 });
    expect(await take(1)).toBeNull();
  });

  test('an update that breaks a unique index changes nothing', async () => {
    await createIndex({ email: 1 }, { unique: true });
    await items.insertMany([
      { _id: 1, email: 'x' },
      { _id: 2, email: 'y' },
    ]);
    const error = await errorOf(items.updateOne({ _id: 2 }, { $set: { email: 'x', seen: true } }));
    expect([error.code, error['keyValue']]).toEqual([11000, { email: 'x' }]);
    expect(await items.findOne({ _id: 2 })).toEqual({ _id: 2, email: 'y' });
  });

  test('updateMany counts matched and changed documents separately', async () => {
    await documents.insertMany([{ a: 1 }, { a: 1, b: 2 }, { a: 2 }]);
    expect(await items.updateMany({ a: 1 }, { $set: { b: 2 } })).toMatchObject({ matchedCount: 2, modifiedCount: 1 });
  });

  test('the _id never changes', async () => {
    await items.insertOne({ _id: 1 });
    expect((await errorOf(items.updateOne({ _id: 1 }, { $set: { _id: 2 } }))).code).toBe(66);
    expect((await errorOf(items.replaceOne({ _id: 1 }, { _id: 2 }))).code).toBe(66);
  });

  test('replacing, finding and replacing, finding and deleting', async () => {
    await items.insertOne({ _id: 1, a: 1 });
    await items.replaceOne({ _id: 1 }, { b: 1 });
    expect(await items.findOneAndReplace({ _id: 1 }, { c: 1 }, { returnDocument: 'after' })).toEqual({ _id: 1, c: 1 });
    expect(await items.findOneAndDelete({ _id: 1 })).toEqual({ _id: 1, c: 1 });
    expect(await items.findOneAndDelete({ _id: 1 })).toBeNull();
  });

  test('a bulk write reports each kind of change', async () => {
    await items.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 1 },
    ]);
    const result = await items.bulkWrite([
      { updateOne: { filter: { _id: 1, n: 1 }, update: { $inc: { n: 1 } } } },
      { updateOne: { filter: { _id: 2, n: 9 }, update: { $inc: { n: 1 } } } },
      { updateOne: { filter: { _id: 3 }, update: { $setOnInsert: { n: 0 } }, upsert: true } },
      { updateMany: { filter: {}, update: { $set: { seen: true } } } },
      { deleteOne: { filter: { _id: 2 } } },
      { insertOne: { document: { _id: 4 } } },
    ]);
    expect(result).toMatchObject({
      insertedCount: 1,
      matchedCount: 4,
      modifiedCount: 4,
      deletedCount: 1,
      upsertedCount: 1,
      upsertedIds: { 2: 3 },
    });
  });

  test('an ordered bulk write stops at the first error, an unordered one goes on', async () => {
    await createIndex({ e: 1 }, { unique: true });
    await items.insertMany([
      { _id: 1, e: 1 },
      { _id: 2, e: 2 },
      { _id: 3, e: 3 },
    ]);
    const writes = [
      { updateOne: { filter: { _id: 2 }, update: { $set: { e: 1 } } } },
      { updateOne: { filter: { _id: 3 }, update: { $set: { e: 30 } } } },
    ];
    expect((await errorOf(items.bulkWrite(writes))).code).toBe(11000);
    expect(await items.findOne({ _id: 3 })).toMatchObject({ e: 3 });
    expect((await errorOf(items.bulkWrite(writes, { ordered: false }))).code).toBe(11000);
    expect(await items.findOne({ _id: 3 })).toMatchObject({ e: 30 });
  });
});

describe('update operators', () => {
  test('$set reaches into documents and arrays and creates what is missing', async () => {
    const after = await updated(
      { a: { x: 1 }, l: [{ n: 1 }, { n: 2 }] },
      { $set: { 'a.y': 2, 'l.1.n': 9, 'new.deep': true } },
    );
    expect(after).toEqual({ a: { x: 1, y: 2 }, l: [{ n: 1 }, { n: 9 }], new: { deep: true } });
  });

  test('new fields are added in the order of their names', async () => {
    const after = await updated({ m: 1 }, { $set: { z: 1, b: 1 }, $inc: { a: 1 } });
    expect(Object.keys(after)).toEqual(['m', 'a', 'b', 'z']);
  });

  test('$unset removes a field and sets an array element to null', async () => {
    expect(
      await updated({ a: 1, b: { c: 1 }, l: [1, 2] }, { $unset: { a: '', 'b.c': '', 'l.0': '', gone: '' } }),
    ).toEqual({ b: {}, l: [null, 2] });
  });

  test('$inc, $min and $max', async () => {
    const update = { $inc: { n: 2, 'fresh.n': 1 }, $min: { low: 1, lowNew: 4 }, $max: { high: 9 } };
    const after = await updated({ n: 1, low: 3, high: 4 }, update);
    expect(after).toEqual({ n: 3, low: 1, high: 9, fresh: { n: 1 }, lowNew: 4 });
  });

  test('$max and $min compare dates', async () => {
    const after = await updated(
      { first: new Date(5), last: new Date(5) },
      { $min: { first: new Date(7) }, $max: { last: new Date(7) } },
    );
    expect(after).toEqual({ first: new Date(5), last: new Date(7) });
  });

  test('$inc exceeds 32 bits and keeps decimals exact', async () => {
    const after = await updated(
      { n: 2_147_483_647, d: Decimal128.fromString('10.10') },
      { $inc: { n: 1, d: Decimal128.fromString('0.20') } },
    );
    expect(after['n']).toBe(2_147_483_648);
    expect(String(after['d'])).toBe('10.30');
  });

  test('$push appends, with $each and $slice', async () => {
    await items.insertOne({ _id: 1, l: [1, 2, 3] });
    const push = async (change: unknown): Promise<unknown> => {
      const after = await items.findOneAndUpdate({ _id: 1 }, { $push: { l: change } } as Document, {
        returnDocument: 'after',
      });
      return after?.['l'];
    };
    expect(await push(4)).toEqual([1, 2, 3, 4]);
    expect(await push({ $each: [9, 8], $slice: -3 })).toEqual([4, 9, 8]);
    expect(await push({ $each: [5], $slice: 2 })).toEqual([4, 9]);
    expect(await push({ $each: [], $slice: 0 })).toEqual([]);
  });

  test('$push with $slice keeps the last published events', async () => {
    const after = await updated(
      { recent: [{ id: 1 }, { id: 2 }] },
      { $push: { recent: { $each: [{ id: 3 }], $slice: -2 } } },
    );
    expect(after['recent']).toEqual([{ id: 2 }, { id: 3 }]);
  });

  test('$pull removes by value, by operators and by fields', async () => {
    const update = { $pull: { a: 2, b: { $gte: 2 }, c: { kind: 'x', n: { $gt: 1 } }, d: { $in: ['p', 'q'] } } };
    const before = {
      a: [1, 2, 2],
      b: [1, 2, 3],
      c: [
        { kind: 'x', n: 1 },
        { kind: 'x', n: 2 },
        { kind: 'y', n: 2 },
      ],
      d: ['p', 'r'],
    };
    expect(await updated(before, update)).toEqual({
      a: [1],
      b: [1],
      c: [
        { kind: 'x', n: 1 },
        { kind: 'y', n: 2 },
      ],
      d: ['r'],
    });
  });

  test.each<[string, Document, Document, number]>([
    ['$inc of a text', { a: 'x' }, { $inc: { a: 1 } }, 14],
    ['$inc by a text', { a: 1 }, { $inc: { a: 'x' } }, 14],
    ['$inc of null', { a: null }, { $inc: { a: 1 } }, 14],
    ['$setOnInsert and $set of one field', { a: 1 }, { $set: { a: 1 }, $setOnInsert: { a: 2 } }, 40],
    ['$push to a number', { a: 1 }, { $push: { a: 1 } }, 2],
    ['$set below a number', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
    ['two operators on one field', { a: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ['a field and what is below it', {}, { $set: { a: {}, 'a.b': 1 } }, 40],
    ['an unknown operator', {}, { $frobnicate: { a: 1 } }, 9],
  ])('%s is refused and changes nothing', async (_title, before, update, code) => {
    await items.insertOne({ _id: 1, ...before });
    expect((await errorOf(items.updateOne({ _id: 1 }, update))).code).toBe(code);
    expect(await items.findOne({ _id: 1 })).toEqual({ _id: 1, ...before });
  });
});

describe('filters', () => {
  test.each<[string, Document, number[]]>([
    ['equality of a value', { a: 1 }, [1, 6]],
    ['equality across number types', { a: 2 }, [2, 3]],
    ['equality of a whole document with its field order', { o: { x: 1, y: 2 } }, [4]],
    ['equality of a whole array', { l: ['p', 'q'] }, [4]],
    ['an element of an array', { l: 'q' }, [4, 5]],
    ['null and missing', { a: null }, [5, 7, 8]],
    ['a field below a document', { 'o.x': 1 }, [4, 5]],
    ['a field below an array of documents', { 'd.k': 2 }, [6]],
    ['null below an array of documents', { 'd.k': null }, [1, 2, 3, 4, 5, 7, 8]],
    ['a place in an array', { 'l.0': 'q' }, [5]],
    ['$in', { a: { $in: [1, 'text'] } }, [1, 4, 6]],
    ['$in with null', { a: { $in: [null, 1] } }, [1, 5, 6, 7, 8]],
    ['$ne', { a: { $ne: 1 } }, [2, 3, 4, 5, 7, 8]],
    ['$nin', { a: { $nin: [1, 'text'] } }, [2, 3, 5, 7, 8]],
    ['$nin with null', { a: { $nin: [null, 1] } }, [2, 3, 4]],
    ['a range stays within its type', { a: { $gt: 0 } }, [1, 2, 3, 6]],
    ['a range of texts', { a: { $gte: 'a' } }, [4]],
    ['a range of dates', { t: { $gte: new Date(10), $lt: new Date(30) } }, [1, 2]],
    ['$lte null is null and missing', { a: { $lte: null } }, [5, 7, 8]],
    ['$exists', { a: { $exists: true } }, [1, 2, 3, 4, 6, 8]],
    ['$exists: false', { a: { $exists: false } }, [5, 7]],
    ['$elemMatch on documents', { d: { $elemMatch: { k: 1, v: 'a' } } }, [6]],
    ['$elemMatch tests one element at a time', { d: { $elemMatch: { k: 1, v: 'b' } } }, []],
    ['conditions on two fields of an array may meet in two elements', { 'd.k': 1, 'd.v': 'b' }, [6]],
    ['$elemMatch on values', { n: { $elemMatch: { $gt: 2, $lt: 8 } } }, [8]],
    ['a range over an array may meet in two elements', { n: { $gt: 2, $lt: 8 } }, [7, 8]],
    ['$or', { $or: [{ a: 'text' }, { l: 'q' }] }, [4, 5]],
    ['$and', { $and: [{ a: { $gt: 0 } }, { a: { $lt: 2 } }] }, [1, 6]],
    ['_id by $in', { _id: { $in: [3, 1, 99] } }, [1, 3]],
    ['_id and another field', { _id: { $in: [3, 1] }, a: 1 }, [1]],
    ['a range of _id', { _id: { $gt: 6 } }, [7, 8]],
  ])('%s', async (_title, filter, expected) => {
    await items.insertMany([
      { _id: 1, a: 1, t: new Date(10) },
      { _id: 2, a: 2, t: new Date(20) },
      { _id: 3, a: Long.fromNumber(2), t: new Date(30) },
      { _id: 4, a: 'text', o: { x: 1, y: 2 }, l: ['p', 'q'] },
      { _id: 5, o: { y: 2, x: 1 }, l: ['q'] },
      {
        _id: 6,
        a: 1,
        d: [
          { k: 1, v: 'a' },
          { k: 2, v: 'b' },
        ],
      },
      { _id: 7, n: [1, 10] },
      { _id: 8, a: null, n: [5] },
    ]);
    expect(await idsOf(filter)).toEqual(expected);
    // Again with an index on every field of the filter.
    for (const field of ['a', 'o', 'o.x', 'l', 'd.k', 'd.v', 'n', 't']) await createIndex({ [field]: 1 });
    expect(await idsOf(filter)).toEqual(expected);
  });

  test.each<[string, Document]>([
    ['an unknown operator', { a: { $near: 1 } }],
    ['an unknown top level operator', { $frobnicate: [] }],
    ['an $in without a list', { a: { $in: 1 } }],
    ['an $or without branches', { $or: [] }],
  ])('%s is an error, also on an empty collection', async (_title, filter) => {
    expect((await errorOf(items.find(filter).toArray())).code).toBeGreaterThan(0);
  });
});

describe('order', () => {
  test('values of all types have one order', async () => {
    const ordered = [
      null,
      -5,
      0.5,
      1,
      'A',
      'a',
      'b',
      { a: 1 },
      new Binary(Buffer.from('x')),
      new ObjectId(),
      false,
      true,
      new Date(-1),
      new Date(1),
    ];
    const docs = ordered.map((value, _id) => ({ _id, value }));
    await items.insertMany([...docs].reverse());
    const expected = docs.map(({ _id }) => _id);
    expect(await idsOf({}, { sort: { value: 1 } })).toEqual(expected);
    expect(await idsOf({}, { sort: { value: -1 } })).toEqual([...expected].reverse());
    await createIndex({ value: 1 });
    expect(await idsOf({}, { sort: { value: 1 } })).toEqual(expected);
    expect(await idsOf({}, { sort: { value: -1 } })).toEqual([...expected].reverse());
  });

  test('an array sorts by its smallest element ascending and by its largest descending', async () => {
    await items.insertMany([
      { _id: 1, l: [5, 1] },
      { _id: 2, l: [3] },
      { _id: 3, l: [] },
    ]);
    expect(await idsOf({}, { sort: { l: 1 } })).toEqual([3, 1, 2]);
    expect(await idsOf({}, { sort: { l: -1 } })).toEqual([1, 2, 3]);
  });

  test('decimals and texts outside the basic plane are ordered by value', async () => {
    await items.insertMany([
      { _id: 1, m: Decimal128.fromString('10.10'), t: '\u{1f9fe}' },
      { _id: 2, m: Decimal128.fromString('9.9'), t: '\uffee' },
    ]);
    expect(await idsOf({}, { sort: { m: 1 } })).toEqual([2, 1]);
    expect(await idsOf({}, { sort: { t: 1 } })).toEqual([2, 1]);
    expect(await idsOf({ m: { $gt: Decimal128.fromString('9.95') } })).toEqual([1]);
  });

  test.each<[Record<string, 1 | -1>]>([[{}], [{ organizationId: 1, createdAt: -1, _id: -1 }]])(
    'pages follow each other without gaps (index %j)',
    async (key) => {
      if (Object.keys(key).length > 0) await createIndex(key);
      await items.insertMany(
        Array.from({ length: 25 }, (_, n) => ({
          _id: n,
          organizationId: n % 2 ? 'o' : 'p',
          createdAt: new Date(n >> 2),
        })),
      );
      const seen: unknown[] = [];
      let after: Document = {};
      for (;;) {
        const page = await items
          .find({ organizationId: 'o', ...after })
          .sort({ createdAt: -1, _id: -1 })
          .limit(5)
          .toArray();
        const last = page.at(-1);
        if (!last) break;
        seen.push(...page.map(({ _id }) => _id));
        after = {
          $or: [{ createdAt: { $lt: last['createdAt'] } }, { createdAt: last['createdAt'], _id: { $lt: last._id } }],
        };
      }
      expect(seen).toEqual([23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1]);
    },
  );
});

describe('projections', () => {
  test.each<[string, Document, Document]>([
    ['fields in', { 'a.b': 1, 'l.x': 1, _id: 0 }, { a: { b: 1 }, l: [{ x: 1 }, { x: 3 }] }],
    ['fields in keep _id', { n: 1 }, { _id: 1, n: 7 }],
    ['fields out', { 'a.b': 0, l: 0 }, { _id: 1, a: { c: 2 }, n: 7 }],
    [
      'only _id out',
      { _id: 0 },
      {
        a: { b: 1, c: 2 },
        l: [
          { x: 1, y: 2 },
          { x: 3, y: 4 },
        ],
        n: 7,
      },
    ],
    ['only _id in', { _id: 1 }, { _id: 1 }],
  ])('%s', async (_title, projection, expected) => {
    await items.insertOne({
      _id: 1,
      a: { b: 1, c: 2 },
      l: [
        { x: 1, y: 2 },
        { x: 3, y: 4 },
      ],
      n: 7,
    });
    expect(await items.findOne({}, { projection })).toEqual(expected);
  });

  test.each<[string, Document, number]>([
    ['exclusion in an inclusion', { a: 1, b: 0 }, 31254],
    ['inclusion in an exclusion', { a: 0, b: 1 }, 31253],
    ['a field and what is below it', { a: 1, 'a.b': 1 }, 31249],
  ])('%s is refused', async (_title, projection, code) => {
    await items.insertOne({ _id: 1, a: 1 });
    expect((await errorOf(items.findOne({}, { projection }))).code).toBe(code);
  });
});

describe('cursors', () => {
  test('a result comes in batches, in order and complete', async () => {
    await items.insertMany(Array.from({ length: 1050 }, (_, _id) => ({ _id })));
    const seen: unknown[] = [];
    for await (const { _id } of items.find({}, { batchSize: 100, sort: { _id: 1 } })) seen.push(_id);
    expect(seen).toEqual(Array.from({ length: 1050 }, (_, n) => n));
  });

  test('skip and limit count after the order', async () => {
    await items.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id })));
    expect(await idsOf({}, { skip: 3, limit: 2, sort: { _id: -1 } })).toEqual([6, 5]);
  });

  test('a cursor that is closed early is gone', async () => {
    await items.insertMany(Array.from({ length: 300 }, (_, _id) => ({ _id })));
    const cursor = items.find({}, { batchSize: 10 });
    await cursor.next();
    const id = cursor.id;
    await cursor.close();
    expect((await errorOf(db.command({ getMore: id, collection: items.collectionName }))).code).toBe(43);
  });
});

describe('indexes', () => {
  test('listIndexes returns created indexes, and creating them again changes nothing', async () => {
    const specs = [
      { key: { a: 1, b: -1 }, name: 'ab' },
      { key: { c: 1 }, name: 'c', unique: true, sparse: true },
      { key: { expiresAt: 1 }, name: 'ttl', expireAfterSeconds: 60 },
    ] as const;
    await items.createIndexes(specs.map((spec) => ({ ...spec, key: { ...spec.key } })));
    await items.createIndexes(specs.map((spec) => ({ ...spec, key: { ...spec.key } })));
    const indexes = await items.indexes();
    expect(indexes).toEqual([{ v: 2, key: { _id: 1 }, name: '_id_' }, ...specs.map((spec) => ({ v: 2, ...spec }))]);
  });

  test('an index that contradicts an existing one is refused', async () => {
    await createIndex({ a: 1 });
    expect([85, 86]).toContain((await errorOf(createIndex({ a: 1 }, { unique: true }))).code);
    expect((await errorOf(createIndex({ a: 1 }, { name: 'other' }))).code).toBe(85);
  });

  test('a unique index refuses duplicates that are there already', async () => {
    await documents.insertMany([{ a: 1 }, { a: 1 }]);
    expect((await errorOf(createIndex({ a: 1 }, { unique: true }))).code).toBe(11000);
    expect(await items.indexes()).toHaveLength(1);
  });

  test('a unique index treats a missing field as null, once', async () => {
    await createIndex({ a: 1 }, { unique: true });
    await documents.insertOne({ b: 1 });
    expect((await errorOf(documents.insertOne({ a: null }))).code).toBe(11000);
  });

  test('a unique sparse index ignores documents without the field', async () => {
    await createIndex({ a: 1 }, { unique: true, sparse: true });
    await documents.insertMany([{ b: 1 }, { b: 2 }, { a: 1 }]);
    expect((await errorOf(documents.insertOne({ a: 1 }))).code).toBe(11000);
    expect(await items.countDocuments({ a: null })).toBe(2);
  });

  test('a document leaves the sparse index with its field and returns with it', async () => {
    await createIndex({ outboxPending: 1 }, { sparse: true });
    await items.insertMany([
      { _id: 1, outboxPending: true },
      { _id: 2, outboxPending: true },
    ]);
    await items.updateOne({ _id: 1 }, { $unset: { outboxPending: '' } });
    expect(await idsOf({ outboxPending: true })).toEqual([2]);
    await items.updateOne({ _id: 1 }, { $set: { outboxPending: true } });
    expect(await idsOf({ outboxPending: true })).toEqual([1, 2]);
  });

  test('a unique index over an array covers each element, and the error names the duplicate', async () => {
    await createIndex({ organizationId: 1, keys: 1 }, { unique: true });
    await items.insertOne({ _id: 1, organizationId: 'o', keys: ['a', 'b', 'b'] });
    await items.insertOne({ _id: 2, organizationId: 'p', keys: ['a'] });
    const error = await errorOf(documents.insertOne({ organizationId: 'o', keys: ['c', 'b'] }));
    expect([error.code, error['keyValue']]).toEqual([11000, { organizationId: 'o', keys: 'b' }]);
    expect(await idsOf({ organizationId: 'o', keys: { $in: ['b', 'z'] } })).toEqual([1]);
  });

  test('fields below one array are indexed element by element', async () => {
    await createIndex({ 'k.type': 1, 'k.value': 1 }, { unique: true });
    await items.insertOne({
      _id: 1,
      k: [
        { type: 'vat', value: '1' },
        { type: 'iban', value: '2' },
      ],
    });
    await items.insertOne({ _id: 2, k: [{ type: 'vat', value: '2' }] });
    expect((await errorOf(documents.insertOne({ k: [{ type: 'iban', value: '2' }] }))).code).toBe(11000);
    expect(await idsOf({ k: { $elemMatch: { type: 'vat', value: '2' } } })).toEqual([2]);
    expect(await idsOf({ 'k.type': 'vat', 'k.value': '2' })).toEqual([1, 2]);
  });

  test('two arrays cannot be indexed together', async () => {
    await createIndex({ a: 1, b: 1 });
    expect((await errorOf(documents.insertOne({ a: [1], b: [2] }))).code).toBe(171);
  });

  test('a dropped index no longer constrains', async () => {
    await createIndex({ a: 1 }, { unique: true });
    await items.dropIndex('a_1');
    await documents.insertMany([{ a: 1 }, { a: 1 }]);
    expect((await errorOf(items.dropIndex('a_1'))).code).toBe(27);
  });
});

describe('counting and aggregating', () => {
  beforeEach(async () => {
    await items.insertMany([
      { _id: 1, group: 'a', n: 1, l: ['x', 'y'], at: new Date(1) },
      { _id: 2, group: 'b', n: 5, l: ['y'], at: new Date(2) },
      { _id: 3, group: 'a', n: 2, l: [], at: new Date(3) },
    ]);
  });

  test('countDocuments, estimatedDocumentCount and distinct', async () => {
    expect(await items.countDocuments({ n: { $gt: 1 } })).toBe(2);
    expect(await items.countDocuments({}, { limit: 2 })).toBe(2);
    expect(await items.countDocuments({ group: 'a' }, { skip: 1 })).toBe(1);
    expect(await items.countDocuments({ group: 'none' })).toBe(0);
    expect(await items.estimatedDocumentCount()).toBe(3);
    expect(await items.distinct('l')).toEqual(['x', 'y']);
    expect(await items.distinct('group', { n: { $lt: 5 } })).toEqual(['a']);
  });

  test('$match, $sort, $skip and $limit', async () => {
    const pipeline = [{ $match: { n: { $gt: 0 } } }, { $sort: { n: -1 } }, { $skip: 1 }, { $limit: 1 }];
    expect(await items.aggregate(pipeline).toArray()).toMatchObject([{ _id: 3, n: 2 }]);
  });

  test('$group sums by a field, and all together', async () => {
    const byGroup = [
      { $match: { group: { $in: ['a', 'b'] } } },
      { $group: { _id: '$group', sum: { $sum: '$n' }, count: { $sum: 1 }, none: { $sum: '$gone' } } },
      { $sort: { _id: 1 } },
    ];
    expect(await items.aggregate(byGroup).toArray()).toEqual([
      { _id: 'a', sum: 3, count: 2, none: 0 },
      { _id: 'b', sum: 5, count: 1, none: 0 },
    ]);
    expect(await items.aggregate([{ $group: { _id: null, sum: { $sum: '$n' } } }]).toArray()).toEqual([
      { _id: null, sum: 8 },
    ]);
  });
});

describe('concurrency', () => {
  test('a thousand concurrent increments and pushes are all applied', async () => {
    await items.insertOne({ _id: 1, n: 0, l: [] });
    const works = Array.from({ length: 1000 }, (_, n) =>
      items.updateOne({ _id: 1 }, { $inc: { n: 1 }, $push: { l: n } } as Document),
    );
    await Promise.all(works);
    const after = await items.findOne({ _id: 1 });
    expect(after?.['n']).toBe(1000);
    expect(new Set(after?.['l'] as number[]).size).toBe(1000);
  });

  test('one of a hundred concurrent claims wins', async () => {
    await items.insertOne({ _id: 1, state: 'QUEUED', leaseUntil: new Date(0) });
    const now = new Date();
    const claims = Array.from({ length: 100 }, (_, worker) =>
      items.findOneAndUpdate(
        { state: 'QUEUED', leaseUntil: { $lte: now } },
        { $set: { claim: worker, leaseUntil: new Date(now.getTime() + 60_000) } },
        { returnDocument: 'after' },
      ),
    );
    const winners = (await Promise.all(claims)).filter((claimed) => claimed !== null);
    expect(winners).toHaveLength(1);
    expect((await items.findOne({ _id: 1 }))?.['claim']).toBe(winners[0]?.['claim']);
  });

  test('one of fifty concurrent upserts inserts', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, () =>
        items
          .updateOne({ _id: 'counter' }, { $setOnInsert: { used: 0 } }, { upsert: true })
          .catch((error: unknown) => error),
      ),
    );
    const inserted = results.filter((result) => (result as { upsertedCount?: number }).upsertedCount === 1);
    expect(inserted).toHaveLength(1);
    expect(await items.countDocuments()).toBe(1);
  });

  test('concurrent guarded saves are applied once', async () => {
    await items.insertOne({ _id: 1, version: 1 });
    const saves = Array.from({ length: 50 }, () => items.updateOne({ _id: 1, version: 1 }, { $inc: { version: 1 } }));
    const modified = (await Promise.all(saves)).reduce((sum, { modifiedCount }) => sum + modifiedCount, 0);
    expect(modified).toBe(1);
  });
});

describe('the driver', () => {
  test('an explicit session is accepted', async () => {
    const session = client.startSession();
    await items.insertOne({ _id: 1 }, { session });
    expect(await items.countDocuments({}, { session })).toBe(1);
    await session.endSession();
  });

  test('a write without acknowledgement does not stall the connection', async () => {
    await items.insertOne({ _id: 1 }, { writeConcern: { w: 0 } });
    await items.insertOne({ _id: 2 });
    expect(await idsOf({ _id: 2 })).toEqual([2]);
  });

  test('collections and databases are listed and dropped', async () => {
    await items.insertOne({ _id: 1 });
    expect(await db.listCollections({ name: items.collectionName }, { nameOnly: true }).toArray()).toEqual([
      { name: items.collectionName, type: 'collection' },
    ]);
    expect((await db.admin().listDatabases()).databases.map(({ name }) => name)).toContain(db.databaseName);
    expect(await items.drop()).toBe(true);
    expect(await items.countDocuments()).toBe(0);
    const other = client.db(`${db.databaseName}_other`);
    await other.collection('a').insertOne({});
    await other.dropDatabase();
    expect(await other.listCollections().toArray()).toEqual([]);
  });

  test('creating a collection that exists changes nothing', async () => {
    await db.createCollection(items.collectionName);
    await items.insertOne({ _id: 1 });
    await db.createCollection(items.collectionName);
    expect(await items.countDocuments()).toBe(1);
  });

  test('GridFS stores, streams and deletes a file', async () => {
    const bucket = new GridFSBucket(db, { bucketName: items.collectionName, chunkSizeBytes: 64 * 1024 });
    const content = Buffer.alloc(200_000, 'invoice ');
    const upload = bucket.openUploadStream('invoice.pdf', { metadata: { sha256: 'x' } });
    upload.end(content);
    await once(upload, 'finish');
    const chunks: Buffer[] = [];
    for await (const chunk of bucket.openDownloadStream(upload.id, { start: 10, end: 150_000 }))
      chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(content.subarray(10, 150_000))).toBe(true);
    await bucket.delete(upload.id);
    expect(await db.collection(`${items.collectionName}.chunks`).countDocuments()).toBe(0);
  });
});
