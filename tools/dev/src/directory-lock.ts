import fs from 'node:fs';
import path from 'node:path';

/**
 * Data directories that this process has locked. The process id in a lock file does not show whether this process still
 * holds the lock.
 */
const heldHere = new Set<string>();

/** Error that is thrown when another process holds the lock of the directory. */
export class DirectoryInUse extends Error {
  readonly holder: number;

  constructor(directory: string, holder: number, file: string) {
    super(
      `${directory} is in use by process ${holder}. Stop it or choose another directory; if that process has nothing to do with it, delete ${file}.`,
    );
    this.holder = holder;
  }
}

/**
 * Creates and locks a data directory, so that two processes never write into it. The lock of a process that has ended
 * is taken over.
 * @returns the function that releases the lock
 * @throws DirectoryInUse when another process holds the lock; errors of the system when the directory cannot be written
 */
export function lockDirectory(directory: string): () => void {
  makeDirectory(path.resolve(directory));
  const held = fs.realpathSync(directory);
  const file = path.join(held, 'lock');
  if (!tryLock(file)) {
    const holder = Number(fs.readFileSync(file, 'utf8'));
    if (heldHere.has(held) || (holder !== process.pid && isAlive(holder))) {
      throw new DirectoryInUse(directory, holder, file);
    }
    fs.rmSync(file, { force: true });
    if (!tryLock(file)) throw new Error(`${directory} has just been locked by another process.`);
  }
  heldHere.add(held);
  return () => {
    heldHere.delete(held);
    fs.rmSync(file, { force: true });
  };
}

/**
 * Creates a directory and its parents. The option `recursive` would loop endlessly below /proc, where the system
 * reports that an existing directory does not exist.
 */
function makeDirectory(directory: string): void {
  if (fs.existsSync(directory)) return;
  makeDirectory(path.dirname(directory));
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // The data directory to lock exists, because another process has just created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
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

/** Checks whether a process exists, including processes of other users. */
function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
