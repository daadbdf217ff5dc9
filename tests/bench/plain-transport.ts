// Replaces mutual TLS between the services by plain TCP, for the benchmark that measures the cost of mutual TLS. The
// product itself does not support plain TCP. The benchmark makes a service load this module before its own program. The
// check of callers and the connections to MongoDB and NATS stay unchanged.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { basename } from 'node:path';
import tls from 'node:tls';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { startOrder } from '@invoicecontrol/topology/services';

const names: readonly string[] = [...startOrder, 'operator'];
/**
 * Returns the loopback address from which a program connects. The address identifies the program, because without TLS
 * there is no certificate.
 */
const addressOf = (name: string): string => `127.0.1.${names.indexOf(name) + 1}`;
const own = addressOf(basename(process.env['TLS_DIR'] ?? ''));

const grpc = createRequire(import.meta.resolve('@invoicecontrol/runtime/grpc/client'))('@grpc/grpc-js') as {
  credentials: { createInsecure(): unknown; createFromSecureContext(): unknown };
};
grpc.credentials.createFromSecureContext = () => grpc.credentials.createInsecure();

const connect = net.connect.bind(net);
net.connect = ((options: net.NetConnectOpts, ...rest: (() => void)[]) =>
  connect({ ...options, localAddress: own }, ...rest)) as typeof net.connect;

type Accept = (socket: tls.TLSSocket) => void;

/**
 * Creates a TCP server in place of the TLS server of a service. For each connection, it reports a certificate name that
 * it derives from the address of the caller.
 */
tls.createServer = ((_options: tls.TlsOptions, accept: Accept) => {
  const server = net.createServer({ noDelay: true }, (socket) => {
    const caller = names.find((name) => addressOf(name) === socket.remoteAddress);
    const subjectAltName = `URI:spiffe://${TRUST_DOMAIN_DEFAULT}/service/${caller}`;
    accept(
      Object.assign(socket, { authorized: true, getPeerX509Certificate: () => ({ subjectAltName }) }) as tls.TLSSocket,
    );
  });
  return Object.assign(server, { setSecureContext() {} });
}) as unknown as typeof tls.createServer;
syncBuiltinESMExports();
