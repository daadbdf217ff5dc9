import { setTimeout as delay } from 'node:timers/promises';
import { events } from '@invoicecontrol/contracts/events';
import { systemClock } from '@invoicecontrol/runtime/clock';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { addressVariable, describeConfig } from '@invoicecontrol/runtime/config';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import { openIdentity } from '@invoicecontrol/runtime/identity/identity';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { subscribeBroadcast } from '@invoicecontrol/runtime/nats/broadcast';
import { connectNats } from '@invoicecontrol/runtime/nats/connection';
import type { Bus } from '@invoicecontrol/runtime/nats/connection';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { Shutdown } from '@invoicecontrol/runtime/shutdown';
import { startTelemetry } from '@invoicecontrol/runtime/telemetry';
import { createClients, openChannels, owners } from './clients.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { AddressShare } from './http/limits/address-share.js';
import { BodyBudget } from './http/body/body-budget.js';
import { createApp } from './http/app.js';
import { BUILT_CONSOLE } from './http/console-page.js';
import { Authenticator } from './http/access/authenticate.js';
import { FailureBucket } from './http/limits/failure-bucket.js';
import {
  FILES_IN_FLIGHT_MAX,
  LONG_ANSWERS_MAX,
  ORGANIZATION_CONNECTIONS_MAX,
  ORGANIZATION_FILES_IN_FLIGHT_MAX,
  ORGANIZATION_WHOLE_RUNS_MAX,
  RECOGNIZED_CONNECTIONS_MAX,
} from './http/limits/limits.js';
import { LoadGauge, ORGANIZATION_IN_FLIGHT_MAX } from './http/limits/load-gauge.js';
import { describeApi } from './http/description/openapi.js';
import type { Limits } from './http/limits/rate-limit-fields.js';
import { PeerCount } from './http/limits/peers.js';
import { RateLimiter } from './http/limits/rate-limit.js';
import { startHttpServer } from './http/connection/server.js';
import { Share } from './http/limits/share.js';
import { SignedSenders } from './http/access/signed-senders.js';
import { Compressor } from './http/response/compress.js';
import { resources, routes } from './routes/table.js';
import { webhookEvents } from './routes/webhooks/webhook-events.js';
import { unreferencedSchemas } from './routes/unreferenced-schemas.js';
import { reportLoad } from './telemetry.js';

const SERVICE = 'gateway';
/**
 * Maximum time for which running requests may continue during a shutdown, slightly longer than the timeout of any route
 * except history scans.
 */
const DRAIN_MS_MAX = 15_000;

