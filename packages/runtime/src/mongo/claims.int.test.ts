import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startMongoProxy } from '@invoicecontrol/testkit/mongo-proxy';
import { claim, FREE } from './claims.js';
import type { Claimable } from './claims.js';
import { connectMongo } from './connection.js';
import type { MongoConnection } from './connection.js';

interface Job extends Claimable {
  readonly state: string;
}

let mongo: MongoConnection;
let now = new Date('2026-03-01T12:00:00Z');
const clock = { now: () => now };
const leaseMs = 30_000;
const jobs = () => mongo.db.collection<Job>('jobs');

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

test('of a hundred racing workers one gets the work', async () => {
  await jobs().insertOne({ _id: 'race', state: 'DUE', leaseUntil: FREE });
  const claims = await Promise.all(
    Array.from({ length: 100 }, () => claim(jobs(), { _id: 'race' }, { clock, leaseMs })),
  );
  expect(claims.filter((won) => won !== undefined)).toHaveLength(1);
});

test('claimed work can be claimed again exactly when its lease has lapsed', async () => {
  await jobs().insertOne({ _id: 'lapse', state: 'DUE', leaseUntil: FREE });
  const first = await claim(jobs(), { _id: 'lapse' }, { clock, leaseMs });
  now = new Date(now.getTime() + leaseMs - 1);
  expect(await claim(jobs(), { _id: 'lapse' }, { clock, leaseMs })).toBeUndefined();
  now = new Date(now.getTime() + 1);
  expect(await claim(jobs(), { _id: 'lapse' }, { clock, leaseMs })).toBeDefined();
  expect(await first?.renew()).toBe(false);
});

test('a worker that renews keeps its work', async () => {
  await jobs().insertOne({ _id: 'renewed', state: 'DUE', leaseUntil: FREE });
  const claimed = await claim(jobs(), { _id: 'renewed' }, { clock, leaseMs });
  now = new Date(now.getTime() + leaseMs - 1);
  expect(await claimed?.renew()).toBe(true);
  now = new Date(now.getTime() + leaseMs - 1);
  expect(await claim(jobs(), { _id: 'renewed' }, { clock, leaseMs })).toBeUndefined();
});

test('work in another state cannot be claimed', async () => {
  await jobs().insertOne({ _id: 'state', state: 'DONE', leaseUntil: FREE });
  expect(await claim(jobs(), { _id: 'state', state: 'DUE' }, { clock, leaseMs })).toBeUndefined();
});

describe('work that is kept', () => {
  const SHORT_LEASE_MS = 300;
  const systemTime = { now: () => new Date() };

  test('is lost as soon as another worker has it', async () => {
    await jobs().insertOne({ _id: 'taken', state: 'DUE', leaseUntil: FREE });
    const kept = await claim(jobs(), { _id: 'taken' }, { clock: systemTime, leaseMs: SHORT_LEASE_MS });
    const lost = new Promise<string>((resolve) => kept?.keepAlive(() => resolve('lost')));
    await jobs().updateOne({ _id: 'taken' }, { $set: { claim: 'another' } });
    expect(await lost).toBe('lost');
  });

  test('is lost when it cannot be renewed until its lease has lapsed', async () => {
    const proxy = await startMongoProxy(testInfrastructure().mongodbUrl);
    const cutOff = await connectMongo({ url: proxy.url, databaseName: mongo.db.databaseName, appName: 'test' });
    const behind = cutOff.db.collection<Job>('jobs');
    await behind.insertOne({ _id: 'lapsing', state: 'DUE', leaseUntil: FREE });
    const kept = await claim(behind, { _id: 'lapsing' }, { clock: systemTime, leaseMs: SHORT_LEASE_MS });
    const lost = new Promise<string>((resolve) => kept?.keepAlive(() => resolve('lost')));
    proxy.stall();
    expect(await lost).toBe('lost');
    proxy.heal();
    await cutOff.close();
    await proxy.close();
  });
});
