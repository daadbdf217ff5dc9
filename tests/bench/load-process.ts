import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the load generator is asked to do. */
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

/** What it saw. Durations and the rate are those of requests answered with 202; with a given rate, a request begins when it is due. */
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
  stop(): void;
}

export function startLoadProcess(): LoadProcess {
  const child = fork(fileURLToPath(new URL('load.js', import.meta.url)));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The load generator ended.')));
  ended.catch(() => {});
  return {
    async run(order) {
      const answered = once(child, 'message') as Promise<[Load]>;
      child.send(order);
      const [load] = await Promise.race([answered, ended]);
      return load;
    },
    stop: () => child.disconnect(),
  };
}
