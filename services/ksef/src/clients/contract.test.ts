import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { Ajv } from 'ajv';
import { CallLimits } from '../application/call-limits.js';
import { createSessionKey, encryptDocument } from '../domain/encryption.js';
import { KsefRefusal } from '../domain/ksef-refusal.js';
import { encodeLoginCertificate, readLoginCertificate } from '../domain/login-certificate.js';
import { callScopesInMemory } from '../testing/call-scopes.js';
import { issueCertificate } from '../testing/certificates.js';
import { simulatorControl } from '../testing/simulator-control.js';
import { ksefClient } from './ksef.js';
import type { KsefClient } from './ksef.js';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Json;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Json;
}

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const contract = JSON.parse(
  readFileSync(new URL('../../../../docs/reference/ksef-openapi.json', import.meta.url), 'utf8'),
) as Contract;
// Formats of OpenAPI (int32, byte) are unknown in JSON Schema.
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(toJsonSchema({ $id: 'ksef', components: contract.components }) as Json);

const NIP = '5265877635';
const TOKEN = `20260101-EC-0123456789-0123456789-AB|nip-${NIP}|${'a1'.repeat(32)}`;
const SESSION = '20260101-SO-0000000000-0000000000-00';
const sent: Sent[] = [];
let simulator: KsefSimulator;
const control = simulatorControl(() => `${simulator.url}/test`);
let recorder: Server;
let client: KsefClient;
/** Response that replaces the response of the simulator. */
let rateLimits: Json | undefined;
let contextLimits: Json | undefined;
beforeAll(async () => {
  simulator = await startKsefSimulator();
  const settings = { authPolls: 1, limitFactor: 0 };
  await control('PUT', 'settings', settings);
  await control('PUT', `contexts/${NIP}`, { tokens: [{ token: TOKEN }] });
  recorder = createServer((request, response) => void forward(request, response));
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve));
  client = ksefClientOf();
});
afterAll(async () => {
  await client.close();
  recorder.closeAllConnections();
  await new Promise((resolve) => recorder.close(resolve));
  await simulator.stop();
});

function ksefClientOf(): KsefClient {
  const url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
  const logger = createLogger({ service: 'ksef', level: 'silent' });
  const requestMs = 10_000;
  const limits = new CallLimits({ store: callScopesInMemory(), factor: 100, requestMs, clock: systemClock, logger });
  const urls = { TEST: url, DEMO: url, PRODUCTION: url };
  return ksefClient({ urls, requestMs, waitFactor: 0.001, limits }, logger);
}

/** Records the request of the KSeF client and forwards it to the simulator. */
async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await buffer(request)).toString('utf8');
  const method = request.method ?? '';
  sent.push({ method, url: new URL(request.url ?? '', 'http://ksef'), headers: request.headers, body });
  const stated = new Map([
    ['/rate-limits', rateLimits],
    ['/limits/context', contextLimits],
  ]).get(request.url ?? '');
  if (stated !== undefined) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(stated));
    return;
  }
  const { authorization, 'content-type': contentType } = request.headers;
  const answer = await fetch(`${simulator.url}/test/v2${request.url}`, {
    method,
    headers: {
      'x-error-format': 'problem-details',
      ...(authorization === undefined ? {} : { authorization }),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === '' ? {} : { body }),
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

/** Lists the parts of the request that break the contract. */
function faultsOf({ method, url, headers, body }: Sent): readonly string[] {
  const found = Object.entries(contract.paths)
    .map(([path, operations]) => ({ path, operation: operations[method.toLowerCase()] }))
    .filter(({ path }) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(url.pathname))
    // Paths without a variable take precedence over paths with one.
    .sort((one, other) => one.path.split('{').length - other.path.split('{').length)[0];
  if (found?.operation === undefined) return [`${method} ${url.pathname} is no call`];
  const { parameters = [], requestBody } = found.operation;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const type = headers['content-type'] ?? 'application/json';
  const schema = requestBody?.content[type]?.schema;
  return [
    ...query
      .filter(({ name, required }) => required === true && !url.searchParams.has(name))
      .map(({ name }) => `${name} is missing`),
    ...[...url.searchParams].flatMap(([name, text]) => {
      const parameter = query.find((one) => one.name === name);
      if (parameter === undefined) return [`${name} is no parameter`];
      const value = parameter.schema['type'] === 'integer' ? Number(text) : text;
      return schemaFaults(parameter.schema, value).map((fault) => `${name}: ${fault}`);
    }),
    ...(schema === undefined && body !== '' ? ['a body that is not taken'] : []),
    ...(schema === undefined && headers['content-type'] !== undefined ? ['a content type without a body'] : []),
    ...(schema === undefined ? [] : schemaFaults(schema, type === 'application/xml' ? body : JSON.parse(body))),
  ];
}

function schemaFaults(schema: Json, value: unknown): readonly string[] {
  const validate = ajv.compile(toJsonSchema(schema) as Json);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Converts `nullable` of OpenAPI 3.0 to JSON Schema and resolves references to the registered contract. */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === '$ref' && typeof value === 'string' ? value.replace(/^#/, 'ksef#') : toJsonSchema(value),
    ]),
  );
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest;
}

