import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call } from '../erp/testing.js';
import { Faults } from './faults.js';
import { operationNames } from './operations.js';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { fa3Document, SELLER } from './fa3-document.js';
import { json, sendRequest, TestClient } from './testing.js';
import type { TestSession } from './testing.js';

let simulator: KsefSimulator;
let client: TestClient;
let session: TestSession;

beforeAll(async () => {
  simulator = await startKsefSimulator();
  client = new TestClient(`${simulator.url}/test`, SELLER, 'token');
  await client.control('PUT settings', { limitFactor: 0, authPolls: 0, invoicePolls: 0, sessionPolls: 0 });
  await client.control(`PUT contexts/${SELLER}`, { tokens: [{ token: 'token' }] });
  await client.login();
  session = await client.open();
});
beforeEach(async () => {
  await client.control('DELETE faults');
});
afterAll(async () => simulator.stop());

const REFERENCE = '20261123-SO-0000000000-0000000000-00';
/** A valid call for each operation of the simulator. */
const calls: Readonly<Record<(typeof operationNames)[number], string>> = {
  A1: 'GET security/public-key-certificates',
  A2: 'POST auth/challenge',
  A3: 'POST auth/ksef-token',
  A4: `GET auth/${REFERENCE}`,
  A5: 'POST auth/token/redeem',
  A6: 'POST auth/token/refresh',
  A7: 'DELETE auth/sessions/current',
  X1: 'POST auth/xades-signature',
  S1: 'POST sessions/online',
  S2: `POST sessions/online/${REFERENCE}/invoices`,
  S3: `GET sessions/${REFERENCE}/invoices/${REFERENCE}`,
  S4: `GET sessions/${REFERENCE}/invoices`,
  S5: `POST sessions/online/${REFERENCE}/close`,
  S6: `GET sessions/${REFERENCE}`,
  S7: `GET sessions/${REFERENCE}/upo/${REFERENCE}`,
  S8: `GET sessions/${REFERENCE}/invoices/${REFERENCE}/upo`,
  S9: 'GET sessions?sessionType=Online',
  S10: 'POST invoices/query/metadata',
  R1: 'POST invoices/exports',
  R2: `GET invoices/exports/${REFERENCE}`,
  // The address of the invoice package is next to the API, so the dots lead out of the path of the API.
  R3: `GET ../storage/${REFERENCE}/invoice-package/part`,
  R5: 'GET invoices/ksef/5265877635-20261123-000000000000-00',
};

describe('each operation', () => {
  test.each(operationNames)('%s takes the faults that name it', async (operation) => {
    const answer = await client.control('POST faults', { operation, kind: 'STATUS', status: 503 });
    expect((await client.api(calls[operation])).status).toBe(503);
    const { items } = json(await client.control('GET faults')) as { items: readonly { id: string; hits: number }[] };
    expect(items.find(({ id }) => id === json(answer)['id'])?.hits).toBe(1);
  });

  test.each(operationNames)('%s answers a body that it does not know with 2xx or 4xx', async (operation) => {
    const target = calls[operation];
    const bodies = target.startsWith('GET') ? [undefined] : [undefined, {}, [], 'text', 7, null, deep(500)];
    for (const body of bodies) {
      // The call A7 would end the login session of the client.
      const { status } = await client.api(target, body, operation === 'A7' ? 'unknown' : client.accessToken);
      expect([operation, status]).toEqual([operation, expect.any(Number)]);
      expect(status).toBeLessThan(500);
    }
  });
});

