import { REQUESTS_PER_MINUTE_MAX } from '@invoicecontrol/contracts/rate-limits';
import { addressSettings, brokerUrl, identitySettings, logLevel, port } from '@invoicecontrol/runtime/config';
import { z } from 'zod';
import { owners } from './clients.js';

const requestsPerMinute = z.coerce.number().int().min(1).max(REQUESTS_PER_MINUTE_MAX);

/**
 * Environment variables of the gateway. The default numbers are given in the HTTP and security reference, section 7.
 */
export const configSchema = z.object({
  /** Address on which the gateway listens. The default accepts only local callers; container images set 0.0.0.0. */
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  ...identitySettings(),
  ...addressSettings(...owners),
  NATS_URL: brokerUrl,
  /** Maximum number of requests per minute for one API key. */
  RATE_LIMIT_DEFAULT_PER_MINUTE: requestsPerMinute.default(3_000),
  /** Maximum number of requests per minute for one organization with all its API keys. */
  RATE_LIMIT_ORGANIZATION_PER_MINUTE: requestsPerMinute.default(10_000),
  /** Maximum number of writing requests per minute for one API key. */
  RATE_LIMIT_WRITES_PER_MINUTE: requestsPerMinute.default(1_200),
  /** Maximum number of history scans per minute for one API key. */
  RATE_LIMIT_SCANS_PER_MINUTE: requestsPerMinute.default(20),
  /** Maximum number of requests for stored documents per minute for one API key. */
  RATE_LIMIT_DOCUMENTS_PER_MINUTE: requestsPerMinute.default(600),
  /** Maximum time for which a request waits until the organization service has counted it for the rate limits. */
  RATE_LIMIT_WAIT_MS: z.coerce.number().int().min(1).max(5_000).default(50),
  /**
   * Host name that resolves to the addresses of all gateways, such as a headless Service in Kubernetes. Each gateway
   * counts these addresses to find out how many gateways share the rate limits. The count is used only while the
   * organization service is unavailable.
   */
  GATEWAY_PEERS: z.string().min(1).optional(),
  /**
   * Number of gateways that share the rate limits. It is used if no host name with their addresses is set, and until
   * they have been counted.
   */
  GATEWAY_REPLICAS: z.coerce.number().int().min(1).max(1_000).default(1),
  /**
   * Number of proxies in front of the gateway that append to X-Forwarded-For. If it is 0, only the address of the
   * connection is trusted.
   */
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  /**
   * Maximum number of HTTP connections from one address. If it is 0, there is no limit, for use behind a proxy that has
   * one.
   */
  CONNECTIONS_PER_ADDRESS_MAX: z.coerce.number().int().min(0).max(5_000).default(500),
  /**
   * Maximum number of concurrent requests without an API key from one address, including web pages. If it is 0, there
   * is no limit.
   */
  UNAUTHENTICATED_PER_ADDRESS_MAX: z.coerce.number().int().min(0).max(5_000).default(50),
  /**
   * Time for which a stopping gateway still serves requests, so that load balancers notice the change of `/readyz`
   * first.
   */
  DRAIN_DELAY_SECONDS: z.coerce.number().int().min(0).max(25).default(0),
  /** Setting that serves the web application (the console) under `/app` unless it is `off`. */
  CONSOLE: z.enum(['on', 'off']).default('on'),
  LOG_LEVEL: logLevel,
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
});

export type Config = z.infer<typeof configSchema>;
