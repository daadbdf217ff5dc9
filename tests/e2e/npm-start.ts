// Starts `npm start` in its own process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from '@invoicecontrol/dev/infrastructure-child';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';

/** The root directory of the repository. The compiled file is one directory deeper than its source. */
const root = fileURLToPath(import.meta.url.slice(0, import.meta.url.lastIndexOf('/tests/')));
export const START_MS_MAX = 240_000;

/** Contents of the file demo.json, which `npm start` writes. */
export interface Demo extends Tenant {
  readonly baseUrl: string;
  readonly otherOrganization: { readonly organizationId: string; readonly keys: { readonly owner: string } };
  readonly simulators: Readonly<Record<string, string>>;
}

/** A running `npm start`. It skips the set-up, because the test run has already done it. */
export interface Started {
  /** Returns standard output and standard error of `npm start` so far. */
  output(): string;
  readonly ended: Promise<{ code: number | null }>;
  signal(name: NodeJS.Signals): void;
}

export function npmStart(dataDir: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Started {
  // This `npm start` has MongoDB and NATS servers of its own. The servers of the test run use other secrets, and must
  // keep running when `npm start` stops.
  const { MONGODB_URL: _mongodb, NATS_URL: _nats, LOG_LEVEL: _level, ...inherited } = process.env;
  const child = spawn(process.execPath, ['tools/dev/dist/start.js', ...args], {
    cwd: root,
    env: { ...inherited, NODE_OPTIONS: '', INFRASTRUCTURE: 'embedded', DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const watchdog = endWithThisProcess(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    output: () => output,
    ended: once(child, 'close').then(([code]) => {
      watchdog?.kill('SIGKILL');
      return { code: code as number | null };
    }),
    signal: (name) => child.kill(name),
  };
}

/** Waits until the product answers requests, and returns the contents of demo.json. */
export async function untilReady(started: Started, dataDir: string, timeoutMs = START_MS_MAX): Promise<Demo> {
  await eventually(() => assert.match(started.output(), /^Ready after/m), { timeoutMs });
  return readDemo(dataDir);
}

export async function readDemo(dataDir: string): Promise<Demo> {
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo;
}
