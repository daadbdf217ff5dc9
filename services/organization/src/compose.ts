import { setTimeout as delay } from 'node:timers/promises';
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
import type { RunningService } from '@invoicecontrol/runtime/process';
import { watchReadiness } from '@invoicecontrol/runtime/readiness';
import { Shutdown } from '@invoicecontrol/runtime/shutdown';
import { startTelemetry } from '@invoicecontrol/runtime/telemetry';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { apiKeyStore, createApiKeyIndexes } from './storage/api-keys.js';
import type { ApiKeyDocument } from './storage/api-keys.js';
import { startAuditCopies } from './storage/audit-copies.js';
import { auditLog, createAuditEventIndexes } from './storage/audit-events.js';
import type { AuditEventDocument } from './storage/audit-events.js';
import { auditedStore } from './storage/audited-store.js';
import { startKeyUsage } from './storage/key-usage.js';
import { createMemberIndexes, memberStore } from './storage/members.js';
import type { MemberDocument } from './storage/members.js';
import { createOrganizationIndexes, organizationStore } from './storage/organizations.js';
import type { OrganizationDocument } from './storage/organizations.js';
import { createRateWindowIndexes, rateWindowStore } from './storage/rate-windows.js';
import type { RateWindowDocument } from './storage/rate-windows.js';
import { accessService } from './transport/grpc/access.js';
import { apiKeyService } from './transport/grpc/api-key.js';
import { auditService } from './transport/grpc/audit.js';
import { companyService } from './transport/grpc/company.js';
import { operatorService } from './transport/grpc/operator.js';
import { organizationService } from './transport/grpc/organization.js';

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
  const memberDocuments = db.collection<MemberDocument>('members');
  const auditEventDocuments = db.collection<AuditEventDocument>('audit_events');
  // A minute's counter need not survive a failover, and every request waits for it.
  const rateWindowDocuments = db.collection<RateWindowDocument>('rate_windows', { writeConcern: { w: 1 } });
  await Promise.all([
    createOrganizationIndexes(organizationDocuments),
    createApiKeyIndexes(apiKeyDocuments),
    createMemberIndexes(memberDocuments),
    createAuditEventIndexes(auditEventDocuments),
    createRateWindowIndexes(rateWindowDocuments),
  ]);

  const publisher = await eventPublisher(bus, SERVICE);
  const outbox = await startOutbox({ db, collectionNames: ['organizations', 'api_keys'], publisher, clock, logger });
  shutdown.add('outbox', () => outbox.stop());
  const auditTrail = auditLog(auditEventDocuments);
  const auditCopies = startAuditCopies({
    db,
    collectionNames: ['organizations', 'api_keys', 'members'],
    auditLog: auditTrail,
    clock,
    logger,
  });
  shutdown.add('audit copies', () => auditCopies.stop());
  const keyUsage = startKeyUsage(apiKeyDocuments, logger);
  shutdown.add('key usage', () => keyUsage.stop());

  const ways = { outbox, auditCopies, clock };
  const organizations = organizationStore(organizationDocuments, auditedStore(organizationDocuments, ways));
  const keys = apiKeyStore(apiKeyDocuments, auditedStore(apiKeyDocuments, ways));
  const members = memberStore(auditedStore(memberDocuments, ways));
  const windows = rateWindowStore(rateWindowDocuments);
  const peppers = config.API_KEY_PEPPERS;
  const deps = { organizations, keys, members, windows, auditTrail, keyUsage, peppers, pepper: peppers[0], clock };

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
