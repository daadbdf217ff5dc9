import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { send } from '../erp/delivery.js';
import { readCall } from '../erp/server.js';
import { createEnvironment, environments } from './environment.js';
import type { Environment, EnvironmentName } from './environment.js';

const HOST = '127.0.0.1';

export interface KsefSimulatorOptions {
  /** Without it the system chooses one. */
  readonly port?: number;
  /** Where contexts, tokens, keys, sessions, documents, counters and requests are kept; without it, in memory alone. */
  readonly directory?: string;
  /** Multiplies the second, the minute and the hour in which calls are counted, so that a test need not wait for an hour. */
  readonly limitWindowFactor?: number;
}

export interface KsefSimulator {
  /** Without a trailing slash; `/test`, `/demo` and `/production` lie below it, each with `/v2` and `/control`. */
  readonly url: string;
  /** The certificate, in PEM, whose key seals the confirmations of an environment. */
  readonly sealCertificate: (environment: EnvironmentName) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Starts KSeF 2.0 with its three environments (KSeF reference, sections 14 and 17). */
export async function startKsefSimulator({
  port = 0,
  directory,
  limitWindowFactor,
}: KsefSimulatorOptions = {}): Promise<KsefSimulator> {
  const stopping = new AbortController();
  let origin = '';
  const byName = new Map<string, Environment>(
    (Object.keys(environments) as EnvironmentName[]).map((name) => [
      name,
      createEnvironment({
        name,
        path: directory === undefined ? undefined : join(directory, `${name}.jsonl`),
        baseUrl: () => `${origin}/${name}`,
        signal: stopping.signal,
        limitWindowFactor,
      }),
    ]),
  );

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readCall(request);
    if (call === undefined) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    const [, name = ''] = call.path.split('/');
    const environment = byName.get(name);
    if (environment === undefined) {
      send(response, {
        status: 404,
        body: `There is no ${call.path}. The environments are ${[...byName.keys()].join(', ')}.`,
      });
      return;
    }
    const below = { ...call, path: call.path.slice(name.length + 1) };
    if (below.path.startsWith('/control/')) send(response, await environment.control(below));
    else await environment.serve(below, (request.url ?? '').slice(name.length + 1), response);
  };
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
    async sealCertificate(name) {
      const environment = byName.get(name);
      if (environment === undefined) throw new Error(`There is no environment ${name}.`);
      return environment.sealCertificate();
    },
    async stop() {
      stopping.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      for (const environment of byName.values()) environment.close();
    },
  };
}
