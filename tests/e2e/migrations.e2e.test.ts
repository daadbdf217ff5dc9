import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SharedSystem } from '@invoicecontrol/dev/system';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { databaseName, entries } from '@invoicecontrol/topology/services';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = `${root}tools/admin/indexes.json`;
const { databasePrefix } = JSON.parse(process.env['SHARED_SYSTEM'] ?? '') as SharedSystem;
const stored = entries.flatMap(([name, { protocol }]) => (protocol === 'grpc' ? [name] : []));
const { mongodbUrl } = testInfrastructure();
const fresh = `${testDatabaseName()}_`;
let client: MongoClient;

beforeAll(async () => {
  client = await new MongoClient(mongodbUrl).connect();
});
afterAll(async () => {
  for (const name of stored) await client.db(`${fresh}${databaseName(name)}`).dropDatabase();
  await client.close();
});

/** Returns the indexes of a database that services create, by collection. The driver creates those of GridFS. */
async function indexesOf(db: Db): Promise<Readonly<Record<string, readonly object[]>>> {
  const collections = (await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => !/\.(files|chunks)$/.test(name))
    .toSorted();
  const found = await Promise.all(
    collections.map(async (name) => {
      const indexes = (await db.collection(name).indexes()).filter((index) => index.name !== '_id_');
      const sorted = indexes.toSorted((left, right) => ((left.name ?? '') < (right.name ?? '') ? -1 : 1));
      return [name, sorted.map(({ v: _, ...index }) => index)] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, indexes]) => indexes.length > 0));
}

const allIndexes = async (prefix: string) =>
  Object.fromEntries(
    await Promise.all(
      stored.map(async (name) => [name, await indexesOf(client.db(`${prefix}${databaseName(name)}`))] as const),
    ),
  );

/** Runs the command line as an operator does, in its own process. */
function migrate(args: readonly string[] = []): Promise<{ exitCode: number; text: string }> {
  const env = { PATH: process.env['PATH'], MONGODB_URL: mongodbUrl, DATABASE_PREFIX: fresh };
  return new Promise((resolve) => {
    const command = [`${root}tools/admin/dist/admin.js`, 'migrate', ...args];
    const child = execFile(process.execPath, command, { env }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });
}

test('the command that migrates knows all indexes of the running services', async () => {
  const running = await allIndexes(databasePrefix);
  if (process.env['UPDATE_INDEXES'] !== undefined) writeFileSync(file, `${JSON.stringify(running, undefined, 2)}\n`);
  expect(
    JSON.parse(readFileSync(file, 'utf8')),
    'run `UPDATE_INDEXES=1 npm run test:run -- --project e2e tests/e2e/migrations.e2e.test.ts`',
  ).toEqual(running);
});

test('the command builds what is missing, and nothing when it is repeated', async () => {
  const first = await migrate();
  expect(first).toMatchObject({ exitCode: 0, text: expect.stringContaining('analysis: built ') });
  expect(await allIndexes(fresh)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  const again = await migrate();
  expect(again.exitCode).toBe(0);
  expect(again.text.trim().split('\n').toSorted()).toEqual(
    stored.map((name) => `${name}: no index was missing.`).toSorted(),
  );
});

test('an index that exists with other keys is reported, and the indexes of other collections are built', async () => {
  const scans = client.db(`${fresh}scan`);
  await scans.collection('scans').dropIndex('newest');
  await scans.collection('scans').createIndexes([{ key: { other: 1 }, name: 'newest' }]);
  await scans.collection('imported_rows').dropIndexes();
  const { exitCode, text } = await migrate(['--service', 'scan']);
  expect(exitCode).toBe(1);
  expect(text).toContain('scan: built imported_rows.of_scan');
  expect(text).toContain(`${fresh}scan.scans: `);
});
