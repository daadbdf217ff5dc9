// Starts the whole product in one process, and provides the functions through which tests call it.
import { randomBytes, randomInt } from 'node:crypto';
import { connect as connectSocket } from 'node:net';
import { createClient } from '@invoicecontrol/client';
import type { Client } from '@invoicecontrol/client';
import { startSystem } from '@invoicecontrol/dev/system';
import type { SharedSystem, SystemOptions } from '@invoicecontrol/dev/system';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { OperatorServiceDefinition } from '@invoicecontrol/contracts/organization/v1/operator_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { databaseNames, newSecrets } from '@invoicecontrol/topology/start';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { openTestChannel } from '@invoicecontrol/runtime/testing/test-identities';
import { answerCheck } from './answer-contract.js';
import type { AnswerCheck, ReceivedAnswer } from './answer-contract.js';

/** A response of the API that has passed the checks that apply to every response. */
export interface Answer<Body = unknown> extends ReceivedAnswer {
  /** Parsed JSON body of an API response. Undefined for a response without a body and for a file. */
  readonly body: Body;
}

export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly request_id: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}

export interface RequestOptions {
  /** API key of the request. Without it, the request has no Authorization header. */
  readonly key?: string;
  /** Body of the API request, which is sent as JSON. */
  readonly body?: unknown;
  /** Body of the API request, which is sent unchanged in place of `body`. */
  readonly bytes?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Id of the API request. Responses to requests with the same id can be equal byte for byte. */
  readonly requestId?: string;
}

/**
 * Functions that call one gateway from outside. Each method checks the response and throws an error if it breaks the
 * contract of the API.
 */
export interface Api {
  /** Base URL of the gateway under test, `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /**
   * Client address of the requests, as the proxy in front of the gateway reports it. No other test file uses this
   * address.
   */
  readonly clientAddress: string;
  /**
   * Sends a request to the gateway and checks the response.
   * @param target `METHOD /path` below `/v1`, or from the root with two slashes: `GET //livez`
   */
  request<Body = unknown>(target: string, options?: RequestOptions): Promise<Answer<Body>>;
  /**
   * Returns the API client that integrators use. It retries as documented, and every response that it receives is
   * checked.
   */
  clientOf(key: string): Client;
  /** Sends raw bytes to the gateway over a new connection and reads until the gateway closes it. */
  raw<Body = unknown>(target: string, bytes: string): Promise<Answer<Body>>;
}

export interface PlanChange {
  readonly plan?: string;
  readonly subscriptionStatus?: string;
  readonly additionalLegalEntities?: number;
}

export interface RunningSystem extends Api {
  readonly system: SharedSystem;
  readonly tenant: Tenant;
  readonly other: Tenant;
  newTenant(plan?: string): Promise<Tenant>;
  /**
   * Sets the plan of an organization, as the operator and later the billing service do. Omitted fields keep their
   * values.
   */
  setPlan(organizationId: string, change: PlanChange): Promise<void>;
  /** Connection to the database of the analysis service, for tests that read or change stored documents. */
  readonly analysisDatabase: MongoConnection['db'];
  stop(): Promise<void>;
}

/**
 * Message of the gateway when it cannot check an API key within two seconds, for example on an overloaded machine. The
 * request had no effect, and the caller should repeat it.
 */
const UNCHECKED = 'The API key of the request cannot be checked right now. Retry the request in a moment.';
const UNCHECKED_TRIES_MAX = 5;

/**
 * Returns the running product that all end-to-end tests of a test run share, and creates two new tenants for the
 * caller. Call it once per test file. A test must not read or change the data of other tenants. A test that needs other
 * settings must start the product a second time.
 */
export async function useSharedSystem(): Promise<RunningSystem> {
  const shared = JSON.parse(process.env['SHARED_SYSTEM'] ?? missing('SHARED_SYSTEM')) as SharedSystem;
  return connectSystem(shared, async () => {});
}

/**
 * Starts every service with new databases and the given settings, and creates two tenants. Call it once per test file.
 */
export async function startRunningSystem(
  env: NodeJS.ProcessEnv,
  options: Pick<SystemOptions, 'mongodbUrlFor'> = {},
): Promise<RunningSystem> {
  const { mongodbUrl, natsUrl } = testInfrastructure();
  const secrets = newSecrets();
  const identities = await identitiesForTests();
  const databasePrefix = `${testDatabaseName()}_`;
  const system = await startSystem({
    mongodbUrl,
    natsUrl,
    secrets,
    identities,
    databasePrefix,
    ...options,
    // Most of the end-to-end tests need only one process that reads documents, and each such process adds a second to
    // the start.
    env: { LOG_LEVEL: 'silent', TRUSTED_PROXY_HOPS: '1', EXTRACTION_CHILDREN: '1', ...env },
  });
  return connectSystem({ ...system, identities, databasePrefix }, async () => {
    await system.stop();
    for (const databaseName of databaseNames(databasePrefix)) {
      const { db, close } = await connectMongo({ url: mongodbUrl, databaseName, appName: 'test' });
      await db.dropDatabase();
      await close();
    }
  });
}

