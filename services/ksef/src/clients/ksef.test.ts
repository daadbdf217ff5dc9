import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '@invoicecontrol/runtime/clock';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { CallLimits } from '../application/call-limits.js';
import type { KsefCalls, KsefCredentials } from '../application/ksef-calls.js';
import { createSessionKey, encryptDocument, sha256 } from '../domain/encryption.js';
import { KsefRefusal } from '../domain/ksef-refusal.js';
import { callScopesInMemory } from '../testing/call-scopes.js';
import { simulatorControl } from '../testing/simulator-control.js';
import { ksefClient } from './ksef.js';
import type { KsefClient } from './ksef.js';

const NIP = '5265877635';
const TOKEN = `20260101-EC-0123456789-0123456789-AB|nip-${NIP}|${'a1'.repeat(32)}`;
const credentials: KsefCredentials = {
  organizationId: 'o',
  connectionId: 'c',
  environment: 'TEST',
  contextNip: NIP,
  authentication: 'TOKEN',
  secret: TOKEN,
};

interface ControlAnswer {
  readonly items: readonly Logged[];
  readonly plaintextTokens: number;
}

interface Logged {
  readonly n: number;
  readonly operation: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | null;
}

let simulator: KsefSimulator;
const control = simulatorControl<ControlAnswer>(() => `${simulator.url}/test`);
let client: KsefClient;
let calls: KsefCalls;
const logLines: string[] = [];
const logger = createLogger({ service: 'ksef', level: 'debug', destination: { write: (line) => logLines.push(line) } });

beforeAll(async () => {
  simulator = await startKsefSimulator();
});
afterAll(async () => simulator.stop());

beforeEach(async () => {
  await control('DELETE', 'faults');
  await control('PUT', 'settings', {
    authPolls: 1,
    invoicePolls: 0,
    sessionPolls: 0,
    limitFactor: 0,
    systemWarning: null,
  });
  await control('PUT', `contexts/${NIP}`, { tokens: [{ token: TOKEN }] });
  client = open();
  calls = client.callsOf(credentials);
});
afterEach(async () => {
  await client.close();
});

function open({
  url = `${simulator.url}/test/v2`,
  requestMs = 5_000,
  limitFactor = 1_000,
  waitFactor = 0.001,
} = {}): KsefClient {
  const urls = { TEST: url, DEMO: url, PRODUCTION: url };
  const limits = new CallLimits({
    store: callScopesInMemory(),
    factor: limitFactor,
    requestMs,
    clock: systemClock,
    logger,
  });
  return ksefClient({ urls, requestMs, waitFactor, limits }, logger);
}

const fault = (operation: string, kind: string, more: object = {}): Promise<unknown> =>
  control('POST', 'faults', { operation, kind, ...more });

async function lastRequest(): Promise<number> {
  return (await control('GET', 'requests')).items.at(-1)?.n ?? 0;
}

async function operationsAfter(n: number): Promise<string[]> {
  return (await control('GET', `requests?after=${n}`)).items.map(({ operation }) => operation);
}

/**
 * Returns the refusal with which a KSeF call fails.
 * @throws any other error, and an error if the call succeeds
 */
