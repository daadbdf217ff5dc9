import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongod } from './server.js';

// The built program as a process of its own (`npx tsc -b tools/embedded-mongodb` builds it).

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

interface Program {
  readonly child: ChildProcess;
  readonly port: number;
  readonly url: string;
  /** Exit code and signal. */
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
}

let directory: string;
let children: ChildProcess[];

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-mongodb-'));
  children = [];
});

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  fs.rmSync(directory, { recursive: true });
});

function launch(args: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: [stdin, 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

async function start(args: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore'): Promise<Program> {
  const child = launch(args, stdin);
  const ended = once(child, 'exit') as Program['ended'];
  const stdout = child.stdout ?? process.stdin;
  const firstLine = once(createInterface(stdout), 'line').then(([line]) => String(line));
  const line = await Promise.race([firstLine, ended.then(([code]) => `ended with ${String(code)}`)]);
  const { port } = JSON.parse(line) as { port: number };
  return { child, port, url: `mongodb://127.0.0.1:${port}/?directConnection=true`, ended };
}

/** Everything that a program says until it ends, and its exit code. */
async function outcomeOf(child: ChildProcess): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

describe('the program', () => {
  test('prints its port in one line, serves, and closes cleanly on SIGTERM', async () => {
    const program = await start(['--data', directory]);
    const client = new MongoClient(program.url);
    await client.db('test').collection('items').insertOne({ a: 1 });
    await client.close();
    program.child.kill('SIGTERM');
    expect(await program.ended).toEqual([0, null]);
    expect(fs.readdirSync(directory)).toEqual(['journal']);
  });

  test('keeps to memory without a directory', async () => {
    const program = await start([]);
    const client = new MongoClient(program.url);
    expect(await client.db('test').collection('items').countDocuments()).toBe(0);
    await client.close();
    program.child.kill('SIGTERM');
    expect(await program.ended).toEqual([0, null]);
  });

  test('prints its usage', async () => {
    const { code, stdout } = await outcomeOf(launch(['--help']));
    expect(code).toBe(0);
    expect(stdout).toContain('Never for production');
  });

  test.each([
    [['--port', 'x'], "--port takes a whole number up to 65535, not 'x'."],
    [['--frobnicate'], "Unknown option '--frobnicate'"],
  ])('ends with a message for the arguments %j', async (args, sentence) => {
    const { code, stdout, stderr } = await outcomeOf(launch(args));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(sentence);
  });

  test('refuses a directory that another process has locked, and names it', async () => {
    const { child } = await start(['--data', directory]);
    const { code, stdout, stderr } = await outcomeOf(launch(['--data', directory]));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${directory} is in use by process ${child.pid}.`);
  });

  test('refuses a directory that cannot be made', async () => {
    // Node repeats a recursive mkdir below /proc without end.
    const impossible = process.platform === 'linux' ? '/proc/invoice-control/data' : '/dev/null/data';
    const { code, stdout, stderr } = await outcomeOf(launch(['--data', impossible]));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('mkdir');
  });

  test('refuses a directory that this process has locked, and accepts it once it is released', async () => {
    const first = await startEmbeddedMongod({ dataDirectory: directory });
    await expect(startEmbeddedMongod({ dataDirectory: directory })).rejects.toThrow('is in use by process');
    await first.stop();
    const second = await startEmbeddedMongod({ dataDirectory: directory });
    await second.stop();
  });

  test('fails for a port in use and releases the directory', async () => {
    const first = await startEmbeddedMongod();
    await expect(startEmbeddedMongod({ port: first.port, dataDirectory: directory })).rejects.toThrow('EADDRINUSE');
    await first.stop();
    expect(fs.readdirSync(directory)).toEqual(['journal']);
  });

  test('ends when its standard input does', async () => {
    const program = await start(['--data', directory], 'pipe');
    program.child.stdin?.end();
    expect(await program.ended).toEqual([0, null]);
  });

  test('ends when the watched process has ended', async () => {
    const parent = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'pipe' });
    children.push(parent);
    const program = await start(['--data', directory, '--parent-pid', String(parent.pid)]);
    parent.kill('SIGKILL');
    expect(await program.ended).toEqual([0, null]);
  });
});

test('killed repeatedly under load, it loses no acknowledged write', async () => {
  const acknowledged = new Map<string, number>();
  for (let round = 0; round < 5; round += 1) {
    const program = await start(['--data', directory]);
    const client = new MongoClient(program.url, { retryWrites: false });
    const items = client.db('test').collection<{ _id: string; n: number; log: number[] }>('items');
    const stored = new Map((await items.find().toArray()).map(({ _id, n, log }) => [_id, { n, log }]));
    for (const [id, n] of acknowledged) {
      const found = stored.get(id);
      expect(found?.n).toBeGreaterThanOrEqual(n);
      // A change is complete or missing.
      expect(found?.log).toHaveLength(found?.n ?? -1);
    }

    let writes = 0;
    const killAfter = 100 + round * 90;
    const write = async (worker: number): Promise<void> => {
      for (let step = 0; ; step += 1) {
        const id = `${worker}-${(round * 7 + step) % 20}`;
        const saved = await items.findOneAndUpdate(
          { _id: id },
          { $inc: { n: 1 }, $push: { log: step } },
          { upsert: true, returnDocument: 'after' },
        );
        if (saved) acknowledged.set(id, saved.n);
        writes += 1;
        if (writes === killAfter) program.child.kill('SIGKILL');
      }
    };
    // Otherwise the client would retry for half a minute.
    const closed = program.ended.then(() => client.close());
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, worker) => write(worker)));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect((await program.ended)[1]).toBe('SIGKILL');
    await closed;
  }
  expect(acknowledged.size).toBeGreaterThan(50);
});

/** @returns whether the process was killed during the compaction; on a slow machine the signal can come too late */
async function killDuringCompaction(dataDirectory: string): Promise<boolean> {
  const program = await start(['--data', dataDirectory]);
  const client = new MongoClient(program.url, { retryWrites: false });
  const items = client.db('test').collection<{ _id: number; n: number; pad: string }>('items');
  const ids = Array.from({ length: 40 }, (_, id) => id);
  await items.insertMany(ids.map((_id) => ({ _id, n: 0, pad: 'x'.repeat(500_000) })));
  const nextFile = path.join(dataDirectory, 'journal.new');
  const acknowledged = new Map<number, number>();
  const write = async (worker: number): Promise<void> => {
    for (let step = 0; ; step += 1) {
      const _id = (worker + step * 8) % ids.length;
      const saved = await items.findOneAndUpdate(
        { _id },
        { $inc: { n: 1 } },
        { returnDocument: 'after', projection: { n: 1 } },
      );
      acknowledged.set(_id, Math.max(saved?.n ?? 0, acknowledged.get(_id) ?? 0));
      // The first steps are done: the new file has some documents, which commands may have changed since.
      const sizeBytes = fs.statSync(nextFile, { throwIfNoEntry: false })?.size ?? 0;
      if (sizeBytes > 5_000_000) program.child.kill('SIGKILL');
    }
  };
  const closed = program.ended.then(() => client.close());
  await Promise.allSettled(Array.from({ length: 8 }, (_, worker) => write(worker)));
  expect((await program.ended)[1]).toBe('SIGKILL');
  await closed;
  const isCaught = fs.existsSync(nextFile);

  const again = await start(['--data', dataDirectory]);
  // Before the first command, which may begin the next compaction.
  expect(fs.existsSync(nextFile)).toBe(false);
  const reader = new MongoClient(again.url);
  const stored = await reader.db('test').collection<{ _id: number; n: number }>('items').find().toArray();
  await reader.close();
  expect(stored).toHaveLength(ids.length);
  for (const { _id, n } of stored) expect(n).toBeGreaterThanOrEqual(acknowledged.get(_id) ?? 0);
  again.child.kill('SIGKILL');
  await again.ended;
  return isCaught;
}

/** The compaction may end before the kill; then another round starts. */
const ROUNDS_MAX = 20;

test('killed during a compaction, it loses no acknowledged write', async () => {
  let isCaught = false;
  for (let rounds = 0; rounds < ROUNDS_MAX && !isCaught; rounds++) {
    isCaught = await killDuringCompaction(fs.mkdtempSync(path.join(directory, 'round-')));
  }
  expect(isCaught).toBe(true);
});
