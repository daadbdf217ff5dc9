import { spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endChild, ownChild } from './children.js';

const START_MS_MAX = 30_000;
const LOOK_EACH_MS = 25;
/** Linux counts the CPU time of processes in hundredths of a second. */
const MS_PER_TICK = 10;

/** A benchmarked server in a separate process. */
export interface NodeProcess {
  readonly name: string;
  readonly pid: number;
  /** Address of the benchmarked process, as `host:port`. */
  readonly address: string;
  /** Path of the log of the benchmarked process, which has one JSON line for each entry. */
  readonly logFile: string;
  stop(): Promise<void>;
}

/**
 * Starts a compiled program of a benchmark. The program must log its address once it accepts requests, as every service
 * does. Its log is written to a file that nothing reads during the measurement.
 * @throws Error with the end of the log when the program does not accept requests in time
 */
export async function startNodeProcess(
  name: string,
  program: string,
  env: NodeJS.ProcessEnv,
  logDir: string,
): Promise<NodeProcess> {
  const logFile = join(logDir, `${name}.log`);
  const output = openSync(logFile, 'w');
  // Flags for Node.js that write profiles, such as --cpu-prof.
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

/** Returns the user and system time that a process has used so far, in milliseconds. */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  // The process name in the second field of `/proc/<pid>/stat` may contain spaces, so the fields are counted from its
  // closing parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/**
 * Returns the resident memory of a process in bytes. A process that has ended but is still listed has no memory, which
 * counts as 0.
 */
export async function residentBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Returns the ids of the child processes that a process still has. */
export async function childrenOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'latin1');
  return children.trim().split(' ').filter(Boolean).map(Number);
}
