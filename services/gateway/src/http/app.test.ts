import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { notFound } from '@invoicecontrol/errors';
import { createLogger } from '@invoicecontrol/runtime/logger';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { accessFor, keyNamed, principal } from '../testing/fakes.js';
import { startGateway } from '../testing/running-gateway.js';
import type { GatewayOptions, RunningGateway } from '../testing/running-gateway.js';

const key = keyNamed('owner');
const access = accessFor(new Map([[key, principal()]]));
const withKey = { headers: { authorization: `Bearer ${key}` } };

const started: RunningGateway[] = [];
/** Function that is called when a request has reached the fake service, which never responds. */
let reached = (): void => {};
async function start(options: GatewayOptions = {}): Promise<RunningGateway> {
  const getOrganization = (): Promise<never> => {
    reached();
    return new Promise(() => {});
  };
  const gateway = await startGateway({ access, organizations: { getOrganization } }, options);
  started.push(gateway);
  return gateway;
}
afterEach(() => Promise.all(started.splice(0).map((gateway) => gateway.stop())));

describe('besides the routes, the app', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway({});
  });
  afterAll(() => gateway.stop());

  test('/livez and /readyz answer without a key, and ready turns false when the gateway stops', async () => {
    expect((await fetch(`${gateway.origin}/livez`)).status).toBe(200);
    expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(200);
    gateway.readiness.isReady = false;
    const stopping = await fetch(`${gateway.origin}/readyz`);
    expect(stopping.status).toBe(503);
    expect(stopping.headers.get('connection')).toBe('close');
    expect((await fetch(`${gateway.origin}/livez`)).status).toBe(200);
    gateway.readiness.isReady = true;
  });

  test('/openapi.json is the description of the routes', async () => {
    const response = await fetch(`${gateway.origin}/openapi.json`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(((await response.json()) as { openapi: string }).openapi).toBe('3.1.0');
  });

  test('/openapi-without-webhooks.json is the description for generators that do not support webhooks', async () => {
    const read = async (path: string) =>
      (await (await fetch(`${gateway.origin}${path}`)).json()) as { webhooks?: object; paths: object };
    const whole = await read('/openapi.json');
    const { webhooks, paths } = await read('/openapi-without-webhooks.json');
    expect([webhooks, paths]).toEqual([undefined, whole.paths]);
  });

  test('/ leads to /docs', async () => {
    const response = await fetch(`${gateway.origin}/`, { redirect: 'manual' });
    expect({ status: response.status, location: response.headers.get('location') }).toEqual({
      status: 302,
      location: '/docs',
    });
  });

  test('every other method is 405', async () => {
    const response = await fetch(`${gateway.origin}/docs`, { method: 'POST' });
    expect({ status: response.status, allow: response.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'GET, HEAD',
    });
  });
});

