import { ConfigError } from './config.js';

/** A running service, as `startService` of each service returns it. */
export interface RunningService {
  /** Address of the gRPC server, such as `127.0.0.1:50051`. */
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Time after SIGTERM at which the process ends itself if it is still running. The time is just below the grace period
 * of the pods.
 */
const STOP_MS_MAX = 35_000;

/**
 * Runs a service process: it starts the service, waits for SIGTERM or SIGINT, and stops the service in order. An
 * uncaught error ends the process with a non-zero exit code, so that the supervisor restarts it in a known state.
 */
export async function runProcess(start: () => Promise<RunningService>): Promise<void> {
  const die = (error: unknown): void => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);

  let service: RunningService;
  try {
    service = await start();
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(2);
    }
    return die(error);
  }
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
    service.stop().then(() => process.exit(0), die);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
