import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildUnsignedAuthTokenRequestXml, SignatureService } from 'ksef-client-ts';
import { call as send } from '../erp/testing.js';
import { ContractClient, contractOperations, faultsOfAnswer } from './contract-client.js';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { BUYER, fa3Document, SELLER } from './fa3-document.js';
import { json, sendRequest } from './testing.js';

type Json = Readonly<Record<string, unknown>>;

const UNKNOWN = '20261123-SO-0000000000-0000000000-00';

let simulator: KsefSimulator;
let client: ContractClient;
beforeAll(async () => {
  simulator = await startKsefSimulator();
  client = new ContractClient(`${simulator.url}/test`, SELLER, 'token');
  await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: 'token' }], limitFactor: 0 });
  await client.control('PUT settings', { authPolls: 1, invoicePolls: 1, limitFactor: 0 });
});
afterAll(async () => simulator.stop());

/** Calls the simulator with a client that fails if the contract is broken. */
const call = async (target: string, body?: Json, bearer?: string | null): Promise<Json> => {
  const answer = await client.api(target, body, bearer);
  return answer.text.startsWith('{') ? json(answer) : {};
};

test('requests and answers of the whole flow are those of the contract', async () => {
  await call('GET security/public-key-certificates', undefined, null);
  const { challenge, timestampMs } = await call('POST auth/challenge', undefined, null);
  const { data, publicKeyId } = await client.encrypt(
    'KsefTokenEncryption',
    Buffer.from(`token|${String(timestampMs)}`),
  );
  const login = { challenge, contextIdentifier: { type: 'Nip', value: SELLER }, encryptedToken: data, publicKeyId };
  const begun = await call('POST auth/ksef-token', login, null);
  const { token } = begun['authenticationToken'] as { token: string };
  const status = `GET auth/${String(begun['referenceNumber'])}`;
  await call(status, undefined, token);
  await call(status, undefined, token);
  const tokens = await call('POST auth/token/redeem', undefined, token);
  const refreshToken = (tokens['refreshToken'] as { token: string }).token;
  const refreshed = await call('POST auth/token/refresh', undefined, refreshToken);
  client.accessToken = (refreshed['accessToken'] as { token: string }).token;

  const certified = json(await client.control('POST certificates', { nip: SELLER }));
  const { challenge: toSign } = await call('POST auth/challenge', undefined, null);
  const unsigned = buildUnsignedAuthTokenRequestXml({
    challenge: String(toSign),
    contextIdentifier: { type: 'Nip', value: SELLER },
  });
  const signed = SignatureService.sign(unsigned, String(certified['certificate']), String(certified['privateKey']));
  await client.api('POST auth/xades-signature', signed, null);

  const { body, key, iv } = await client.openRequest();
  const opened = await call('POST sessions/online', body);
  const session = { reference: String(opened['referenceNumber']), key, iv };
  const sent = async (xml: string): Promise<string> => {
    const target = `POST sessions/online/${session.reference}/invoices`;
    const answer = await call(target, sendRequest(session, xml));
    return String(answer['referenceNumber']);
  };
  const accepted = await sent(fa3Document({ number: 'CONTRACT/1' }));
  const duplicate = await sent(fa3Document({ number: 'CONTRACT/1' }));
  const invalid = await sent('no invoice');
  const below = `GET sessions/${session.reference}`;
  const codes: unknown[] = [];
  for (const invoice of [accepted, accepted, duplicate, duplicate, invalid, invalid]) {
    const shown = await call(`${below}/invoices/${invoice}`);
    codes.push((shown['status'] as { code: number }).code);
  }
  expect(codes).toEqual([100, 200, 100, 440, 100, 450]);
  await call(`${below}/invoices?pageSize=10`);
  await call(`${below}/invoices/${accepted}/upo`);
  await call(below);
  await call(`POST sessions/online/${session.reference}/close`);
  await call(below);
  const closed = await call(below);
  const [page] = (closed['upo'] as { pages: readonly { referenceNumber: string }[] }).pages;
  await call(`${below}/upo/${page?.referenceNumber}`);
  await call('GET sessions?sessionType=Online&pageSize=10');
  const dateRange = { dateType: 'Invoicing', from: new Date(Date.now() - 3_600_000).toISOString() };
  const query = { subjectType: 'Subject1', dateRange };
  const found = await call('POST invoices/query/metadata?pageSize=10', query);
  expect(found['invoices']).toMatchObject([{ invoiceNumber: 'CONTRACT/1', netAmount: 1666.66, vatAmount: 383.33 }]);
  const { ksefNumber } = (found['invoices'] as readonly { ksefNumber: string }[])[0] ?? { ksefNumber: '' };
  await call(`${below}/invoices/ksef/${ksefNumber}/upo`);
  await client.control('POST clock', { advanceSeconds: 2 });
  const filters = { ...query, dateRange: { ...dateRange, dateType: 'PermanentStorage' } };
  const { referenceNumber: exported } = await call('POST invoices/exports', {
    encryption: body['encryption'],
    filters,
  });
  const exports: unknown[] = [];
  for (let polls = 0; polls < 2; polls++) exports.push(await call(`GET invoices/exports/${String(exported)}`));
  expect(exports).toMatchObject([{ status: { code: 100 } }, { status: { code: 200 }, package: { invoiceCount: 1 } }]);
  await call(`GET invoices/ksef/${ksefNumber}`);
  await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: 'token' }], limitFactor: 0.5 });
  expect(await call('GET rate-limits')).toMatchObject({
    onlineSession: { perSecond: 5, perMinute: 15, perHour: 60 },
    onlineSessionClose: { perSecond: 10, perMinute: 30, perHour: 120 },
    invoiceMetadata: { perSecond: 4, perMinute: 8, perHour: 10 },
    invoiceExport: { perSecond: 4, perMinute: 8, perHour: 10 },
    invoiceExportStatus: { perSecond: 5, perMinute: 30, perHour: 300 },
    invoiceDownload: { perSecond: 4, perMinute: 8, perHour: 32 },
  });
  expect(await call('GET limits/context')).toMatchObject({
    onlineSession: { maxInvoiceSizeInMB: 1, maxInvoices: 10_000 },
  });
  await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: 'token' }], limitFactor: 0 });
  await call('DELETE auth/sessions/current');
  expect([...client.succeeded].sort()).toEqual(contractOperations().toSorted());
});

