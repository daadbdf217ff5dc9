import fs from 'node:fs';
import path from 'node:path';

/** Directories locked by this process; its own process id in a lock file is not enough to tell. */
const heldHere = new Set<string>();

/**
 * Locks a data directory, so that two servers never write one journal. The lock of a dead process is taken over.
 * @returns the function that releases the lock
 * @throws Error with a sentence for the operator when another process holds it
 */
export function lockDirectory(directory: string): () => void {
  fs.mkdirSync(directory, { recursive: true });
  const held = fs.realpathSync(directory);
  const file = path.join(held, 'lock');
  if (!tryLock(file)) {
    const holder = Number(fs.readFileSync(file, 'utf8'));
    if (heldHere.has(held) || (holder !== process.pid && isAlive(holder))) {
      throw new Error(
        `${directory} is in use by process ${holder}. Stop it or choose another directory; if that process is no ` +
          `embedded MongoDB, delete ${file}.`,
      );
    }
    fs.rmSync(file, { force: true });
    if (!tryLock(file)) throw new Error(`${directory} was taken by another process just now.`);
  }
  heldHere.add(held);
  return () => {
    heldHere.delete(held);
    fs.rmSync(file, { force: true });
  };
}

function tryLock(file: string): boolean {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a process exists, even one of another user. */
export function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
