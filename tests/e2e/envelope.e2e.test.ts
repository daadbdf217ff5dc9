import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatApiKey } from '@invoicecontrol/api-key';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import { DomainError, errorTable } from '@invoicecontrol/errors';
import { configSchema as gatewayConfig } from '@invoicecontrol/gateway/config';
import { startService as startGateway } from '@invoicecontrol/gateway/service';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Implementation } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startTcpProxy } from '@invoicecontrol/testkit/tcp-proxy';
import { addressVariable } from '@invoicecontrol/runtime/config';
import { testIdentity, testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { connectApi, useSharedSystem } from './running-system.js';
import type { Answer, Api, ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice, plainRow, UNKNOWN_ID } from './shapes.js';

/** Statuses that only an upload, a document or an outside system can cause; a status is removed once a test causes it. */
const statusesNotYetPossible = [416, 422, 502];

const INSIDE = 'mongodb://analysis:hunter2@10.0.0.7 refused the connection';
const READ_INVOICE = `/invoices/${UNKNOWN_ID}`;

let running: RunningSystem;
let key: string;
/** Functions that stop what the tests started, called in reverse order. */
const stops: (() => Promise<unknown>)[] = [];
/**
 * Response to a request whose headers are never complete. The request begins first, because the gateway waits ten
 * seconds for the headers.
 */
let slowCaller: Promise<Answer<ErrorBody>>;

beforeAll(async () => {
  running = await useSharedSystem();
  key = running.tenant.keys.owner;
  slowCaller = running.raw<ErrorBody>('GET /invoices', 'GET /v1/invoices HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
  await running.stop();
});

/** Starts a further gateway for the same organization service, with these variables changed. */
async function gatewayWith(env: Readonly<Record<string, string>>): Promise<Api> {
  const gateway = await startGateway(
    gatewayConfig.parse({
      PORT: '0',
      TLS_DIR: testIdentityDirectory('gateway'),
      LOG_LEVEL: 'silent',
      NATS_URL: testInfrastructure().natsUrl,
      ...Object.fromEntries(
        Object.entries(running.system.addresses).map(([name, address]) => [addressVariable(name), address]),
      ),
      ...env,
    }),
  );
  stops.push(() => gateway.stop());
  return connectApi(`http://${gateway.address}/v1`);
}

/** Starts an analysis service that responds to every call in this way. */
async function analysisThat(answer: () => Promise<unknown>): Promise<string> {
  const names = Object.keys(InvoiceServiceDefinition.methods);
  const implementation = Object.fromEntries(names.map((name) => [name, answer]));
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('analysis'),
    logger: createLogger({ service: 'test', level: 'silent' }),
    bindings: [
      bind(InvoiceServiceDefinition, implementation as unknown as Implementation<typeof InvoiceServiceDefinition>),
    ],
  });
  stops.push(() => server.stop(0));
  return server.address;
}

/** Address on which no server listens. The system never assigns this port, unlike a port that was free a moment ago. */
const CLOSED_ADDRESS = '127.0.0.1:1';

/** Starts a server that accepts connections and never sends a byte. */
async function deafAddress(): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  stops.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return `127.0.0.1:${port}`;
}

interface Case {
  readonly status: number;
  readonly code: string;
  readonly when: string;
  readonly provoke: () => Promise<Answer<ErrorBody>>;
}

const request = (target: string, options = {}) => running.request<ErrorBody>(target, options);
const raw = (target: string, ...lines: string[]) => running.raw<ErrorBody>(target, `${lines.join('\r\n')}\r\n\r\n`);
const invoice = plainInvoice(1);

