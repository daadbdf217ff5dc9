import { setTimeout as delay } from 'node:timers/promises';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import type { Db } from 'mongodb';
import type { z } from 'zod';
import type { Clock } from './clock.js';
import { describeConfig } from './config.js';
import type { ServiceSettings } from './config.js';
import { newHealth, startHealthServer } from './grpc/health-server.js';
import type { HealthServer } from './grpc/health-server.js';
import { MESSAGE_BYTES_MAX } from './grpc/message-size.js';
import { startGrpcServer } from './grpc/server.js';
import type { Binding } from './grpc/server.js';
import { openIdentity } from './identity/identity.js';
import type { Identity } from './identity/identity.js';
import { startJob } from './job.js';
import type { Job } from './job.js';
import { createLogger } from './logger.js';
import type { Logger } from './logger.js';
import { connectMongo } from './mongo/connection.js';
import { consumerPositions } from './mongo/consumer-positions.js';
import { databaseClock } from './mongo/database-clock.js';
import { deadLetterStore } from './mongo/dead-letters.js';
import { missingIndexes } from './mongo/ensure-indexes.js';
import { indexBuilds } from './mongo/index-builds.js';
import { startOutbox } from './mongo/outbox.js';
import type { Outbox } from './mongo/outbox.js';
import { stuckDeadLetters, stuckOutbox } from './mongo/stuck-documents.js';
import { stuckIndexes } from './mongo/stuck-indexes.js';
import { connectNats } from './nats/connection.js';
import type { Bus } from './nats/connection.js';
import { eventPublisher } from './nats/publish.js';
import { watchReplicas } from './nats/stream.js';
import { subscribe } from './nats/subscribe.js';
import { operatorService } from './operator-service.js';
import type { TenantDocuments } from './operator-service.js';
import { stuckConsumers } from './nats/stuck-consumers.js';
import type { WatchedConsumer } from './nats/stuck-consumers.js';
import { isOutage } from './outage.js';
import type { RunningService } from './process.js';
import { watchReadiness } from './readiness.js';
import { boundedRefusals } from './refused-calls.js';
import type { RefusedCall } from './refused-calls.js';
import { Shutdown } from './shutdown.js';
import { reportStuckWork } from './stuck-work-metrics.js';
import type { FindStuckWork } from './stuck-work.js';
import { startTelemetry } from './telemetry.js';
import { watchJobs } from './watched-jobs.js';

/** The connections of a service. The shell closes them after everything that the service opened. */
export interface Connections {
  /** MongoDB database of the service. */
  readonly db: Db;
  readonly bus: Bus;
  /** Proof of who the service is, for its calls to other services. */
  readonly identity: Identity;
  /** Clock of the database, which is the same in all replicas. */
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Starts the relay that publishes the events of the service. A service without events does not call it.
   * @param collectionNames the collections whose documents contain events
   */
  openOutbox(collectionNames: readonly string[]): Promise<Outbox>;
  /**
   * Registers a function that closes something that the service opened. The last registered function is called first.
   */
  onStop(name: string, close: () => Promise<void> | void): void;
}

/** Parts of a service that start only after {@link ServiceShell.compose} has returned. */
export interface ServiceParts {
  readonly rpcGroups: readonly Binding[];
  /** Declares which data of organizations the service stores, so that the operator can count it. */
  readonly tenantData: readonly TenantDocuments[];
  /** Handlers for events of other services. One replica handles each event durably. */
  readonly eventHandlers?: readonly EventHandler[];
  readonly jobs?: readonly Job[];
  /** Records a refused call that names an organization, at most one a minute for its caller, rpc and reason. */
  readonly recordRefusedCall?: (refused: RefusedCall) => Promise<void>;
  /** Sources of stuck work for the operator, in addition to outboxes, consumers, dead letters and jobs. */
  readonly stuckWork?: readonly FindStuckWork[];
}

/** An event type and its handler, created by {@link handler}. */
interface EventHandler {
  readonly type: EventType;
  handle(event: EventHeader): Promise<void>;
  readonly handlersMax: number | undefined;
}

/**
 * Creates the handler of an event type for {@link startServiceShell}.
 * @param handle handles an event; it must be idempotent, because events are delivered at least once
 * @param handlersMax maximum number of events that are handled concurrently (default 32)
 */
export function handler<T extends EventHeader>(
  type: EventType<T>,
  handle: (event: T) => Promise<void>,
  handlersMax?: number,
): EventHandler {
  return { type, handle, handlersMax };
}

export interface ServiceShell {
  /**
   * Name of the service, such as `analysis`. It appears in logs, traces, the database and the broker, and identifies
   * the publisher of events.
   */
  readonly name: string;
  /** Schema of the settings of a service, which also marks the secrets among them. */
  readonly schema: z.ZodObject;
  readonly config: ServiceSettings;
  /**
   * Maximum time in milliseconds that running gRPC calls get to finish when the service stops. Calls that exceed it are
   * cancelled.
   */
  readonly callsEndMsMax: number;
  /**
   * Maximum message size, larger than the default for a service whose messages contain whole files. Its callers must
   * use the same size.
   */
  readonly messageBytesMax?: number;
  /** Builds a service at its start: creates indexes, opens all other resources, and connects the parts. */
  readonly compose: (connections: Connections) => Promise<ServiceParts>;
}