const refusalOf = async (work: Promise<unknown>): Promise<KsefRefusal> => {
  const error = await work.then(
    () => new Error('The call was not refused.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof KsefRefusal) return error;
  throw error;
};

async function openedSession() {
  const key = createSessionKey();
  return { key, ...(await calls.openSession(key)) };
}

describe('the test of a connection', () => {
  test('authenticates, probes the permission and ends its session', async () => {
    const before = await lastRequest();
    await client.test(credentials);
    expect(await operationsAfter(before)).toEqual(['A2', 'A1', 'A3', 'A4', 'A4', 'A5', 'S9', 'A7']);
    expect((await control('GET', 'counters')).plaintextTokens).toBe(0);
  });

  test.each([415, 425, 450, 460, 470, 480])('reports status %d of the login as permanent', async (code) => {
    await fault('A4', 'AUTH_STATUS', { code, times: 0, details: [`Powód dla ${NIP}`] });
    const refusal = await refusalOf(client.test(credentials));
    expect(refusal).toMatchObject({ kind: 'PERMANENT', code: `KSEF_AUTH_${code}` });
    expect(refusal.message).not.toContain(NIP);
    expect(refusal.message).toContain('******7635');
  });

  test.each([500, 550, 999])('reports status %d of the login as transient', async (code) => {
    await fault('A4', 'AUTH_STATUS', { code, times: 0 });
    expect(await refusalOf(client.test(credentials))).toMatchObject({ kind: 'TRANSIENT', code: `KSEF_AUTH_${code}` });
  });

  test('gives up as transient when the login does not end', async () => {
    await control('PUT', 'settings', { authPolls: 1_000 });
    expect(await refusalOf(client.test(credentials))).toMatchObject({ kind: 'TRANSIENT', code: 'KSEF_AUTH_100' });
  });

  test.each(['Nieprawidłowe wyzwanie autoryzacyjne', 'Nieprawidłowy czas tokena', 'Nieprawidłowe szyfrowanie tokena'])(
    'repeats the login once after "%s"',
    async (detail) => {
      await fault('A4', 'AUTH_STATUS', { code: 450, details: [detail] });
      await client.test(credentials);
      await fault('A4', 'AUTH_STATUS', { code: 450, details: [detail], times: 0 });
      const before = await lastRequest();
      expect(await refusalOf(client.test(credentials))).toMatchObject({ kind: 'PERMANENT', code: 'KSEF_AUTH_450' });
      expect((await operationsAfter(before)).filter((operation) => operation === 'A3')).toHaveLength(2);
    },
  );

  test.each(['Nieprawidłowe wyzwanie autoryzacyjne', 'Nieprawidłowy czas tokena', 'Nieprawidłowe szyfrowanie tokena'])(
    'advises no new token after "%s"',
    async (detail) => {
      await fault('A4', 'AUTH_STATUS', { code: 450, details: [detail], times: 0 });
      const { message } = await refusalOf(client.test(credentials));
      expect(message).toMatch(/did not report that the token is wrong\. Test the connection again later/);
      expect(message).not.toMatch(/Create a new token/);
    },
  );

  test('advises a new token where KSeF says that this one is wrong', async () => {
    await fault('A4', 'AUTH_STATUS', { code: 450, details: ['Nieprawidłowy token'], times: 0 });
    expect((await refusalOf(client.test(credentials))).message).toContain('Create a new token');
  });

  const LOGIN_REFUSALS: readonly (readonly [string, string, object])[] = [
    ['A3', 'PROBLEM', { status: 400, code: 21_111 }],
    ['A3', 'PROBLEM', { status: 400, code: 21_470 }],
    ['A4', 'PROBLEM', { status: 400, code: 21_304 }],
    ['A4', 'PROBLEM', { status: 401 }],
    ['A4', 'PROBLEM', { status: 403, reasonCode: 'insufficient-resource-access' }],
    ['A4', 'PROBLEM', { status: 404 }],
    ['A4', 'PROBLEM', { status: 410 }],
    ['A5', 'PROBLEM', { status: 400, code: 21_301 }],
    ['A5', 'PROBLEM', { status: 400, code: 21_304 }],
    ['A5', 'UNAUTHORIZED', {}],
  ];
  test.each(LOGIN_REFUSALS)(
    'begins another login after %s %s %j, which says nothing about the token',
    async (operation, kind, more) => {
      await fault(operation, kind, more);
      await client.test(credentials);
      await fault(operation, kind, { ...more, times: 0 });
      const before = await lastRequest();
      expect(await refusalOf(client.test(credentials))).toMatchObject({ kind: 'TRANSIENT' });
      expect((await operationsAfter(before)).filter((name) => name === 'A2')).toHaveLength(2);
    },
  );

  test('begins another login where the first one was revoked', async () => {
    await fault('A4', 'AUTH_STATUS', { code: 425 });
    await expect(client.test(credentials)).resolves.toEqual({ isReadOnly: false });
  });

  test('does not repeat the login after a wrong token', async () => {
    const before = await lastRequest();
    const refusal = await refusalOf(client.test({ ...credentials, secret: 'not-a-token-of-this-system' }));
    expect(refusal).toMatchObject({ kind: 'PERMANENT', code: 'KSEF_AUTH_450' });
    expect((await operationsAfter(before)).filter((operation) => operation === 'A3')).toHaveLength(1);
  });

  test.each(['A3', 'S9'])('never shows the token that KSeF repeats in an error of %s', async (operation) => {
    const token = 'a token without any known form';
    await control('PUT', `contexts/${NIP}`, { tokens: [{ token }] });
    await fault(operation, 'PROBLEM', { status: 400, code: 21_405, details: [`${token} of ${NIP} at 10.1.2.3`] });
    const { kind, message } = await refusalOf(client.test({ ...credentials, secret: token }));
    expect({ kind, message }).toEqual({ kind: 'PERMANENT', message: expect.stringContaining('… of ******7635 at …') });
  });

  test('names the mistake when the token was made for another NIP', async () => {
    const refusal = await refusalOf(client.test({ ...credentials, contextNip: '1111111111' }));
    expect(refusal.message).toContain('a different NIP');
    expect(refusal.message).not.toContain('1111111111');
  });

  test('refuses a token that is too long to be encrypted, at n + 1', async () => {
    // The KSeF token, `|` and 13 digits of milliseconds have 190 bytes here, the maximum for a key of 2048 bits.
    const longest = await refusalOf(client.test({ ...credentials, secret: 'x'.repeat(176) }));
    expect(longest).toMatchObject({ kind: 'PERMANENT', code: 'KSEF_AUTH_450' });
    const tooLong = await refusalOf(client.test({ ...credentials, secret: 'x'.repeat(177) }));
    expect(tooLong).toMatchObject({ kind: 'PERMANENT', code: 'KSEF_TOKEN_TOO_LONG' });
    expect(tooLong.message).not.toContain('xxx');
  });

  const MISSING = { status: 403, reasonCode: 'missing-permissions' };

  test('finds a token that may only view invoices, and ends the session', async () => {
    await fault('S9', 'PROBLEM', MISSING);
    const before = await lastRequest();
    expect(await client.test(credentials)).toEqual({ isReadOnly: true });
    expect((await operationsAfter(before)).slice(-3)).toEqual(['S9', 'S10', 'A7']);
  });

  test('refuses a token that may neither issue nor view invoices, and ends the session', async () => {
    for (const operation of ['S9', 'S10']) await fault(operation, 'PROBLEM', MISSING);
    const before = await lastRequest();
    const refusal = await refusalOf(client.test(credentials));
    expect(refusal).toMatchObject({ kind: 'PERMANENT', concerns: 'CONNECTION', code: 'KSEF_HTTP_403' });
    expect((await operationsAfter(before)).at(-1)).toBe('A7');
  });

  test('refuses a call that KSeF refuses for another reason, without a further one', async () => {
    await fault('S9', 'PROBLEM', { status: 403, reasonCode: 'ip-not-allowed' });
    const before = await lastRequest();
    expect(await refusalOf(client.test(credentials))).toMatchObject({ concerns: 'CONNECTION', code: 'KSEF_HTTP_403' });
    expect((await operationsAfter(before)).slice(-2)).toEqual(['S9', 'A7']);
  });

  const ENDINGS: readonly (readonly [string, string, object])[] = [
    ['403 without a body', 'STATUS', { status: 403, body: '' }],
    ['403 in HTML', 'STATUS', { status: 403 }],
    ['403 with a reason', 'PROBLEM', { status: 403, reasonCode: 'missing-permissions' }],
    ['400 with a code', 'PROBLEM', { status: 400, code: 21_405 }],
    ['a block of the gateway', 'BLOCKED', {}],
    ['429', 'THROTTLE', { retryAfter: 0 }],
    ['503', 'STATUS', { status: 503 }],
    ['no answer', 'DROP', {}],
    ['a page', 'BODY', { body: '<html></html>', contentType: 'text/html' }],
  ];
  test.each(ENDINGS)('does not fail where the end of the login is answered with %s', async (_, kind, more) => {
    await fault('A7', kind, more);
    const before = logLines.length;
    await client.test(credentials);
    expect(logLines.slice(before).join('')).toContain('could not be revoked');
    for (const operation of ['S9', 'S10']) await fault(operation, 'PROBLEM', MISSING);
    await fault('A7', kind, more);
    expect(await refusalOf(client.test(credentials))).toMatchObject({ concerns: 'CONNECTION', code: 'KSEF_HTTP_403' });
  });

  test('ends without an effect on other calls where the end of the login is answered with 403 and nothing else', async () => {
    const own = open({ waitFactor: 1 });
    await fault('A7', 'STATUS', { status: 403, body: '' });
    await own.test(credentials);
    // A block would stop all calls of the context for half an hour.
    await expect(own.test(credentials)).resolves.toEqual({ isReadOnly: false });
    await own.close();
  });

  test.each(['A1', 'A2', 'A3', 'A4', 'A5', 'S9'])(
    'reports what is no answer of KSeF to %s as transient',
    async (operation) => {
      const faults: [string, object][] = [
        ['DROP', {}],
        ['LOSE_ANSWER', {}],
        ['STATUS', { status: 503 }],
        ['STATUS', { status: 302, headers: { location: `${simulator.url}/elsewhere` } }],
        ['STATUS', { status: 404, body: '' }],
        ['BODY', { body: '<html></html>', contentType: 'text/html' }],
        ['BLOCKED', {}],
        ['THROTTLE', { retryAfter: 0 }],
        ['STATUS', { status: 401, body: '', times: 0 }],
        ['STATUS', { status: 403, body: '' }],
        ['PROBLEM', { status: 403, reasonCode: 'a-reason-that-nobody-knows' }],
        ['PROBLEM', { status: 400, code: 29_999 }],
        ['PROBLEM', { status: 418 }],
        ['BODY', { body: '{"challenge":7,"status":[],"referenceNumber":{}}', contentType: 'application/json' }],
      ];
      for (const [kind, more] of faults) {
        const own = open();
        await fault(operation, kind, more);
        const refusal = await refusalOf(own.test(credentials));
        await own.close();
        await control('DELETE', 'faults');
        expect([kind, more, ['TRANSIENT', 'BLOCKED'].includes(refusal.kind)]).toEqual([kind, more, true]);
        expect(refusal.message).not.toMatch(/127\.0\.0\.1|http:/);
      }
    },
  );
});

describe('public keys', () => {
  test('are read again, and the call is repeated once, when KSeF withdraws one', async () => {
    await client.test(credentials);
    await control('POST', 'keys', { action: 'ROTATE' });
    await control('POST', 'keys', { action: 'WITHDRAW' });
    await client.test(credentials);
    await control('POST', 'keys', { action: 'ROTATE' });
    await control('POST', 'keys', { action: 'WITHDRAW' });
    await expect(openedSession()).resolves.toHaveProperty('referenceNumber');
  });

  test('are read again once only', async () => {
    await fault('S1', 'PROBLEM', { status: 400, code: 21_470, times: 0 });
    const before = await lastRequest();
    expect(await refusalOf(openedSession())).toMatchObject({ kind: 'PERMANENT', code: 'KSEF_API_21470' });
    expect((await operationsAfter(before)).filter((operation) => operation === 'S1')).toHaveLength(2);
  });
});

describe('access', () => {
  test('is obtained once for parallel calls of a connection', async () => {
    const before = await lastRequest();
    await Promise.all(Array.from({ length: 10 }, () => calls.probePermission()));
    expect((await operationsAfter(before)).filter((operation) => operation === 'A3')).toHaveLength(1);
  });

  test('is refreshed after a 401, then authenticated again once, then the call fails', async () => {
    await calls.probePermission();
    await fault('S9', 'UNAUTHORIZED', {});
    let before = await lastRequest();
    await calls.probePermission();
    expect(await operationsAfter(before)).toEqual(['S9', 'A6', 'S9']);
    await fault('S9', 'UNAUTHORIZED', { times: 0 });
    before = await lastRequest();
    expect(await refusalOf(calls.probePermission())).toMatchObject({ kind: 'PERMANENT', code: 'KSEF_HTTP_401' });
    expect((await operationsAfter(before)).filter((operation) => ['A6', 'A3', 'S9'].includes(operation))).toEqual([
      'S9',
      'A6',
      'S9',
      'A3',
      'S9',
    ]);
  });

  test.each([
    ['STATUS', { status: 401, body: '' }],
    ['PROBLEM', { status: 400, code: 21_301 }],
  ])('is obtained by a new login where refreshing it is answered with %s %j', async (kind, more) => {
    await calls.probePermission();
    await fault('S9', 'UNAUTHORIZED', {});
    await fault('A6', kind, more);
    const before = await lastRequest();
    await calls.probePermission();
    const renewals = (await operationsAfter(before)).filter((name) => ['S9', 'A6', 'A3'].includes(name));
    expect(renewals).toEqual(['S9', 'A6', 'A3', 'S9']);
  });

  test('is refreshed when the access token has ended at KSeF', async () => {
    await calls.probePermission();
    await control('POST', 'clock', { advanceSeconds: 3_600 });
    const before = await lastRequest();
    await calls.probePermission();
    expect(await operationsAfter(before)).toEqual(['S9', 'A6', 'S9']);
  });

  test('is obtained again with a rotated token', async () => {
    await calls.probePermission();
    const rotated = TOKEN.replace(/a1$/, 'b2');
    await control('PUT', `contexts/${NIP}`, { tokens: [{ token: rotated }] });
    const before = await lastRequest();
    await client.callsOf({ ...credentials, secret: rotated }).probePermission();
    expect(await operationsAfter(before)).toContain('A3');
  });
});

describe('a session', () => {
  test('takes a document, shows its status and hash, and confirms it', async () => {
    const { key, referenceNumber: session, validUntil } = await openedSession();
    expect(validUntil.getTime()).toBeGreaterThan(Date.now() + 11 * 3_600_000);
    const document = encryptDocument(key, Buffer.from('no invoice'));
    const { referenceNumber: invoice } = await calls.sendInvoice(session, document);
    const status = await calls.invoiceStatus(session, invoice);
    expect(status).toMatchObject({ invoiceHash: document.invoiceHash, status: { code: 450 }, ksefNumber: undefined });
    expect(await calls.sessionInvoices(session)).toMatchObject([
      { referenceNumber: invoice, invoiceHash: document.invoiceHash },
    ]);
    await calls.closeSession(session);
    expect((await calls.sessionStatus(session)).status.code).toBeGreaterThanOrEqual(170);
    expect(await refusalOf(calls.closeSession(session))).toMatchObject({ kind: 'SESSION', code: 'KSEF_API_21180' });
  });

  test('lists its documents without an entry that cannot be read', async () => {
    const invoiceHash = sha256(Buffer.from('a document'));
    const [referenceNumber, session] = ['20260314-EE-1A2B3C4D5E-6F7A8B9C0D-21', '20260314-SO-1A2B3C4D5E-6F7A8B9C0D-21'];
    const odd = [7, null, {}, { referenceNumber: '../x', invoiceHash }, { referenceNumber, invoiceHash: 7 }];
    const readable = { referenceNumber, invoiceHash, ksefNumber: 'not a number', status: { code: 'odd' } };
    const body = JSON.stringify({ invoices: [...odd, readable] });
    await fault('S4', 'BODY', { body, contentType: 'application/json' });
    expect(await calls.sessionInvoices(session)).toEqual([{ referenceNumber, invoiceHash, ksefNumber: undefined }]);
  });

  test('is announced before each request that opens it or sends in it, and nothing leaves where that fails', async () => {
    let told = 0;
    const beforeRequest = (): Promise<void> => Promise.resolve(void told++);
    const key = createSessionKey();
    await fault('S1', 'UNAUTHORIZED', {});
    const { referenceNumber } = await calls.openSession(key, { hasFreshKeys: false, beforeRequest });
    expect(told).toBe(2);
    const document = encryptDocument(key, Buffer.from('x'));
    const before = await lastRequest();
    const failing = { beforeRequest: () => Promise.reject(new Error('not stored')) };
    await expect(calls.sendInvoice(referenceNumber, document, failing)).rejects.toThrow('not stored');
    await expect(calls.openSession(key, { hasFreshKeys: false, ...failing })).rejects.toThrow('not stored');
    expect(await operationsAfter(before)).toEqual([]);
    await calls.sendInvoice(referenceNumber, document, { beforeRequest });
    expect([told, await operationsAfter(before)]).toEqual([3, ['S2']]);
  });

  test.each([21_155, 21_173, 21_180, 21_184])('is over for the caller after %d', async (code) => {
    const { key, referenceNumber } = await openedSession();
    await fault('S2', 'PROBLEM', { status: 400, code });
    const sending = calls.sendInvoice(referenceNumber, encryptDocument(key, Buffer.from('x')));
    expect(await refusalOf(sending)).toMatchObject({ kind: 'SESSION', code: `KSEF_API_${code}` });
  });

  test.each([21_402, 21_403, 21_405])('takes no document after %d: that is permanent', async (code) => {
    const { key, referenceNumber } = await openedSession();
    await fault('S2', 'PROBLEM', { status: 400, code });
    const sending = calls.sendInvoice(referenceNumber, encryptDocument(key, Buffer.from('x')));
    expect(await refusalOf(sending)).toMatchObject({ kind: 'PERMANENT', code: `KSEF_API_${code}` });
  });

  test('may have taken a document whose answer is lost, and sends it once only', async () => {
    for (const [kind, more] of [
      ['LOSE_ANSWER', {}],
      ['STATUS', { status: 504, processed: true }],
      ['STATUS', { status: 500 }],
      ['STATUS', { status: 401, body: '' }],
      ['BODY', { body: '<html>', contentType: 'text/html' }],
      ['PATCH', { patch: { referenceNumber: 7 } }],
    ] as const) {
      const { key, referenceNumber } = await openedSession();
      await fault('S2', kind, more);
      const before = await lastRequest();
      const sending = calls.sendInvoice(referenceNumber, encryptDocument(key, Buffer.from('x')));
      expect([kind, (await refusalOf(sending)).kind]).toEqual([kind, 'UNKNOWN']);
      expect(await operationsAfter(before)).toEqual(['S2']);
      await control('DELETE', 'faults');
    }
  });
});

describe('an error', () => {
  const problem = (code: number) => ({
    status: 400,
    title: 'Bad Request',
    errors: [{ code, description: 'Opis', details: ['Szczegół'] }],
  });
  const older = (code: number) => ({
    exception: { exceptionDetailList: [{ exceptionCode: code, exceptionDescription: 'Opis', details: ['Szczegół'] }] },
  });
  test.each([
    ['problem details', 400, problem(21_405), 'PERMANENT', 'KSEF_API_21405'],
    ['the older form', 400, older(21_405), 'PERMANENT', 'KSEF_API_21405'],
    ['problem details of a session', 400, problem(21_180), 'SESSION', 'KSEF_API_21180'],
    ['the older form of a session', 400, older(21_180), 'SESSION', 'KSEF_API_21180'],
    ['the older form of a 500', 500, older(500), 'TRANSIENT', 'KSEF_HTTP_500'],
    ['JSON of something else', 404, { message: 'no route' }, 'TRANSIENT', 'KSEF_HTTP_404'],
    ['an operation that is gone', 410, { status: 410, title: 'Gone', detail: 'Wygasła' }, 'PERMANENT', 'KSEF_HTTP_410'],
  ])('in %s is read', async (_, status, body, kind, code) => {
    await calls.probePermission();
    await fault('S6', 'BODY', { status, body: JSON.stringify(body), contentType: 'application/problem+json' });
    const refusal = await refusalOf(calls.sessionStatus('20260101-SO-0000000000-0000000000-00'));
    expect(refusal).toMatchObject({ kind, code, httpStatus: status });
    if (status === 400) expect(refusal.message).toContain('Opis Szczegół');
  });

  test.each([
    ['missing-permissions', 'PERMANENT'],
    ['ip-not-allowed', 'PERMANENT'],
    ['insufficient-resource-access', 'PERMANENT'],
    ['security-service-blocked', 'BLOCKED'],
    ['a-reason-that-nobody-knows', 'TRANSIENT'],
  ])('403 with the reason %s is %s', async (reasonCode, kind) => {
    await calls.probePermission();
    await fault('S6', 'PROBLEM', { status: 403, reasonCode });
    const refusal = await refusalOf(calls.sessionStatus('20260101-SO-0000000000-0000000000-00'));
    expect(refusal).toMatchObject({ kind, code: 'KSEF_HTTP_403' });
  });
});

describe('limits', () => {
  test('a 429 blocks the operation for the whole connection until Retry-After has passed', async () => {
    await calls.probePermission();
    await fault('S9', 'THROTTLE', { retryAfter: 600 });
    expect(await refusalOf(calls.probePermission())).toMatchObject({
      kind: 'TRANSIENT',
      code: 'KSEF_HTTP_429',
      retryAfterMs: 600_000,
    });
    const before = await lastRequest();
    const refusal = await refusalOf(client.callsOf({ ...credentials, connectionId: 'other' }).probePermission());
    expect(refusal).toMatchObject({ kind: 'TRANSIENT', code: 'KSEF_LIMIT' });
    expect(refusal.retryAfterMs).toBeGreaterThan(590_000);
    expect(await operationsAfter(before)).not.toContain('S9');
  });

  test('a block of the gateway asks for half an hour, times the factor', async () => {
    await calls.probePermission();
    await fault('S9', 'BLOCKED');
    expect(await refusalOf(calls.probePermission())).toMatchObject({ kind: 'BLOCKED', retryAfterMs: 1_800 });
  });

  test('a block is logged with the incident that the helpdesk asks for, a failure with its code', async () => {
    await calls.probePermission();
    const before = logLines.length;
    await fault('S9', 'STATUS', { status: 503 });
    await refusalOf(calls.probePermission());
    await fault('S9', 'BLOCKED');
    await refusalOf(calls.probePermission());
    const logged = logLines.slice(before).map((line) => JSON.parse(line) as unknown);
    expect(logged).toEqual([
      expect.objectContaining({ environment: 'TEST', operation: 'S9', code: 'KSEF_HTTP_503', kind: 'TRANSIENT' }),
      expect.objectContaining({ operation: 'S9', code: 'KSEF_HTTP_403', incidentId: expect.any(String) }),
    ]);
  });

  test('a limit of KSeF is no failure, and not logged', async () => {
    await calls.probePermission();
    const before = logLines.length;
    await fault('S9', 'THROTTLE', { retryAfter: 600 });
    await refusalOf(calls.probePermission());
    expect(logLines.slice(before)).toEqual([]);
  });

  test('our own calls stay within those that KSeF counts', async () => {
    await control('PUT', 'settings', { limitFactor: 1 });
    const own = open({ limitFactor: 1 });
    const before = await lastRequest();
    const ends = await Promise.allSettled(Array.from({ length: 12 }, () => own.callsOf(credentials).probePermission()));
    await own.close();
    const answered = (await control('GET', `requests?after=${before}`)).items.map(({ status }) => status);
    expect(answered).not.toContain(429);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });
});

test('a system warning is logged and fails nothing', async () => {
  await control('PUT', 'settings', { systemWarning: '[W1]: planned break' });
  await calls.probePermission();
  expect(logLines.join('')).toContain('[W1]: planned break');
});

test('a call without a body has no content type, and each says what it accepts', async () => {
  const before = await lastRequest();
  await client.test(credentials);
  for (const { operation, headers } of (await control('GET', `requests?after=${before}`)).items) {
    expect(headers).toMatchObject({
      'x-error-format': 'problem-details',
      accept: expect.stringContaining('application/json'),
    });
    expect([operation, headers['content-type']]).toEqual([
      operation,
      operation === 'A3' ? 'application/json' : undefined,
    ]);
  }
});

describe('a hostile answer', () => {
  const MIB = 1024 * 1024;
  test.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ['is larger than 4 MiB', (_, response) => json(response).end(`[${' '.repeat(5 * MIB)}]`)],
    ['drips', (_, response) => drip(json(response))],
    ['does not begin', () => {}],
    ['is no JSON', (_, response) => json(response).end('[')],
    ['has NUL and no type', (_, response) => response.end('\0\0')],
    ['has other types', (_, response) => json(response).end('[{"certificate":1}]')],
    ['is a page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['is empty', (_, response) => response.writeHead(404).end()],
    ['is an error of another shape', (_, response) => json(response, 400).end('{"errors":7,"exception":[null]}')],
  ])('that %s is a refusal within the deadline', async (_, answer) => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const own = open({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requestMs: 400 });
    const refusal = await refusalOf(own.callsOf(credentials).openSession(createSessionKey()));
    expect(refusal).toMatchObject({
      name: 'KsefRefusal',
      kind: 'TRANSIENT',
    });
    expect(refusal.message).not.toContain('127.0.0.1');
    await own.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('that cannot be reached is a refusal without the address', async () => {
    const own = open({ url: 'http://127.0.0.1:9' });
    expect(await refusalOf(own.callsOf(credentials).probePermission())).toMatchObject({
      kind: 'TRANSIENT',
      message: 'KSeF is unavailable.',
    });
    await own.close();
  });
});

test('no line of the log has a token, after all of the above', () => {
  expect(logLines.length).toBeGreaterThan(0);
  expect(logLines.join('')).not.toContain(TOKEN);
  expect(logLines.join('')).not.toMatch(/eyJ[\w-]+\./);
});

function json(response: ServerResponse, status = 200): ServerResponse {
  return response.writeHead(status, { 'content-type': 'application/json' });
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}
