import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOrder } from '@invoicecontrol/topology/services';
import type { ServiceName } from '@invoicecontrol/topology/services';
import { databaseNames } from '@invoicecontrol/topology/start';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { embeddedMongodb } from './embedded.js';
import { operatorUrl, serviceUrls, systemUrl } from './mongodb-users.js';
import type { Server } from './server.js';

const PREFIX = 'users_';
const stored: readonly ServiceName[] = startOrder.filter((name) => name !== 'gateway');
const databaseOf = (service: string): string => `${PREFIX}${service.replaceAll('-', '_')}`;

let directory: string;
let server: Server;
let urlOf: ReturnType<typeof serviceUrls>;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mongodb-users-'));
  server = await embeddedMongodb({ path: directory, isTemporary: true }, () => {});
  urlOf = serviceUrls(server.url, PREFIX);
  const { client } = open(server.url);
  for (const name of databaseNames(PREFIX)) {
    await client.db(name).collection<{ _id: string }>('secrets').insertOne({ _id: name });
  }
});
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  await server.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

function open(url: string): { client: MongoClient; secretsOf: (database: string) => ReturnType<typeof secretsIn> } {
  const client = new MongoClient(url);
  closing.push(() => client.close());
  return { client, secretsOf: (database) => secretsIn(client.db(database)) };
}

const secretsIn = (db: Db) => db.collection<{ _id: string }>('secrets');
const REFUSED = { codeName: 'Unauthorized' };

describe.each(stored)('the user of %s', (service) => {
  test('reads, writes and indexes its own database', async () => {
    const { client, secretsOf } = open(await urlOf(service));
    const own = secretsOf(databaseOf(service));
    expect(await own.findOne()).toEqual({ _id: databaseOf(service) });
    await own.insertOne({ _id: 'written' });
    await own.createIndexes([{ key: { at: 1 } }]);
    await own.deleteOne({ _id: 'written' });
    // Two commands of the services beside the usual ones: the clock, and the indexes that are being built.
    await client.db('admin').command({ hello: 1 });
    await own.aggregate([{ $collStats: { storageStats: {} } }]).toArray();
  });

  test('reaches no database of another service, no user and no setting of the server', async () => {
    const { client, secretsOf } = open(await urlOf(service));
    for (const name of databaseNames(PREFIX).filter((one) => one !== databaseOf(service))) {
      await expect(secretsOf(name).findOne()).rejects.toMatchObject(REFUSED);
      await expect(secretsOf(name).insertOne({ _id: 'foreign' })).rejects.toMatchObject(REFUSED);
      await expect(client.db(name).dropDatabase()).rejects.toMatchObject(REFUSED);
    }
    const admin = client.db('admin');
    await expect(admin.collection('system.users').findOne()).rejects.toMatchObject(REFUSED);
    await expect(admin.command({ createUser: 'another', pwd: 'x', roles: ['root'] })).rejects.toMatchObject(REFUSED);
    await expect(admin.command({ getParameter: '*' })).rejects.toMatchObject(REFUSED);
    await expect(client.db('local').collection('oplog.rs').findOne()).rejects.toMatchObject(REFUSED);
  });
});

test('two systems on the same databases do not lock each other out', async () => {
  const first = await urlOf('scan');
  const second = await serviceUrls(server.url, PREFIX)('scan');
  for (const url of [first, second]) {
    expect(await open(url).secretsOf(databaseOf('scan')).findOne()).toEqual({ _id: databaseOf('scan') });
  }
});

test('no service can tell the password of another from its own', async () => {
  const passwords = await Promise.all(stored.map(async (service) => new URL(await urlOf(service)).password));
  expect(new Set([...passwords, new URL(server.url).password]).size).toBe(stored.length + 1);
});

test('the user of backups reads every database and writes none', async () => {
  const { secretsOf } = open(await operatorUrl(server.url, 'backup'));
  for (const name of databaseNames(PREFIX)) expect(await secretsOf(name).findOne()).toEqual({ _id: name });
  await expect(secretsOf(databaseOf('scan')).insertOne({ _id: 'x' })).rejects.toMatchObject(REFUSED);
});

test('the user of restores fills an empty database, and reads and changes no record', async () => {
  const { secretsOf } = open(await operatorUrl(server.url, 'restore'));
  const restored = secretsOf('users_restored');
  await restored.insertOne({ _id: 'restored' });
  await restored.createIndexes([{ key: { at: 1 } }]);
  await expect(restored.findOne()).rejects.toMatchObject(REFUSED);
  await expect(secretsOf(databaseOf('scan')).updateOne({}, { $set: { at: 1 } })).rejects.toMatchObject(REFUSED);
});

test('a replica set of several servers has users like one server', async () => {
  const set = 'mongodb://127.0.0.1:27017,127.0.0.1:27018/?replicaSet=rs0';
  expect(systemUrl(set, 'key')).toBe(
    'mongodb://__system:key@127.0.0.1:27017,127.0.0.1:27018/?replicaSet=rs0&authSource=local',
  );
});

test('a server that was given keeps its address and its users', async () => {
  const given = 'mongodb://one.example,two.example/?replicaSet=rs0';
  expect(await serviceUrls(given, PREFIX)('scan')).toBe(given);
  expect(await operatorUrl(given, 'backup')).toBe(given);
});
