import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageFrom, ownChild } from './children.js';

/** Instructions that the load generator receives from the benchmark. */
export interface LoadOrder {
  readonly url: string;
  readonly key: string;
  /**
   * Number of connections of the load generator. Each connection posts its next invoice after the response to the
   * previous invoice. Ignored if a rate is set.
   */
  readonly connections: number;
  /**
   * Number of invoices that the load generator posts per second at even intervals, whether or not earlier requests were
   * answered.
   */
  readonly ratePerSecond?: number;
  readonly seconds: number;
  /** Index of the first invoice to post. Each invoice is posted once. */
  readonly firstIndex: number;
  readonly storedCount: number;
}

/**
 * Result of the load generator of a benchmark. Durations and the rate are those of requests with status 202. With a
 * given rate, the duration of a request is measured from its scheduled time.
 */
export interface Load {
  /** Number of requests that were sent, including those that had no response at the end. */
  readonly posted: number;
  readonly answered: number;
  /** Number of responses other than 202 by status, and number of requests without a response (`no answer`). */
  readonly refused: Readonly<Record<string, number>>;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export interface LoadProcess {
  run(order: LoadOrder): Promise<Load>;
}

export function startLoadProcess(): LoadProcess {
  const child = ownChild(fork(fileURLToPath(new URL('load.js', import.meta.url))));
  return {
    async run(order) {
      child.send(order);
      const load = await messageFrom<Load>(child);
      if (load.answered < 2) {
        const others = JSON.stringify(load.refused);
        throw new Error(
          `${order.url} accepted ${load.answered} of ${load.posted} requests; other answers: ${others}. On a busy machine it takes more --seconds.`,
        );
      }
      return load;
    },
  };
}
