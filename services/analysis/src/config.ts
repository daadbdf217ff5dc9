import { z } from 'zod';
import { logLevel, port, secret } from '@invoicecontrol/runtime/config';

/** The environment of the analysis service. */
export const configSchema = z.object({
  /** Where the service listens; `0.0.0.0` in a container. */
  GRPC_HOST: z.string().default('127.0.0.1'),
  GRPC_PORT: port.default(50051),
  /** Lets a console discover the service. */
  GRPC_REFLECTION: z.stringbool().default(false),
  MONGODB_URL: z.string(),
  DATABASE_NAME: z.string().default('analysis'),
  NATS_URL: z.string(),
  ORGANIZATION_ADDRESS: z.string(),
  /** How long the service goes on taking calls after it said that it is not ready, so that callers notice. */
  DRAIN_DELAY_SECONDS: z.coerce.number().int().min(0).max(25).default(0),
  /** Folder of the euro reference rates; without it no foreign amount is converted. */
  ECB_FEED_URL: z.url().optional(),
  /** What the operator's command line authenticates with, for replays over an organization's history. */
  OPERATOR_TOKEN: secret.min(32).optional(),
  LOG_LEVEL: logLevel,
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
});

export type Config = z.infer<typeof configSchema>;