test.each([
  ['POST sessions/online', 21_405],
  ['GET sessions?sessionType=None', 21_405],
  [`GET sessions/${UNKNOWN}`, 21_173],
  [`POST sessions/online/${UNKNOWN}/close`, 21_173],
  [`GET sessions/${UNKNOWN}/upo/${UNKNOWN}`, 21_173],
  ['POST auth/token/redeem', 401],
  ['POST invoices/query/metadata', 21_405],
  ['POST invoices/exports', 21_405],
  ['GET invoices/exports/20261123-EH-0000000000-0000000000-00', 21_175],
  ['GET invoices/ksef/5265877635-20261123-000000000000-00', 21_164],
])('the refusal of %s has the form of the contract', async (target, code) => {
  await client.login();
  expect(JSON.stringify(await call(target))).toContain(String(code));
});

test('what belongs to another context is refused in the form of the contract', async () => {
  await client.login();
  const session = await client.open();
  await client.control(`PUT contexts/${BUYER}`, { tokens: [{ token: 'of the buyer' }], limitFactor: 0 });
  const other = new ContractClient(`${simulator.url}/test`, BUYER, 'of the buyer');
  await other.login();
  const refused = await other.api(`GET sessions/${session.reference}`);
  expect([refused.status, json(refused)['reasonCode']]).toEqual([403, 'insufficient-resource-access']);
});

test.each(['sessions?sessionType=Online', 'rate-limits', 'limits/context'])(
  'GET %s without a token is refused in the form of the contract',
  async (target) => {
    expect(await call(`GET ${target}`, undefined, null)).toMatchObject({ status: 401 });
  },
);

test.each([
  ['THROTTLE', { retryAfter: 3 }, 429],
  ['PROBLEM', { status: 403, reasonCode: 'missing-permissions' }, 403],
])('%s answers in the form of the contract', async (kind, more, status) => {
  await client.login();
  await client.control('POST faults', { operation: 'S9', kind, ...more });
  expect(await call('GET sessions?sessionType=Online')).toMatchObject({ status });
});

test('a refusal in the older form is that of the contract', async () => {
  const refused = await send(`POST ${simulator.url}/test/v2/auth/ksef-token`, {});
  expect(refused.status).toBe(400);
  expect(refused.headers.get('content-type')).toContain('application/json');
  expect(faultsOfAnswer('POST auth/ksef-token', refused)).toEqual([]);
});

test('an answer that breaks the contract is found', async () => {
  await client.login();
  const patch = { referenceNumber: 'short', validUntil: 7 };
  await client.control('POST faults', { operation: 'S1', kind: 'PATCH', patch });
  await expect(client.open()).rejects.toThrow(
    /The response 201 to POST \/sessions\/online breaks the contract: \/referenceNumber/,
  );
  await client.control('POST faults', { operation: 'S9', kind: 'STATUS', status: 418 });
  await expect(call('GET sessions?sessionType=Online')).rejects.toThrow('the contract has no status 418');
});
