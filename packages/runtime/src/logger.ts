import { pino } from 'pino';
import { activeLogFields } from './trace-context.js';

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

/** Names under which a secret could reach a log line, at the top or one level down. */
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

/** Keys, tokens and signing secrets are recognisable by their first letters; no text carries them into a log. */
const secretPattern = /\b(ick_(?:live|test)_|whsec_|rec_|inv_|chk_)[0-9A-Za-z_]+/g;

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** A stream that gets the lines instead of standard output; for tests. */
  readonly destination?: { write(line: string): void };
}

/**
 * One JSON line per entry on standard output, secrets cut out by name and by shape. A line that is written while work is
 * under way carries its `trace_id`, `span_id` and `requestId`.
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

/** Name, message and stack of an error and of what caused it, five levels deep; nothing else an error object carries. */
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
