import { REQUESTS_PER_MINUTE_MAX } from '@invoicecontrol/contracts/rate-limits';
import { addressSettings, logLevel, port } from '@invoicecontrol/runtime/config';
import { z } from 'zod';
import { owners } from './clients.js';

const requestsPerMinute = z.coerce.number().int().min(1).max(REQUESTS_PER_MINUTE_MAX);

/** The environment of the gateway; the numbers are those of the HTTP and security reference, section 7. */
export const configSchema = z.object({
  /** Images set 0.0.0.0; on a workstation nobody else may call. */
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  ...addressSettings(...owners),
  NATS_URL: z.string(),
  /** Per key, over all routes. */
  RATE_LIMIT_DEFAULT_PER_MINUTE: requestsPerMinute.default(3_000),
  /** Per organization, over all routes and keys. */
  RATE_LIMIT_ORGANIZATION_PER_MINUTE: requestsPerMinute.default(10_000),
  /** Per key, everything but reading. */
  RATE_LIMIT_WRITES_PER_MINUTE: requestsPerMinute.default(1_200),
  /** Per key, historical scans. */
  RATE_LIMIT_SCANS_PER_MINUTE: requestsPerMinute.default(20),
  /** Per key, reading of stored documents. */
  RATE_LIMIT_DOCUMENTS_PER_MINUTE: requestsPerMinute.default(600),
  /** Time that a request waits for the keeper of the limits to count it. */
  RATE_LIMIT_WAIT_MS: z.coerce.number().int().min(1).max(5_000).default(50),
  /** Number of gateways that share the limits; used only while the keeper of the limits cannot be reached. */
  GATEWAY_REPLICAS: z.coerce.number().int().min(1).max(1_000).default(1),
  /** Number of proxies in front that append to X-Forwarded-For; 0 trusts only the connection. */
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /** Connections of one address; 0 for no bound, behind a proxy that has one. */
  CONNECTIONS_PER_ADDRESS_MAX: z.coerce.number().int().min(0).max(5_000).default(500),
  /** Requests without a key that one address may have running, the pages included; 0 for no bound. */
  UNAUTHENTICATED_PER_ADDRESS_MAX: z.coerce.number().int().min(0).max(5_000).default(50),
  /** Time for which a stopping gateway still serves requests, so that balancers notice `/readyz` first. */
  DRAIN_DELAY_SECONDS: z.coerce.number().int().min(0).max(25).default(0),
  LOG_LEVEL: logLevel,
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
});

export type Config = z.infer<typeof configSchema>;
