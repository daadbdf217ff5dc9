// What earlier starts left in the data directory of mongod.
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const END_MS_MAX = 10_000;
const POLL_EACH_MS = 50;

/**
 * Refuses data that mongod cannot read: earlier versions of this project kept theirs in a journal of their own.
 * @throws Error with the way out
 */
export async function refuseForeignData(directory: string): Promise<void> {
  const names = await readdir(join(directory, '..', 'mongodb')).catch(() => []);
  if (names.length === 0) return;
  throw new Error(
    `${join(directory, '..', 'mongodb')} has the data of an earlier version, which MongoDB cannot read. Start over with: npm start -- --fresh`,
  );
}

/**
 * Ends a mongod that still uses this directory although the process that started it is gone.
 * @throws Error naming the process when somebody else uses the directory
 */
export async function endOrphan(directory: string): Promise<void> {
  const pid = Number((await readFile(join(directory, 'mongod.lock'), 'utf8').catch(() => '')).trim());
  if (!Number.isSafeInteger(pid) || pid < 2) return;
  const described = await promisify(execFile)('ps', ['-o', 'ppid=,args=', '-p', String(pid)]).catch(() => undefined);
  const [, parent, args] = /^(\d+) (.*)/.exec(described?.stdout.trim() ?? '') ?? [];
  // The number may be that of another program by now.
  if (args === undefined || !args.includes(directory)) return;
  if (parent !== '1') {
    throw new Error(
      `${directory} is in use by process ${pid}: another start has this data. Stop it, or choose another DATA_DIR.`,
    );
  }
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + END_MS_MAX;
  while (isRunning(pid)) {
    if (performance.now() > deadline)
      throw new Error(`Process ${pid} still uses ${directory} and does not end: end it.`);
    await delay(POLL_EACH_MS);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
