import { setTimeout as delay } from 'node:timers/promises';
import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { describeConfig } from '@invoicecontrol/runtime/config';
import { startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import { databaseClock } from '@invoicecontrol/runtime/mongo/database-clock';
import { startOutbox } from '@invoicecontrol/runtime/mongo/outbox';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import { eventPublisher } from '@invoicecontrol/runtime/nats/publish';
import { subscribe } from '@invoicecontrol/runtime/nats/subscribe';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { watchReadiness } from '@invoicecontrol/runtime/readiness';
import { repeat } from '@invoicecontrol/runtime/repeat';
import { Shutdown } from '@invoicecontrol/runtime/shutdown';
import { startTelemetry } from '@invoicecontrol/runtime/telemetry';
import { sendDueNotifications } from './application/send-notifications.js';
import type { SendingDeps } from './application/send-notifications.js';
import { smtpMailer } from './clients/mail-server.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { apiKeyStore, createApiKeyIndexes } from './storage/api-keys.js';
import type { ApiKeyDocument } from './storage/api-keys.js';
import { auditTrail, createAuditEventIndexes } from './storage/audit-events.js';
import type { AuditEventDocument } from './storage/audit-events.js';
import { auditedStore } from './storage/audited-store.js';
import { startCopies } from './storage/copies.js';
import { startKeyUsage } from './storage/key-usage.js';
import { createNotificationIndexes, notificationStore } from './storage/notifications.js';
import type { NotificationDocument } from './storage/notifications.js';
import { createOrganizationIndexes, organizationStore } from './storage/organizations.js';
import type { OrganizationDocument } from './storage/organizations.js';
import { createRateWindowIndexes, rateWindowStore } from './storage/rate-windows.js';
import type { RateWindowDocument } from './storage/rate-windows.js';
import { createRosterIndexes, rosterStore } from './storage/rosters.js';
import type { RosterDocument } from './storage/rosters.js';
import { accessService } from './transport/grpc/access.js';
import { apiKeyService } from './transport/grpc/api-key.js';
import { auditService } from './transport/grpc/audit.js';
import { companyService } from './transport/grpc/company.js';
import { memberService } from './transport/grpc/member.js';
import { notificationService } from './transport/grpc/notification.js';
import { operatorService } from './transport/grpc/operator.js';
import { organizationService } from './transport/grpc/organization.js';
import { onFindingAssigned } from './transport/subscribers/finding-assigned.js';

const SERVICE = 'organization';
/** Calls that are still running after this time are cut. */
const CALLS_END_MS_MAX = 10_000;

/** What a test puts in place of the real thing. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Starts the service and resolves when it answers. What was opened is closed again when a later step fails. */
export async function startService(config: Config, surroundings: Surroundings = {}): Promise<RunningService> {
  const logger = surroundings.logger ?? createLogger({ service: SERVICE, level: config.LOG_LEVEL });
  logger.info({ config: describeConfig(configSchema, config) }, 'starting');
  const shutdown = new Shutdown(logger);
  try {
    return await start(config, { ...surroundings, logger }, shutdown);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function start(
  config: Config,
  { logger, clock: givenClock }: Surroundings & { logger: Logger },
  shutdown: Shutdown,
): Promise<RunningService> {
  const telemetry = await startTelemetry(SERVICE, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  shutdown.add('telemetry', () => telemetry.stop());
  const mongo = await connectMongo({ url: config.MONGODB_URL, databaseName: config.DATABASE_NAME, appName: SERVICE });
  shutdown.add('mongodb', () => mongo.close());
  const bus = await connectNats({ url: config.NATS_URL, name: SERVICE, logger });
  shutdown.add('nats', () => bus.close());
  const measuredClock = await databaseClock(mongo.db, logger);
  shutdown.add('clock', () => measuredClock.stop());
  const clock = givenClock ?? measuredClock;

  const { db } = mongo;
  const organizationDocuments = db.collection<OrganizationDocument>('organizations');
  const apiKeyDocuments = db.collection<ApiKeyDocument>('api_keys');
  const rosterDocuments = db.collection<RosterDocument>('members');
  const notificationDocuments = db.collection<NotificationDocument>('notifications');
  const auditEventDocuments = db.collection<AuditEventDocument>('audit_events');
  // A minute's counter need not survive a failover, and every request waits for it.
  const rateWindowDocuments = db.collection<RateWindowDocument>('rate_windows', { writeConcern: { w: 1 } });
  await Promise.all([
    createOrganizationIndexes(organizationDocuments),
    createApiKeyIndexes(apiKeyDocuments),
    createRosterIndexes(rosterDocuments),
    createNotificationIndexes(notificationDocuments),
    createAuditEventIndexes(auditEventDocuments),
    createRateWindowIndexes(rateWindowDocuments),
  ]);

  const publisher = await eventPublisher(bus, SERVICE);
  const outbox = await startOutbox({ db, collectionNames: ['organizations', 'api_keys'], publisher, clock, logger });
  shutdown.add('outbox', () => outbox.stop());
  const copies = startCopies({
    db,
    collectionNames: ['organizations', 'api_keys', 'members'],
    auditEvents: auditEventDocuments,
    notifications: notificationDocuments,
    clock,
    logger,
  });
  shutdown.add('copies', () => copies.stop());
  const keyUsage = startKeyUsage(apiKeyDocuments, logger);
  shutdown.add('key usage', () => keyUsage.stop());

  const ways = { outbox, copies, clock };
  const peppers = config.API_KEY_PEPPERS;
  const notifications = notificationStore(notificationDocuments, clock);
  const deps = {
    organizations: organizationStore(organizationDocuments, auditedStore(organizationDocuments, ways)),
    keys: apiKeyStore(apiKeyDocuments, auditedStore(apiKeyDocuments, ways)),
    rosters: rosterStore(rosterDocuments, auditedStore(rosterDocuments, ways)),
    notifications,
    auditTrail: auditTrail(auditEventDocuments),
    windows: rateWindowStore(rateWindowDocuments),
    keyUsage,
    peppers,
    pepper: peppers[0],
    clock,
  };

  // The database's name instead of the service's: how far a subscriber has come belongs to the database that its effects
  // go to, so two systems on one broker do not take each other's events.
  const assignments = await subscribe(
    { bus, db, logger },
    { service: config.DATABASE_NAME, type: events.findingAssigned, handle: onFindingAssigned(deps) },
  );
  shutdown.add('subscriber', () => assignments.stop());
  shutdown.add('mail', startMail(config, { ...deps, queue: notifications, logger }));

  const server = await startGrpcServer({
    host: config.GRPC_HOST,
    port: config.GRPC_PORT,
    hasReflection: config.GRPC_REFLECTION,
    logger,
    bindings: [
      accessService(deps),
      organizationService(deps),
      companyService(deps),
      apiKeyService(deps),
      memberService(deps),
      notificationService(deps),
      auditService(deps),
      operatorService(deps, config.OPERATOR_TOKEN),
    ],
  });
  shutdown.add('grpc server', () => server.stop(CALLS_END_MS_MAX));
  const readiness = watchReadiness(
    [
      { name: 'mongodb', probe: mongo.ping },
      { name: 'nats', probe: bus.ping },
    ],
    server.setReady,
    logger,
  );
  shutdown.add('readiness', async () => {
    readiness.stop();
    await delay(config.DRAIN_DELAY_SECONDS * 1_000);
  });
  logger.info({ address: server.address }, 'listening');
  return { address: server.address, stop: () => shutdown.run() };
}

const MAIL_EACH_MS = 1_000;

/**
 * Sends the mails that are owed, apart from whoever made them owed.
 * @returns stops it and gives back what is under way
 */
function startMail({ SMTP_URL, MAIL_FROM }: Config, deps: Omit<SendingDeps, 'mailer'>): () => Promise<void> {
  if (SMTP_URL === undefined || MAIL_FROM === undefined) {
    deps.logger.warn({}, 'SMTP_URL is not set: notifications stay QUEUED until it is');
    return async () => {};
  }
  const sending = { ...deps, mailer: smtpMailer(SMTP_URL, MAIL_FROM) };
  const stopping = new AbortController();
  const worker = repeat(
    MAIL_EACH_MS,
    () => sendDueNotifications(sending, stopping.signal),
    (error) => deps.logger.warn({ error }, 'the queue of mails could not be read'),
  );
  return () => {
    stopping.abort();
    return worker.stop();
  };
}
