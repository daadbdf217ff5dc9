import fs from 'node:fs';
import path from 'node:path';

/** Directories that this very process holds: its own process id in a lock file says nothing else. */
const heldHere = new Set<string>();

/**
 * Takes a data directory for this process, so that two servers never write one journal. A lock left by a process that
 * is gone is taken over.
 * @returns the function that gives the directory back
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

/** Whether a process exists, also one of another user. */
export function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
