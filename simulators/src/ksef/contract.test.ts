import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { invoiceXml, SELLER, sendRequest, TestClient } from './testing.js';

type Json = Readonly<Record<string, unknown>>;
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}
interface Contract {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<string, { readonly requestBody?: Content; readonly responses: Readonly<Record<string, Content>> }>
      >
    >
  >;
  readonly components: Json;
}

/** The published contract of KSeF, with the paths that are used. */
const contract = JSON.parse(
  readFileSync(new URL('../../../docs/reference/ksef-openapi.json', import.meta.url), 'utf8'),
) as Contract;
// Formats of OpenAPI (int32, byte) are no formats of JSON Schema; what they say stands in patterns and lengths.
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(toJsonSchema({ $id: 'ksef', components: contract.components }) as Json);

let simulator: KsefSimulator;
let client: TestClient;
beforeAll(async () => {
  simulator = await startKsefSimulator();
  client = new TestClient(`${simulator.url}/test`, SELLER, 'token');
  await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: 'token' }], limitFactor: 0 });
  await client.control('PUT settings', { authPolls: 1, invoicePolls: 1, limitFactor: 0 });
});
afterAll(async () => simulator.stop());

/** Calls, and holds request and answer against the contract. */
async function checked(target: string, path: string, body?: Json, bearer?: string | null): Promise<Json> {
  const [method = ''] = target.split(' ');
  const operation = contract.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The contract has no ${method} ${path}.`);
  const requestSchema = operation.requestBody?.content?.['application/json']?.schema;
  if (body !== undefined) expect([target, faultsOf(requestSchema, body)]).toEqual([target, []]);
  const answer = await client.api(target, body, bearer);
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const response = operation.responses[String(answer.status)];
  if (response === undefined) throw new Error(`The contract has no ${answer.status} of ${target}.`);
  if (answer.text === '') {
    expect([target, response.content]).toEqual([target, undefined]);
    return {};
  }
  const schema = response.content?.[type]?.schema;
  if (type === 'application/xml') {
    expect(schema).toEqual({ type: 'string' });
    return {};
  }
  expect([target, answer.status, faultsOf(schema, JSON.parse(answer.text))]).toEqual([target, answer.status, []]);
  return JSON.parse(answer.text) as Json;
}

function faultsOf(schema: Json | undefined, value: unknown): readonly string[] {
  if (schema === undefined) return ['the contract has no such body'];
  const validate = ajv.compile(toJsonSchema(schema) as Json);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** `nullable` of OpenAPI 3.0 as JSON Schema says it, and references into the registered contract. */
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

test('requests and answers of the whole flow are those of the contract', async () => {
  await checked('GET security/public-key-certificates', '/security/public-key-certificates', undefined, null);
  const { challenge, timestampMs } = await checked('POST auth/challenge', '/auth/challenge', undefined, null);
  const { data, publicKeyId } = await client.encrypt(
    'KsefTokenEncryption',
    Buffer.from(`token|${String(timestampMs)}`),
  );
  const login = { challenge, contextIdentifier: { type: 'Nip', value: SELLER }, encryptedToken: data, publicKeyId };
  const begun = await checked('POST auth/ksef-token', '/auth/ksef-token', login, null);
  const { token } = begun['authenticationToken'] as { token: string };
  const status = `GET auth/${String(begun['referenceNumber'])}`;
  await checked(status, '/auth/{referenceNumber}', undefined, token);
  await checked(status, '/auth/{referenceNumber}', undefined, token);
  const tokens = await checked('POST auth/token/redeem', '/auth/token/redeem', undefined, token);
  const refreshToken = (tokens['refreshToken'] as { token: string }).token;
  const refreshed = await checked('POST auth/token/refresh', '/auth/token/refresh', undefined, refreshToken);
  client.accessToken = (refreshed['accessToken'] as { token: string }).token;

  const { body, key, iv } = await client.openRequest();
  const opened = await checked('POST sessions/online', '/sessions/online', body);
  const session = { reference: String(opened['referenceNumber']), key, iv };
  const sent = async (xml: string): Promise<string> => {
    const target = `POST sessions/online/${session.reference}/invoices`;
    const answer = await checked(target, '/sessions/online/{referenceNumber}/invoices', sendRequest(session, xml));
    return String(answer['referenceNumber']);
  };
  const accepted = await sent(invoiceXml({ number: 'CONTRACT/1' }));
  const duplicate = await sent(invoiceXml({ number: 'CONTRACT/1' }));
  const invalid = await sent('no invoice');
  const below = `GET sessions/${session.reference}`;
  const invoicePath = '/sessions/{referenceNumber}/invoices/{invoiceReferenceNumber}';
  const codes: unknown[] = [];
  for (const invoice of [accepted, accepted, duplicate, duplicate, invalid, invalid]) {
    const shown = await checked(`${below}/invoices/${invoice}`, invoicePath);
    codes.push((shown['status'] as { code: number }).code);
  }
  expect(codes).toEqual([100, 200, 100, 440, 100, 450]);
  await checked(`${below}/invoices?pageSize=10`, '/sessions/{referenceNumber}/invoices');
  await checked(`${below}/invoices/${accepted}/upo`, `${invoicePath}/upo`);
  await checked(below, '/sessions/{referenceNumber}');
  await checked(`POST sessions/online/${session.reference}/close`, '/sessions/online/{referenceNumber}/close');
  await checked(below, '/sessions/{referenceNumber}');
  const closed = await checked(below, '/sessions/{referenceNumber}');
  const [page] = (closed['upo'] as { pages: readonly { referenceNumber: string }[] }).pages;
  const upo = '/sessions/{referenceNumber}/upo/{upoReferenceNumber}';
  await checked(`${below}/upo/${page?.referenceNumber}`, upo);
  await checked('GET sessions?sessionType=Online&pageSize=10', '/sessions');
  const dateRange = { dateType: 'Invoicing', from: '2026-01-01T00:00:00Z' };
  const query = { subjectType: 'Subject1', dateRange };
  const found = await checked('POST invoices/query/metadata?pageSize=10', '/invoices/query/metadata', query);
  expect(found['invoices']).toMatchObject([{ invoiceNumber: 'CONTRACT/1', netAmount: 1666.66, vatAmount: 383.33 }]);
  const { ksefNumber } = (found['invoices'] as readonly { ksefNumber: string }[])[0] ?? { ksefNumber: '' };
  await checked(
    `${below}/invoices/ksef/${ksefNumber}/upo`,
    '/sessions/{referenceNumber}/invoices/ksef/{ksefNumber}/upo',
  );
  await checked('DELETE auth/sessions/current', '/auth/sessions/current');
});

test.each([
  ['POST sessions/online', '/sessions/online', { code: 21_405 }],
  ['GET sessions?sessionType=None', '/sessions', { code: 21_405 }],
  ['GET sessions/20261123-SO-0000000000-0000000000-00', '/sessions/{referenceNumber}', { code: 21_173 }],
])('the refusal of %s has the form of the contract', async (target, path, error) => {
  await client.login();
  expect((await checked(target, path))['errors']).toMatchObject([error]);
});

test('a call without a token is refused in the form of the contract', async () => {
  const refusal = await checked('GET sessions?sessionType=Online', '/sessions', undefined, null);
  expect(refusal).toMatchObject({ status: 401 });
});

test.each([
  ['THROTTLE', { retryAfter: 3 }, 429],
  ['PROBLEM', { status: 403, reasonCode: 'missing-permissions' }, 403],
])('%s answers in the form of the contract', async (kind, more, status) => {
  await client.login();
  await client.control('POST faults', { operation: 'S9', kind, ...more });
  expect(await checked('GET sessions?sessionType=Online', '/sessions')).toMatchObject({ status });
});

test('a refusal in the older form is that of the contract', async () => {
  const response = await fetch(`${simulator.url}/test/v2/auth/ksef-token`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  expect(response.status).toBe(400);
  const schema = contract.paths['/auth/ksef-token']?.['post']?.responses['400']?.content?.['application/json']?.schema;
  expect(faultsOf(schema, await response.json())).toEqual([]);
});

test('an answer that breaks the contract is found', () => {
  const schema = { $ref: '#/components/schemas/OpenOnlineSessionResponse' };
  expect(faultsOf(schema, { referenceNumber: 'short' })).toHaveLength(2);
});
