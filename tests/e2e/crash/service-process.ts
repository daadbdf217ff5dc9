// Runs a service of the product in a separate process, which a test can end or pause.
import { fileURLToPath } from 'node:url';
import { startChildServer } from '@invoicecontrol/dev/infrastructure-child';
import type { ChildServer } from '@invoicecontrol/dev/infrastructure-child';

/** The root directory of the repository. The compiled file is one directory deeper than its source. */
const root = import.meta.url.slice(0, import.meta.url.lastIndexOf('/tests/'));
/** Maximum number of starts of a service process, more than a service needs on a busy machine. */
const STARTS_MAX = 3;
const UNLIMITED_PER_MINUTE = '1000000';
/**
 * The directory of the cache that `npm test` sets for all processes. A service process gets no other variable of the
 * test process.
 */
const { NODE_COMPILE_CACHE } = process.env;
const compileCache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** Settings of the gateway with limits that no test reaches. */
export const UNLIMITED_RATES = {
  RATE_LIMIT_DEFAULT_PER_MINUTE: UNLIMITED_PER_MINUTE,
  RATE_LIMIT_ORGANIZATION_PER_MINUTE: UNLIMITED_PER_MINUTE,
  RATE_LIMIT_WRITES_PER_MINUTE: UNLIMITED_PER_MINUTE,
  RATE_LIMIT_SCANS_PER_MINUTE: UNLIMITED_PER_MINUTE,
} as const;

/** A process that a test may end as a crash would. */
export interface Killable {
  kill(): Promise<void>;
  /** Starts the killed service again, with the same data and port. */
  restart(): Promise<void>;
}

export interface ServiceProcess extends Killable {
  /** Address of the service process, `127.0.0.1:<port>`. */
  readonly address: string;
  /** Process id of the service, which changes with each start. */
  readonly pid: number | undefined;
  /** Pauses the service process until `resume` is called. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export interface ServiceOutput {
  /** Receives a line with the last output of a service process that ended although the test did not kill it. */
  readonly log: (line: string) => void;
  /** Receives every line that the service process logs. */
  readonly onOutput?: (line: string) => void;
}

/**
 * Runs a service process as the container image of the service does. The port is chosen at the first start and kept.
 */
export async function startServiceProcess(
  name: string,
  env: NodeJS.ProcessEnv,
  { log, onOutput = () => {} }: ServiceOutput,
): Promise<ServiceProcess> {
  const program = fileURLToPath(`${root}/services/${name}/dist/main.js`);
  const start = (port: number): Promise<ChildServer> =>
    startChildServer({
      name: `The service ${name}`,
      command: process.execPath,
      args: [program],
      env: { ...compileCache, ...env, GRPC_PORT: String(port), PORT: String(port) },
      readPort: portOfAddress,
      log,
      onOutput,
    });
  let running = await start(0);
  const { port } = running;
  return {
    address: `127.0.0.1:${port}`,
    get pid() {
      return running.pid;
    },
    kill: () => running.kill(),
    async restart() {
      running = await supervised(() => start(port));
    },
    pause: () => running.pause(),
    resume: () => running.resume(),
    stop: () => running.stop(),
  };
}

/** Starts a service process, and starts it again if it ends because its database was unavailable. */
async function supervised(start: () => Promise<ChildServer>): Promise<ChildServer> {
  for (let starts = 1; ; starts++) {
    try {
      return await start();
    } catch (error) {
      if (starts === STARTS_MAX) throw error;
    }
  }
}

/** Returns the port in the log line that a service writes when it accepts calls, `"address":"127.0.0.1:50051"`. */
function portOfAddress(line: string): number | undefined {
  const port = /"address":"[^"]*:(\d+)"/.exec(line)?.[1];
  return port === undefined ? undefined : Number(port);
}
