import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient, MongoServerError, type Db, type Document } from 'mongodb';
import { startEmbeddedMongod, type EmbeddedMongod } from './server.js';

// Unsupported features of MongoDB must fail loudly: a test must never pass here with an answer that MongoDB would not give.

let server: EmbeddedMongod;
let client: MongoClient;
let db: Db;

beforeAll(async () => {
  server = await startEmbeddedMongod();
  client = new MongoClient(server.url);
  db = client.db('refusals');
  await db.collection('items').insertOne({ a: 1 });
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

async function refusalOf(command: Document): Promise<{ code: unknown; codeName: unknown; message: string }> {
  const error: unknown = await db.command(command).catch((reason: unknown) => reason);
  if (!(error instanceof MongoServerError)) throw new Error(`Expected a refusal, got ${JSON.stringify(error)}`);
  return { code: error.code, codeName: error['codeName'], message: error.message };
}

/** The error of the only statement of a write, which is inside a successful reply. */
async function statementRefusalOf(command: Document): Promise<unknown> {
  const reply = await db.command(command);
  return (reply['writeErrors'] as { code: number }[] | undefined)?.[0]?.code;
}

const find = (fields: Document): Document => ({ find: 'items', ...fields });
const aggregate = (...pipeline: Document[]): Document => ({ aggregate: 'items', pipeline, cursor: {} });
const createIndex = (fields: Document): Document => ({
  createIndexes: 'items',
  indexes: [{ key: { x: 1 }, name: 'x', ...fields }],
});

describe('commands', () => {
  test.each([
    'explain',
    'renameCollection',
    'collStats',
    'validate',
    'mapReduce',
    'saslStart',
    'bulkWrite',
    'currentOp',
  ])('the command %s is not found', async (name) => {
    expect(await refusalOf({ [name]: 'items' })).toMatchObject({ code: 59, codeName: 'CommandNotFound' });
  });

  test.each<[string, Document]>([
    ['a collation', find({ collation: { locale: 'en', strength: 2 } })],
    ['a tailable cursor', find({ tailable: true })],
    ['variables', find({ let: { x: 1 } })],
    ['a capped collection', { create: 'capped', capped: true, size: 1000 }],
    ['a validator', { create: 'checked', validator: { a: 1 } }],
    ['a view', { create: 'view', viewOn: 'items', pipeline: [] }],
    ['a snapshot read', find({ readConcern: { level: 'snapshot' } })],
    ['an aggregation of the database', { aggregate: 1, pipeline: [], cursor: {} }],
    ['an update by a pipeline', { findAndModify: 'items', query: {}, update: [{ $set: { b: '$a' } }] }],
    ['a stage that computes', aggregate({ $project: { a: 1 } })],
    ['a stage that joins', aggregate({ $lookup: { from: 'o', localField: 'a', foreignField: 'b', as: 'c' } })],
    ['a stage that writes', aggregate({ $merge: { into: 'other' } })],
    ['a change stream', aggregate({ $changeStream: {} })],
    ['a text index', createIndex({ key: { x: 'text' } })],
    ['a hashed index', createIndex({ key: { x: 'hashed' } })],
    ['a wildcard index', createIndex({ key: { '$**': 1 } })],
    ['an index on an array place', createIndex({ key: { 'x.0': 1 } })],
    ['a partial index', createIndex({ partialFilterExpression: { a: 1 } })],
    ['an index with a collation', createIndex({ collation: { locale: 'en' } })],
  ])('%s is not supported', async (_title, command) => {
    expect(await refusalOf(command)).toMatchObject({ code: 115, codeName: 'CommandNotSupported' });
  });

  test.each<[string, Document, number]>([
    ['a query operator', find({ filter: { a: { $mod: [2, 0] } } }), 2],
    ['a text search', find({ filter: { $text: { $search: 'x' } } }), 2],
    ['code in a filter', find({ filter: { $where: 'true' } }), 2],
    ['a regular expression', find({ filter: { a: /x/ } }), 2],
    ['a regular expression in a list', find({ filter: { a: { $in: [/x/] } } }), 2],
    ['a computed field', find({ projection: { n: { $size: '$l' } } }), 2],
    ['a positional projection', find({ projection: { 'a.$': 1 } }), 9],
    ['an expression', aggregate({ $group: { _id: { $toString: '$a' } } }), 2],
    ['an accumulator', aggregate({ $group: { _id: null, b: { $stdDevPop: '$a' } } }), 2],
    ['a variable', aggregate({ $group: { _id: '$$CLUSTER_TIME' } }), 2],
    ['an unknown stage', aggregate({ $frobnicate: {} }), 40324],
    [
      'a write concern with too many members',
      { delete: 'items', deletes: [{ q: { none: 1 }, limit: 1 }], writeConcern: { w: 2 } },
      2,
    ],
    ['a TTL index on two fields', createIndex({ key: { x: 1, y: 1 }, expireAfterSeconds: 1 }), 67],
    ['an invalid index direction', createIndex({ key: { x: 0 } }), 67],
    ['an invalid sort direction', find({ sort: { a: 2 } }), 2],
    ['a hint without an index', find({ hint: 'none_1' }), 2],
    ['an insert without documents', { insert: 'items' }, 40414],
    ['a collection without a name', { find: '' }, 73],
  ])('%s outside the list is refused', async (_title, command, code) => {
    expect((await refusalOf(command)).code).toBe(code);
  });

  test.each<[string, Document, number]>([
    ['an update by a pipeline', { q: {}, u: [{ $set: { b: 1 } }] }, 115],
    ['an update of many by a replacement', { q: {}, u: { b: 1 }, multi: true }, 9],
    ['an update with a collation', { q: {}, u: { $set: { b: 1 } }, collation: { locale: 'en' } }, 115],
    ['an unknown update operator', { q: {}, u: { $bit: { a: { and: 1 } } } }, 9],
    ['$push with an unknown clause', { q: {}, u: { $push: { l: { $each: [1], $frob: 1 } } } }, 2],
    ['$push with $slice alone', { q: {}, u: { $push: { l: { $slice: 1 } } } }, 52],
    ['a field without a name', { q: {}, u: { $set: { 'a..b': 1 } } }, 56],
    ['$pop', { q: {}, u: { $pop: { l: 1 } } }, 9],
    ['$push in order', { q: {}, u: { $push: { l: { $each: [1], $sort: 1 } } } }, 2],
    ['a positional path', { q: {}, u: { $set: { 'l.$[].n': 1 } } }, 52],
    ['array filters', { q: {}, u: { $set: { a: 1 } }, arrayFilters: [{ 'e.n': 1 }] }, 115],
  ])('%s is refused', async (_title, statement, code) => {
    expect(await statementRefusalOf({ update: 'items', updates: [statement] })).toBe(code);
  });
});

test('a transaction is refused before it writes', async () => {
  const session = client.startSession();
  const work = session.withTransaction(() => db.collection('items').insertOne({ b: 1 }, { session }));
  await expect(work).rejects.toThrow('This MongoDB deployment does not support retryable writes');
  await session.endSession();
  expect(await db.collection('items').countDocuments({ b: 1 })).toBe(0);
});

test('an error tells what to use instead', async () => {
  const { message } = await refusalOf(find({ collation: { locale: 'en' } }));
  expect(message).toBe("The field 'collation' of find is not supported by the embedded server; use a real MongoDB");
});
