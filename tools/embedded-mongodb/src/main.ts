import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { isAlive } from './directory-lock.js';
import { startEmbeddedMongod } from './server.js';

const HELP = `The embedded MongoDB of this repository, for development and tests. Never for production.

  node tools/embedded-mongodb/dist/main.js [--port N] [--data DIR] [--parent-pid N]

  --port N         listen on 127.0.0.1:N; 0, the default, takes a free port
  --data DIR       keep the data in DIR; without it everything is in memory
  --parent-pid N   stop when process N is gone; without it, when standard input ends (if that is a pipe)

When ready it prints one line of JSON to standard output, {"port":N}. Errors go to standard error.
SIGTERM and SIGINT close it cleanly.
`;

const PARENT_CHECK_INTERVAL_MS = 500;

interface Arguments {
  readonly port: number;
  readonly dataDirectory: string | undefined;
  readonly parentProcessId: number | undefined;
}

function readArguments(): Arguments | 'help' {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      data: { type: 'string' },
      'parent-pid': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const parent = values['parent-pid'];
  return {
    port: wholeNumber('--port', values.port, 65_535),
    dataDirectory: values.data,
    parentProcessId: parent === undefined ? undefined : wholeNumber('--parent-pid', parent, Number.MAX_SAFE_INTEGER),
  };
}

function wholeNumber(option: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max) {
    throw new Error(`${option} takes a whole number up to ${max}, not '${text}'.`);
  }
  return value;
}

/** Otherwise a server that survives its test run would keep its data directory locked. */
function whenParentIsGone(parentProcessId: number | undefined, then: () => void): void {
  if (parentProcessId !== undefined) {
    const check = setInterval(() => {
      if (isAlive(parentProcessId)) return;
      clearInterval(check);
      then();
    }, PARENT_CHECK_INTERVAL_MS);
    check.unref();
    return;
  }
  const input = fs.fstatSync(process.stdin.fd);
  // A terminal or /dev/null does not end with the parent.
  if (!input.isFIFO() && !input.isSocket()) return;
  process.stdin.on('end', then);
  process.stdin.on('error', then);
  process.stdin.resume();
}

async function main(): Promise<void> {
  const args = readArguments();
  if (args === 'help') {
    process.stdout.write(HELP);
    return;
  }
  const { port, dataDirectory, parentProcessId } = args;
  const server = await startEmbeddedMongod({ port, ...(dataDirectory === undefined ? {} : { dataDirectory }) });
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => exitWith(error),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  whenParentIsGone(parentProcessId, stop);
  process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
}

function exitWith(error: unknown): void {
  process.stderr.write(`embedded-mongodb: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch(exitWith);
