// The pair that needs no Docker: our own MongoDB-wire server and a nats-server binary, both as child processes on loopback.
import { fileURLToPath } from 'node:url';
import { startChildServer, type ChildServer } from './infrastructure-child.js';
import type { Server } from './infrastructure-server.js';
import { natsServerBinary } from './infrastructure-nats-server.js';

type Log = (line: string) => void;

/**
 * Most of what a database takes in lives for a moment or for ever. With the usual 16 MB a collection of the young copies
 * what will live for ever twice, and everybody waits: twice the time of 64.
 */
const YOUNG_MEMORY_MB = 64;
/** It reads its whole journal first: ten seconds of computing for 300 MB, many times that on a busy machine. */
const MONGODB_READY_MS_MAX = 180_000;

/** @param dataDir where the journal is kept */
export function embeddedMongodb(dataDir: string, log: Log): Promise<Server> {
  const program = fileURLToPath(new URL('../../embedded-mongodb/dist/main.js', import.meta.url));
  return restartable(
    (port) =>
      startChildServer({
        name: 'The embedded MongoDB',
        command: process.execPath,
        args: [`--max-semi-space-size=${YOUNG_MEMORY_MB}`, program, '--port', String(port ?? 0), '--data', dataDir],
        readPort: portFromJson,
        readyMsMax: MONGODB_READY_MS_MAX,
        log,
      }),
    (port) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
  );
}

/** @param dataDir where JetStream keeps its streams */
export async function embeddedNats(dataDir: string, log: Log): Promise<Server> {
  const binary = await natsServerBinary(log);
  return restartable(
    (port) =>
      startChildServer({
        name: 'NATS',
        command: binary,
        // Port -1 lets the server choose a free one, which leaves no moment for another process to take it.
        args: ['--addr', '127.0.0.1', '--port', String(port ?? -1), '--jetstream', '--store_dir', dataDir],
        readPort: (line) => portAfter(/Listening for client connections on \S+:(\d+)$/, line),
        log,
      }),
    (port) => `nats://127.0.0.1:${port}`,
  );
}

async function restartable(
  start: (port?: number) => Promise<ChildServer>,
  urlOf: (port: number) => string,
): Promise<Server> {
  let running = await start();
  const { port } = running;
  return {
    url: urlOf(port),
    kill: () => running.kill(),
    async restart() {
      running = await start(port);
    },
    pause: async () => running.pause(),
    resume: async () => running.resume(),
    stop: () => running.stop(),
  };
}

function portFromJson(line: string): number | undefined {
  return portAfter(/^\{"port":\s*(\d+)/, line);
}

function portAfter(pattern: RegExp, line: string): number | undefined {
  const port = pattern.exec(line)?.[1];
  return port === undefined ? undefined : Number(port);
}
