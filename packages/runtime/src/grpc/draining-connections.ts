import { Http2SubchannelConnector } from '@grpc/grpc-js/build/src/transport.js';

/** Private members of the grpc-js transport, which sends pings when it should not (ADR 0113). */
interface PingingTransport {
  readonly session: { readonly closed: boolean };
  canSendPing(): boolean;
}

const { prototype } = Http2SubchannelConnector;
const connect = prototype.connect;

/**
 * A gRPC server that stops, or whose connection has reached its maximum age, lets running calls end and accepts no new
 * ones. grpc-js still pings such a connection, but Node.js does not send these pings, so grpc-js would cancel the
 * running calls.
 */
prototype.connect = async function connectWithoutPingsWhileDraining(...args) {
  const transport = await connect.apply(this, args);
  const pinging = transport as unknown as PingingTransport;
  const canSendPing = pinging.canSendPing.bind(transport);
  pinging.canSendPing = () => !pinging.session.closed && canSendPing();
  return transport;
};