describe('control routes', () => {
  test.each([
    ['PUT contexts/123', { tokens: [] }],
    ['PUT contexts/__proto__', { tokens: [] }],
    [`PUT contexts/${SELLER}`, {}],
    [`PUT contexts/${SELLER}`, { tokens: [{ token: '' }] }],
    [`PUT contexts/${SELLER}`, { tokens: [{ token: 'x', state: 'GONE' }] }],
    [`PUT contexts/${SELLER}`, { tokens: [], grants: ['all'] }],
    [`PUT contexts/${SELLER}`, { tokens: [], limitFactor: -1 }],
    ['POST faults', null],
    ['POST faults', []],
    ['POST faults', { operation: 'S1', kind: 'constructor' }],
    ['POST faults', { operation: 'S1', kind: 'STATUS', status: 99 }],
    ['POST faults', { operation: 'S1', kind: 'STATUS', status: 503, headers: { 'a b': 'x' } }],
    ['POST faults', { operation: 'S1', kind: 'STATUS', status: 503, headers: { a: 'x\r\ny' } }],
    ['POST faults', { operation: 'S1', kind: 'STATUS', status: 503, contentType: 'a\nb' }],
    ['POST faults', { operation: 'S1', kind: 'BODY', body: '', contentType: '\u0000' }],
    ['POST faults', { operation: 'S1', kind: 'THROTTLE', retryAfter: '1\r\n' }],
    ['POST faults', { operation: 'S1', kind: 'HANG', seconds: 3_601 }],
    ['PUT settings', { invoicePolls: -1 }],
    ['PUT settings', { exportInvoicesMax: 0 }],
    ['PUT settings', { exportInvoicesMax: 10_001 }],
    ['PUT settings', { partBytesMax: 0 }],
    ['PUT settings', { partBytesMax: 50_000_001 }],
    ['PUT settings', { highWaterLagSeconds: -1 }],
    ['PUT settings', { systemWarning: 'zażółć' }],
    ['PUT settings', { systemWarning: 'a\nb' }],
    ['PUT settings', { unknown: 1 }],
    ['POST clock', { advanceSeconds: -1 }],
    ['POST clock', { advanceSeconds: 1e12 }],
    ['POST keys', { action: 'DELETE' }],
    ['POST invoices', { context: SELLER, sellerNip: SELLER, number: 'a\u0001b' }],
    ['POST invoices', { context: SELLER, sellerNip: SELLER, number: 'n', invoiceHash: 'short' }],
    ['POST invoices', { sellerNip: SELLER }],
    ['POST invoices', { number: 'n' }],
    ['POST invoices', { xml: 'no XML', number: 'n' }],
    ['POST invoices', { sellerNip: SELLER, number: 'n', count: 10_001 }],
    ['POST invoices', { sellerNip: SELLER, number: 'n', count: 2, xml: '<a/>' }],
    ['POST invoices', { sellerNip: SELLER, number: 'n', buyerNip: '1' }],
    ['POST invoices', { sellerNip: SELLER, number: 'n', storedSecondsAgo: -1 }],
    ['POST faults', { operation: 'R1', kind: 'ZIP_BOMB', bytes: 0 }],
    ['POST faults', { operation: 'R1', kind: 'EXTRA_FILE', name: '../a.xml' }],
    ['POST faults', { operation: 'R2', kind: 'PART_HASH', member: 'url' }],
    ['POST faults', { operation: 'R2', kind: 'FOREIGN_LINK', origin: 'nowhere' }],
    ['GET requests?after=x', undefined],
  ])('refuse %s with %j, and change nothing', async (target, body) => {
    const before = [await client.control('GET faults'), await client.control('GET counters')].map(({ text }) => text);
    const answer = await client.control(target, body);
    expect(answer.status).toBe(400);
    expect(json(answer)['error']).toEqual(expect.any(String));
    const after = [await client.control('GET faults'), await client.control('GET counters')].map(({ text }) => text);
    expect(after).toEqual(before);
    expect((await client.api(calls.S9)).status).toBe(200);
  });

  test('refuse a body that is no JSON, and a route that does not exist', async () => {
    const response = await fetch(`${simulator.url}/test/control/settings`, { method: 'PUT', body: '{' });
    expect(response.status).toBe(400);
    expect((await client.control('GET constructor')).status).toBe(404);
    expect((await call(`GET ${simulator.url}/__proto__/v2/sessions`)).status).toBe(404);
  });

  test('do not take time beyond twenty years in all', async () => {
    const other = new TestClient(`${simulator.url}/demo`, SELLER, 'token');
    expect((await other.control('POST clock', { advanceSeconds: 20 * 366 * 86_400 })).status).toBe(200);
    expect((await other.control('POST clock', { advanceSeconds: 1 })).status).toBe(400);
  });
});

test('keeps at most 1,000 faults', () => {
  const faults = new Faults();
  const spec = { operation: 'S1', kind: 'DROP', times: 1, skip: 0 } as const;
  for (let n = 0; n < 1_000; n++) expect(faults.add(spec)).toEqual(expect.any(String));
  expect(faults.add(spec)).toBeUndefined();
  faults.removeAll();
  expect(faults.add(spec)).toEqual(expect.any(String));
});

test.each(['__proto__', 'constructor', 'toString'])('counts sends whose hash is %s', async (invoiceHash) => {
  const refused = await client.send(session, fa3Document({ number: 'n' }), { invoiceHash });
  expect(refused.status).toBe(400);
  const { sends } = JSON.parse((await client.control(`GET counters?context=${SELLER}`)).text) as {
    sends: Readonly<Record<string, unknown>>;
  };
  expect(Object.entries(sends)).toContainEqual([invoiceHash, 1]);
});

test.each([
  ['an entity bomb', entityBomb()],
  ['an entity of a file', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>'],
  ['elements that are nested deeply', `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`],
  ['no bytes of text', Buffer.alloc(5_000, 0xff)],
])('a document with %s is refused with its code', async (_, document) => {
  const { status } = await client.sendAndWait(session, document);
  expect([430, 450]).toContain((status as { code: number }).code);
});

test('content that cannot be decrypted ends with 435', async () => {
  const other = { ...session, key: Buffer.alloc(32, 7) };
  const answer = await client.api(
    `POST sessions/online/${session.reference}/invoices`,
    sendRequest(other, fa3Document({ number: 'n' })),
  );
  const ended = await client.waitFor(session, String(json(answer)['referenceNumber']));
  // One in 256 wrong keys gives a padding that looks correct. In this case, the wrong hash and size show the fault,
  // with status 430.
  expect([435, 430]).toContain((ended['status'] as { code: number }).code);
});

test.each([
  'GET /%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'GET // HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
  'POST /test/v2/auth/challenge HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{',
  'not HTTP\r\n\r\n',
])('survives the bytes %j', async (bytes) => {
  const { hostname, port } = new URL(simulator.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end(bytes);
  socket.resume();
  await once(socket, 'close');
  expect((await client.api(calls.A1)).status).toBe(200);
});

/** Returns a JSON body in which the given number of levels are nested. */
function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

function entityBomb(): string {
  const entities = Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('');
  return `<!DOCTYPE a [<!ENTITY e0 "e">${entities}]><a>&e12;</a>`;
}
