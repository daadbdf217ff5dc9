// Starts the receivers of docs/guides/receiving-webhooks.md, each in the way in which an integrator would start a copy
// of it.
import { execFile, spawnSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startChildServer } from '@invoicecontrol/dev/infrastructure-child';
import { skipWithout } from './skip-without.js';

const execute = promisify(execFile);
/** Root directory of the repository, with a slash at its end. The compiled file is one directory deeper than its source. */
export const root = fileURLToPath(import.meta.url.slice(0, import.meta.url.lastIndexOf('/tests/') + 1));
export const sources = `${root}docs/guides/receivers`;
/**
 * Maximum time for preparing a sample webhook receiver. It is long, because Go compiles its standard library at its
 * first use.
 */
export const PREPARE_MS_MAX = 170_000;

export interface Language {
  readonly name: string;
  /** A command that succeeds if the language of a sample webhook receiver is installed. */
  readonly probe: readonly [command: string, ...args: string[]];
  /** Function that copies or compiles the sample webhook receiver, once for all processes. */
  prepare?(): Promise<unknown>;
  run(): readonly [command: string, ...args: string[]];
}

/**
 * Lists the languages of the sample webhook receivers, with the commands that prepare and run each receiver.
 * @param directory directory for copied and compiled files. It is below the root of the repository, so that Node.js
 *   finds the client package by its name.
 */
export function languagesIn(directory: string): readonly Language[] {
  return [
    {
      name: 'TypeScript',
      probe: [process.execPath, '--version'],
      // The sample webhook receiver in TypeScript must also be valid JavaScript, so the same file is compiled as
      // TypeScript and run as JavaScript.
      prepare: () =>
        Promise.all(
          ['receiver.mts', 'receiver.mjs'].map((file) => copyFile(`${sources}/receiver.ts`, `${directory}/${file}`)),
        ),
      run: () => [process.execPath, `${directory}/receiver.mjs`],
    },
    { name: 'Python', probe: ['python3', '--version'], run: () => ['python3', `${sources}/receiver.py`] },
    {
      name: 'Go',
      probe: ['go', 'version'],
      prepare: () =>
        execute('go', ['build', '-o', `${directory}/receiver`, `${sources}/receiver.go`], {
          env: {
            ...process.env,
            GOCACHE: `${root}.cache/go-build`,
            GOTOOLCHAIN: 'local',
            CGO_ENABLED: '0',
            GO111MODULE: 'off',
            // Without optimization, Go compiles its standard library in three quarters of the CPU time.
            GOFLAGS: "'-gcflags=all=-N -l'",
          },
        }),
      run: () => [`${directory}/receiver`],
    },
    {
      name: 'PHP',
      probe: ['php', '--version'],
      run: () => ['php', '-S', '127.0.0.1:0', `${sources}/receiver.php`],
    },
    { name: 'Java', probe: ['java', '--version'], run: () => ['java', `${sources}/Receiver.java`] },
  ];
}

/**
 * Checks whether the language of a sample receiver is installed. No service needs these languages, so a machine may
 * lack some.
 */
export function isThere({ probe: [command, ...args] }: Language): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/**
 * Returns true if the tests of a sample receiver in a language can run. A developer's machine may lack the language. A
 * build machine (`CI=true`) may lack it only if SKIP_WITHOUT names its command, because otherwise the tests could be
 * skipped unnoticed.
 * @throws Error that explains how to skip the tests
 */
export function canRun(language: Language, env: NodeJS.ProcessEnv = process.env): boolean {
  if (isThere(language)) return true;
  const { name, probe } = language;
  const [command] = probe;
  if (env['CI'] === 'true') skipWithout(command, `The receiver in ${name} cannot be tested without ${command}.`, env);
  return false;
}

export interface Receiver {
  readonly origin: string;
  /** Every line that the sample webhook receiver has written so far. */
  readonly output: readonly string[];
  /** Sends a webhook request to the sample receiver. @returns the status of the response */
  deliver(id: string, body: string, signature?: string): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the sample webhook receiver of a language and waits until it accepts requests.
 * @param options.eventsDirectory directory in which the PHP receiver stores ids, because its processes share no memory
 */
export async function startReceiver(
  { name, run }: Language,
  { secret, eventsDirectory }: { readonly secret: string; readonly eventsDirectory: string },
): Promise<Receiver> {
  const output: string[] = [];
  const [command, ...args] = run();
  const { port, stop } = await startChildServer({
    name,
    command,
    args,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      PORT: '0',
      WEBHOOK_SECRET: secret,
      WEBHOOK_EVENTS_DIR: eventsDirectory,
    },
    readPort: (line) => {
      const [, found] = /(?:^listening on.*port\W*|127\.0\.0\.1:)(\d+)/.exec(line) ?? [];
      return found === undefined ? undefined : Number(found);
    },
    log: (line) => void output.push(line),
    onOutput: (line) => void output.push(line),
  });
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    output,
    stop,
    async deliver(id, body, signature) {
      const response = await fetch(`${origin}/hooks`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'svc-event-id': id,
          ...(signature === undefined ? {} : { 'svc-signature': signature }),
        },
        body,
      });
      await response.arrayBuffer();
      return response.status;
    },
  };
}
