import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Call } from './erp/call.js';

const HOST = '127.0.0.1';
/**
 * Maximum size of a request body that a simulator accepts. It is large, because a test adds many records in one
 * request.
 */
const BODY_BYTES_MAX = 64 * 1024 ** 2;

/** HTTP server of a simulator, which listens only on this machine. */
export interface LocalServer {
  /** Base URL of the local simulator server without a trailing slash. */
  readonly url: string;
  /** Stops the simulator's HTTP server and closes its connections. */
  readonly stop: () => Promise<void>;
}

/**
 * Function of a simulator that handles one HTTP call and sends its response. If it throws, the server sends a 500
 * response.
 */
export type Serve = (call: Call, response: ServerResponse, url: string) => Promise<void>;

/**
 * Starts the HTTP server of a simulator, which reads each request completely and then handles it. Without a port, the
 * operating system chooses one.
 */
export async function startLocalServer(serve: Serve, port = 0): Promise<LocalServer> {
  const readAndServe = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readCall(request);
    if (call === undefined) response.writeHead(413, { connection: 'close' }).end();
    else await serve(call, response, request.url ?? '');
  };
  const server = createServer((request, response) => {
    readAndServe(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(`The simulator failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Reads a complete HTTP request.
 * @returns undefined if the body is too large
 */
async function readCall(request: IncomingMessage): Promise<Call | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  const url = new URL(request.url ?? '/', `http://${HOST}`);
  return {
    method: request.method ?? 'GET',
    path: decode(url.pathname),
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    ),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
