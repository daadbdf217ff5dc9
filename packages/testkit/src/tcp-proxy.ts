import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const CONNECTIONS_MAX = 1_000;

/** Direction of data through the TCP proxy of a test. */
export type Direction = 'toServer' | 'toClient';

/** Filters for the traffic of one proxied connection, for test proxies that understand its protocol. */
export interface Taps {
  readonly toServer: Transform;
  readonly toClient: Transform;
}

export interface TcpProxyOptions {
  readonly serverHost: string;
  readonly serverPort: number;
  /**
   * Ports of replicas of the server behind the TCP proxy. Connections go to all of them in turn, except to replicas
   * that accept no connections.
   */
  readonly replicaPorts?: readonly number[];
  /**
   * Function that is called for every new connection through the TCP proxy.
   * @param cut closes this connection on both sides; data that has not passed is lost
   */
  readonly tap?: (cut: () => void) => Taps;
}

/** A TCP proxy between a client and a server on the same machine, which simulates network failures. */
export interface TcpProxy {
  readonly port: number;
  /** Delays all data of the proxied connections in both directions by a number of milliseconds. 0 ends the delay. */
  delay(latencyMs: number): void;
  /** Limits each proxied connection to a number of bytes per second in each direction. 0 removes the limit. */
  throttle(bytesPerSecond: number): void;
  /** Resets every connection through the TCP proxy (RST). New connections are accepted. */
  reset(): void;
  /** Closes every connection through the TCP proxy and refuses new ones until `heal`. */
  cut(): void;
  /**
   * Simulates half-open connections through the TCP proxy: they stay open and new ones can be opened, but no data
   * passes until `heal`, when all of it arrives.
   * @param direction both directions by default
   */
  stall(direction?: Direction): void;
  /**
   * Keeps the proxied connections open and accepts new ones, but loses all their data, even after `heal`, as if the
   * machine at the other end had failed. Connections that are opened after `heal` work.
   */
  swallow(): void;
  /** Ends the faults `cut`, `stall` and `swallow` of the TCP proxy. A configured delay and rate limit stay. */
  heal(): void;
  close(): Promise<void>;
}

/** The two sockets of a connection through the TCP proxy, and whether their data is discarded. */
interface Connection {
  readonly sockets: readonly [Socket, Socket];
  isLost: boolean;
}

/**
 * The memory of the TCP proxy is limited by the stream buffers of {@link CONNECTIONS_MAX} connections, because a slow
 * side slows down the other.
 */
export async function startTcpProxy({
  serverHost,
  serverPort,
  replicaPorts = [],
  tap,
}: TcpProxyOptions): Promise<TcpProxy> {
  const serverPorts = [serverPort, ...replicaPorts];
  const connections = new Set<Connection>();
  const waiting = new Set<Socket>();
  const stalls = new Map<Direction, Stall>();
  let latencyMs = 0;
  let bytesPerSecond = 0;
  let isCut = false;
  let isSwallowing = false;
  let turn = 0;

  /** Creates a stream of the TCP proxy that passes data on according to the current faults. */
  const wire = (direction: Direction, connection: Connection): Transform =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const passing = async (): Promise<void> => {
          const transferMs = bytesPerSecond === 0 ? 0 : (chunk.length * 1_000) / bytesPerSecond;
          if (latencyMs + transferMs > 0) await delay(latencyMs + transferMs);
          await stalls.get(direction)?.healed;
        };
        passing().then(() => (connection.isLost ? done() : done(null, chunk)), done);
      },
    });

  const dial = async (): Promise<Socket> => {
    const first = turn++;
    for (let tried = 1; ; tried++) {
      const port = serverPorts[(first + tried) % serverPorts.length] ?? serverPort;
      const upstream = connect({ host: serverHost, port, noDelay: true });
      try {
        await once(upstream, 'connect');
        return upstream;
      } catch (error) {
        upstream.destroy();
        if (tried >= serverPorts.length) throw error;
      }
    }
  };
  const join = (connection: Connection): void => {
    const [client, upstream] = connection.sockets;
    connections.add(connection);
    const end = (): void => {
      connections.delete(connection);
      client.destroy();
      upstream.destroy();
    };
    const taps = tap?.(end);
    pipeline([client, wire('toServer', connection), ...(taps ? [taps.toServer] : []), upstream], end);
    pipeline([upstream, wire('toClient', connection), ...(taps ? [taps.toClient] : []), client], end);
    // A stream pipeline of the TCP proxy ends only with its last stream. When the client closes its connection, the
    // pipelines must end at once, because data that is held back must not outlive the client.
    client.once('close', end);
    if (client.destroyed || isCut) end();
  };
  const server = createServer({ noDelay: true }, (client) => {
    if (isCut || connections.size + waiting.size >= CONNECTIONS_MAX) {
      client.resetAndDestroy();
      return;
    }
    const isLost = isSwallowing;
    waiting.add(client);
    client.once('error', () => client.destroy());
    dial()
      .then(
        (upstream) => join({ sockets: [client, upstream], isLost }),
        () => client.resetAndDestroy(),
      )
      .finally(() => waiting.delete(client));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });

  const reset = (): void => {
    for (const { sockets } of connections) {
      const [client, upstream] = sockets;
      client.resetAndDestroy();
      upstream.destroy();
    }
    connections.clear();
  };
  const heal = (): void => {
    isCut = false;
    isSwallowing = false;
    for (const one of stalls.values()) one.heal();
    stalls.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    delay(ms) {
      latencyMs = ms;
    },
    throttle(bytes) {
      bytesPerSecond = bytes;
    },
    reset,
    cut() {
      isCut = true;
      reset();
    },
    stall(direction) {
      for (const one of direction === undefined ? (['toServer', 'toClient'] as const) : [direction]) {
        if (!stalls.has(one)) stalls.set(one, stall());
      }
    },
    swallow() {
      isSwallowing = true;
      for (const connection of connections) connection.isLost = true;
    },
    heal,
    async close() {
      heal();
      isCut = true;
      reset();
      for (const client of waiting) client.destroy();
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