async function connectSystem(system: SharedSystem, stop: () => Promise<void>): Promise<RunningSystem> {
  const { addresses, identities, databasePrefix } = system;
  const analysis = await connectMongo({
    url: testInfrastructure().mongodbUrl,
    databaseName: `${databasePrefix}analysis`,
    appName: 'test',
  });
  const newTenant = (plan?: string): Promise<Tenant> =>
    createTenant(addresses.organization, identities, `Tenant ${randomBytes(4).toString('hex')}`, plan);
  const channel = openTestChannel('organization', addresses.organization);
  const operator = client(OperatorServiceDefinition, channel);
  const [tenant, other, api] = await Promise.all([newTenant(), newTenant(), connectApi(system.baseUrl)]);
  return {
    ...api,
    async request<Body>(target: string, options?: RequestOptions): Promise<Answer<Body>> {
      for (let tries = 1; ; tries++) {
        const answer = await api.request<Body>(target, options);
        if (!(answer.status === 503 && answer.text.includes(UNCHECKED)) || tries === UNCHECKED_TRIES_MAX) return answer;
      }
    },
    system,
    tenant,
    other,
    newTenant,
    async setPlan(organizationId, change) {
      const context = { requestId: 'set-plan', actor: { type: 'OPERATOR', id: 'operator' } } as const;
      await operator.setPlan({ organizationId, plan: '', subscriptionStatus: '', ...change }, { context });
    },
    analysisDatabase: analysis.db,
    async stop() {
      channel.close();
      await analysis.close();
      await stop();
    },
  };
}

/**
 * Returns functions that call the gateway at the given address.
 * @param baseUrl ends in `/v1`
 */
export async function connectApi(baseUrl: string): Promise<Api> {
  const origin = new URL(baseUrl).origin;
  const check = answerCheck(await (await fetch(`${origin}/openapi.json`)).text());
  const clientAddress = someAddress();
  return {
    origin,
    clientAddress,
    async request<Body>(target: string, options: RequestOptions = {}): Promise<Answer<Body>> {
      const { method, url } = parseTarget(target);
      const body = options.bytes ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
      const response = await fetch(`${origin}${url}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
          'x-forwarded-for': clientAddress,
          ...options.headers,
        },
        ...(body === undefined ? {} : { body }),
      });
      const received = { status: response.status, headers: response.headers, text: await response.text() };
      return checked<Body>(check, { method, url, requestId: options.requestId }, received);
    },
    clientOf: (apiKey) =>
      createClient({
        baseUrl,
        apiKey,
        async fetch(request) {
          request.headers.set('x-forwarded-for', clientAddress);
          const response = await fetch(request);
          const { status, headers } = response;
          const path = new URL(request.url).pathname;
          check({ method: request.method, path }, { status, headers, text: await response.clone().text() });
          return response;
        },
      }),
    async raw<Body>(target: string, bytes: string): Promise<Answer<Body>> {
      return checked<Body>(check, parseTarget(target), await exchange(Number(new URL(origin).port), bytes));
    },
  };
}

/**
 * Returns a random client address. The gateway counts refused keys by address, so test files that share a gateway must
 * use different addresses.
 */
function someAddress(): string {
  return ['10', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
}

function parseTarget(target: string): { method: string; url: string } {
  const [method = '', path = ''] = target.split(' ', 2);
  return { method, url: path.startsWith('//') ? path.slice(1) : `/v1${path}` };
}

function checked<Body>(
  check: AnswerCheck,
  { method, url, requestId }: { method: string; url: string; requestId?: string | undefined },
  received: ReceivedAnswer,
): Answer<Body> {
  check({ method, path: url.split('?', 1)[0] ?? '', requestId }, received);
  const isJson = received.text !== '' && received.headers.get('content-type')?.startsWith('application/json') === true;
  return { ...received, body: (isJson ? JSON.parse(received.text) : undefined) as Body };
}

function exchange(port: number, bytes: string): Promise<ReceivedAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => {
      const [head = '', text = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n', 2);
      const [statusLine = '', ...lines] = head.split('\r\n');
      const headers = new Headers(
        lines.map((line): [string, string] => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*:\s*/, '')]),
      );
      resolve({ status: Number(statusLine.split(' ')[1]), headers, text });
    });
  });
}

function missing(variable: string): never {
  throw new Error(`${variable} is not set: run the end-to-end tests with --project e2e.`);
}