test('every request is one of the contract of KSeF', async () => {
  const calls = client.callsOf({
    organizationId: 'o',
    connectionId: 'c',
    environment: 'TEST',
    contextNip: NIP,
    authentication: 'TOKEN',
    secret: TOKEN,
  });
  const key = createSessionKey();
  const { referenceNumber: session } = await calls.openSession(key);
  const { referenceNumber: invoice } = await calls.sendInvoice(session, encryptDocument(key, Buffer.from('<x/>')));
  await calls.invoiceStatus(session, invoice);
  await calls.sessionInvoices(session);
  await calls.sessionStatus(session);
  await calls.probePermission();
  await calls.findInvoice('5265877635-20250626-010080DD2B5E-26');
  await calls.closeSession(session);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const { referenceNumber: exported } = await calls.startExport(key, { role: 'SUBJECT2', from, to: undefined });
  await calls.startExport(key, { role: 'SUBJECT_AUTHORIZED', from, to: new Date().toISOString() });
  await calls.exportStatus(exported);
  // The KSeF session does not exist, but the test only looks at the request.
  await expect(calls.upo(session, SESSION)).rejects.toBeInstanceOf(KsefRefusal);
  await expect(calls.invoiceUpo(session, invoice)).rejects.toBeInstanceOf(KsefRefusal);
  await client.test({
    organizationId: 'o',
    connectionId: 'c',
    environment: 'TEST',
    contextNip: NIP,
    authentication: 'TOKEN',
    secret: TOKEN,
  });
  const login = readLoginCertificate(await issueCertificate(`${simulator.url}/test`, { nip: NIP }), new Date());
  await client.test({
    organizationId: 'o',
    connectionId: 'c',
    environment: 'TEST',
    contextNip: NIP,
    authentication: 'CERTIFICATE',
    secret: encodeLoginCertificate(login),
  });

  expect(sent.map((request) => [request.method, request.url.pathname, faultsOf(request)])).toEqual(
    sent.map((request) => [request.method, request.url.pathname, []]),
  );
  const bodies = sent.filter(({ body }) => body !== '').map(({ url }) => url.pathname.replace(session, '{session}'));
  expect(new Set(bodies)).toEqual(
    new Set([
      '/auth/ksef-token',
      '/auth/xades-signature',
      '/sessions/online',
      '/sessions/online/{session}/invoices',
      '/invoices/query/metadata',
      '/invoices/exports',
    ]),
  );
  expect(sent.map(({ url }) => url.pathname)).toEqual(
    expect.arrayContaining([
      '/rate-limits',
      '/limits/context',
      '/security/public-key-certificates',
      '/auth/token/redeem',
    ]),
  );
});

