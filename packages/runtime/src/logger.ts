import { pino } from 'pino';
import { activeLogFields } from './trace-context.js';

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

/** Names of members that may contain a secret, at the top level of a log line or one level below. */
const secretNames = [
  'authorization',
  'key',
  'apiKey',
  'ownerKey',
  'token',
  'operatorToken',
  'recoveryToken',
  'secret',
  'password',
  'ksef_token',
  'client_secret',
];

/**
 * Pattern of keys, tokens and signing secrets, which are recognizable by their prefixes. No log line may contain them.
 */
const secretPattern = /\b(ick_(?:live|test)_|whsec_|rec_|inv_|chk_)[0-9A-Za-z_]+/g;

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Stream that receives the log lines instead of standard output, for tests. */
  readonly destination?: { write(line: string): void };
}

/**
 * Creates a logger that writes each entry as a JSON line to standard output, with secrets removed by name and by
 * pattern. A line that is written during traced work has its `trace_id`, `span_id` and `requestId`.
 */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    serializers: { error: serializeError },
    mixin: () => activeLogFields(),
    hooks: {
      streamWrite: (line: string) => line.replaceAll(secretPattern, '$1[redacted]'),
    },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

/** Returns the name, message and stack of an error and of its causes, up to five levels, and no other members. */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const code = (error as { code?: unknown }).code;
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined || depth >= 5 ? {} : { cause: serializeError(error.cause, depth + 1) }),
  };
}
