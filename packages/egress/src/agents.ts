import { Agent } from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector } from 'undici';

/** The agents that calls are sent through, by the protocol of their URL. */
export type Agents = Readonly<Record<'http:' | 'https:', Agent>>;

export interface AgentLimits {
  /** Maximum number of concurrent connections to one host; further requests wait. */
  readonly connectionsPerOrigin: number;
  readonly connectMs: number;
}

/** Time that a connection waits for its next request; a server that closes it sooner says so, or closes it during a request. */
const KEEP_ALIVE_MS = 10_000;
/** Maximum age of a connection, so that a name that moved is resolved again. */
const CONNECTION_MS_MAX = 60_000;

/**
 * Agents for addresses of the configuration, which need no guard. Certificates are checked against the authorities of Node.js,
 * `NODE_EXTRA_CA_CERTS` included.
 */
export function trustedAgents({ connectionsPerOrigin, connectMs }: AgentLimits): Agents {
  return agentsOf(buildConnector({ timeout: connectMs, allowH2: false }), connectionsPerOrigin);
}

/** @param connect makes every connection of the agents */
export function agentsOf(connect: buildConnector.connector, connectionsPerOrigin: number): Agents {
  return {
    'http:': new ConnectorAgent('http:', connect, connectionsPerOrigin),
    'https:': new ConnectorAgent('https:', connect, connectionsPerOrigin),
  };
}

/** Closes their connections, also those in use. */
export function destroyAgents(agents: Agents): void {
  for (const agent of Object.values(agents)) agent.destroy();
}

/** An agent of node:http for HTTP or HTTPS, whose connections a connector of undici makes, guarded and in a bounded time. */
class ConnectorAgent extends Agent {
  /** node:http reads it, and would otherwise expect URLs with `http:`. */
  readonly protocol: 'http:' | 'https:';
  readonly #connect: buildConnector.connector;
  readonly #connectedAt = new WeakMap<Duplex, number>();

  constructor(protocol: 'http:' | 'https:', connect: buildConnector.connector, connectionsPerOrigin: number) {
    super({ keepAlive: true, timeout: KEEP_ALIVE_MS, maxSockets: connectionsPerOrigin });
    this.protocol = protocol;
    Object.assign(this, { defaultPort: protocol === 'https:' ? 443 : 80 });
    this.#connect = connect;
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
        if (error === null) this.#connectedAt.set(socket, performance.now());
        callback(error, socket as Socket);
      },
    );
  }

  /** @returns true when the connection waits for another request */
  override keepSocketAlive(socket: Duplex): boolean {
    const ageMs = performance.now() - (this.#connectedAt.get(socket) ?? 0);
    if (ageMs >= CONNECTION_MS_MAX) return false;
    // Bytes that come between two requests belong to neither response.
    socket.once('data', () => socket.destroy());
    return super.keepSocketAlive(socket) as unknown as boolean;
  }

  override reuseSocket(socket: Duplex, request: Parameters<Agent['reuseSocket']>[1]): void {
    socket.removeAllListeners('data');
    super.reuseSocket(socket, request);
  }
}
