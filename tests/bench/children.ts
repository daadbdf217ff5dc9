// Tracks the child processes of a benchmark, which end when the benchmark ends, for whatever reason.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endWithThisProcess } from '@invoicecontrol/dev/infrastructure-child';

/**
 * Time limit in milliseconds for the end of a child process after SIGTERM. It is longer than a service needs to
 * complete its open requests.
 */
const STOP_MS_MAX = 10_000;

const running = new Set<ChildProcess>();

/**
 * Registers a child process of the benchmark until it ends.
 * @returns the child
 */
export function ownChild(child: ChildProcess): ChildProcess {
  const watchdog = endWithThisProcess(child);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    watchdog?.kill('SIGKILL');
  });
  return child;
}

/**
 * Sends SIGTERM to a child process of a benchmark, and SIGKILL if it is still running some time later. Resolves when
 * the child has ended.
 */
export async function endChild(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await ended;
  clearTimeout(force);
}

/**
 * Returns the next message of a forked child process of a benchmark.
 * @throws Error when the child ends before it sends a message
 */
export async function messageFrom<T>(child: ChildProcess): Promise<T> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const end = async (): Promise<never> => {
    if (running.has(child)) await once(child, 'exit', { signal });
    throw new Error(`${child.spawnargs.at(-1)} ended before it answered.`);
  };
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }) as Promise<[T]>, end()]);
    return message;
  } finally {
    waiting.abort();
  }
}

/** Ends all child processes of the benchmark at once. */
export async function endChildren(): Promise<void> {
  await Promise.all([...running].map(endChild));
}
