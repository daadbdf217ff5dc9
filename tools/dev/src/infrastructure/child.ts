// Runs MongoDB, NATS or another server as a child process. It waits until the server reports its port, and ends the
// server when this process ends, whatever the cause.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const READY_MS_MAX = 30_000;
const STOP_TIMEOUT_MS = 5_000;
const WATCHDOG_POLL_EACH_MS = 100;
const TAIL_LINES_MAX = 20;

export interface ChildServerOptions {
  /** Name of the server in messages, for example "NATS". */
  name: string;
  command: string;
  args: string[];
  /** Complete environment of the child process. If absent, the server gets the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** Reads the port from the line of output in which the server reports that it accepts connections. */
  readPort: (line: string) => number | undefined;
  log: (line: string) => void;
  /** Maximum time until the started child process is ready, by default 30 s. */
  readyMsMax?: number;
  /** Converts a line of the server's output into readable text for messages. */
  readable?: (line: string) => string;
  /** Directory that is removed when this process has ended without stopping the server. */
  temporaryDir?: string;
  /** Receives every line of the server's output, for example to keep a log. */
  onOutput?: (line: string) => void;
}

export interface ChildServer {
  port: number;
  pid: number | undefined;
  kill(): Promise<void>;
  /** Pauses the server process until `resume`, as if the machine gave the server no CPU time. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/**
 * Starts a server as a child process and waits until it is ready.
 * @throws Error with the last lines of output when the server ends, cannot be started or reports no port in time
 */
export async function startChildServer({
  name,
  command,
  args,
  env = process.env,
  readPort,
  log,
  readyMsMax = READY_MS_MAX,
  readable = (line) => line,
  temporaryDir,
  onOutput = () => {},
}: ChildServerOptions): Promise<ChildServer> {
  // The started server gets a separate process group. Ctrl-C in the terminal then reaches only this process, which
  // stops the servers when nothing needs them any more.
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ? `ended by ${signal}` : `ended with code ${code}`));
  });
  const watchdog = endWithThisProcess(child, temporaryDir);
  void ended.then(() => watchdog?.kill('SIGKILL'));

  const tail: string[] = [];
  const listening = new Promise<number>((resolve) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        onOutput(line);
        tail.push(readable(line));
        if (tail.length > TAIL_LINES_MAX) tail.shift();
        const port = readPort(line);
        if (port !== undefined) resolve(port);
      });
    }
  });
  const described = (what: string) => [`${name} ${what}. Its last output:`, ...tail].join('\n');

  const started = await Promise.race([
    listening.then((port) => ({ port })),
    ended.then((how) => ({ failure: `did not start: it ${how}` })),
    after(readyMsMax).then(() => ({ failure: `was not ready within ${readyMsMax / 1000} s` })),
  ]);
  if ('failure' in started) {
    child.kill('SIGKILL');
    throw new Error(described(started.failure));
  }

  let expected = false;
  void ended.then((how) => {
    if (!expected) log(described(`${how} unexpectedly`));
  });
  // The server is ready, so from here on its child process and its output do not keep this process alive.
  for (const handle of [child, child.stdout, child.stderr]) (handle as Partial<{ unref(): void }>).unref?.();

  const end = (signal: NodeJS.Signals) => {
    expected = true;
    child.ref();
    child.kill(signal);
  };
  return {
    port: started.port,
    pid: child.pid,
    async kill() {
      end('SIGKILL');
      await ended;
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      end('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(force);
    },
  };
}

/**
 * Starts a shell that ends the child and removes its temporary data when this process closes its end of the shell's
 * pipe. The pipe is closed even when this process gets a SIGKILL.
 */
export function endWithThisProcess(child: ChildProcess, temporaryDir = ''): ChildProcess | undefined {
  if (child.pid === undefined) return undefined;
  const polls = STOP_TIMEOUT_MS / WATCHDOG_POLL_EACH_MS;
  const script =
    `read -r _; kill -TERM "$1"; polls=${polls}; ` +
    `while [ $polls -gt 0 ] && kill -0 "$1"; do sleep ${WATCHDOG_POLL_EACH_MS / 1000}; polls=$((polls - 1)); done; ` +
    'kill -KILL "$1"; [ -z "$2" ] || rm -rf "$2"';
  const watchdog = spawn('/bin/sh', ['-c', script, 'sh', String(child.pid), temporaryDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  (watchdog.stdin as Partial<{ unref(): void }>).unref?.();
  return watchdog;
}

function after(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs).unref();
  });
}
