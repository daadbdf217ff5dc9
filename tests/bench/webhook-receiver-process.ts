import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Fault } from '@invoicecontrol/simulators/webhook-receiver';
import { messageFrom, ownChild } from './children.js';

export interface ReceiverStart {
  readonly tls: { readonly key: string; readonly cert: string };
  /** Number of servers of the webhook receiver. Each has a different address, as the servers of customers do. */
  readonly servers: number;
}

export type ReceiverOrder =
  | { readonly do: 'secret'; readonly path: string; readonly secret: string }
  | { readonly do: 'fault'; readonly path: string; readonly fault: Fault | undefined }
  | { readonly do: 'count' | 'take' };

/** Request that arrived at the webhook receiver of the benchmark. */
export interface Arrival {
  readonly path: string;
  readonly eventId: string;
  /** Time of arrival of the webhook request on the clock of `Date.now()`. */
  readonly arrivedAtMs: number;
  readonly isVerified: boolean;
}

export interface ReceiverProcess {
  /** Base URL of each server of the webhook receiver, such as `https://127.0.0.1:4100`. */
  readonly urls: readonly string[];
  readonly pid: number;
  setSecret(path: string, secret: string): void;
  setFault(path: string, fault: Fault | undefined): void;
  /** Returns the number of webhook requests since the last `take`, and the number of those that wait for a response. */
  count(): Promise<{ count: number; open: number }>;
  /** Returns the webhook requests that arrived since `take` was called last. */
  take(): Promise<Arrival[]>;
}

export async function startReceiverProcess(start: ReceiverStart): Promise<ReceiverProcess> {
  const child = ownChild(fork(fileURLToPath(new URL('webhook-receiver.js', import.meta.url))));
  const order = (given: ReceiverOrder): void => void child.send(given);
  child.send(start);
  const urls = await messageFrom<string[]>(child);
  return {
    urls,
    pid: child.pid ?? 0,
    setSecret: (path, secret) => order({ do: 'secret', path, secret }),
    setFault: (path, fault) => order({ do: 'fault', path, fault }),
    count() {
      order({ do: 'count' });
      return messageFrom(child);
    },
    take() {
      order({ do: 'take' });
      return messageFrom(child);
    },
  };
}
