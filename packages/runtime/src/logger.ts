import { hostname } from 'node:os';
import { pino } from 'pino';
import type { LogFields } from './telemetry/log-fields.js';
import { productVersion } from './telemetry/resource.js';
import { activeLogFields } from './trace-context.js';

/** Writes a log line. A field that `telemetry/log-fields.ts` does not declare does not compile. */
type WriteLine = <F extends object>(fields: LogFields<F>, message: string) => void;

export interface Logger {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  child<F extends object>(fields: LogFields<F>): Logger;
}

/** Names of members that may contain a secret, at the top level of a log line or one level below. */
const secretNames = [
  'authorization',
  'key',
  'apiKey',
  'ownerKey',
  'token',
  'recoveryToken',
  'secret',
  'password',
  'ksef_token',
  'client_secret',
];

/**
 * Pattern of keys, tokens and signing secrets, which are recognizable by their prefixes. No log line may contain them.
 */
const secretPattern = /\b(ick_(?:live|test)_|ics_|whsec_|rec_|inv_|chk_)[0-9A-Za-z_]+/g;

/** Size at which waiting log lines are written together, because each write is a system call. */
const WRITTEN_TOGETHER_BYTES = 8_192;
/**
 * Interval in milliseconds at which the log lines of a busy service are written. A process that is killed loses the
 * lines of this time.
 */
const WRITE_EACH_MS = 100;
/** Lowest level of log lines that are written at once, together with the lines that wait. */
const WRITTEN_AT_ONCE = pino.levels.values['warn'] ?? 0;

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Stream that receives the log lines instead of standard output, for tests. */
  readonly destination?: Destination;
}

/**
 * Creates a logger that writes each entry as a JSON line to standard output, with secrets removed by name and by
 * pattern. A line that is written while traced work is running states the `traceId`, `spanId` and `requestId` of that
 * work. While a service is busy, lines below the level `warn` wait for up to {@link WRITE_EACH_MS}. The lines that
 * still wait are written when the process ends.
 */
export function createLogger({ service, level, destination = standardOutput() }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service, version: productVersion(), instance: hostname() },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      serializers: { error: serializeError },
      mixin: () => activeLogFields(),
      hooks: {
        streamWrite: (line: string) => line.replaceAll(secretPattern, '$1[redacted]'),
        logMethod(entry, write, lineLevel) {
          write.apply(this, entry);
          if (lineLevel >= WRITTEN_AT_ONCE) destination.flush?.();
        },
      },
    },
    destination,
  );
}

interface Destination {
  write(line: string): void;
  /** Writes the log lines that are still in the buffer. */
  flush?(): void;
}

let output: Destination | undefined;

/** Returns the standard output of this process, which all its loggers write to. */
function standardOutput(): Destination {
  if (output !== undefined) return output;
  const stream = pino.destination({ dest: 1, sync: true, minLength: WRITTEN_TOGETHER_BYTES });
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  const flush = (): void => {
    isWaiting = false;
    // `flush` is used instead of `flushSync`, which would also wait until the log lines are on disk. That takes up to
    // 100 ms on a machine where a database writes much.
    stream.flush();
  };
  const flushEach = (): void => {
    flush();
    timer = setTimeout(() => {
      timer = undefined;
      if (isWaiting) flushEach();
    }, WRITE_EACH_MS).unref();
  };
  process.on('exit', () => stream.flushSync());
  output = {
    write(line) {
      stream.write(line);
      isWaiting = true;
      // The first log line after a time without log lines is written at once.
      if (timer === undefined) flushEach();
    },
    flush,
  };
  return output;
}

/** Returns the name, message and stack of a logged error and of its causes, up to five levels, and no other members. */
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
