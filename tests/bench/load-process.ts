import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageFrom, ownChild } from './children.js';

/** Order for the load generator. */
export interface LoadOrder {
  readonly url: string;
  readonly key: string;
  /** Each posts its next invoice when it has the answer to the one before; not looked at with a rate. */
  readonly connections: number;
  /** Posts so many, evenly, whether or not the ones before are answered. */
  readonly ratePerSecond?: number;
  readonly seconds: number;
  /** The first invoice to post; each is posted once. */
  readonly firstIndex: number;
  readonly storedCount: number;
}

/**
 * Result of the load generator. Durations and the rate are those of requests with status 202; with a given rate, a request begins when it
 * is due.
 */
export interface Load {
  /** All that were sent, those still unanswered at the end included. */
  readonly posted: number;
  readonly answered: number;
  /** Other answers by status, and `no answer`. */
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
