import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { FRESH_MS } from '../../http/access/authenticate.js';
import { FAILURES_PER_MINUTE_MAX } from '../../http/limits/failure-bucket.js';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const key = keyNamed('owner');
const viewer = keyNamed('viewer');
const SESSION_ID = '0198a000-0000-7000-8000-00000000000e';
const USER_ID = '0198a000-0000-7000-8000-00000000000d';
const tokenOf = (letter: string) => `ics_${letter.repeat(43)}`;
const token = tokenOf('A');
const cookieOf = (value: string) => `__Host-ic_session=${value}`;

/** Time of the stopped clock. Each test moves it, so that failures of earlier tests do not count. */
let nowMs = Date.now();
const at = (ms: number) => new Date(nowMs + ms);
/** Sessions that the organization service accepts, by token. */
const sessions = new Map<string, ReturnType<typeof principal>>();
const ended: string[] = [];

/** True while the organization service cannot check sessions. */
let isOutage = false;

let gateway: RunningGateway;
beforeAll(async () => {
  const createdTime = new Date('2026-03-02T10:00:00.000Z');
  const session = {
    sessionId: SESSION_ID,
    apiKeyId: 'owner00000000000',
    userId: USER_ID,
    createdTime,
    lastSeenTime: createdTime,
    expiresTime: createdTime,
    idleExpiresTime: createdTime,
  };
  const access = accessFor(
    new Map([
      [key, principal()],
      [viewer, principal({ apiKeyId: 'viewer0000000000', role: 'VIEWER', scopes: ['payments:read'] })],
    ]),
    sessions,
  );
  gateway = await startGateway(
    {
      access: {
        ...access,
        authenticateSession: (request, context) =>
          isOutage
            ? Promise.reject(new DomainError('unavailable', 'Down.'))
            : access.authenticateSession(request, context),
      },
      sessions: {
        createSession: () => Promise.resolve({ session, token }),
        listSessions: () => Promise.resolve({ sessions: [session], nextPageToken: '' }),
        endSession: ({ sessionId }) => {
          if (sessionId === '') return Promise.reject(new DomainError('not_found', 'No such session.'));
          ended.push(sessionId);
          sessions.clear();
          return Promise.resolve({});
        },
        describeCaller: () =>
          Promise.resolve({
            organization: {
              organizationId: ORGANIZATION_ID,
              name: 'Acme',
              baseCurrency: 'EUR',
              referenceValidationMode: 'OFF',
              fourEyes: true,
              isTest: false,
              plan: 'SCALE',
              subscriptionStatus: 'active',
              createdTime,
            },
            apiKey: {
              apiKeyId: 'viewer0000000000',
              name: 'Desk',
              role: 'OWNER',
              scopes: ['*'],
              isTest: false,
              createdTime,
            },
            user: {
              userId: USER_ID,
              email: 'ann@example.com',
              name: 'Ann',
              role: 'VIEWER',
              status: 'ACTIVE',
              createdTime,
            },
            companies: [{ companyId: ORGANIZATION_ID, name: 'Acme GmbH', isDefault: true, createdTime }],
          }),
      },
    },
    { clock: { now: () => new Date(nowMs) } },
  );
});
afterAll(() => gateway.stop());
beforeEach(() => {
  nowMs += HOUR_MS;
  ended.length = 0;
  isOutage = false;
  sessions.clear();
  sessions.set(
    token,
    principal({
      session: { sessionId: SESSION_ID, expiresTime: at(12 * HOUR_MS), idleExpiresTime: at(30 * MINUTE_MS) },
    }),
  );
});

