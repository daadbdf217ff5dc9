import { Agent } from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';

export interface AgentLimits {
  readonly connectionsPerOrigin: number;
  /** How long a connection waits for its next request, and how long it is used at all. */
  readonly keepAliveMs: number;
  readonly connectionMsMax: number;
}

/** An agent of node:http for HTTP or HTTPS, whose connections a guarded connector makes. */
export class GuardedAgent extends Agent {
  /** Read by node:http, which would expect URLs with `http:` otherwise. */
  readonly protocol: 'http:' | 'https:';
  readonly #connect: buildConnector.connector;
  readonly #connectionMsMax: number;
  readonly #connectedAt = new WeakMap<Duplex, number>();

  constructor(
    protocol: 'http:' | 'https:',
    connect: buildConnector.connector,
    { connectionsPerOrigin, keepAliveMs, connectionMsMax }: AgentLimits,
  ) {
    super({ keepAlive: true, timeout: keepAliveMs, maxSockets: connectionsPerOrigin });
    this.protocol = protocol;
    Object.assign(this, { defaultPort: protocol === 'https:' ? 443 : 80 });
    this.#connect = connect;
    this.#connectionMsMax = connectionMsMax;
  }

  override createConnection(
    options: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void = () => {},
  ): undefined {
    const { host, port } = options;
    const { servername } = options as { readonly servername?: string };
    this.#connect(
      {
        hostname: host ?? '',
        protocol: this.protocol,
        port: String(port ?? ''),
        ...(servername === undefined || servername === '' ? {} : { servername }),
      },
      (...[error, socket]) => {
        if (socket !== null) this.#connectedAt.set(socket, performance.now());
        callback(error, socket as Socket);
      },
    );
  }

  /** @returns whether the connection waits for another request */
  override keepSocketAlive(socket: Duplex): boolean {
    const ageMs = performance.now() - (this.#connectedAt.get(socket) ?? 0);
    if (ageMs >= this.#connectionMsMax) return false;
    // What comes while nothing is asked for is the answer to no request.
    socket.once('data', () => socket.destroy());
    return super.keepSocketAlive(socket) as unknown as boolean;
  }

  override reuseSocket(socket: Duplex, request: Parameters<Agent['reuseSocket']>[1]): void {
    socket.removeAllListeners('data');
    super.reuseSocket(socket, request);
  }
}
