import { Http2SubchannelConnector } from '@grpc/grpc-js/build/src/transport.js';

/** The transport of grpc-js keeps these to itself, and pings where it should not (ADR 0113). */
interface PingingTransport {
  readonly session: { readonly closed: boolean };
  canSendPing(): boolean;
}

const { prototype } = Http2SubchannelConnector;
const connect = prototype.connect;

/**
 * A server that stops, or whose connection has its age, lets running calls end and takes no more. grpc-js pings such a
 * connection all the same, and Node sends no ping on it: grpc-js then cuts the running calls.
 */
prototype.connect = async function connectWithoutPingsWhileDraining(...args) {
  const transport = await connect.apply(this, args);
  const pinging = transport as unknown as PingingTransport;
  const canSendPing = pinging.canSendPing.bind(transport);
  pinging.canSendPing = () => !pinging.session.closed && canSendPing();
  return transport;
};
