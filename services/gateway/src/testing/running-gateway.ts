import type { Clock } from '@invoicecontrol/runtime/clock';
import { systemClock } from '@invoicecontrol/runtime/clock';
import type { CallOptions } from '@invoicecontrol/runtime/grpc/client';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { createClients, openChannels } from '../clients.js';
import type { Clients } from '../clients.js';
import { AddressShare } from '../http/limits/address-share.js';
import { BodyBudget } from '../http/body/body-budget.js';
import { createApp } from '../http/app.js';
import { Authenticator } from '../http/access/authenticate.js';
import { FailureBucket } from '../http/limits/failure-bucket.js';
import {
  FILES_IN_FLIGHT_MAX,
  LONG_ANSWERS_MAX,
  ORGANIZATION_CONNECTIONS_MAX,
  ORGANIZATION_FILES_IN_FLIGHT_MAX,
  ORGANIZATION_WHOLE_RUNS_MAX,
  RECOGNIZED_CONNECTIONS_MAX,
} from '../http/limits/limits.js';
import type { Timeouts } from '../http/limits/limits.js';
import { LoadGauge } from '../http/limits/load-gauge.js';
import { describeApi } from '../http/description/openapi.js';
import type { Readiness } from '../http/probes.js';
import type { Limits } from '../http/limits/rate-limit-fields.js';
import { RateLimiter } from '../http/limits/rate-limit.js';
import { startHttpServer } from '../http/connection/server.js';
import { Share } from '../http/limits/share.js';
import { SignedSenders } from '../http/access/signed-senders.js';
import { Compressor } from '../http/response/compress.js';
import { resources, routes } from '../routes/table.js';
import { webhookEvents } from '../routes/webhooks/webhook-events.js';
import { unreferencedSchemas } from '../routes/unreferenced-schemas.js';
import { silent, startFakes } from './fakes.js';
import type { Answers } from './fakes.js';

export interface RunningGateway {
  /** Origin of the gateway in a test, such as `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly port: number;
  readonly authenticator: Authenticator;
  readonly readiness: Readiness;
  /**
   * Returns the number of requests in progress that count as load of the gateway. A request counts once its body has
   * been received.
   */
  inFlight(): number;
  /** Returns the number of request slots that organizations use. */
  held(): number;
  readonly unauthenticated: AddressShare;
  readonly tokenChecks: AddressShare;
  readonly bodies: BodyBudget;
  readonly files: Share;
  /** Stops the services behind the gateway. */
  cutServices(): Promise<void>;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly limits?: Partial<Limits>;
  readonly timeouts?: Timeouts;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly trustedProxyHops?: number;
  /**
   * Maximum number of connections that the test gateway accepts from one IP address. The default in tests, 0, means
   * that there is no limit.
   */
  readonly connectionsPerAddressMax?: number;
  readonly connectionsMax?: number;
  readonly unauthenticatedPerAddressMax?: number;
  readonly requestsPerOrganizationMax?: number;
  /** Folder of the web application for the test gateway, by default none. */
  readonly consoleFolder?: string;
}

/** Timeout of calls in tests that is longer than any pause of a slow machine. */
const SLOW_MACHINE_TIMEOUT_MS = 60_000;

/** Extends the short deadlines for checking API keys and rate limits, because a slow test machine would exceed them. */
function withLongTimeouts({
  authenticateKey,
  authenticateSession,
  reserveRequests,
}: Clients['access']): Clients['access'] {
  const withLongTimeout = (options: CallOptions): CallOptions => ({ ...options, timeoutMs: SLOW_MACHINE_TIMEOUT_MS });
  return {
    authenticateKey: (request, options) => authenticateKey(request, withLongTimeout(options)),
    authenticateSession: (request, options) => authenticateSession(request, withLongTimeout(options)),
    reserveRequests: (request, options) => reserveRequests(request, withLongTimeout(options)),
  };
}

/**
 * Starts the whole gateway on a free port, with fake services that return the given responses, and without a broker.
 */
export async function startGateway(answers: Answers, options: GatewayOptions = {}): Promise<RunningGateway> {
  const { clock = systemClock, logger = silent } = options;
  const services = await startFakes(answers);
  const channels = openChannels((owner) =>
    openTestChannel(owner, services.addresses[owner], { messageBytesMax: LARGE_MESSAGE_BYTES_MAX }),
  );
  const clients = createClients(channels);
  const access = withLongTimeouts(clients.access);
  const failures = new FailureBucket(clock);
  const authenticator = new Authenticator({ access, failures: new FailureBucket(clock), clock });
  const limiter = new RateLimiter({ access, clock, logger, peers: { count: 1 }, waitMs: 50 });
  const limits = { default: 3_000, organization: 10_000, writes: 1_200, scans: 20, documents: 600, ...options.limits };
  const readiness = { isReady: true };
  const load = new LoadGauge(clock);
  const unauthenticated = new AddressShare(options.unauthenticatedPerAddressMax ?? 0);
  const tokenChecks = new AddressShare(options.unauthenticatedPerAddressMax ?? 0);
  const organizations = new Share(options.requestsPerOrganizationMax ?? Number.MAX_SAFE_INTEGER);
  const bodies = new BodyBudget();
  const files = new Share(ORGANIZATION_FILES_IN_FLIGHT_MAX, FILES_IN_FLIGHT_MAX);
  const signedSenders = new SignedSenders(clock);
  const app = createApp({
    routes,
    dispatching: {
      clients,
      authenticator,
      limiter,
      limits,
      failures,
      load,
      unauthenticated,
      tokenChecks,
      organizations,
      bodies,
      files,
      longAnswers: new Share(1, LONG_ANSWERS_MAX),
      wholeRuns: new Share(ORGANIZATION_WHOLE_RUNS_MAX),
      recognized: new Share(ORGANIZATION_CONNECTIONS_MAX, RECOGNIZED_CONNECTIONS_MAX),
      signedSenders,
      compressor: new Compressor(),
      logger,
    },
    readiness,
    openApi: describeApi(resources, webhookEvents, unreferencedSchemas),
    trustedProxyHops: options.trustedProxyHops ?? 0,
    consoleFolder: options.consoleFolder,
  });
  const server = await startHttpServer({
    app,
    host: '127.0.0.1',
    port: 0,
    failures,
    logger,
    connectionsPerAddressMax: options.connectionsPerAddressMax ?? 0,
    trustedProxyHops: options.trustedProxyHops ?? 0,
    ...(options.connectionsMax === undefined ? {} : { connectionsMax: options.connectionsMax }),
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
  });
  return {
    origin: `http://${server.address}`,
    port: Number(server.address.split(':')[1]),
    authenticator,
    readiness,
    inFlight: () => load.inFlight,
    held: () => organizations.total,
    unauthenticated,
    tokenChecks,
    bodies,
    files,
    cutServices: () => services.stop(0),
    async stop() {
      await server.stop(1_000);
      for (const channel of Object.values(channels)) channel.close();
      await services.stop(0);
    },
  };
}