/**
 * Maximum time that a starting service waits for an unavailable database. After that the start fails, and the
 * supervisor of the process starts the service again.
 */
const START_MS_MAX = 60_000;
const START_RETRY_MS = 500;
/**
 * Advice in the log line about missing indexes: how the operator can build them before the services of the next release
 * start.
 */
const MIGRATE_BEFORE = { nextTime: 'run `npm run admin -- migrate` before a release; docs/runbooks/migrations.md' };

/** Dependencies that tests replace when they start a service. */
export interface StartOverrides {
  readonly startMsMax?: number;
  /** Maximum delay of background jobs, so that tests do not wait for them. */
  readonly jobPauseMsMax?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Starts a service, and resolves when it accepts calls. Every service starts in this order:
 *
 * 1. It connects telemetry, its identity, the database, the broker and the clock.
 * 2. It calls `compose`, which creates the indexes and the outbox and opens everything else that the service needs.
 * 3. It starts the event handlers and the jobs.
 * 4. It starts the gRPC server, and the health server for probes. The health server reports that the service is alive
 *    at once, and that it is ready as soon as the database has responded.
 *
 * Services, databases and the broker may start in any order, and a failover may happen during the start. If the
 * database is unavailable, everything that was started is closed, and the start is attempted again for up to a minute.
 * Without the broker, a service starts and works: events wait in the database, and consumers begin when the broker is
 * available. While the database builds an index that the service needs, which may take hours, the start is attempted
 * again without a time limit. During this time, a health server reports that the process is alive but not ready, and
 * the log names the index.
 *
 * `stop` closes everything in reverse order. The service first reports that it is not ready, and still accepts calls
 * for `DRAIN_DELAY_SECONDS`. It then refuses new calls and waits until running calls, jobs and handlers have ended. It
 * closes what `compose` opened, and finally the connections to the broker and the database. If the start fails for
 * good, everything that was started is closed in this order too, and the promise rejects with the reason.
 */
export async function startServiceShell(
  service: ServiceShell,
  overrides: StartOverrides = {},
): Promise<RunningService> {
  const { name, schema, config } = service;
  const logger = overrides.logger ?? createLogger({ service: name, level: config.LOG_LEVEL });
  logger.info({ config: describeConfig(schema, config) }, 'starting');
  const startMsMax = overrides.startMsMax ?? START_MS_MAX;
  let deadline = performance.now() + startMsMax;
  let waiting: HealthServer | undefined;
  const endWaiting = (): void => {
    waiting?.stop();
    waiting = undefined;
  };
  for (;;) {
    const shutdown = new Shutdown(logger);
    try {
      return await start(service, { ...overrides, logger }, shutdown, endWaiting);
    } catch (error) {
      await shutdown.run();
      const indexes = isOutage(error) ? await indexesBeingBuilt(service, logger) : [];
      if (indexes.length > 0) {
        logger.info({ indexes, ...MIGRATE_BEFORE }, 'waiting for indexes that the database is building');
        deadline = performance.now() + startMsMax;
        // While database indexes are built, the health server already runs. Otherwise the supervisor would end the
        // process of the service, and the next process would wait for the same indexes.
        waiting ??= await startHealthServer(config.GRPC_HOST, config.HEALTH_PORT, newHealth());
      } else if (!isOutage(error) || performance.now() + START_RETRY_MS > deadline) {
        endWaiting();
        throw error;
      } else {
        logger.warn({ error }, 'MongoDB is unavailable at startup; retrying');
      }
    }
    await delay(START_RETRY_MS);
  }
}

/** Returns the database indexes that are still being built, or none if the database cannot be reached. */
async function indexesBeingBuilt({ name, config }: ServiceShell, logger: Logger): Promise<readonly string[]> {
  const { TLS_DIR: directory, TRUST_DOMAIN: trustDomain } = config;
  const identity = openIdentity({ service: name, directory, trustDomain, logger });
  try {
    const mongo = await connectMongo({
      url: config.MONGODB_URL,
      databaseName: config.DATABASE_NAME,
      appName: 'index-builds',
      identity,
    });
    try {
      return await indexBuilds(mongo.db);
    } finally {
      await mongo.close();
    }
  } catch {
    return [];
  } finally {
    identity.close();
  }
}

async function start(
  { name, config, callsEndMsMax, messageBytesMax = MESSAGE_BYTES_MAX, compose }: ServiceShell,
  { clock: givenClock, jobPauseMsMax = Infinity, logger }: StartOverrides & { logger: Logger },
  shutdown: Shutdown,
  beforeListening: () => void,
): Promise<RunningService> {
  const telemetry = await startTelemetry(name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  shutdown.add('telemetry', () => telemetry.stop());
  const identity = openIdentity({
    service: name,
    directory: config.TLS_DIR,
    trustDomain: config.TRUST_DOMAIN,
    logger,
  });
  shutdown.add('identity', () => identity.close());
  const mongo = await connectMongo({
    url: config.MONGODB_URL,
    databaseName: config.DATABASE_NAME,
    appName: name,
    identity,
  });
  shutdown.add('mongodb', () => mongo.close());
  const bus = await connectNats({
    url: config.NATS_URL,
    identity: config.TLS_DIR,
    name,
    streamReplicas: config.NATS_STREAM_REPLICAS,
    logger,
  });
  shutdown.add('nats', () => bus.close());
  const { db } = mongo;
  const measuredClock = await databaseClock(db, logger);
  shutdown.add('clock', () => measuredClock.stop());
  const clock = givenClock ?? measuredClock;

  const stuckWork: FindStuckWork[] = [stuckDeadLetters(db, name)];
  const parts = await compose({
    db,
    bus,
    identity,
    clock,
    logger,
    async openOutbox(collectionNames) {
      const publisher = await eventPublisher(bus, name);
      const replicas = watchReplicas(bus, publisher.stream, logger);
      shutdown.add('stream replicas', () => replicas.stop());
      const outbox = await startOutbox({ db, collectionNames, publisher, clock, logger });
      shutdown.add('outbox', () => outbox.stop());
      const reason = (): string =>
        bus.isConnected()
          ? (publisher.lastError ?? 'the relay of another replica publishes them, or no relay is running')
          : 'the broker does not respond';
      stuckWork.push(stuckOutbox({ db, service: name, collectionNames, reason }));
      return outbox;
    },
    onStop: (step, close) => shutdown.add(step, close),
  });

  const letters = deadLetterStore(db);
  const eventHandlers = parts.eventHandlers ?? [];
  const subscribeDeps = { bus, deadLetters: letters, positions: consumerPositions(db), isOutage, logger };
  const consumers: WatchedConsumer[] = [];
  for (const { type, handle, handlersMax } of eventHandlers) {
    let lastError: string | undefined;
    const noting = async (event: EventHeader): Promise<void> => {
      try {
        await handle(event);
        lastError = undefined;
      } catch (error) {
        lastError = error instanceof Error ? error.message : String(error);
        throw error;
      }
    };
    // Consumers are named after the database instead of the service. The position of a consumer states which events
    // have taken effect, and these effects are in the database. Two systems that share a broker therefore do not
    // receive each other's events.
    const subscription = await subscribe(subscribeDeps, {
      service: config.DATABASE_NAME,
      type,
      handle: noting,
      handlersMax,
    });
    shutdown.add(type.name, () => subscription.stop());
    consumers.push({ durable: `${config.DATABASE_NAME}__${type.name}`, type, lastError: () => lastError });
  }
  const watched = watchJobs(parts.jobs ?? [], name, clock);
  for (const job of watched.jobs) {
    const pauseMs = Math.min(job.pauseMs, jobPauseMsMax);
    shutdown.add(job.name, startJob({ ...job, pauseMs }, name, logger));
  }

  const sources = [
    stuckIndexes(config.DATABASE_NAME),
    ...stuckWork,
    stuckConsumers(bus, name, consumers),
    watched.findStuck,
    ...(parts.stuckWork ?? []),
  ];
  shutdown.add('metrics of stuck work', reportStuckWork(sources, clock, name));

  beforeListening();
  const server = await startGrpcServer({
    host: config.GRPC_HOST,
    port: config.GRPC_PORT,
    identity,
    hasReflection: config.GRPC_REFLECTION,
    bindings: [
      ...parts.rpcGroups,
      operatorService({
        letters,
        handlers: eventHandlers,
        sources,
        tenantData: parts.tenantData,
        isOutage,
        clock,
        logger,
      }),
    ],
    messageBytesMax,
    isOutage,
    onRefused: parts.recordRefusedCall === undefined ? undefined : boundedRefusals(parts.recordRefusedCall, logger),
    silence: mongo.silence,
    logger,
  });
  shutdown.add('grpc server', () => server.stop(callsEndMsMax));
  const probes = await startHealthServer(config.GRPC_HOST, config.HEALTH_PORT, server.health);
  shutdown.add('health server', () => probes.stop());
  // A service is ready when its database responds. The broker does not matter, because events wait in the database
  // while it is unavailable.
  const readiness = watchReadiness([{ name: 'mongodb', probe: mongo.ping }], server.setReady, logger);
  shutdown.add('readiness', async () => {
    readiness.stop();
    await delay(config.DRAIN_DELAY_SECONDS * 1_000);
  });
  const indexes = missingIndexes(config.DATABASE_NAME).map((index) => index.name);
  if (indexes.length > 0)
    logger.warn({ indexes, ...MIGRATE_BEFORE }, 'queries are slow while the database builds indexes');
  logger.info({ address: server.address }, 'listening');
  return { address: server.address, stop: () => shutdown.run() };
}