const cases: readonly Case[] = [
  {
    status: 400,
    code: 'INVALID_REQUEST',
    when: 'the body is wrong',
    provoke: () => request('POST /invoices', { key, body: {} }),
  },
  {
    status: 400,
    code: 'INVALID_REQUEST',
    when: 'there is no Host header',
    provoke: () => raw('GET /invoices', 'GET /v1/invoices HTTP/1.1', 'Connection: close'),
  },
  {
    status: 400,
    code: 'INVALID_REQUEST',
    when: 'there are two Host headers',
    provoke: () => raw('GET /invoices', 'GET /v1/invoices HTTP/1.1', 'Host: a', 'Host: a', 'Connection: close'),
  },
  {
    status: 400,
    code: 'INVALID_REQUEST',
    when: 'a header has a NUL',
    provoke: () => raw('GET /invoices', 'GET /v1/invoices HTTP/1.1', 'Host: a', 'X: \u0000'),
  },
  {
    status: 400,
    code: 'INVALID_REQUEST',
    when: 'it is not HTTP at all',
    provoke: () => raw('GET /invoices', '\u0016\u0003\u0001 hello'),
  },
  {
    status: 400,
    code: 'INVALID_REQUEST',
    when: 'it is HTTP/2',
    provoke: () => raw('GET /invoices', 'PRI * HTTP/2.0', '', 'SM'),
  },
  { status: 401, code: 'UNAUTHORIZED', when: 'there is no key', provoke: () => request('GET /invoices') },
  {
    status: 403,
    code: 'FORBIDDEN',
    when: 'the role is too low',
    provoke: () => request('GET /companies', { key: running.tenant.keys.viewer }),
  },
  {
    status: 403,
    code: 'FORBIDDEN',
    when: 'there is no active subscription',
    provoke: async () => {
      const { keys } = await running.newTenant('CORE');
      return request('PATCH /organizations/current/reference-validation', { key: keys.owner, body: { mode: 'ALL' } });
    },
  },
  { status: 404, code: 'NOT_FOUND', when: 'there is no such route', provoke: () => request('GET /nothing', { key }) },
  {
    status: 404,
    code: 'NOT_FOUND',
    when: 'the resource does not exist',
    provoke: () => request(`GET ${READ_INVOICE}`, { key }),
  },
  {
    status: 404,
    code: 'NOT_FOUND',
    when: 'the path is not valid percent-encoding',
    provoke: () => request('GET /invoices/%E0%A4%A', { key }),
  },
  {
    status: 405,
    code: 'INVALID_REQUEST',
    when: 'the method is another',
    provoke: () => request('PUT /invoices', { key }),
  },
  { status: 405, code: 'INVALID_REQUEST', when: 'the method is OPTIONS', provoke: () => request('OPTIONS /invoices') },
  {
    status: 405,
    code: 'INVALID_REQUEST',
    when: 'the method is TRACE',
    provoke: () => raw('TRACE /invoices', 'TRACE /v1/invoices HTTP/1.1', 'Host: a', 'Connection: close'),
  },
  {
    status: 409,
    code: 'CONFLICT',
    when: 'a key is used for another body',
    provoke: async () => {
      const headers = { 'idempotency-key': 'envelope' };
      await request('POST /invoices', { key, body: invoice, headers });
      return request('POST /invoices', { key, body: plainInvoice(2), headers });
    },
  },
  {
    status: 409,
    code: 'CONFLICT',
    when: 'a scan has nothing new',
    provoke: async () => {
      const body = { rows: [{ ...plainRow(1), externalId: 'envelope' }] };
      await request('POST /scans', { key, body });
      return request('POST /scans', { key, body });
    },
  },
  {
    status: 413,
    code: 'INVALID_REQUEST',
    when: 'the body is too large',
    provoke: () => request('POST /invoices', { key, bytes: ' '.repeat(300 * 1024) }),
  },
  {
    status: 414,
    code: 'INVALID_REQUEST',
    when: 'the URL is longer than 8 KiB',
    provoke: () => request(`GET /invoices?x=${'x'.repeat(9_000)}`, { key }),
  },
  {
    status: 414,
    code: 'INVALID_REQUEST',
    when: 'the URL is longer than all headers may be',
    provoke: () => request(`GET /invoices?x=${'x'.repeat(40_000)}`, { key }),
  },
  {
    status: 415,
    code: 'INVALID_REQUEST',
    when: 'the body is not JSON',
    provoke: () => request('POST /invoices', { key, bytes: 'x', headers: { 'content-type': 'text/plain' } }),
  },
  {
    status: 429,
    code: 'RATE_LIMITED',
    when: 'there are too many requests',
    provoke: async () => {
      const api = await gatewayWith({ RATE_LIMIT_DEFAULT_PER_MINUTE: '1' });
      const { keys } = await running.newTenant();
      return eventually(async () => {
        const answer = await api.request<ErrorBody>('GET /organizations/current', { key: keys.owner });
        expect(answer.status).toBe(429);
        return answer;
      });
    },
  },
  {
    status: 429,
    code: 'USAGE_LIMIT_EXCEEDED',
    when: 'the plan allows no more',
    provoke: async () => {
      const { keys } = await running.newTenant('CORE');
      return request('POST /companies', { key: keys.owner, body: { name: 'Second' } });
    },
  },
  {
    status: 431,
    code: 'INVALID_REQUEST',
    when: 'the headers are too large',
    provoke: () => request('GET /invoices', { headers: { 'x-large': 'x'.repeat(20_000) } }),
  },
  {
    status: 500,
    code: 'PROCESSING_FAILED',
    when: 'a service answers with a malformed message',
    provoke: async () => {
      const address = await analysisThat(() => Promise.resolve({}));
      return (await gatewayWith({ ANALYSIS_ADDRESS: address })).request(`GET ${READ_INVOICE}`, { key });
    },
  },
  {
    status: 500,
    code: 'PROCESSING_FAILED',
    when: 'a service fails and tells why',
    provoke: async () => {
      const address = await analysisThat(() => Promise.reject(new Error(INSIDE)));
      return (await gatewayWith({ ANALYSIS_ADDRESS: address })).request(`GET ${READ_INVOICE}`, { key });
    },
  },
  {
    status: 503,
    code: 'PROCESSING_FAILED',
    when: 'the analysis service is unavailable',
    provoke: async () => {
      const api = await gatewayWith({ ANALYSIS_ADDRESS: CLOSED_ADDRESS });
      return api.request('POST /invoices', { key, body: invoice });
    },
  },
  {
    status: 503,
    code: 'PROCESSING_FAILED',
    when: 'the scan service is unavailable',
    provoke: async () => {
      const api = await gatewayWith({ SCAN_ADDRESS: CLOSED_ADDRESS });
      return api.request('POST /scans', { key, body: { rows: [plainRow(1)] } });
    },
  },
  {
    status: 503,
    code: 'PROCESSING_FAILED',
    when: 'the organization service is unavailable',
    provoke: async () => {
      const api = await gatewayWith({ ORGANIZATION_ADDRESS: CLOSED_ADDRESS });
      return api.request('GET /invoices', { key });
    },
  },
  {
    status: 503,
    code: 'PROCESSING_FAILED',
    when: 'the organization service accepts calls and never answers',
    provoke: async () => {
      const api = await gatewayWith({ ORGANIZATION_ADDRESS: await deafAddress() });
      return api.request('GET /invoices', { key });
    },
  },
  {
    status: 504,
    code: 'PROCESSING_FAILED',
    when: 'the analysis service accepts calls and never answers',
    provoke: async () => {
      const api = await gatewayWith({ ANALYSIS_ADDRESS: await deafAddress() });
      return api.request(`GET ${READ_INVOICE}`, { key });
    },
  },
  { status: 408, code: 'INVALID_REQUEST', when: 'the caller never ends the headers', provoke: () => slowCaller },
];

