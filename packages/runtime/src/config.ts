import { z } from 'zod';

/** The environment does not describe a service that could start; the message lists every fault. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/**
 * Reads a service's configuration from the environment. All faults are reported together. An empty variable counts as
 * absent, because that is how compose files and manifests write "not set".
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): z.infer<S> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const result = schema.safeParse(given);
  if (!result.success) throw new ConfigError(`The environment is not valid:\n${z.prettifyError(result.error)}`);
  return result.data;
}

/** Marks a value that must never be printed; {@link describeConfig} shows only whether it is there. */
export const secret = z.string().min(1).meta({ secret: true });

/** The token of the operator's command line. Without one, every rpc for the operator is refused. */
export const operatorToken = secret.min(32).optional();

/** A key of a setting, under the id that what was made with it carries. */
export interface NamedKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * A secret setting `id:base64,...`, each id once. The first key makes what is new; an older one stays behind it as long as
 * something of it is left.
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

/** The effective configuration for the first log line, secrets as `configured: true`. */
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

/** Connection strings may carry a password between `//` and `@`. */
function hideCredentials(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(/\/\/[^/@\s]*@/g, '//***@') : value;
}

/** The log levels of a service. */
export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info');

/** A TCP port; 0 lets the system choose. */
export const port = z.coerce.number().int().min(0).max(65535);

type AddressVariable<Service extends string> =
  `${Uppercase<Service extends `${infer First}-${infer Rest}` ? `${First}_${Rest}` : Service>}_ADDRESS`;

/** `ERP_SYNC_ADDRESS`: the setting that tells a caller where `erp-sync` is. */
export function addressVariable<Service extends string>(service: Service): AddressVariable<Service> {
  return `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS` as AddressVariable<Service>;
}

/** Addresses of the services whose rpcs a service calls. Its own schema spreads them. */
export function addressSettings<Service extends string>(
  ...called: readonly Service[]
): Record<AddressVariable<Service>, z.ZodString> {
  const settings = called.map((service) => [addressVariable(service), z.string()]);
  return Object.fromEntries(settings) as Record<AddressVariable<Service>, z.ZodString>;
}

/**
 * The settings that every service behind the gateway has. Its own schema spreads them.
 * @param databaseName one database per service, named like it
 */
export function serviceSettings(databaseName: string) {
  return {
    /** The address that the service listens on; `0.0.0.0` in a container. */
    GRPC_HOST: z.string().default('127.0.0.1'),
    GRPC_PORT: port.default(50051),
    /** Lets a console discover the service. */
    GRPC_REFLECTION: z.stringbool().default(false),
    MONGODB_URL: z.string(),
    DATABASE_NAME: z.string().default(databaseName),
    NATS_URL: z.string(),
    /** Time for which the service still takes calls after it has reported that it is not ready, so that callers notice. */
    DRAIN_DELAY_SECONDS: z.coerce.number().int().min(0).max(25).default(0),
    LOG_LEVEL: logLevel,
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  };
}

export type ServiceSettings = z.infer<z.ZodObject<ReturnType<typeof serviceSettings>>>;
