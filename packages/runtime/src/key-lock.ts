/** Runs work under a key while no other work with the same key is running in this process. */
export type WithKeyLock = <T>(key: string, work: (isFirst: boolean) => Promise<T>) => Promise<T>;

/**
 * Creates a lock for each key, such as the id of a document, inside this process. Concurrent changes of one document
 * wait in a queue instead of spending their attempts on conflicts with each other. Conflicts between processes are
 * detected by the version check of the document. The work gets a flag that is true if it is the first in the queue.
 * Only then is data that was read earlier likely to be current.
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
