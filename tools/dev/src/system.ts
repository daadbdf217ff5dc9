// All services in one process, over real gRPC on loopback ports: what `npm start`, the end-to-end tests and the
// benchmarks run. Compose and Kubernetes start the same services one per process.
import { randomBytes } from 'node:crypto';
import { configSchema as analysisConfig } from '@invoicecontrol/analysis/config';
import { startService as startAnalysis } from '@invoicecontrol/analysis/service';
import { configSchema as gatewayConfig } from '@invoicecontrol/gateway/config';
import { startService as startGateway } from '@invoicecontrol/gateway/service';
import { configSchema as organizationConfig } from '@invoicecontrol/organization/config';
import { startService as startOrganization } from '@invoicecontrol/organization/service';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { configSchema as scanConfig } from '@invoicecontrol/scan/config';
import { startService as startScan } from '@invoicecontrol/scan/service';

/** What only the operator may know; made once per installation. */
export interface Secrets {
  readonly operatorToken: string;
  /** `id:base64`, as API_KEY_PEPPERS wants it. */
  readonly apiKeyPeppers: string;
}

export interface SystemOptions {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  readonly secrets: Secrets;
  /** The port of the gateway; 0 lets the system choose. */
  readonly port?: number;
  /** Put before every database name, so that several systems can share one MongoDB. */
  readonly databasePrefix?: string;
  /** Passed to every service: LOG_LEVEL, RATE_LIMIT_..., OTEL_EXPORTER_OTLP_ENDPOINT, and where outside systems are. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface System {
  /** `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly organizationAddress: string;
  readonly analysisAddress: string;
  readonly scanAddress: string;
  stop(): Promise<void>;
}

export function newSecrets(): Secrets {
  return {
    operatorToken: randomBytes(32).toString('base64url'),
    apiKeyPeppers: `p1:${randomBytes(32).toString('base64')}`,
  };
}

const passedOn = /^(LOG_LEVEL|RATE_LIMIT_[A-Z_]+|OTEL_EXPORTER_OTLP_ENDPOINT|ECB_FEED_URL|SMTP_URL|MAIL_FROM)$/;

/** Starts every service, those that are asked before those that ask. What was started is stopped if a later one fails. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { mongodbUrl, natsUrl, secrets, port = 0, databasePrefix = '' } = options;
  const common = {
    ...Object.fromEntries(Object.entries(options.env ?? {}).filter(([name, value]) => passedOn.test(name) && value)),
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    GRPC_PORT: '0',
    GRPC_REFLECTION: 'true',
  };
  const running: RunningService[] = [];
  const start = async (starting: Promise<RunningService>): Promise<RunningService> => {
    const service = await starting;
    running.push(service);
    return service;
  };
  const stop = async (): Promise<void> => {
    for (const service of running.splice(0).reverse()) await service.stop();
  };
  try {
    const organization = await start(
      startOrganization(
        organizationConfig.parse({
          ...common,
          DATABASE_NAME: `${databasePrefix}organization`,
          OPERATOR_TOKEN: secrets.operatorToken,
          API_KEY_PEPPERS: secrets.apiKeyPeppers,
        }),
      ),
    );
    const analysis = await start(
      startAnalysis(
        analysisConfig.parse({
          ...common,
          DATABASE_NAME: `${databasePrefix}analysis`,
          OPERATOR_TOKEN: secrets.operatorToken,
          ORGANIZATION_ADDRESS: organization.address,
        }),
      ),
    );
    const scan = await start(
      startScan(
        scanConfig.parse({
          ...common,
          DATABASE_NAME: `${databasePrefix}scan`,
          ORGANIZATION_ADDRESS: organization.address,
          ANALYSIS_ADDRESS: analysis.address,
        }),
      ),
    );
    const gateway = await start(
      startGateway(
        gatewayConfig.parse({
          ...common,
          PORT: String(port),
          ORGANIZATION_ADDRESS: organization.address,
          ANALYSIS_ADDRESS: analysis.address,
          SCAN_ADDRESS: scan.address,
        }),
      ),
    );
    return {
      baseUrl: `http://${gateway.address}/v1`,
      organizationAddress: organization.address,
      analysisAddress: analysis.address,
      scanAddress: scan.address,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