describe('the envelope', () => {
  test.each(cases)('comes with $status $code when $when', async ({ status, code, provoke }) => {
    const { status: answered, body } = await provoke();
    expect({ status: answered, code: body.error.code }).toEqual({ status, code });
    expect(body.error.message).not.toContain('hunter2');
  });

  test('has been seen with every code and every status that the gateway can give', () => {
    const numbers = (values: Iterable<number>) => [...new Set(values)].toSorted((left, right) => left - right);
    const codes = (values: Iterable<string>) =>
      [...new Set(values)].toSorted((left, right) => left.localeCompare(right));
    const rows = Object.values(errorTable);
    const possible = [...rows.map(({ http }) => http), 405, 408, 413, 414, 415, 431];
    expect(codes(cases.map(({ code }) => code))).toEqual(codes(rows.map(({ code }) => code)));
    expect(numbers([...cases.map(({ status }) => status), ...statusesNotYetPossible])).toEqual(numbers(possible));
    expect(cases.filter(({ status }) => statusesNotYetPossible.includes(status))).toEqual([]);
  });
});

describe('a service that comes back', () => {
  test('is used again without a restart of the gateway', async () => {
    const gone = () => Promise.reject(new DomainError('not_found', 'No such invoice.'));
    const { hostname, port } = new URL(`http://${await analysisThat(gone)}`);
    const proxy = await startTcpProxy({ serverHost: hostname, serverPort: Number(port) });
    stops.push(() => proxy.close());
    proxy.cut();
    const api = await gatewayWith({ ANALYSIS_ADDRESS: `127.0.0.1:${proxy.port}` });
    expect((await api.request(`GET ${READ_INVOICE}`, { key })).status).toBe(503);
    proxy.heal();
    await eventually(async () => expect((await api.request(`GET ${READ_INVOICE}`, { key })).status).toBe(404));
  });
});

