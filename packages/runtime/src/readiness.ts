import type { Logger } from './logger.js';

/** A dependency, such as the database, without which the service cannot serve calls. */
export interface Dependency {
  readonly name: string;
  /** Sends a request to the dependency (database or broker), and resolves when it responds. */
  readonly probe: () => Promise<unknown>;
}

const INTERVAL_MS = 5_000;
const PROBE_MS_MAX = 3_000;

/**
 * Checks all dependencies of a service every five seconds, and reports whether all of them responded. The result
 * affects readiness only. Liveness depends on no other system, because restarting the process would not repair a
 * dependency.
 */
export function watchReadiness(
  dependencies: readonly Dependency[],
  setReady: (isReady: boolean) => void,
  logger: Logger,
): { stop(): void } {
  let isStopped = false;
  let wasReady: boolean | undefined;
  let timer: NodeJS.Timeout | undefined;
  const check = async (): Promise<void> => {
    const failed: string[] = [];
    await Promise.all(
      dependencies.map(async ({ name, probe }) => {
        try {
          await within(PROBE_MS_MAX, probe());
        } catch (error) {
          failed.push(name);
          if (wasReady !== false) logger.warn({ error, dependency: name }, 'a dependency does not respond');
        }
      }),
    );
    if (isStopped) return;
    const isReady = failed.length === 0;
    if (isReady !== wasReady) logger.info({ isReady, failed }, isReady ? 'ready' : 'not ready');
    wasReady = isReady;
    setReady(isReady);
    timer = setTimeout(() => void check(), INTERVAL_MS);
    timer.unref();
  };
  void check();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      setReady(false);
    },
  };
}

/** Returns the result of a readiness check, or throws an error after `timeoutMs`. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
