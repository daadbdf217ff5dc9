// Loaded before a service by the benchmark of mutual TLS: its calls to other services and the calls that it serves then
// use plain TCP. The product has no such mode. Everything else stays as it is: the table of callers, the connections to
// MongoDB and to NATS.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { basename } from 'node:path';
import tls from 'node:tls';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';
import { startOrder } from '@invoicecontrol/topology/services';

const names: readonly string[] = [...startOrder, 'operator'];
/** Each program connects from a loopback address of its own, because no certificate tells which one it is. */
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

/** A server in place of that of the service, which says of each connection whose it is. */
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
