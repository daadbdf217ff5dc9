import { Agent } from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { buildConnector as BuildConnector } from 'undici';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';
import { buildConnector } from './connector.js';

/** The system that outgoing calls go to, as metrics name it. */
export type Peer = AttributesOf<'http.client.request.duration'>['invoicecontrol.peer'];

/** The HTTP agents for outgoing calls, by URL protocol. */
export type Agents = Readonly<Record<'http:' | 'https:', Agent>> & { readonly peer: Peer };

export interface AgentLimits {
  /** Maximum number of concurrent connections to one host. Further requests to the host wait. */
  readonly connectionsPerOrigin: number;
  readonly connectMs: number;
  readonly peer: Peer;
}

/** Maximum time that an idle connection is kept for the next request. The server may close the connection earlier. */
const KEEP_ALIVE_MS = 10_000;
/** Maximum age of a connection, so that changed DNS records take effect. */
const CONNECTION_MS_MAX = 60_000;

/**
 * HTTP agents for addresses that the operator configured. These addresses need no egress guard. Certificates are
 * checked against the authorities of Node.js, including `NODE_EXTRA_CA_CERTS`.
 */
export function trustedAgents({ connectionsPerOrigin, connectMs, peer }: AgentLimits): Agents {
  return agentsOf(buildConnector({ timeout: connectMs, allowH2: false }), { connectionsPerOrigin, peer });
}

/**
 * Creates agents for HTTP and HTTPS requests.
 * @param connect opens every connection of the agents
 */
export function agentsOf(
  connect: BuildConnector.connector,
  { connectionsPerOrigin, peer }: Omit<AgentLimits, 'connectMs'>,
): Agents {
  return {
    peer,
    'http:': new ConnectorAgent('http:', connect, connectionsPerOrigin),
    'https:': new ConnectorAgent('https:', connect, connectionsPerOrigin),
  };
}

/** Closes all connections of the HTTP agents, including connections in use. */
export function destroyAgents(agents: Agents): void {
  agents['http:'].destroy();
  agents['https:'].destroy();
}

/**
 * An HTTP or HTTPS agent for node:http. A connector of undici opens its connections, guards the address and limits the
 * time.
 */
class ConnectorAgent extends Agent {
  /**
   * Protocol of the URLs that the HTTP agent serves. node:http reads this property, and without it would require
   * `http:` URLs.
   */
  readonly protocol: 'http:' | 'https:';
  readonly #connect: BuildConnector.connector;
  readonly #connectedAt = new WeakMap<Duplex, number>();

  constructor(protocol: 'http:' | 'https:', connect: BuildConnector.connector, connectionsPerOrigin: number) {
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

  /**
   * Decides whether an HTTP connection is kept after a response.
   * @returns true if the connection is idle and waits for another request
   */
  override keepSocketAlive(socket: Duplex): boolean {
    const ageMs = performance.now() - (this.#connectedAt.get(socket) ?? 0);
    if (ageMs >= CONNECTION_MS_MAX) return false;
    // Bytes that arrive on an HTTP connection between two requests belong to neither response, so the connection is
    // closed.
    socket.once('data', () => socket.destroy());
    return super.keepSocketAlive(socket) as unknown as boolean;
  }

  override reuseSocket(socket: Duplex, request: Parameters<Agent['reuseSocket']>[1]): void {
    socket.removeAllListeners('data');
    super.reuseSocket(socket, request);
  }
}
