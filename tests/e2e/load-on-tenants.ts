// Sends requests to the product at a constant rate and records the outcome of each request.
import { setTimeout as delay } from 'node:timers/promises';

export interface Outcome {
  /** Start time of the API request on the clock of `performance.now()`. */
  readonly begunAt: number;
  readonly endedAt: number;
  readonly status: number;
}

export interface Load {
  readonly outcomes: readonly Outcome[];
  /** Stops sending requests to the product and waits for those in progress. */
  stop(): Promise<void>;
}

/**
 * Maximum number of concurrent requests in one load on the product. A machine that is too slow sends fewer requests
 * than the rate requires.
 */
const IN_FLIGHT_MAX = 40;

/**
 * Starts a given number of API requests per second, however long they take. A request that fails without a response has
 * status 0.
 */
export function startLoad(perSecond: number, send: (index: number) => Promise<number>): Load {
  const outcomes: Outcome[] = [];
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  let begun = 0;
  const begin = (index: number): void => {
    const begunAt = performance.now();
    const request = send(index)
      .catch(() => 0)
      .then((status) => {
        outcomes.push({ begunAt, endedAt: performance.now(), status });
        running.delete(request);
      });
    running.add(request);
  };
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
    while (begun < due && running.size < IN_FLIGHT_MAX) begin(begun++);
    begun = Math.max(begun, due);
  }, 5);
  return {
    outcomes,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/**
 * Starts the given number of API callers. Each caller sends its next request after the response to the previous one.
 * @param pauseMs pause of a caller between its requests, for a load that lasts long
 */
export function startCallers(callers: number, send: (index: number) => Promise<number>, pauseMs = 0): Load {
  const outcomes: Outcome[] = [];
  let isStopped = false;
  let begun = 0;
  const call = async (): Promise<void> => {
    while (!isStopped) {
      const begunAt = performance.now();
      const status = await send(begun++).catch(() => 0);
      outcomes.push({ begunAt, endedAt: performance.now(), status });
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  const running = Array.from({ length: callers }, call);
  return {
    outcomes,
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
