import { z } from 'zod';
import { TRUST_DOMAIN_DEFAULT } from '@invoicecontrol/contracts/callers';

/** Error that is thrown if the environment variables are not a valid configuration. Its message lists all faults. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
  }
}

/**
 * Reads the configuration of a service from environment variables. All faults are reported together. An empty variable
 * counts as absent, because compose files and manifests write "not set" in this way. A field with {@link MAY_BE_EMPTY}
 * reads an empty variable as a value.
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): z.infer<S> {
  const given = Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) => {
      const value = env[name];
      const isEmpty = value === '' && (field as z.ZodType).meta()?.['mayBeEmpty'] !== true;
      return value === undefined || isEmpty ? [] : [[name, value]];
    }),
  );
  const result = schema.safeParse(given);
  if (!result.success) throw new ConfigError(`The environment is not valid:\n${z.prettifyError(result.error)}`);
  return result.data;
}

/** Marks a setting that has a default and for which the empty text is a value, too. */
export const MAY_BE_EMPTY = { mayBeEmpty: true } as const;

/** Schema of a setting that must never be printed. {@link describeConfig} shows only whether it is set. */
export const secret = z.string().min(1).meta({ secret: true });

/** A secret key and its id. Everything that was made with the key is stored together with the id. */
export interface NamedKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * A secret setting of the form `id:base64,...` with unique ids. The first key is used for new data. An older key must
 * stay in the list as long as data that was made with it exists.
 */
export function namedKeys({ bytesMin, bytesMax }: { readonly bytesMin: number; readonly bytesMax?: number }) {
  const length = bytesMin === bytesMax ? `each key of ${bytesMin} bytes` : `each at least ${bytesMin} bytes`;
  return secret.transform((text, issues): readonly [NamedKey, ...NamedKey[]] => {
    const entries = text.split(',');
    const keys = entries.flatMap((entry): NamedKey[] => {
      const [, id, base64] = /^([0-9A-Za-z_-]{1,32}):([0-9A-Za-z+/]+={0,2})$/.exec(entry.trim()) ?? [];
      const bytes = Buffer.from(base64 ?? '', 'base64');
      const isLong = bytes.length >= bytesMin && bytes.length <= (bytesMax ?? Infinity);
      return id !== undefined && isLong ? [{ id, bytes }] : [];
    });
    const [first, ...others] = keys;
    const isComplete = keys.length === entries.length && new Set(keys.map(({ id }) => id)).size === keys.length;
    if (first === undefined || !isComplete) {
      issues.addIssue(`must be id:base64 pairs, separated by commas, each id once, ${length}`);
      return z.NEVER;
    }
    return [first, ...others];
  });
}

/** Returns the effective configuration for the first log line, with secrets as `configured: true`. */
export function describeConfig<S extends z.ZodObject>(schema: S, config: z.infer<S>): Record<string, unknown> {
  const values = config as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(schema.shape).map(([name, field]) => [
      name,
      isSecret(field as z.ZodType) ? { configured: values[name] !== undefined } : hideCredentials(values[name]),
    ]),
  );
}

function isSecret(field: z.ZodType): boolean {
  if (field.meta()?.['secret'] === true) return true;
  const inner = (field as { def?: { innerType?: z.ZodType; in?: z.ZodType } }).def;
  if (inner?.innerType !== undefined) return isSecret(inner.innerType);
  return inner?.in === undefined ? false : isSecret(inner.in);
}

/**
 * Hides the user name and the password of a connection string, which are between `//` and the last `@`. The password
 * may contain characters that should have been escaped. The database driver refuses such a string, but only after the
 * configuration was logged.
 */
function hideCredentials(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [start, end] = [value.indexOf('//'), value.lastIndexOf('@')];
  return start === -1 || end < start ? value : `${value.slice(0, start)}//***${value.slice(end)}`;
}

/** A setting with the lowest level at which a service writes log lines. */
export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info');

/** A setting with a TCP port. With 0, the operating system chooses a free port. */
export const port = z.coerce.number().int().min(0).max(65535);

type AddressVariable<Service extends string> =
  `${Uppercase<Service extends `${infer First}-${infer Rest}` ? `${First}_${Rest}` : Service>}_ADDRESS`;

/** Returns the name of the setting with the address of a service, such as `ERP_SYNC_ADDRESS`. */
export function addressVariable<Service extends string>(service: Service): AddressVariable<Service> {
  return `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS` as AddressVariable<Service>;
}

/**
 * Returns a configuration field for the address of each called service. A service adds these fields to the schema of
 * its own configuration.
 */
export function addressSettings<Service extends string>(
  ...called: readonly Service[]
): Record<AddressVariable<Service>, z.ZodString> {
  const settings = called.map((service) => [addressVariable(service), z.string()]);
  return Object.fromEntries(settings) as Record<AddressVariable<Service>, z.ZodString>;
}

/**
 * Returns the settings by which a service proves who it is. The schemas of all services include them.
 */
export function identitySettings() {
  return {
    /** Directory with the files `tls.crt`, `tls.key` and `ca.crt` of the service. */
    TLS_DIR: z.string().min(1),
    /** Trust domain in the certificates of all services of an installation. */
    TRUST_DOMAIN: z.string().min(1).default(TRUST_DOMAIN_DEFAULT),
  };
}

/**
 * Address of the message broker, or several addresses separated by commas. In production, each begins with `tls://`,
 * because a broker without TLS does not know who publishes an event.
 */
export const brokerUrl = z
  .string()
  .refine(
    (urls) =>
      process.env['NODE_ENV'] !== 'production' || urls.split(',').every((url) => url.trim().startsWith('tls://')),
    'must begin with tls:// in production, because a broker without TLS does not know its clients',
  );

/** Maximum number of servers on which NATS stores a stream. */
const STREAM_REPLICAS_MAX = 5;

/**
 * Returns the settings that all services behind the gateway have. The schema of the service includes them.
 * @param databaseName name of the database, which is usually the name of the service
 */
export function serviceSettings(databaseName: string) {
  return {
    ...identitySettings(),
    /** Address that the service listens on, which is `0.0.0.0` in a container. */
    GRPC_HOST: z.string().default('127.0.0.1'),
    GRPC_PORT: port.default(50051),
    /** Port of the health service for probes, which does not use TLS. */
    HEALTH_PORT: port.default(50052),
    /** Enables gRPC reflection, so that tools can discover the service. */
    GRPC_REFLECTION: z.stringbool().default(false),
    MONGODB_URL: z.string(),
    DATABASE_NAME: z.string().default(databaseName),
    NATS_URL: brokerUrl,
    /** Number of NATS servers that store each event, at most as many as the cluster has. */
    NATS_STREAM_REPLICAS: z.coerce.number().int().min(1).max(STREAM_REPLICAS_MAX).default(1),
    /**
     * Time for which the service still accepts calls after it has reported that it is not ready, so that callers
     * notice.
     */
    DRAIN_DELAY_SECONDS: z.coerce.number().int().min(0).max(25).default(0),
    LOG_LEVEL: logLevel,
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  };
}

export type ServiceSettings = z.infer<z.ZodObject<ReturnType<typeof serviceSettings>>>;
