// Removes what earlier runs of mongod may have left in its data directory, such as a running process.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const END_MS_MAX = 10_000;
const POLL_EACH_MS = 50;

/**
 * Refuses a data directory that an earlier version of this project wrote, because mongod cannot read its format.
 * @throws Error that states how to continue
 */
export async function refuseForeignData(directory: string): Promise<void> {
  const names = await readdir(join(directory, '..', 'mongodb')).catch(() => []);
  if (names.length === 0) return;
  throw new Error(
    `${join(directory, '..', 'mongodb')} has the data of an earlier version, which MongoDB cannot read. Start over with: npm start -- --fresh`,
  );
}

/**
 * Ends a mongod that still uses this directory although the process that started it has ended. The caller has locked
 * the directory, so any process that uses it is a leftover.
 * @throws Error with the process id if the process cannot be ended
 */
export async function endSurvivor(directory: string): Promise<void> {
  const pid = Number((await readFile(join(directory, 'mongod.lock'), 'utf8').catch(() => '')).trim());
  if (!Number.isSafeInteger(pid) || pid < 2) return;
  const deadline = performance.now() + END_MS_MAX;
  // By now, the stored process id of mongod may belong to another program.
  for (let isAsked = false; await usesDirectory(pid, directory); isAsked = true) {
    if (performance.now() > deadline)
      throw new Error(`Process ${pid} still uses ${directory} and does not end. Stop it.`);
    if (!isAsked) askToEnd(pid, directory);
    await delay(POLL_EACH_MS);
  }
}

async function usesDirectory(pid: number, directory: string): Promise<boolean> {
  const args = await argumentsOf(pid).catch(() => '');
  return `${args.trim()} `.includes(`--dbpath ${directory} `);
}

/** Returns the command line of a process. @throws Error if the process does not exist */
async function argumentsOf(pid: number): Promise<string> {
  if (existsSync('/proc/self/cmdline')) return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  return (await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)])).stdout;
}

function askToEnd(pid: number, directory: string): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    // The signal cannot be sent if the leftover mongod process has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw new Error(
      `${directory} is in use by process ${pid}, which another program started. Stop it, or choose another directory.`,
      { cause: error },
    );
  }
}
