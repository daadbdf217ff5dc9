import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { MongoClient } from 'mongodb';
import { embeddedMongodb } from './embedded.js';
import { findMongod } from './mongod.js';
import { freePort } from './port.js';
import { becomePrimary, REPLICA_SET } from './replica-set.js';
import type { Server } from './server.js';

let directory: string;
let path: string;
const closing: (() => Promise<unknown>)[] = [];
const ignore = (): void => {};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'embedded-mongodb-'));
  path = join(directory, 'mongod');
  await mkdir(path);
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

async function start(isTemporary = false): Promise<Server> {
  const server = await embeddedMongodb({ path, isTemporary }, ignore);
  closing.push(() => server.stop());
  return server;
}

async function withNotes<T>(
  { url }: Pick<Server, 'url'>,
  use: (notes: ReturnType<typeof notesOf>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  try {
    return await use(notesOf(client));
  } finally {
    await client.close();
  }
}
const notesOf = (client: MongoClient) => client.db('test').collection<{ _id: string }>('notes');

test('is a primary that keeps what it acknowledged when it is killed, and comes back on the same port', async () => {
  const server = await start();
  expect(server.about).toMatch(/^mongod \d+\.\d+\.\d+ .*, a replica set of one$/);
  await withNotes(server, (notes) => notes.insertOne({ _id: 'kept' }));
  await server.kill();
  await server.restart();
  expect(await withNotes(server, (notes) => notes.findOne())).toEqual({ _id: 'kept' });
});

test('starts on its data again on another port, which the set has stored otherwise', async () => {
  const first = await start();
  await withNotes(first, (notes) => notes.insertOne({ _id: 'kept' }));
  await first.stop();
  const second = await start();
  expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
  expect(await withNotes(second, (notes) => notes.findOne())).toEqual({ _id: 'kept' });
});

test('lets nobody in without a password, and forgets the passwords of an earlier start', async () => {
  const first = await start();
  const { host } = new URL(first.url);
  await expect(
    withNotes({ url: `mongodb://${host}/?directConnection=true` }, (notes) => notes.findOne()),
  ).rejects.toThrow('requires authentication');
  await first.stop();
  const second = await start();
  const stale = Object.assign(new URL(first.url), { port: new URL(second.url).port }).href;
  await expect(withNotes({ url: stale }, (notes) => notes.findOne())).rejects.toThrow('Authentication failed');
});

test('takes over the data of an earlier release, which had no users', async () => {
  const { binary, env } = await findMongod(ignore);
  const port = await freePort();
  const args = ['--dbpath', path, '--port', String(port), '--bind_ip', '127.0.0.1', '--replSet', REPLICA_SET];
  const earlier = spawn(binary, args, { env, stdio: 'ignore' });
  const ended = once(earlier, 'close');
  closing.push(async () => void earlier.kill('SIGKILL'));
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  await becomePrimary({ url, host: `127.0.0.1:${port}` });
  await withNotes({ url }, (notes) => notes.insertOne({ _id: 'kept' }));
  earlier.kill('SIGTERM');
  await ended;
  expect(await withNotes(await start(), (notes) => notes.findOne())).toEqual({ _id: 'kept' });
});

test('answers nothing while it is paused, and everything afterwards', async () => {
  const server = await start();
  await withNotes(server, async (notes) => {
    await notes.insertOne({ _id: 'before' });
    await server.pause();
    // On a busy machine, a thread receives the signal only when the thread is scheduled.
    const waiting = await eventually(async () => {
      const count = notes.countDocuments();
      const silence = new Promise((resolve) => setTimeout(resolve, 300, 'silence'));
      expect(await Promise.race([count, silence])).toBe('silence');
      return { count };
    });
    await server.resume();
    expect(await waiting.count).toBe(1);
  });
});

test('ends with the process that started it, even when that one is killed, and its temporary data goes with it', async () => {
  const module = new URL('../../dist/infrastructure/embedded.js', import.meta.url).href;
  const script =
    `import { embeddedMongodb } from ${JSON.stringify(module)};` +
    `const { url } = await embeddedMongodb(${JSON.stringify({ path, isTemporary: true })}, () => {});` +
    'console.log(url); setInterval(() => {}, 1000);';
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: parent.stdout }).once('line', resolve);
  });
  await withNotes({ url }, (notes) => notes.insertOne({ _id: 'one' }));
  parent.kill('SIGKILL');
  await eventually(() => expect(existsSync(path)).toBe(false));
});

test('that outlived its start is ended by the next one, whatever its parent is', async () => {
  const module = new URL('../../dist/infrastructure/mongod.js', import.meta.url).href;
  // The program of this test has no watchdog. Its parent keeps running, as a process that adopts orphans does.
  const script =
    `import { findMongod } from ${JSON.stringify(module)}; import { spawn } from 'node:child_process';` +
    'const { binary } = await findMongod(() => {});' +
    `spawn(binary, ['--dbpath', ${JSON.stringify(path)}, '--port', '0', '--replSet', 'rs0', '--bind_ip', '127.0.0.1'], { stdio: 'ignore' }).on('close', () => process.exit(0));`;
  spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
  await eventually(async () =>
    expect((await readFile(join(path, 'mongod.lock'), 'utf8').catch(() => '')).trim()).not.toBe(''),
  );
  await eventually(async () => {
    const server = await start();
    expect(await withNotes(server, (notes) => notes.countDocuments())).toBe(0);
  });
});

test('refuses the data of the database that earlier versions brought, with the way out', async () => {
  await mkdir(join(directory, 'mongodb'));
  await writeFile(join(directory, 'mongodb/journal'), 'x');
  await expect(start()).rejects.toThrow('Start over with: npm start -- --fresh');
});
