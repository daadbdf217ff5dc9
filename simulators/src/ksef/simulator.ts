import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Call } from '../erp/call.js';
import { send } from '../erp/delivery.js';
import { startLocalServer } from '../local-server.js';
import { createEnvironment, environments } from './environment.js';
import type { Environment, EnvironmentName } from './environment.js';

export interface KsefSimulatorOptions {
  /** Port of the KSeF simulator. If absent, the operating system chooses a free port. */
  readonly port?: number;
  /**
   * Directory in which the KSeF simulator stores contexts, tokens, keys, sessions, documents, counters and requests. If
   * it is absent, they are kept only in memory.
   */
  readonly directory?: string;
  /**
   * Factor that multiplies the time windows (a second, a minute and an hour) in which KSeF calls are counted, so that
   * tests do not have to wait for an hour.
   */
  readonly limitWindowFactor?: number;
}

export interface KsefSimulator {
  /**
   * Base URL of the KSeF simulator without a trailing slash. The environments are below it at `/test`, `/demo` and
   * `/production`, each with `/v2` and `/control`.
   */
  readonly url: string;
  /** Returns the certificate, in PEM format, whose key seals the confirmations of a KSeF environment. */
  readonly sealCertificate: (environment: EnvironmentName) => Promise<string>;
  /**
   * Returns a revocation list (CRL) in PEM format. The list names the seal certificate of KSeF if the certificate is
   * revoked.
   */
  readonly sealRevocationList: (environment: EnvironmentName, isSealRevoked: boolean) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** Starts the KSeF 2.0 simulator with its three environments (KSeF reference, sections 14 and 17). */
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

  const environmentOf = (name: EnvironmentName): Environment => {
    const environment = byName.get(name);
    if (environment === undefined) throw new Error(`The environment ${name} does not exist.`);
    return environment;
  };
  const serve = async (call: Call, response: ServerResponse, url: string): Promise<void> => {
    const [, name = ''] = call.path.split('/');
    const environment = byName.get(name);
    if (environment === undefined) {
      send(response, {
        status: 404,
        body: `The path ${call.path} does not exist. The environments are ${[...byName.keys()].join(', ')}.`,
      });
      return;
    }
    const below = { ...call, path: call.path.slice(name.length + 1) };
    if (below.path.startsWith('/control/')) send(response, await environment.control(below));
    else await environment.serve(below, url.slice(name.length + 1), response);
  };
  const server = await startLocalServer(serve, port);
  origin = server.url;

  return {
    url: origin,
    sealCertificate: async (name) => environmentOf(name).sealCertificate(),
    sealRevocationList: async (name, isSealRevoked) => environmentOf(name).sealRevocationList(isSealRevoked),
    async stop() {
      stopping.abort();
      await server.stop();
      for (const environment of byName.values()) environment.close();
    },
  };
}
