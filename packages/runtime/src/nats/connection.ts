import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../logger.js';
import { reportGauges } from '../telemetry.js';

/** A connection to the broker that keeps trying to reconnect. */
export interface Bus {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Returns false from the loss of the connection until it is restored. */
  isConnected(): boolean;
  /** Returns the time when the connection was lost, or undefined while it exists. */
  disconnectedAt(): Date | undefined;
  /** Sends a ping, and resolves when the broker responds. */
  ping(): Promise<unknown>;
  /** Lets handlers end and closes the connection. */
  close(): Promise<void>;
}

export interface BusOptions {
  readonly url: string;
  /** Name of our connection in the broker. */
  readonly name: string;
  readonly logger: Logger;
}

/** Time within which a starting service must reach the broker. Otherwise the start fails and its supervisor retries. */
const FIRST_CONNECT_MS_MAX = 10_000;

export async function connectNats({ url, name, logger }: BusOptions): Promise<Bus> {
  const connection = await connect({
    servers: url.split(','),
    name,
    timeout: FIRST_CONNECT_MS_MAX,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 10_000,
    maxPingOut: 2,
    // With traces, the client would create an error with a stack for every publication, in case it fails.
    noAsyncTraces: true,
  });
  let isConnected = true;
  let disconnectedAt: Date | undefined;
  void followStatus(connection, logger, (now) => {
    isConnected = now;
    disconnectedAt = now ? undefined : (disconnectedAt ?? new Date());
  });
  const closeReport = reportGauges(
    { 'broker.connected': { unit: '1', description: '1 while this process is connected to the broker, else 0.' } },
    async () => [{ attributes: { service: name }, values: { 'broker.connected': isConnected ? 1 : 0 } }],
  );
  return {
    connection,
    jetstream: jetstream(connection),
    manager: await jetstreamManager(connection, { checkAPI: false }),
    isConnected: () => isConnected,
    disconnectedAt: () => disconnectedAt,
    ping: () => connection.flush(),
    async close() {
      closeReport();
      if (connection.isClosed()) return;
      try {
        await connection.drain();
      } catch {
        // The broker is unavailable, so the connection cannot be drained.
        await connection.close();
      }
    },
  };
}

async function followStatus(
  connection: NatsConnection,
  logger: Logger,
  setConnected: (isConnected: boolean) => void,
): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type !== 'disconnect' && type !== 'reconnect') continue;
    setConnected(type === 'reconnect');
    if (type === 'disconnect')
      logger.warn({ server: connection.getServer() }, 'the connection to the broker was lost; reconnecting');
    else logger.info({ server: connection.getServer() }, 'the connection to the broker is restored');
  }
}
