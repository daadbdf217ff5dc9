import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Call } from './call.js';
import { Clock } from './clock.js';
import { controlRoutes } from './control.js';
import { deliver } from './delivery.js';
import type { Erp, ErpDeps } from './erp.js';
import { Faults } from './faults.js';
import { RequestLog } from './request-log.js';

const HOST = '127.0.0.1';
/** A page of records that a test adds is larger than any request of a client. */
const BODY_BYTES_MAX = 64 * 1024 ** 2;

export interface ErpServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts one ERP: the vendor's paths, and the routes below `/control`. Without a port the system chooses one. */
export async function startErpServer<Tenant>(
  createErp: (deps: ErpDeps<Tenant>) => Erp<Tenant>,
  port = 0,
): Promise<ErpServer> {
  const clock = new Clock();
  const faults = new Faults();
  const log = new RequestLog();
  const tenants = new Map<string, Tenant>();
  const stopping = new AbortController();
  let origin = '';
  const erp = createErp({ clock, tenants, origin: () => origin });
  const control = controlRoutes({ erp, tenants, clock, faults, log });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readCall(request);
    if (call === undefined) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    response.sendDate = false;
    response.setHeader('date', clock.now().toUTCString());
    if (call.path.startsWith('/control/')) {
      await deliver({ fault: undefined, response, answer: () => control(call), refuse: refuseNothing, signal });
      return;
    }
    const tenant = erp.tenantOf(call);
    const logged = tenant !== undefined && tenants.has(tenant) ? log.add(tenant, call, clock.now()) : undefined;
    const { delivery, change } = faults.take(call, tenant);
    const status = await deliver({
      fault: delivery,
      response,
      answer: () => {
        const answer = change(erp.handle(call));
        // Whoever reads the log after the answer sees it there.
        if (logged !== undefined) logged.status = answer.status;
        return answer;
      },
      refuse: (code) => erp.refuse(code, call),
      signal,
    });
    if (logged !== undefined) logged.status = status;
  };
  const { signal } = stopping;
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(`The simulator failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  origin = `http://${HOST}:${(server.address() as AddressInfo).port}`;

  return {
    url: origin,
    async stop() {
      stopping.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuseNothing(): never {
  throw new Error('control routes have no faults');
}

/** Reads a request whole. @returns undefined where the body is too large */
export async function readCall(request: IncomingMessage): Promise<Call | undefined> {
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