async function call(method: string, path: string, headers: Record<string, string>) {
  const response = await fetch(`${gateway.origin}/v1${path}`, { method, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** Headers that the browser sends with a request of our own page. */
const ownPage = (value = token) => ({
  cookie: cookieOf(value),
  'sec-fetch-site': 'same-origin',
  origin: gateway.origin,
});

describe('POST /sessions', () => {
  test('returns the session, and its token only in a cookie that scripts cannot read and other sites do not send', async () => {
    const answer = await call('POST', '/sessions', { authorization: `Bearer ${key}` });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: SESSION_ID,
      role: 'OWNER',
      userId: USER_ID,
      expiresAt: '2026-03-02T10:00:00.000Z',
      idleExpiresAt: '2026-03-02T10:00:00.000Z',
    });
    expect(answer.headers.get('set-cookie')).toBe(`${cookieOf(token)}; Path=/; Secure; HttpOnly; SameSite=Strict`);
    expect(answer.text).not.toContain(token);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('opens a session of the key and not of a cookie that comes along, so that nobody can fix a session', async () => {
    const answer = await call('POST', '/sessions', { ...ownPage(tokenOf('B')), authorization: `Bearer ${key}` });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('set-cookie')).toContain(token);
  });

  test('refuses a session in place of a key', async () => {
    expect((await call('POST', '/sessions', ownPage())).status).toBe(401);
  });

  test('answers 429 to an address that tries more keys than failed keys are allowed', async () => {
    const statuses: number[] = [];
    for (let count = 0; count <= FAILURES_PER_MINUTE_MAX; count += 1) {
      const headers = { authorization: `Bearer ${keyNamed(`guess${count}x`)}` };
      statuses.push((await call('POST', '/sessions', headers)).status);
    }
    expect(statuses.slice(0, FAILURES_PER_MINUTE_MAX)).toEqual(
      Array.from({ length: FAILURES_PER_MINUTE_MAX }, () => 401),
    );
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('a request with the cookie', () => {
  test('has the rights of the key of the session', async () => {
    expect((await call('GET', '/sessions', ownPage())).status).toBe(200);
    sessions.set(tokenOf('C'), principal({ role: 'VIEWER', scopes: ['organization:read'] }));
    expect((await call('GET', '/sessions', ownPage(tokenOf('C')))).status).toBe(403);
  });

  test('is refused from another site, from a browser that does not say where from, and typed into the address', async () => {
    for (const site of ['cross-site', 'same-site', 'none', undefined]) {
      for (const method of ['GET', 'DELETE']) {
        const path = method === 'GET' ? '/me' : '/sessions/current';
        const { 'sec-fetch-site': _, ...headers } = ownPage();
        const answer = await call(method, path, site === undefined ? headers : { ...headers, 'sec-fetch-site': site });
        expect({ site, method, status: answer.status }).toEqual({ site, method, status: 401 });
      }
    }
    expect(ended).toEqual([]);
  });

  test('that may change something is refused unless its origin is our own', async () => {
    const { origin: own, ...headers } = ownPage();
    const { port } = new URL(own);
    for (const origin of ['https://other.example', 'null', `http://127.0.0.1:${Number(port) + 1}`, `${own}.example`]) {
      expect((await call('DELETE', '/sessions/current', { ...headers, origin })).status).toBe(401);
    }
    expect((await call('DELETE', '/sessions/current', headers)).status).toBe(401);
    expect(ended).toEqual([]);
    expect((await call('GET', '/me', headers)).status).toBe(200);
  });

  test('and an Authorization header is authenticated by the header alone', async () => {
    expect((await call('GET', '/sessions', { ...ownPage(), authorization: `Bearer ${viewer}` })).status).toBe(403);
    expect((await call('GET', '/me', { ...ownPage(), authorization: 'Bearer wrong' })).status).toBe(401);
  });

  test.each([
    ['twice', `${cookieOf(token)}; ${cookieOf(tokenOf('B'))}`],
    ['without the prefix of its name', `ic_session=${token}`],
    ['with a token of another form', cookieOf(`${token}x`)],
  ])('%s is refused', async (_, cookie) => {
    expect((await call('GET', '/me', { ...ownPage(), cookie })).status).toBe(401);
  });

  test('beside cookies of other applications is accepted', async () => {
    const cookie = `a=1; ${cookieOf(token)}; b=${'x'.repeat(5_000)}`;
    expect((await call('GET', '/me', { ...ownPage(), cookie })).status).toBe(200);
  });

  test('of an unknown session counts as a failed key of its address', async () => {
    const statuses: number[] = [];
    for (let count = 0; count <= FAILURES_PER_MINUTE_MAX; count += 1) {
      statuses.push((await call('GET', '/me', ownPage(`ics_${String(count).padStart(43, 'x')}`))).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(FAILURES_PER_MINUTE_MAX);
    expect(statuses.at(-1)).toBe(429);
    expect((await call('GET', '/me', ownPage())).status).toBe(200);
  });

  test('is refused from the absolute end of the session on, although it is cached', async () => {
    sessions.set(
      token,
      principal({ session: { sessionId: SESSION_ID, expiresTime: at(1_000), idleExpiresTime: at(1_000) } }),
    );
    expect((await call('GET', '/me', ownPage())).status).toBe(200);
    nowMs += 999;
    expect((await call('GET', '/me', ownPage())).status).toBe(200);
    nowMs += 1;
    expect((await call('GET', '/me', ownPage())).status).toBe(401);
  });

  test('is refused at once when the broadcast names its key or its organization', async () => {
    for (const [letter, announce] of [
      ['D', () => gateway.authenticator.invalidateKeys([principal().apiKeyId])],
      ['E', () => gateway.authenticator.invalidateOrganization(ORGANIZATION_ID)],
    ] as const) {
      const own = tokenOf(letter);
      sessions.set(own, principal());
      expect((await call('GET', '/me', ownPage(own))).status).toBe(200);
      sessions.delete(own);
      announce();
      expect((await call('GET', '/me', ownPage(own))).status).toBe(401);
    }
  });

  test('gets 503 that names the session while sessions cannot be checked, and works again afterwards', async () => {
    isOutage = true;
    expect(await call('GET', '/me', ownPage(tokenOf('F')))).toMatchObject({
      status: 503,
      body: {
        error: { message: 'The session of the app cannot be checked right now. Retry the request in a moment.' },
      },
    });
    isOutage = false;
    sessions.set(tokenOf('F'), principal());
    expect((await call('GET', '/me', ownPage(tokenOf('F')))).status).toBe(200);
  });

  test('is refused five seconds after the organization service has ended the session', async () => {
    expect((await call('GET', '/me', ownPage())).status).toBe(200);
    sessions.clear();
    nowMs += FRESH_MS;
    expect((await call('GET', '/me', ownPage())).status).toBe(401);
  });
});

describe('DELETE /sessions/current', () => {
  test('ends the session at once in this gateway, and removes the cookie and what the browser kept', async () => {
    expect((await call('GET', '/me', ownPage())).status).toBe(200);
    const answer = await call('DELETE', '/sessions/current', ownPage());
    expect(answer.status).toBe(204);
    expect(ended).toEqual([SESSION_ID]);
    expect(answer.headers.get('set-cookie')).toBe(
      '__Host-ic_session=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
    );
    expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"');
    expect((await call('GET', '/me', ownPage())).status).toBe(401);
  });

  test('finds no session behind an API key', async () => {
    const answer = await call('DELETE', '/sessions/current', { authorization: `Bearer ${key}` });
    expect(answer).toMatchObject({ status: 404, body: { error: { message: 'No such session.' } } });
  });
});

describe('GET /me', () => {
  test('shows the organization, the member, the session and the rights of now, which are those of the principal', async () => {
    expect((await call('GET', '/me', { authorization: `Bearer ${viewer}` })).body).toEqual({
      organization: { id: ORGANIZATION_ID, name: 'Acme', plan: 'SCALE', baseCurrency: 'EUR' },
      key: { id: 'viewer0000000000', name: 'Desk', role: 'VIEWER', scopes: ['payments:read'], expiresAt: null },
      user: { id: USER_ID, name: 'Ann', email: 'ann@example.com' },
      session: null,
      companies: [{ id: ORGANIZATION_ID, name: 'Acme GmbH', isDefault: true }],
      features: { documents: true, webhooks: true, erp: true, ksef: true, billing: false },
    });
    expect((await call('GET', '/me', ownPage())).body['session']).toEqual({
      id: SESSION_ID,
      expiresAt: at(12 * HOUR_MS).toISOString(),
      idleExpiresAt: at(30 * MINUTE_MS).toISOString(),
    });
  });
});
