import { constants } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import type { Server } from '@grpc/grpc-js';
import { TLS_VERSION_MIN } from '../identity/identity.js';
import type { Identity } from '../identity/identity.js';
import { peerService, ServiceNameError } from '../identity/service-name.js';
import type { Logger } from '../logger.js';
import { onceAMinute } from '../once-a-minute.js';
import { count } from '../telemetry.js';
import type { connectionFaults } from '../telemetry/schema.js';

type ConnectionFault = (typeof connectionFaults)[number];

export interface SecureListenerOptions {
  readonly host: string;
  /** Port of the gRPC listener. With 0, the operating system chooses a free port. */
  readonly port: number;
  readonly identity: Identity;
  readonly logger: Logger;
  /**
   * Gets the name of the service that opened each open connection, by its address and port as `getPeer()` of a gRPC
   * call returns them.
   */
  readonly callers: Map<string, string>;
  /** Maximum number of open connections to the gRPC listener. Only tests change it. */
  readonly connectionsMax?: number;
  /** Maximum number of unfinished TLS handshakes with one address. Only tests change it. */
  readonly handshakesMax?: number;
}

export interface SecureListener {
  readonly port: number;
  /** Stops accepting connections to the gRPC server. Open connections continue. */
  close(): void;
}

/** Maximum number of open gRPC connections to one process. Each TLS handshake takes 3 ms of CPU time. */
const CONNECTIONS_MAX = 512;
const HANDSHAKE_MS_MAX = 5_000;
/**
 * Maximum number of connections from one address whose TLS handshake has not ended. Without this limit, one process
 * without a certificate could occupy all connections of a service. All services of one machine share an address.
 */
const HANDSHAKES_PER_ADDRESS_MAX = 64;
/**
 * TLS sessions have no tickets, because a resumed session would not be checked against the current certificate
 * authorities.
 */
const ACCEPTED = { minVersion: TLS_VERSION_MIN, secureOptions: constants.SSL_OP_NO_TICKET } as const;

/** Error codes of OpenSSL and Node.js for a refused certificate, with the reason that is logged. */
const certificateFaults: Readonly<Record<string, ConnectionFault>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  UNABLE_TO_GET_ISSUER_CERT: 'no_certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'other_authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'other_authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'other_authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'other_authority',
  CERT_SIGNATURE_FAILURE: 'other_authority',
};

/** Error codes of Node.js for a TLS handshake that failed, with the reason that is logged. */
const handshakeFaults: Readonly<Record<string, ConnectionFault>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_HTTP_REQUEST: 'no_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no_tls',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'too_slow',
};

/**
 * Accepts connections for a gRPC server by mutual TLS, and remembers for each of them which service opened it. The
 * server of grpc-js could do the same, but it would hide why a handshake failed, accept TLS 1.2, and read the
 * certificate again for each call (ADR 0158).
 */
export async function listenSecurely(
  server: Server,
  {
    host,
    port,
    identity,
    logger,
    callers,
    connectionsMax = CONNECTIONS_MAX,
    handshakesMax = HANDSHAKES_PER_ADDRESS_MAX,
  }: SecureListenerOptions,
): Promise<SecureListener> {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const isDue = onceAMinute();
  const refuse = (fault: ConnectionFault, peer: string | undefined, error: unknown): void => {
    count('invoicecontrol.rpc.refused_connections', { reason: fault }, 1, identity.service);
    if (isDue(fault)) logger.warn({ reason: fault, peer, error }, 'a connection was refused');
  };

  /** Ports of the connections whose handshake has not ended, by their address. */
  const handshakes = new Map<string, Set<number | undefined>>();
  const endHandshake = (address: string, remotePort: number | undefined): void => {
    const ports = handshakes.get(address);
    ports?.delete(remotePort);
    if (ports?.size === 0) handshakes.delete(address);
  };
  const beginHandshake = (socket: Socket): void => {
    const { remoteAddress: address = '', remotePort } = socket;
    const ports = handshakes.get(address) ?? new Set();
    if (ports.size >= handshakesMax) {
      refuse('too_many_handshakes', address, new Error(`${handshakesMax} have not ended`));
      socket.destroy();
      return;
    }
    handshakes.set(address, ports.add(remotePort));
    socket.once('close', () => endHandshake(address, remotePort));
  };

  const accept = (socket: TLSSocket): void => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    endHandshake(socket.remoteAddress ?? '', socket.remotePort);
    // An error event of a socket that has no listener would end the process, so this listener ignores the error.
    socket.on('error', () => {});
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    try {
      if (!socket.authorized) throw socket.authorizationError;
      const caller = peerService(socket.getPeerX509Certificate()?.subjectAltName, identity);
      callers.set(peer, caller);
      socket.once('close', () => callers.delete(peer));
    } catch (error) {
      refuse(faultOf(error), peer, error);
      socket.destroy();
      return;
    }
    injector.injectConnection(socket);
  };

  const listener = createServer(
    {
      ...identity.files,
      requestCert: true,
      // Node.js accepts every certificate, and the function `accept` refuses the wrong ones, because Node.js would not
      // say why it refused a certificate.
      rejectUnauthorized: false,
      ...ACCEPTED,
      ALPNProtocols: ['h2'],
      handshakeTimeout: HANDSHAKE_MS_MAX,
    },
    accept,
  );
  listener.maxConnections = connectionsMax;
  // This listener is called before the listener of the TLS server, so a refused connection begins no handshake.
  listener.prependListener('connection', beginHandshake);
  listener.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const reset = error.code === 'ECONNRESET';
    // A load balancer that only connects and disconnects has tried no call, so its connection does not count as
    // refused.
    if (!reset) refuse(handshakeFaults[error.code ?? ''] ?? 'other', socket.remoteAddress, error);
    socket.destroy();
  });
  listener.on('drop', (dropped) => refuse('too_many', dropped?.remoteAddress, new Error(`${connectionsMax} are open`)));
  await new Promise<void>((resolve, reject) => {
    listener.once('error', (error) => reject(new Error(`Cannot listen on ${host}:${port}: ${error.message}`)));
    listener.listen(port, host, resolve);
  });
  listener.on('error', (error) => logger.error({ error }, 'the listener of the gRPC server failed'));
  const stopFollowing = identity.onChange((files) => listener.setSecureContext({ ...files, ...ACCEPTED }));
  return {
    port: (listener.address() as AddressInfo).port,
    close() {
      stopFollowing();
      listener.close();
    },
  };
}

/**
 * Returns the fault for which a certificate was refused. Node.js states the fault as the code of an error, or as the
 * code alone.
 */
function faultOf(error: unknown): ConnectionFault {
  if (error instanceof ServiceNameError) return error.fault;
  const code = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
  return certificateFaults[code] ?? 'other';
}
