// Acts as a child process that a malicious document controls. It searches everything that it can reach for a secret.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FromChild, ToChild } from '../extraction/messages.js';

/** Instruction to a child process that tries to read secrets, as JSON in place of a document. */
export interface Prying {
  /** The planted secret in reverse order, so that the child process does not find the secret in its own instruction. */
  readonly secretReversed: string;
  /** Files that may contain the planted secret. */
  readonly files: readonly string[];
  /**
   * Ids of other processes. The test process that plays the attacker searches their files and environment variables for
   * the secret.
   */
  readonly processes: readonly number[];
  /** A TCP port of this machine that accepts connections, which the confined test process must not reach. */
  readonly port: number;
}

/** Result of the search for secrets. The child process sends the result as the message of its response. */
export interface Loot {
  /** Names of the places where a child process found the planted secret. */
  readonly secretIn: readonly string[];
  /** Number of files of other processes that a confined child process could open. */
  readonly opened: number;
  readonly done: readonly string[];
}

let instruction = '';
process.on('message', (message: ToChild) => {
  if (message.kind === 'bytes') instruction += Buffer.from(message.bytes).toString();
  if (message.kind === 'end') void pry(JSON.parse(instruction) as Prying);
});
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });

async function pry({ secretReversed, files, processes, port }: Prying): Promise<void> {
  const secret = Array.from(secretReversed).toReversed().join('');
  const everyProcess = [...new Set([...processes, process.ppid, ...listedProcesses()])].filter(
    (pid) => pid !== process.pid,
  );
  const ofProcesses = everyProcess.flatMap((pid) =>
    ['environ', 'cmdline'].map((name) => ({ name, path: `/proc/${pid}/${name}` })),
  );
  const planted = files.map((path) => ({ name: 'file', path }));
  const secretIn = new Set<string>();
  let opened = 0;
  for (const { name, path } of [...ofProcesses, ...planted]) {
    const content = contentOf(path);
    if (content !== undefined) opened++;
    if (content?.includes(secret) === true) secretIn.add(name);
  }
  // The confined child process must not be able to escape the restrictions by starting a system program.
  for (const [name, paths] of [
    ['environ by cat', [`/proc/${process.ppid}/environ`]],
    ['file by cat', files],
  ] as const) {
    if (outputOf('cat', paths).includes(secret)) secretIn.add(name);
  }
  const written = join(tmpdir(), `pried-${process.pid}`);
  const acts: readonly (readonly [string, () => void])[] = [
    ['opened the memory of its parent', () => closeSync(openSync(`/proc/${process.ppid}/mem`, 'r'))],
    ['signalled its parent', () => void process.kill(process.ppid, 'SIGCONT')],
    ['wrote a file', () => writeFileSync(written, '')],
  ];
  const done = acts.flatMap(([name, act]) => (succeeds(act) ? [name] : []));
  rmSync(written, { force: true });
  if (await isConnected(port)) done.push('connected');
  const loot: Loot = { secretIn: [...secretIn].toSorted(), opened, done };
  const failure = { reason: 'NO_INVOICE', message: JSON.stringify(loot), missingFields: [], reading: null } as const;
  send({ kind: 'result', result: { outcome: { failure }, validation: null } });
}

/** Returns the ids of the running processes, or of all possible ones if the list cannot be read. */
function listedProcesses(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return Array.from({ length: process.pid + 100 }, (_, pid) => pid);
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function outputOf(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'latin1', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    return (error as { stdout?: string | null }).stdout ?? '';
  }
}

function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function isConnected(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function send(message: FromChild): void {
  process.send?.(message);
}
