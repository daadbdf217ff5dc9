import { afterAll, beforeAll, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const admin = keyNamed('admin');
const unpaid = keyNamed('unpaid');
const RETURN_URL = 'https://app.example.com/erp?status=denied';
const page = {
  confirmation: 'flow.secret',
  workspaceName: '<script>alert(1)</script>',
  companyName: `"O'Neill" & Sons`,
  tenantName: 'x'.repeat(1_000),
  providerName: 'Xero',
  returnOrigin: 'https://app.example.com',
  actionPath: '/product/v1/erp-connections/oauth/callback/PROVIDER_D',
};

let gateway: RunningGateway;
const asked: unknown[] = [];
let outcome: unknown;
beforeAll(async () => {
  gateway = await startGateway({
    access: accessFor(
      new Map([
        [admin, principal({ role: 'ADMIN', scopes: ['erp:write'] })],
        [unpaid, principal({ role: 'ADMIN', scopes: ['erp:write'], hasActiveSubscription: false })],
      ]),
    ),
    erpOAuth: {
      startOAuth: async (request: unknown) => {
        asked.push(request);
        return { authorizeUrl: 'https://erp.example.com/consent' };
      },
      receiveCallback: async (request: unknown) => {
        asked.push(request);
        if (outcome instanceof Error) throw outcome;
        return { outcome };
      },
      decideConfirmation: async (request: unknown) => {
        asked.push(request);
        return { redirect: { url: RETURN_URL } };
      },
    },
  } as Parameters<typeof startGateway>[0]);
});
afterAll(() => gateway.stop());

const send = (target: string, init: RequestInit = {}): Promise<Response> => {
  const [method = '', path = ''] = target.split(' ');
  return fetch(`${gateway.origin}/v1/erp-connections/oauth${path}`, { method, redirect: 'manual', ...init });
};
const start = (key: string, body: object): Promise<Response> =>
  send('POST /start', {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const decide = (body: string, type = 'application/x-www-form-urlencoded', path = '/callback/PROVIDER_D') =>
  send(`POST ${path}`, { headers: { 'content-type': type }, body });

test('a consent begins for the organization of the key, within its plan', async () => {
  const answer = await start(admin, { provider: 'XERO', company_id: '0192A000-0000-7000-8000-00000000C002' });
  expect([answer.status, await answer.json()]).toEqual([200, { authorize_url: 'https://erp.example.com/consent' }]);
  expect(asked.at(-1)).toMatchObject({ provider: 'XERO', companyId: '0192a000-0000-7000-8000-00000000c002' });
});

test('a consent needs an active subscription', async () => {
  expect((await start(unpaid, { provider: 'XERO' })).status).toBe(403);
});

test('a callback hands on the query as it came, and the provider of its path', async () => {
  outcome = { $case: 'redirect', value: { url: RETURN_URL } };
  for (const [path, provider] of [
    ['/callback', undefined],
    ['/callback/PROVIDER_C', 'PROVIDER_C'],
    ['/callback/other', 'other'],
  ]) {
    const query = 'state=a.b&code=x%2By&code2=a+b&x=1?2';
    const answer = await send(`GET ${path}?${query}`);
    expect([answer.status, answer.headers.get('location'), await answer.text()]).toEqual([303, RETURN_URL, '']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(asked.at(-1)).toEqual({ provider, query });
  }
});

test('a repeated parameter is refused with the envelope before anything is asked', async () => {
  const before = asked.length;
  const answer = await send('GET /callback?state=a&state=b');
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'INVALID_REQUEST' } }]);
  expect(asked).toHaveLength(before);
});

test('HEAD uses no consent up', async () => {
  const before = asked.length;
  expect((await send('HEAD /callback?state=a&code=b')).status).toBe(400);
  expect(asked).toHaveLength(before);
});

test('the page of a confirmation has no script, shows names as text, and may be sent to us alone', async () => {
  outcome = { $case: 'confirmation', value: page };
  const answer = await send('GET /callback/PROVIDER_D?state=a&code=b');
  const html = await answer.text();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self' https:\/\/app\.example\.com; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(html).not.toMatch(/<script|javascript:|\son\w+=/i);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).toContain('&quot;O&#39;Neill&quot; &amp; Sons');
  expect(html).toContain(`${'x'.repeat(200)}…`);
  expect(html.match(/<form/g)).toHaveLength(1);
  expect(html).toContain('<form method="post" action="/product/v1/erp-connections/oauth/callback/PROVIDER_D">');
  expect(html).toContain('<input type="hidden" name="confirmation" value="flow.secret">');
  for (const decision of ['connect', 'cancel']) {
    expect(html).toContain(`<button type="submit" name="decision" value="${decision}">`);
  }
});

test('a decision is taken as a form, and redirects', async () => {
  const answer = await decide('confirmation=flow.secret&decision=connect');
  expect([answer.status, answer.headers.get('location')]).toEqual([303, RETURN_URL]);
  expect(asked.at(-1)).toEqual({ provider: 'PROVIDER_D', confirmation: 'flow.secret', decision: 'connect' });
});

test.each([
  ['another decision', 'confirmation=a&decision=maybe', undefined, 400],
  ['no confirmation', 'decision=connect', undefined, 400],
  ['another field', 'confirmation=a&decision=connect&x=1', undefined, 400],
  ['a field twice', 'confirmation=a&confirmation=b&decision=connect', undefined, 400],
  ['U+0000', 'confirmation=%00&decision=connect', undefined, 400],
  ['nothing', '', undefined, 400],
  ['JSON', '{"confirmation":"a","decision":"connect"}', 'application/json', 415],
  ['16 KiB', `confirmation=${'a'.repeat(16 * 1024 - 30)}&decision=connect`, undefined, 303],
  ['16 KiB and a byte', `confirmation=${'a'.repeat(16 * 1024 - 29)}&decision=connect`, undefined, 413],
])('a decision with %s gets its own status', async (_, body, type, status) => {
  const before = asked.length;
  const answer = await decide(body, type);
  expect(answer.status).toBe(status);
  expect(asked).toHaveLength(before + (status === 303 ? 1 : 0));
});

test('an address whose states were refused too often is refused at once', async () => {
  outcome = new DomainError('invalid', 'state: is missing.');
  const statuses = [];
  for (let count = 0; count < 25; count++) statuses.push((await send('GET /callback?state=forged')).status);
  expect(statuses[0]).toBe(400);
  expect(statuses.at(-1)).toBe(429);
});