test('the limits that KSeF states are kept instead of the published ones', async () => {
  const group = (most: number): Json => ({ perSecond: most, perMinute: most, perHour: most });
  const { properties } = (contract.components['schemas'] as Record<string, { properties: Json }>)[
    'EffectiveApiRateLimits'
  ] ?? { properties: {} };
  rateLimits = Object.fromEntries(Object.keys(properties).map((name) => [name, group(name === 'sessionList' ? 3 : 9)]));
  const calls = client.callsOf({
    organizationId: 'o',
    connectionId: 'd',
    environment: 'DEMO',
    contextNip: NIP,
    authentication: 'TOKEN',
    secret: TOKEN,
  });
  const before = sent.length;
  await calls.openSession(createSessionKey());
  expect(sent.slice(before).map(({ url }) => url.pathname)).toContain('/rate-limits');
  // The limits apply with any factor of the client. The factor here is 100.
  for (let call = 1; call <= 3; call++) await calls.probePermission();
  const error = await calls.probePermission().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'TRANSIENT', code: 'KSEF_LIMIT' });
  expect((error as KsefRefusal).retryAfterMs).toBeGreaterThan(3_000_000);
});

test('what is beyond the limits that KSeF states for the context is refused before KSeF is called', async () => {
  const schemas = contract.components['schemas'] as Record<string, Json>;
  const state = (maxInvoiceSizeInMB: number, maxInvoices: number): void => {
    const session = { maxInvoiceSizeInMB, maxInvoiceWithAttachmentSizeInMB: 3, maxInvoices };
    contextLimits = { onlineSession: session, batchSession: session };
    expect(schemaFaults(schemas['EffectiveContextLimits'] ?? {}, contextLimits)).toEqual([]);
  };
  state(1, 1);
  const calls = client.callsOf({
    organizationId: 'o',
    connectionId: 'p',
    environment: 'PRODUCTION',
    contextNip: NIP,
    authentication: 'TOKEN',
    secret: TOKEN,
  });
  const key = createSessionKey();
  const { referenceNumber } = await calls.openSession(key);
  const document = { ...encryptDocument(key, Buffer.from('<x/>')), invoiceSize: 1_000_000 };
  // This call sends a document of the maximum size.
  await calls.sendInvoice(referenceNumber, document);
  const before = sent.length;
  const refused = calls.sendInvoice(referenceNumber, { ...document, invoiceSize: 1_000_001 });
  await expect(refused).rejects.toMatchObject({ kind: 'PERMANENT', code: 'KSEF_INVOICE_SIZE' });
  expect(sent.slice(before)).toEqual([]);

  state(1, 0);
  const other = ksefClientOf();
  const opening = other
    .callsOf({
      organizationId: 'o',
      connectionId: 'e',
      environment: 'TEST',
      contextNip: NIP,
      authentication: 'TOKEN',
      secret: TOKEN,
    })
    .openSession(createSessionKey());
  await expect(opening).rejects.toMatchObject({ kind: 'PERMANENT', code: 'KSEF_SESSION_INVOICES' });
  expect(sent.slice(before).map(({ url }) => url.pathname)).not.toContain('/sessions/online');
  await other.close();
});

test('a request that the contract does not have would be seen', () => {
  const headers = { 'content-type': 'application/json' };
  const request = (method: string, target: string, body = ''): Sent => ({
    method,
    url: new URL(target, 'http://ksef'),
    headers: body === '' ? {} : headers,
    body,
  });
  expect(faultsOf(request('POST', '/sessions/online', '{}'))).not.toEqual([]);
  expect(faultsOf(request('GET', '/sessions?pageSize=10'))).toEqual(['sessionType is missing']);
  expect(faultsOf(request('GET', '/sessions?sessionType=Online&pageSize=5'))).not.toEqual([]);
  expect(faultsOf(request('PATCH', '/sessions'))).not.toEqual([]);
});
