import { setTimeout as delay } from 'node:timers/promises';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import type { Db } from 'mongodb';
import type { z } from 'zod';
import type { Clock } from './clock.js';
import { describeConfig } from './config.js';
import type { ServiceSettings } from './config.js';
import { MESSAGE_BYTES_MAX } from './grpc/message-size.js';
import { startGrpcServer } from './grpc/server.js';
import type { Binding, GrpcServer } from './grpc/server.js';
import { startJob } from './job.js';
import type { Job } from './job.js';
import { createLogger } from './logger.js';
import type { Logger } from './logger.js';
import { connectMongo } from './mongo/connection.js';
import { consumerPositions } from './mongo/consumer-positions.js';
import { databaseClock } from './mongo/database-clock.js';
import { deadLetterStore } from './mongo/dead-letters.js';
import { indexBuilds } from './mongo/index-builds.js';
import { startOutbox } from './mongo/outbox.js';
import type { Outbox } from './mongo/outbox.js';
import { stuckDeadLetters, stuckOutbox } from './mongo/stuck-documents.js';
import { connectNats } from './nats/connection.js';
import type { Bus } from './nats/connection.js';
import { eventPublisher } from './nats/publish.js';
import { subscribe } from './nats/subscribe.js';
import { operatorService } from './operator-service.js';
import type { TenantDocuments } from './operator-service.js';
import { stuckConsumers } from './nats/stuck-consumers.js';
import type { WatchedConsumer } from './nats/stuck-consumers.js';
import { isOutage } from './outage.js';
import type { RunningService } from './process.js';
import { watchReadiness } from './readiness.js';
import { Shutdown } from './shutdown.js';
import type { FindStuckWork } from './stuck-work.js';
import { startTelemetry } from './telemetry.js';
import { watchJobs } from './watched-jobs.js';

/** The connections that the shell opens for a service and closes after everything that the service opened. */
export interface Connections {
  /** The service's own database. */
  readonly db: Db;
  readonly bus: Bus;
  /** The database's time, the same in all replicas. */
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Starts the relay that brings the service's events to the broker. A service that announces nothing does not ask.
   * @param collectionNames the collections whose documents carry events
   */
  openOutbox(collectionNames: readonly string[]): Promise<Outbox>;
  /** Says how to close what the service itself opened; the last one said is the first one closed. */
  onStop(name: string, close: () => Promise<void> | void): void;
}

/** The parts of the service itself. None of them runs before {@link ServiceShell.compose} has returned all of them. */
export interface ServiceParts {
  readonly rpcGroups: readonly Binding[];
  /** The stored data of organizations, for the operator who counts it. */
  readonly tenantData: readonly TenantDocuments[];
  /** Events of other services, each handled durably by one of the replicas. */
  readonly eventHandlers?: readonly EventHandler[];
  readonly jobs?: readonly Job[];
  /** Stuck work that is reported to the operator, besides outboxes, consumers, dead letters and jobs. */
  readonly stuckWork?: readonly FindStuckWork[];
}

/** An event and what is done about it; made by {@link handler}. */
interface EventHandler {
  readonly type: EventType;
  handle(event: EventHeader): Promise<void>;
  readonly handlersMax: number | undefined;
}

/**
 * @param handle must be idempotent: an event comes at least once
 * @param handlersMax events that are handled concurrently; 32 by default
 */
export function handler<T extends EventHeader>(
  type: EventType<T>,
  handle: (event: T) => Promise<void>,
  handlersMax?: number,
): EventHandler {
  return { type, handle, handlersMax };
}

export interface ServiceShell {
  /** `analysis`: in log lines and traces, at the database and the broker, and as the publisher of its events. */
  readonly name: string;
  /** Says which of the settings are secrets. */
  readonly schema: z.ZodObject;
  /** If OPERATOR_TOKEN is not set, the rpcs for the operator are refused. */
  readonly config: ServiceSettings & { readonly OPERATOR_TOKEN?: string | undefined };
  /** Calls that are still running this long after the service stopped taking new ones are cut. */
  readonly callsEndMsMax: number;
  /** Larger than usual for a service whose messages carry whole files; its callers open their channels with the same. */
  readonly messageBytesMax?: number;
  /** Creates the indexes, opens what else the service needs, and wires its parts. */
  readonly compose: (connections: Connections) => Promise<ServiceParts>;
}

/** A start waits this long for a database or broker that is unavailable; then it fails and the supervisor takes over. */
const START_MS_MAX = 60_000;
const START_RETRY_MS = 500;

