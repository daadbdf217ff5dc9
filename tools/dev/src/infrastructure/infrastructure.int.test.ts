import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { identitiesForTests } from '../identities-for-tests.js';
import { startChildServer } from './child.js';
import { embeddedNats } from './embedded.js';
import { startInfrastructure } from './infrastructure.js';
import { brokerAccess } from './nats-config.js';

let dataDir: string;
const access = brokerAccess(await identitiesForTests(), undefined);
const ignore = () => undefined;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'infrastructure-test-'));
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

describe('addresses that are given', () => {
  const env = { MONGODB_URL: 'mongodb://database.example', NATS_URL: 'nats://broker.example' };

  test('are used as they are and survive a stop', async () => {
    const infrastructure = await startInfrastructure({ env });
    expect(infrastructure).toMatchObject({
      mongodbUrl: env.MONGODB_URL,
      natsUrl: env.NATS_URL,
      source: { mongodb: 'environment', nats: 'environment' },
    });
    await infrastructure.stop();
  });

  test('are never killed', async () => {
    const infrastructure = await startInfrastructure({ env });
    await expect(infrastructure.nats.kill()).rejects.toThrow('Unset NATS_URL');
    await infrastructure.stop();
  });
});

describe('an embedded server', () => {
  test('that was killed comes back on the same port', async () => {
    const nats = await embeddedNats({ path: join(dataDir, 'killed'), isTemporary: false }, access, ignore);
    expect(await greeting(nats.url)).toContain('"jetstream":true');
    await nats.kill();
    await expect(greeting(nats.url)).rejects.toThrow('ECONNREFUSED');
    await nats.restart();
    expect(await greeting(nats.url)).toContain('"jetstream":true');
    await nats.stop();
    await expect(greeting(nats.url)).rejects.toThrow('ECONNREFUSED');
  });

  test('ends with the process that started it, even when that one is killed', async () => {
    const module = new URL('../../dist/infrastructure/embedded.js', import.meta.url).href;
    const orphan = join(dataDir, 'orphan');
    const script =
      `import { embeddedNats } from ${JSON.stringify(module)};` +
      `console.log((await embeddedNats({ path: ${JSON.stringify(orphan)}, isTemporary: true }, ${JSON.stringify(access)}, () => {})).url); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: parent.stdout }).once('line', resolve);
    });
    expect(await greeting(url)).toContain('INFO');
    parent.kill('SIGKILL');
    await eventually(() => expect(greeting(url)).rejects.toThrow('ECONNREFUSED'));
    await eventually(() => expect(existsSync(orphan)).toBe(false));
  });

  test('has its temporary streams on disk, and a start that is killed leaves no directory of them', async () => {
    const module = new URL('../../dist/infrastructure/infrastructure.js', import.meta.url).href;
    const temporary = join(dataDir, 'temporary');
    await mkdir(temporary);
    const env = { INFRASTRUCTURE: 'embedded', MONGODB_URL: 'mongodb://database.example' };
    const script =
      `import { startInfrastructure } from ${JSON.stringify(module)};` +
      `console.log((await startInfrastructure({ env: ${JSON.stringify(env)}, log() {} })).streamsDirectory); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: temporary },
    });
    const streams = await new Promise<string>((resolve) => {
      createInterface({ input: parent.stdout }).once('line', resolve);
    });
    expect((await readdir(temporary)).map((name) => join(temporary, name))).toEqual([streams]);
    parent.kill('SIGKILL');
    await eventually(async () => expect(await readdir(temporary)).toEqual([]));
  });

  test('that does not start is reported with its last output', async () => {
    const starting = startChildServer({
      name: 'The broken server',
      command: process.execPath,
      args: ['--eval', 'console.error("the disk is full"); process.exitCode = 3'],
      readPort: () => undefined,
      log: ignore,
    });
    await expect(starting).rejects.toThrow(/The broken server did not start: it ended with code 3.*\nthe disk is full/);
  });

  test('that ends unexpectedly is reported', async () => {
    const lines: string[] = [];
    const server = await startChildServer({
      name: 'The weak server',
      command: process.execPath,
      args: ['--eval', 'console.log("port 1"); process.stdin.resume(); process.kill(process.pid, "SIGTERM")'],
      readPort: (line) => (line === 'port 1' ? 1 : undefined),
      log: (line) => lines.push(line),
    });
    expect(server.port).toBe(1);
    await eventually(() => expect(lines.join()).toContain('The weak server ended by SIGTERM unexpectedly'));
  });
});

/** Reads the line with which a NATS server greets a client. */
function greeting(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    // The socket closes without a greeting when a server is ending: a promise that never resolves would hang the caller.
    socket.once('close', () => reject(new Error('closed without a greeting')));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
}
