import { spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endChild, ownChild } from './children.js';

const START_MS_MAX = 30_000;
const LOOK_EACH_MS = 25;
/** Linux counts the time of processes in hundredths of a second. */
const MS_PER_TICK = 10;

/** A server in a process of its own. */
export interface NodeProcess {
  readonly name: string;
  readonly pid: number;
  /** `host:port`. */
  readonly address: string;
  /** One JSON line per entry. */
  readonly logFile: string;
  stop(): Promise<void>;
}

/**
 * Starts a compiled program that logs its address once it serves, as every service does. Its log goes to a file, as
 * the log of a container goes to a pipe: nobody reads it while it works.
 * @throws Error with the end of the log when the program does not serve in time
 */
export async function startNodeProcess(
  name: string,
  program: string,
  env: NodeJS.ProcessEnv,
  logDir: string,
): Promise<NodeProcess> {
  const logFile = join(logDir, `${name}.log`);
  const output = openSync(logFile, 'w');
  // Flags for profiles, such as --cpu-prof.
  const flags = process.env['BENCH_NODE_FLAGS']?.split(' ') ?? [];
  const child = ownChild(spawn(process.execPath, [...flags, program], { env, stdio: ['ignore', output, output] }));
  closeSync(output);
  const stop = (): Promise<void> => endChild(child);
  const deadline = Date.now() + START_MS_MAX;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const address = /"address":"([^"]+)"/.exec(readFileSync(logFile, 'utf8'))?.[1];
    if (address !== undefined && child.pid !== undefined) return { name, pid: child.pid, address, logFile, stop };
    await delay(LOOK_EACH_MS);
  }
  await stop();
  throw new Error(`${name} did not start:\n${readFileSync(logFile, 'utf8').split('\n').slice(-12).join('\n')}`);
}

/** User and system time of a process so far, in milliseconds. */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  // The name in the second field may hold blanks; the fields after it are counted from its closing parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** Resident memory of a process, in bytes; 0 for one that has ended and is still listed: its status has no memory. */
export async function residentBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** The processes that it has started and that have not ended. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1');
  return children.trim().split(' ').filter(Boolean).map(Number);
}
