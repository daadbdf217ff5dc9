import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { connect, ConnectionError } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../logger.js';
import { onceAMinute } from '../once-a-minute.js';
import { reportGauges } from '../telemetry.js';

interface Link {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
}

/**
 * A connection to the broker that keeps trying to connect, from the start as well as after a loss. Before the first
 * success, reading `connection`, `jetstream` or `manager` throws an error that counts as an outage of the broker.
 */
export interface Bus extends Link {
  /** Number of servers that store the streams that this process creates. */
  readonly streamReplicas: number;
  /** Returns false before the first connection to NATS, and from the loss of the connection until it is restored. */
  isConnected(): boolean;
  /** Returns the time since which NATS is disconnected, or undefined while it is connected. */
  disconnectedAt(): Date | undefined;
  /** Calls the given function once: immediately if NATS is connected, and otherwise after the first connection. */
  whenConnected(callback: () => void): void;
  /** Sends a ping to the message broker, and resolves when the broker responds. */
  ping(): Promise<unknown>;
  /** Lets running event handlers end and closes the connection to NATS. */
  close(): Promise<void>;
}

export interface BusOptions {
  readonly url: string;
  /**
   * Folder with the certificate of this process (`tls.crt`, `tls.key`, `ca.crt`). From the certificate, the broker
   * knows the rights of the process. The files are read each time the process connects. They are needed for a `url`
   * that begins with `tls://`. A connection to any other `url` is not encrypted, and the broker does not know which
   * process opened it.
   */
  readonly identity?: string | undefined;
  /** Name under which the broker lists the connection of this process. */
  readonly name: string;
  /** Number of servers that store the event streams that this process creates. The default is one server. */
  readonly streamReplicas?: number;
  readonly logger: Logger;
}

/** Time limit of one attempt to connect to the broker. A starting service waits for the first attempt only. */
const CONNECT_MS_MAX = 10_000;
const CONNECT_AGAIN_MS = 500;
/** Interval at which the log repeats that the broker has never been reached. */
const REMIND_EACH_MS = 60_000;

/**
 * Connects to the broker. Resolves after the first attempt, even if it failed: services store their events in the
 * database, and work without a broker until it is available.
 */
export async function connectNats({ url, identity, name, streamReplicas = 1, logger }: BusOptions): Promise<Bus> {
  let link: Link | undefined;
  let isConnected = false;
  let disconnectedAt: Date | undefined = new Date();
  const waiting: (() => void)[] = [];
  const closing = new AbortController();
  const setConnected = (now: boolean): void => {
    isConnected = now;
    disconnectedAt = now ? undefined : (disconnectedAt ?? new Date());
  };
  const open = async (): Promise<void> => {
    const connection = await connect({
      servers: url.split(','),
      name,
      ...(identity !== undefined && url.startsWith('tls://') ? { tls: identityFiles(identity) } : {}),
      inboxPrefix: inboxPrefix(name),
      timeout: CONNECT_MS_MAX,
      // By default, the NATS client stops connecting after two refused attempts. But the refusal may be temporary: the
      // rights of this process may be removed and restored, or the broker may not accept its certificate yet.
      ignoreAuthErrorAbort: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: 10_000,
      maxPingOut: 2,
      // With traces enabled, the NATS client would create an error with a stack for every publication, in case it
      // fails.
      noAsyncTraces: true,
    });
    link = {
      connection,
      jetstream: jetstream(connection),
      manager: await jetstreamManager(connection, { checkAPI: false }),
    };
    setConnected(true);
    // Only this process may close its connection to the broker. If the connection closes for another reason, the error
    // ends the process, because otherwise the process would continue and receive no events.
    void connection.closed().then((error) => {
      if (!closing.signal.aborted)
        throw new Error('The connection to the message broker was closed and is not opened again.', { cause: error });
    });
    void followStatus(connection, logger, setConnected);
    for (const callback of waiting.splice(0)) callback();
  };
  const openLater = async (): Promise<void> => {
    let remindedMs = performance.now();
    while (link === undefined && !closing.signal.aborted) {
      await delay(CONNECT_AGAIN_MS, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return;
      try {
        await open();
        logger.info({ server: url }, 'the broker is available');
      } catch (error) {
        if (performance.now() - remindedMs < REMIND_EACH_MS) continue;
        remindedMs = performance.now();
        logger.warn({ error }, 'the broker is still unavailable');
      }
    }
  };
  const closeReport = reportGauges(
    ['invoicecontrol.broker.connected'],
    async () => [{ attributes: {}, values: { 'invoicecontrol.broker.connected': isConnected ? 1 : 0 } }],
    name,
  );
  let connecting: Promise<void> | undefined;
  try {
    await open();
  } catch (error) {
    logger.warn({ error }, 'the broker is unavailable; starting without it');
    connecting = openLater();
  }
  const linked = (): Link => {
    if (link === undefined) throw new ConnectionError('The message broker has not been reached yet.');
    return link;
  };
  return {
    streamReplicas,
    get connection() {
      return linked().connection;
    },
    get jetstream() {
      return linked().jetstream;
    },
    get manager() {
      return linked().manager;
    },
    isConnected: () => isConnected,
    disconnectedAt: () => disconnectedAt,
    whenConnected(callback) {
      if (link === undefined) waiting.push(callback);
      else callback();
    },
    ping: async () => linked().connection.flush(),
    async close() {
      closing.abort();
      closeReport();
      await connecting;
      if (link === undefined || link.connection.isClosed()) return;
      try {
        await link.connection.drain();
      } catch {
        // The broker is unavailable, so the connection cannot be drained.
        await link.connection.close();
      }
    },
  };
}

/**
 * Returns the prefix of the subjects on which a NATS client receives responses. Each client name has its own prefix,
 * because no other client may listen to these subjects.
 */
export function inboxPrefix(name: string): string {
  return `_INBOX_${name.replaceAll(/[^\w-]/g, '_')}`;
}

function identityFiles(directory: string): { certFile: string; keyFile: string; caFile: string } {
  return {
    certFile: join(directory, 'tls.crt'),
    keyFile: join(directory, 'tls.key'),
    caFile: join(directory, 'ca.crt'),
  };
}

async function followStatus(
  connection: NatsConnection,
  logger: Logger,
  setConnected: (isConnected: boolean) => void,
): Promise<void> {
  const isDue = onceAMinute();
  for await (const status of connection.status()) {
    const { type } = status;
    // No caller waits for the result of an acknowledgement, or of a publication outside of a stream. A refusal by the
    // broker is therefore reported only here.
    if (type === 'error' && isDue(status.error.name))
      logger.error({ error: status.error }, 'the broker refused something');
    if (type !== 'disconnect' && type !== 'reconnect') continue;
    setConnected(type === 'reconnect');
    if (type === 'disconnect')
      logger.warn({ server: connection.getServer() }, 'the connection to the broker was lost; reconnecting');
    else logger.info({ server: connection.getServer() }, 'the connection to the broker is restored');
  }
}