describe('an address that tries unknown keys', () => {
  test('is refused with 429 after twenty, while a key that is known goes on', async () => {
    const api = await gatewayWith({});
    const read = (withKey: string) => api.request<ErrorBody>('GET /organizations/current', { key: withKey });
    expect((await read(key)).status).toBe(200);
    const guesses = Array.from({ length: 22 }, (_, index) =>
      formatApiKey('live', `${index}`.padStart(16, '0'), 'x'.repeat(43)),
    );
    const statuses: number[] = [];
    for (const guess of guesses) statuses.push((await read(guess)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), 429, 429]);
    expect((await read(key)).status).toBe(200);
  });
});

describe('the request id', () => {
  test.each(['a', 'A-b_c.9', 'x'.repeat(64)])('%s of the caller is used, in refusals too', async (requestId) => {
    expect((await request('GET /invoices', { key, requestId })).status).toBe(200);
    for (const target of ['GET /invoices', 'GET /nothing', 'PUT /invoices', `GET /invoices?x=${'x'.repeat(9_000)}`]) {
      const { body } = await request(target, { requestId });
      expect(body.error.request_id).toBe(requestId);
    }
    const { body } = await request('POST /invoices', { key, bytes: '{', requestId });
    expect(body.error.request_id).toBe(requestId);
  });

  test.each(['x'.repeat(65), 'a b', '<b>', 'a"b', 'a,b', '\u00e9', ' '])(
    '%j of the caller is replaced by a new id',
    async (requestId) => {
      const { body } = await request('GET /invoices', { headers: { 'x-request-id': requestId } });
      expect(body.error.request_id).toMatch(/^req_[0-9a-z]{26}$/);
    },
  );

  test('differs for every request', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => request('GET /invoices')));
    expect(new Set(answers.map(({ body }) => body.error.request_id)).size).toBe(20);
  });
});

describe('HEAD', () => {
  test('is refused like GET, without a body', async () => {
    const [head, get] = [await request('HEAD /invoices'), await request('GET /invoices')];
    expect([head.status, head.text]).toEqual([get.status, '']);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  });
});