/** Builds and starts the gateway. While a service is unavailable, its routes return 503. */
export async function startService(config: Config, clock: Clock = systemClock): Promise<RunningService> {
  const logger = createLogger({ service: SERVICE, level: config.LOG_LEVEL });
  logger.info({ config: describeConfig(configSchema, config) }, 'starting');
  const shutdown = new Shutdown(logger);
  try {
    const telemetry = await startTelemetry(SERVICE, config.OTEL_EXPORTER_OTLP_ENDPOINT);
    shutdown.add('telemetry', () => telemetry.stop());
    const identity = openIdentity({
      service: SERVICE,
      directory: config.TLS_DIR,
      trustDomain: config.TRUST_DOMAIN,
      logger,
    });
    shutdown.add('identity', () => identity.close());
    const bus = await connectNats({
      url: config.NATS_URL,
      identity: config.TLS_DIR,
      name: SERVICE,
      logger,
    });
    shutdown.add('broker', () => bus.close());
    // A page of findings with evidence, or the rows of a history scan, may be larger than the default maximum of a gRPC
    // message.
    const channels = openChannels((owner) =>
      openChannel(config[addressVariable(owner)], {
        service: owner,
        identity,
        messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
      }),
    );
    for (const owner of owners) shutdown.add(owner, () => channels[owner].close());
    const load = new LoadGauge(clock);
    const unauthenticated = new AddressShare(config.UNAUTHENTICATED_PER_ADDRESS_MAX);
    const organizations = new Share(ORGANIZATION_IN_FLIGHT_MAX);
    load.start();
    shutdown.add('load gauge', () => load.stop());

    const clients = createClients(channels);
    // Refused upload tokens and refused API keys are counted separately.
    const failures = new FailureBucket(clock);
    const authenticator = new Authenticator({ access: clients.access, failures: new FailureBucket(clock), clock });
    const broadcasts = invalidateChangedKeys(bus, authenticator, logger);
    shutdown.add('broadcasts', () => broadcasts.close());
    const peers = new PeerCount({ hostname: config.GATEWAY_PEERS, initial: config.GATEWAY_REPLICAS, logger });
    peers.start();
    shutdown.add('peers', () => peers.stop());
    const waitMs = config.RATE_LIMIT_WAIT_MS;
    const limiter = new RateLimiter({ access: clients.access, clock, logger, peers, waitMs });

    const bodies = new BodyBudget();
    const readiness = { isReady: true };
    const server = await startHttpServer({
      app: createApp({
        routes,
        dispatching: {
          clients,
          authenticator,
          limiter,
          limits: limitsOf(config),
          failures,
          load,
          unauthenticated,
          tokenChecks: new AddressShare(config.UNAUTHENTICATED_PER_ADDRESS_MAX),
          organizations,
          bodies,
          files: new Share(ORGANIZATION_FILES_IN_FLIGHT_MAX, FILES_IN_FLIGHT_MAX),
          longAnswers: new Share(1, LONG_ANSWERS_MAX),
          wholeRuns: new Share(ORGANIZATION_WHOLE_RUNS_MAX),
          recognized: new Share(ORGANIZATION_CONNECTIONS_MAX, RECOGNIZED_CONNECTIONS_MAX),
          signedSenders: new SignedSenders(clock),
          compressor: new Compressor(),
          logger,
        },
        readiness,
        openApi: describeApi(resources, webhookEvents, unreferencedSchemas),
        trustedProxyHops: config.TRUSTED_PROXY_HOPS,
        consoleFolder: config.CONSOLE === 'on' ? BUILT_CONSOLE : undefined,
      }),
      host: config.HOST,
      port: config.PORT,
      failures,
      logger,
      connectionsPerAddressMax: config.CONNECTIONS_PER_ADDRESS_MAX,
      trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    });
    shutdown.add(
      'metrics of load',
      reportLoad({ connections: () => server.connections, bodyBytes: () => bodies.bytes }),
    );
    shutdown.add('requests', () => server.stop(DRAIN_MS_MAX));
    shutdown.add('readiness', async () => {
      readiness.isReady = false;
      await delay(config.DRAIN_DELAY_SECONDS * 1_000);
    });
    logger.info({ address: server.address }, 'serving');
    return { address: server.address, stop: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/**
 * Invalidates cached callers (principals) when an API key is revoked, or an organization is deleted or changes its
 * plan.
 */
function invalidateChangedKeys(bus: Bus, authenticator: Authenticator, logger: Logger): { close(): void } {
  const { apiKeysRevoked, organizationChanged, organizationDeleted, organizationRestored } = events;
  const keys = subscribeBroadcast(
    bus,
    [apiKeysRevoked],
    (event) => authenticator.invalidateKeys(event.apiKeyIds),
    logger,
  );
  const organizations = subscribeBroadcast<{ eventId: string; eventTime: Date | undefined; organizationId: string }>(
    bus,
    [organizationChanged, organizationDeleted, organizationRestored],
    (event) => authenticator.invalidateOrganization(event.organizationId),
    logger,
  );
  return {
    close() {
      keys.close();
      organizations.close();
    },
  };
}

function limitsOf(config: Config): Limits {
  return {
    default: config.RATE_LIMIT_DEFAULT_PER_MINUTE,
    organization: config.RATE_LIMIT_ORGANIZATION_PER_MINUTE,
    writes: config.RATE_LIMIT_WRITES_PER_MINUTE,
    scans: config.RATE_LIMIT_SCANS_PER_MINUTE,
    documents: config.RATE_LIMIT_DOCUMENTS_PER_MINUTE,
  };
}
