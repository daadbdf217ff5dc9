import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const CONNECTIONS_MAX = 1_000;

/** What the traffic of one connection passes through, for proxies that understand what they carry. */
export interface Taps {
  readonly toServer: Transform;
  readonly toClient: Transform;
}

export interface TcpProxyOptions {
  readonly serverHost: string;
  readonly serverPort: number;
  /**
   * Called for every new connection.
   * @param cut ends this connection on both sides; what has not passed never does
   */
  readonly tap?: (cut: () => void) => Taps;
}

/** Stands between a client and a server on loopback and does to their connections what networks do. */
export interface TcpProxy {
  readonly port: number;
  /** Every piece of data takes so much longer from now on, in both directions; 0 is none. */
  delay(latencyMs: number): void;
  /** Ends every connection without a farewell (RST); new ones are served. */
  reset(): void;
  /** Ends every connection and refuses new ones until `heal`. */
  cut(): void;
  /** Half-open: connections stay and can be made, and nothing passes until `heal`. */
  stall(): void;
  heal(): void;
  close(): Promise<void>;
}

/** Memory is bounded by the stream buffers of {@link CONNECTIONS_MAX} connections: a slow side slows the other. */
export async function startTcpProxy({ serverHost, serverPort, tap }: TcpProxyOptions): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let latencyMs = 0;
  let isCut = false;
  let stalled: Stall | undefined;

  /** A stream that lets data through as the network of the moment does. */
  const wire = (): Transform =>
    new Transform({
      transform(chunk, _encoding, done) {
        const passing = async (): Promise<void> => {
          if (latencyMs > 0) await delay(latencyMs);
          await stalled?.healed;
        };
        passing().then(() => done(null, chunk), done);
      },
    });

  const server = createServer({ noDelay: true }, (client) => {
    if (isCut || pairs.size >= CONNECTIONS_MAX) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host: serverHost, port: serverPort, noDelay: true });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    const taps = tap?.(end);
    pipeline([client, wire(), ...(taps ? [taps.toServer] : []), upstream], end);
    pipeline([upstream, wire(), ...(taps ? [taps.toClient] : []), client], end);
    // A pipeline ends when its last stream has; what is held back must not outlive its client.
    client.once('close', end);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });

  const reset = (): void => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    pairs.clear();
  };
  const heal = (): void => {
    isCut = false;
    stalled?.heal();
    stalled = undefined;
  };
  return {
    port: (server.address() as AddressInfo).port,
    delay(ms) {
      latencyMs = ms;
    },
    reset,
    cut() {
      isCut = true;
      reset();
    },
    stall() {
      stalled ??= stall();
    },
    heal,
    async close() {
      heal();
      reset();
      await new Promise((closed) => {
        server.close(closed);
      });
    },
  };
}

interface Stall {
  readonly healed: Promise<void>;
  heal(): void;
}

function stall(): Stall {
  let heal = (): void => {};
  const healed = new Promise<void>((resolve) => {
    heal = resolve;
  });
  return { healed, heal };
}