describe('the service behind', () => {
  /** Returns the context of a request that came through a proxy. */
  async function contextWith(trustedProxyHops: number): Promise<RequestContext> {
    let told: RequestContext | undefined;
    const getOrganization = (_: unknown, context: RequestContext): Promise<never> => {
      told = context;
      return Promise.reject(notFound('organization'));
    };
    const gateway = await startGateway({ access, organizations: { getOrganization } }, { trustedProxyHops });
    started.push(gateway);
    const headers = {
      ...withKey.headers,
      'x-request-id': 'req-told',
      'x-forwarded-for': '203.0.113.9, 198.51.100.7',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    await fetch(`${gateway.origin}/v1/organizations/current`, { headers });
    if (told === undefined) throw new Error('Nobody was asked.');
    return told;
  }

  test('learns who asks, under which id, in which trace and from where', async () => {
    expect(await contextWith(0)).toMatchObject({
      requestId: 'req-told',
      actor: { type: 'API_KEY', id: principal().apiKeyId },
      ip: '127.0.0.1',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    });
  });

  test('learns the address that the trusted proxies saw, not the one that the caller claims', async () => {
    expect((await contextWith(1)).ip).toBe('198.51.100.7');
    expect((await contextWith(2)).ip).toBe('203.0.113.9');
  });
});

describe('rate limits', () => {
  test('show the limits of a caller, and 429 when the limit is reached', async () => {
    const gateway = await startGateway(
      {
        access: {
          ...access,
          reserveRequests: ({ policies }) =>
            Promise.resolve({
              reservations: policies.map(({ policy }) =>
                policy === 'writes'
                  ? { granted: 0, remaining: 0, windowRemainingMs: 30_000, retryAfterMs: 20_000 }
                  : { granted: 10, remaining: 90, windowRemainingMs: 30_000, retryAfterMs: 0 },
              ),
            }),
        },
      },
      // The clock is stopped, so that the windows end after the announced number of seconds.
      { limits: { default: 100, organization: 200 }, clock: { now: () => new Date(0) } },
    );
    started.push(gateway);
    const read = await fetch(`${gateway.origin}/v1/invoices/unknown`, withKey);
    expect(read.status).toBe(404);
    expect(read.headers.get('ratelimit-policy')).toBe('"default";q=100;w=60, "organization";q=200;w=60');
    expect(read.headers.get('ratelimit')).toBe('"default";r=99;t=30, "organization";r=99;t=30');
    const write = await fetch(`${gateway.origin}/v1/invoices`, { method: 'POST', ...withKey });
    expect(write.status).toBe(429);
    expect(((await write.json()) as { error: { code: string } }).error.code).toBe('RATE_LIMITED');
    expect(Number(write.headers.get('retry-after'))).toBeGreaterThanOrEqual(20);
    expect(write.headers.get('ratelimit')).toBe('"writes";r=0;t=20');
  });
});

describe('while the services behind cannot be reached', () => {
  test('an unknown key is 503 and never let in', async () => {
    const gateway = await start();
    await gateway.cutServices();
    const response = await fetch(`${gateway.origin}/v1/invoices`, withKey);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe('PROCESSING_FAILED');
  });

  test('a key that was good a moment ago still meets its limits, and the answer is 503', async () => {
    const now = new Date();
    const gateway = await start({ limits: { default: 3 }, clock: { now: () => now } });
    expect((await fetch(`${gateway.origin}/v1/invoices/unknown`, withKey)).status).toBe(404);
    await gateway.cutServices();
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      statuses.push((await fetch(`${gateway.origin}/v1/invoices`, withKey)).status);
    }
    expect(statuses).toEqual([503, 503, 503, 429, 429]);
  });
});

describe('the log', () => {
  interface Line {
    msg: string;
    requestId: string;
    [field: string]: unknown;
  }

  async function linesOf(work: (gateway: RunningGateway) => Promise<unknown>, requestId: string): Promise<Line[]> {
    const lines: string[] = [];
    const logger = createLogger({
      service: 'gateway',
      level: 'info',
      destination: { write: (line) => void lines.push(line) },
    });
    await work(await start({ logger }));
    return eventually(() => {
      const found = lines.map((line) => JSON.parse(line) as Line).filter((line) => line.requestId === requestId);
      expect(found).not.toEqual([]);
      expect(lines.join('')).not.toMatch(new RegExp(`${key}|SECRET-BODY`));
      return found;
    });
  }

  test('has one line per request, without path, body or key', async () => {
    const lines = await linesOf(
      (gateway) =>
        fetch(`${gateway.origin}/v1/companies/0198a000-0000-7000-8000-00000000000c`, {
          method: 'PATCH',
          headers: { ...withKey.headers, 'content-type': 'application/json', 'x-request-id': 'req-log' },
          body: '{"name":"SECRET-BODY","x":1}',
        }),
      'req-log',
    );
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'request',
        method: 'PATCH',
        route: '/v1/companies/{companyId}',
        status: 400,
        durationMs: expect.any(Number),
        requestId: 'req-log',
        organizationId: principal().organizationId,
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('0198a000-0000-7000-8000-00000000000c');
  });

  test('names the cause when a service behind cannot be reached', async () => {
    const lines = await linesOf(async (gateway) => {
      await gateway.cutServices();
      await fetch(`${gateway.origin}/v1/invoices`, { headers: { ...withKey.headers, 'x-request-id': 'req-cut' } });
    }, 'req-cut');
    const [line, ...others] = lines.filter(({ msg }) => msg === 'a part of the service did not respond');
    expect(others).toEqual([]);
    expect(JSON.stringify(line)).toContain('ECONNREFUSED');
  });

  test('says so when a caller left before the answer', async () => {
    const [line] = await linesOf(async (gateway) => {
      const leaving = new AbortController();
      const left = fetch(`${gateway.origin}/v1/organizations/current`, {
        headers: { ...withKey.headers, 'x-request-id': 'req-gone' },
        signal: leaving.signal,
      });
      reached = () => leaving.abort();
      await expect(left).rejects.toThrow('aborted');
    }, 'req-gone');
    expect(line).toMatchObject({ msg: 'the caller disconnected before the response' });
    expect(line).not.toHaveProperty('status');
  });
});
