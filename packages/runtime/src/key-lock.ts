/** Runs the work while no other work with the same key runs in this process. */
export type WithKeyLock = <T>(key: string, work: (isFirst: boolean) => Promise<T>) => Promise<T>;

/**
 * A lock for each key, inside this process: a burst of changes of one document queues up and does not spend its attempts
 * on conflicts with itself. Between processes the version check decides.
 *
 * The work is told whether it is the first of its burst: only then is what was read before still likely to be current.
 */
export function createKeyLock(): WithKeyLock {
  const queues = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: (isFirst: boolean) => Promise<T>): Promise<T> => {
    const before = queues.get(key);
    const running = before === undefined ? work(true) : before.then(() => work(false));
    const ended = running.catch(() => {});
    queues.set(key, ended);
    try {
      return await running;
    } finally {
      if (queues.get(key) === ended) queues.delete(key);
    }
  };
}