/** Overrides for tests. */
export interface StartOverrides {
  readonly startMsMax?: number;
  /** Caps the pauses of the jobs, so that no test waits for a sweep to come round. */
  readonly jobPauseMsMax?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Starts a service and resolves when it takes calls. This is the one order of starting:
 *
 * 1. telemetry, database, broker, clock;
 * 2. `compose`: indexes, outbox, whatever else the service opens;
 * 3. event handlers, jobs;
 * 4. the gRPC server, alive immediately, and ready as soon as the database has responded.
 *
 * Services and their stores may be started in any order, and a failover may fall into a start: while the database or
 * the broker is unavailable, the start is undone and retried, for a minute at most. While the database builds an index, which may
 * take hours, the start waits for as long as that takes: the process is alive, not ready, and says what is being built.
 *
 * `stop` runs in reverse: it reports "not ready" and goes on serving for `DRAIN_DELAY_SECONDS`, refuses new calls and
 * lets running ones end, lets jobs and handlers end, closes what `compose` opened, and leaves broker and database last. A
 * start that fails closes in the same order what it had opened, and rejects with its reason.
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
  let waiting: GrpcServer | undefined;
  const endWaiting = async (): Promise<void> => {
    await waiting?.stop(0);
    waiting = undefined;
  };
  for (;;) {
    const shutdown = new Shutdown(logger);
    try {
      return await start(service, { ...overrides, logger }, shutdown, endWaiting);
    } catch (error) {
      await shutdown.run();
      const indexes = isOutage(error) ? await indexesBeingBuilt(config) : [];
      if (indexes.length > 0) {
        logger.info({ indexes }, 'waiting for indexes that the database is building');
        deadline = performance.now() + startMsMax;
        // A supervisor must not end the process: the next one would wait for the same indexes.
        waiting ??= await startGrpcServer({ host: config.GRPC_HOST, port: config.GRPC_PORT, bindings: [], logger });
      } else if (!isOutage(error) || performance.now() + START_RETRY_MS > deadline) {
        await endWaiting();
        throw error;
      } else {
        logger.warn({ error }, 'MongoDB or NATS is unavailable at startup; retrying');
      }
    }
    await delay(START_RETRY_MS);
  }
}

/** None when the database cannot be asked. */
async function indexesBeingBuilt(config: ServiceSettings): Promise<readonly string[]> {
  try {
    const mongo = await connectMongo({
      url: config.MONGODB_URL,
      databaseName: config.DATABASE_NAME,
      appName: 'index-builds',
    });
    try {
      return await indexBuilds(mongo.db);
    } finally {
      await mongo.close();
    }
  } catch {
    return [];
  }
}

async function start(
  { name, config, callsEndMsMax, messageBytesMax = MESSAGE_BYTES_MAX, compose }: ServiceShell,
  { clock: givenClock, jobPauseMsMax = Infinity, logger }: StartOverrides & { logger: Logger },
  shutdown: Shutdown,
  beforeListening: () => Promise<void>,
): Promise<RunningService> {
  const telemetry = await startTelemetry(name, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  shutdown.add('telemetry', () => telemetry.stop());
  const mongo = await connectMongo({ url: config.MONGODB_URL, databaseName: config.DATABASE_NAME, appName: name });
  shutdown.add('mongodb', () => mongo.close());
  const bus = await connectNats({ url: config.NATS_URL, name, logger });
  shutdown.add('nats', () => bus.close());
  const { db } = mongo;
  const measuredClock = await databaseClock(db, logger);
  shutdown.add('clock', () => measuredClock.stop());
  const clock = givenClock ?? measuredClock;

  const stuckWork: FindStuckWork[] = [stuckDeadLetters(db, name)];
  const parts = await compose({
    db,
    bus,
    clock,
    logger,
    async openOutbox(collectionNames) {
      const publisher = await eventPublisher(bus, name);
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
    // The database's name instead of the service's: how far a handler has come belongs to the database that its effects
    // go to, so two systems on one broker do not take each other's events.
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

  await beforeListening();
  const server = await startGrpcServer({
    host: config.GRPC_HOST,
    port: config.GRPC_PORT,
    hasReflection: config.GRPC_REFLECTION,
    bindings: [
      ...parts.rpcGroups,
      operatorService({
        letters,
        handlers: eventHandlers,
        sources: [...stuckWork, stuckConsumers(bus, name, consumers), watched.findStuck, ...(parts.stuckWork ?? [])],
        tenantData: parts.tenantData,
        isOutage,
        clock,
        logger,
      }),
    ],
    operatorToken: config.OPERATOR_TOKEN,
    messageBytesMax,
    isOutage,
    silence: mongo.silence,
    logger,
  });
  shutdown.add('grpc server', () => server.stop(callsEndMsMax));
  // Responses need only the database; events wait in it while the broker is unavailable.
  const readiness = watchReadiness([{ name: 'mongodb', probe: mongo.ping }], server.setReady, logger);
  shutdown.add('readiness', async () => {
    readiness.stop();
    await delay(config.DRAIN_DELAY_SECONDS * 1_000);
  });
  logger.info({ address: server.address }, 'listening');
  return { address: server.address, stop: () => shutdown.run() };
}
