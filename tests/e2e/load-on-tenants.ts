// A steady load of requests on the product, and the outcome of each of them.

export interface Outcome {
  /** Start time on the clock of `performance.now()`. */
  readonly begunAt: number;
  readonly endedAt: number;
  readonly status: number;
}

export interface Load {
  readonly outcomes: readonly Outcome[];
  /** Begins no more and waits for those that run. */
  stop(): Promise<void>;
}

/** Requests of one load that run at the same time: a machine that is too slow for the rate gets a lower one. */
const IN_FLIGHT_MAX = 40;

/** Begins so many requests each second, however long they take. A request that fails without an answer has status 0. */
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

/** So many callers, each of which begins a request when its last one is answered. */
export function startCallers(callers: number, send: (index: number) => Promise<number>): Load {
  const outcomes: Outcome[] = [];
  let isStopped = false;
  let begun = 0;
  const call = async (): Promise<void> => {
    while (!isStopped) {
      const begunAt = performance.now();
      const status = await send(begun++).catch(() => 0);
      outcomes.push({ begunAt, endedAt: performance.now(), status });
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
