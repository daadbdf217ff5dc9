import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError, NetworkError, createClient } from './client.js';
import type { Client, ClientOptions, Schemas } from './client.js';

const API_KEY = 'ick_test_secret';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

let server: Server;
let baseUrl: string;
let received: Received[];
/** The responses that the fake API sends to the next requests, in order. The last response is repeated. */
let replies: (Reply | ((response: ServerResponse) => void))[];
let pausesMs: number[];

beforeEach(async () => {
  received = [];
  replies = [];
  pausesMs = [];
  server = createServer((request, response) => {
    const { method, url, headers } = request;
    void text(request).then((body) => {
      received.push({ method, url, headers, body });
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      if (typeof reply === 'function') return reply(response);
      const answer = typeof reply?.body === 'string' ? reply.body : JSON.stringify(reply?.body);
      return response.writeHead(reply?.status ?? 599, reply?.headers).end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function client(options: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl,
    apiKey: API_KEY,
    sleep: async (ms, signal) => {
      pausesMs.push(ms);
      signal?.throwIfAborted();
    },
    ...options,
  });
}

function refusal(status: number, code: string, headers: Record<string, string> = {}, details?: unknown): Reply {
  return { status, headers, body: { error: { code, message: `${code}.`, request_id: 'req_1', details } } };
}

/** Returns the error with which the promise rejects. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it should have been rejected');
    },
    (error: unknown) => error,
  );
}

const drop = (response: ServerResponse): void => void response.socket?.destroy();
const unavailable = refusal(503, 'PROCESSING_FAILED', { 'retry-after': '2' });
const inProgress = refusal(409, 'CONFLICT', { 'retry-after': '3' });
const accepted: Reply = { status: 202, headers: { 'idempotency-replayed': 'true' }, body: { decision: 'PASS' } };
const invoice: Schemas['Invoice'] = {
  supplier: { name: 'Blue Harbour Logistics Ltd' },
  invoice_number: 'BH-7781',
  issue_date: '2026-11-02',
  currency: 'GBP',
  gross_amount: '640.00',
};
const company = { name: 'Acme', country: 'PL' };

describe('a call', () => {
  test('sends the key, the query and the body, and resolves with data, status and headers', async () => {
    replies = [accepted];
    const answer = await client().post('/invoices', { body: invoice, headers: { 'x-request-id': 'mine' } });
    expect(answer).toMatchObject({ data: { decision: 'PASS' }, status: 202 });
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    await client().get('/findings', { query: { type: 'DUPLICATE_INVOICE', limit: 5 } });
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/v1/invoices',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', 'x-request-id': 'mine' },
        body: JSON.stringify(invoice),
      },
      { method: 'GET', url: '/v1/findings?type=DUPLICATE_INVOICE&limit=5', body: '' },
    ]);
  });

  test('has no data where there is no body', async () => {
    replies = [{ status: 204 }];
    expect(await client().delete('/companies/{companyId}', { path: { companyId: 'a/b' } })).toMatchObject({
      data: undefined,
      status: 204,
    });
    expect(received).toMatchObject([{ method: 'DELETE', url: '/v1/companies/a%2Fb' }]);
  });

  test.each(['', '.', '..'])('is not sent to another path by the id %j', async (invoiceId) => {
    expect(await rejection(client().get('/invoices/{invoiceId}', { path: { invoiceId } }))).toEqual(
      new TypeError('path.invoiceId is missing or empty.'),
    );
    expect(received).toEqual([]);
  });

  test('sends a body that may be left out', async () => {
    replies = [accepted, accepted];
    const path = { webhookId: 'w' };
    await client().post('/webhooks/{webhookId}/rotate-secret', { path });
    await client().post('/webhooks/{webhookId}/rotate-secret', { path, body: { revoke_previous: true } });
    expect(received).toMatchObject([{ body: '' }, { body: '{"revoke_previous":true}' }]);
  });

  test('does not follow a redirect', async () => {
    replies = [{ status: 307, headers: { location: `${baseUrl}/elsewhere` } }];
    expect(await rejection(client().get('/policies/current'))).toMatchObject({ name: 'ApiError', status: 307 });
    expect(received).toHaveLength(1);
  });

  test('does not compile with a wrong path, option, field or use of its answer', () => {
    const calls = (api: Client): unknown => [
      // @ts-expect-error -- no such path
      api.get('/invoice'),
      // @ts-expect-error -- the path has a parameter
      api.get('/invoices/{invoiceId}'),
      // @ts-expect-error -- no such query parameter
      api.get('/invoices', { query: { colour: 'red' } }),
      // @ts-expect-error -- the route has no Idempotency-Key
      api.post('/companies', { body: company, idempotencyKey: '1' }),
      // @ts-expect-error -- amounts are strings
      api.post('/invoices', { body: { ...invoice, gross_amount: 640 } }),
      // @ts-expect-error -- not a list in pages
      api.items('/policies/current'),
      // @ts-expect-error -- no such field
      api.get('/policies/current').then(({ data }) => data.colour),
    ];
    expect(calls).toBeInstanceOf(Function);
  });
});

describe('a retry', () => {
  test('of a GET waits as long as the answer says, and pauses that double otherwise', async () => {
    replies = [unavailable, { status: 504, body: '' }, drop, { status: 200, body: { id: '1' } }];
    const told: string[] = [];
    const api = client({ onRetry: ({ error, delayMs }) => told.push(`${error.name} ${Math.floor(delayMs / 1_000)}`) });
    expect((await api.get('/organizations/current')).data).toEqual({ id: '1' });
    expect(received).toHaveLength(4);
    const [asked, second = 0, third = 0] = pausesMs;
    expect(asked).toBe(2_000);
    expect([second >= 2_000 && second <= 2_500, third >= 4_000 && third <= 5_000]).toEqual([true, true]);
    expect(told).toEqual([
      'ApiError 2',
      `ApiError ${Math.floor(second / 1_000)}`,
      `NetworkError ${Math.floor(third / 1_000)}`,
    ]);
  });

  test('follows a broken body as it follows a broken connection', async () => {
    replies = [
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"id":');
        setImmediate(drop, response);
      },
      { status: 200, body: { id: '1' } },
    ];
    expect((await client().get('/organizations/current')).data).toEqual({ id: '1' });
  });

  test('of a POST has the Idempotency-Key of the first attempt, and every call one of its own', async () => {
    replies = [unavailable, accepted];
    const api = client();
    await api.post('/invoices', { body: invoice });
    await api.post('/invoices', { body: invoice });
    const [first, again, next] = received.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(again).toBe(first);
    expect(next).not.toBe(first);
  });

  test('keeps the key of the caller', async () => {
    replies = [unavailable, accepted];
    await client().post('/invoices', { body: invoice, idempotencyKey: 'my-system-7781' });
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['my-system-7781', 'my-system-7781']);
  });

  test.each([unavailable, refusal(429, 'RATE_LIMITED', { 'retry-after': '1' }), inProgress, drop])(
    'does not happen to a POST that has no key, nor to PATCH and DELETE (%#)',
    async (reply) => {
      replies = [reply];
      const api = client();
      await rejection(api.post('/companies', { body: company }));
      await rejection(api.patch('/companies/{companyId}', { path: { companyId: '1' }, body: company }));
      await rejection(api.delete('/companies/{companyId}', { path: { companyId: '1' } }));
      expect(received.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'DELETE']);
      expect(received[0]?.headers).not.toHaveProperty('idempotency-key');
      expect(pausesMs).toEqual([]);
    },
  );

  test('does not happen where the route does not honour a key that the caller sends', async () => {
    replies = [unavailable];
    const headers = { 'Idempotency-Key': 'a' };
    const api = client();
    await rejection(api.post('/companies', { body: company, headers }));
    await rejection(api.patch('/companies/{companyId}', { path: { companyId: '1' }, body: company, headers }));
    await rejection(api.delete('/companies/{companyId}', { path: { companyId: '1' }, headers }));
    expect(received.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'DELETE']);
  });

  test('polls a request that is still in progress for longer than attempts would allow', async () => {
    replies = [...Array.from({ length: 10 }, () => inProgress), accepted];
    expect((await client().post('/invoices', { body: invoice })).status).toBe(202);
    expect(pausesMs).toEqual(Array.from({ length: 10 }, () => 3_000));
  });

  test('waits for the rate limit', async () => {
    replies = [refusal(429, 'RATE_LIMITED', { 'retry-after': '17' }), accepted];
    await client().post('/invoices', { body: invoice });
    expect(pausesMs).toEqual([17_000]);
  });

  test('understands a date in Retry-After', async () => {
    const soon = new Date(Date.now() + 60_000).toUTCString();
    replies = [{ status: 503, headers: { 'retry-after': soon } }, accepted];
    await client().post('/invoices', { body: invoice });
    expect(pausesMs[0]).toBeGreaterThan(50_000);
    expect(pausesMs[0]).toBeLessThanOrEqual(60_000);
  });

  test.each([
    refusal(400, 'INVALID_REQUEST'),
    refusal(401, 'UNAUTHORIZED'),
    refusal(403, 'FORBIDDEN'),
    refusal(404, 'NOT_FOUND'),
    refusal(409, 'CONFLICT'),
    refusal(413, 'INVALID_REQUEST'),
    refusal(422, 'PROCESSING_FAILED'),
    refusal(429, 'USAGE_LIMIT_EXCEEDED', { 'retry-after': '60' }),
  ])('does not follow $status', async (reply) => {
    replies = [reply];
    const error = await rejection(client().post('/invoices', { body: invoice }));
    expect(error).toMatchObject({ name: 'ApiError', status: reply.status, attempts: 1 });
    expect(received).toHaveLength(1);
  });

  test('ends after the attempts that are allowed', async () => {
    replies = [unavailable];
    const error = await rejection(client({ attemptsMax: 3 }).get('/policies/current'));
    expect(error).toMatchObject({ name: 'ApiError', status: 503, attempts: 3 });
    expect((error as ApiError).elapsedMs).toBeGreaterThanOrEqual(4_000);
    expect(received).toHaveLength(3);
  });

  test('ends before the time that is allowed', async () => {
    replies = [inProgress];
    const error = await rejection(client({ totalMsMax: 10_000 }).post('/invoices', { body: invoice }));
    expect(error).toMatchObject({ name: 'ApiError', status: 409, attempts: 4 });
    expect(pausesMs).toEqual([3_000, 3_000, 3_000]);
  });
});

describe('an error', () => {
  test('of the API has code, sentence, request id, status, wrong fields and the time to wait', async () => {
    const details = [{ path: 'supplier.name', message: 'Must not be empty or blank.' }];
    replies = [refusal(400, 'INVALID_REQUEST', { 'retry-after': '9' }, details)];
    const error = await rejection(client().post('/invoices', { body: invoice }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      message: 'INVALID_REQUEST.',
      requestId: 'req_1',
      details,
      retryAfterSeconds: 9,
    });
  });

  const html = { 'content-type': 'text/html; charset=utf-8' };
  const json = { 'content-type': 'application/json' };
  test.each([
    [
      502,
      html,
      '<html>Bad Gateway</html>',
      'with text/html in place of JSON. A proxy may have responded in place of the API.',
    ],
    [500, json, '{"error":"no"}', 'without an explanation. A proxy may have responded in place of the API.'],
    [404, {}, '', 'without an explanation. Check that baseUrl is the address of the API.'],
    [403, json, 'null', 'without an explanation. Check that baseUrl is the address of the API.'],
    [400, json, '{"error":null}', 'without an explanation. Check that baseUrl is the address of the API.'],
    [
      400,
      json,
      '{"error":{"code":7,"message":"x"}}',
      'without an explanation. Check that baseUrl is the address of the API.',
    ],
    [
      200,
      html,
      '<html>Welcome</html>',
      'with text/html; charset=utf-8 in place of JSON. Check that baseUrl is the address of the API.',
    ],
    [200, json, '{"items":[', 'with application/json in place of JSON. Check that baseUrl is the address of the API.'],
    [200, {}, '', 'without a body. Check that baseUrl is the address of the API.'],
    [204, {}, '', 'without a body. Check that baseUrl is the address of the API.'],
    [200, json, 'null', 'with JSON that is not an object. Check that baseUrl is the address of the API.'],
    [200, json, '[]', 'with JSON that is not an object. Check that baseUrl is the address of the API.'],
    [
      200,
      json,
      '{"items":null,"nextCursor":null}',
      'with `items` that are not a list. Check that baseUrl is the address of the API.',
    ],
    [
      200,
      json,
      '{"items":[{},null]}',
      'with a list whose items[1] is not an object. Check that baseUrl is the address of the API.',
    ],
    [
      200,
      json,
      '{"items":[],"nextCursor":7}',
      'with a list whose `nextCursor` is not a string. Check that baseUrl is the address of the API.',
    ],
  ])('that is not of the API says so: %i %j %s', async (status, headers, body, fault) => {
    replies = [{ status, headers, body }];
    const error = await rejection(client({ attemptsMax: 1 }).get('/findings'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status,
      code: undefined,
      requestId: undefined,
      details: [],
      message: `The service returned status ${status} ${fault}`,
    });
  });

  test('has the details that can be read, and leaves out the others', async () => {
    const readable = { path: 'currency', message: 'Required.' };
    for (const details of [[null, readable, { path: 7 }, 'text'], { path: 'currency' }, 'currency', null]) {
      replies = [refusal(400, 'INVALID_REQUEST', {}, details)];
      const error = await rejection(client().get('/findings'));
      expect(error).toMatchObject({ details: Array.isArray(details) ? [readable] : [] });
    }
  });

  test('of a connection names the address and what happened', async () => {
    server.close();
    const error = await rejection(client().get('/policies/current'));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({
      message: `${baseUrl} cannot be reached (ECONNREFUSED).`,
      attempts: 4,
    });
  });

  test('of a service that does not answer names the time', async () => {
    replies = [() => undefined];
    const error = await rejection(client({ timeoutMs: 50, attemptsMax: 1 }).get('/policies/current'));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ message: `The API at ${baseUrl} did not respond within 0.05 seconds.` });
  });

  test('never shows the API key', async () => {
    const shown: string[] = [];
    for (const reply of [refusal(401, 'UNAUTHORIZED'), { status: 502, body: '<html>' }, drop]) {
      replies = [reply];
      shown.push(inspect(await rejection(client().get('/policies/current')), { depth: 9, showHidden: true }));
    }
    for (const apiKey of [`${API_KEY}\n`, `${API_KEY} x`, `${API_KEY}ż`]) {
      expect(() => client({ apiKey })).toThrow('apiKey is empty or has spaces');
      shown.push(inspect(await rejection(Promise.resolve().then(() => client({ apiKey })))));
    }
    expect(shown).toHaveLength(6);
    expect(shown.join('\n')).not.toContain(API_KEY);
  });

  test.each(['api.example.com/v1', 'ftp://example.com', 'http://'])('names a base URL that is none: %s', (address) => {
    expect(() => client({ baseUrl: address })).toThrow('baseUrl is not an address such as https://');
  });

  test.each(['http://user:s3cret@127.0.0.1/v1', 'http://127.0.0.1/v1?a=b', 'http://127.0.0.1/v1#a'])(
    'refuses %s as an address, and does not repeat it',
    (address) => {
      expect(() => client({ baseUrl: address })).toThrow(
        new TypeError('baseUrl has a user name, a password, a query or a fragment. Pass only the address.'),
      );
    },
  );

  test('of a fetch that was handed in is not taken for one of the network', async () => {
    const failure = new Error('not as published');
    expect(await rejection(client({ fetch: () => Promise.reject(failure) }).get('/policies/current'))).toBe(failure);
  });
});

describe('an aborted signal', () => {
  test('ends the request under way', async () => {
    const stop = new AbortController();
    replies = [() => stop.abort(new Error('enough'))];
    expect(await rejection(client().get('/policies/current', { signal: stop.signal }))).toEqual(new Error('enough'));
    expect(received).toHaveLength(1);
  });

  test('ends the pause before the next attempt', async () => {
    const stop = new AbortController();
    replies = [unavailable];
    const api = client({ sleep: undefined, onRetry: () => setImmediate(() => stop.abort(new Error('enough'))) });
    expect(await rejection(api.get('/policies/current', { signal: stop.signal }))).toEqual(new Error('enough'));
    expect(received).toHaveLength(1);
  });
});

describe('the items of a list', () => {
  test('come page after page, with the query of the first', async () => {
    replies = [
      { status: 200, body: { items: [{ id: '1' }, { id: '2' }], nextCursor: 'n/2' } },
      unavailable,
      { status: 200, body: { items: [], nextCursor: 'n3' } },
      { status: 200, body: { items: [{ id: '3' }], nextCursor: null } },
    ];
    const ids: string[] = [];
    for await (const { id } of client().items('/findings', { query: { severity: 'HIGH' } })) ids.push(id);
    expect(ids).toEqual(['1', '2', '3']);
    expect(received.map(({ url }) => url)).toEqual([
      '/v1/findings?severity=HIGH',
      '/v1/findings?severity=HIGH&cursor=n%2F2',
      '/v1/findings?severity=HIGH&cursor=n%2F2',
      '/v1/findings?severity=HIGH&cursor=n3',
    ]);
  });

  test.each([
    ['an answer that is no list', { total: 0 }, 'The service returned status 200 without the `items` of a list.'],
    [
      'a page that leads to itself',
      { items: [], nextCursor: 'n' },
      'The service returned status 200 with the same page again.',
    ],
  ])('end with an error at %s', async (_, body, message) => {
    replies = [{ status: 200, body }];
    const read = async () => {
      for await (const finding of client().items('/findings')) expect(finding).toBeDefined();
    };
    const error = await rejection(read());
    expect(error).toBeInstanceOf(ApiError);
    expect((error as Error).message).toContain(message);
  });

  test('are read no further than they are wanted', async () => {
    replies = [{ status: 200, body: { items: [{ id: '1' }, { id: '2' }], nextCursor: 'n2' } }];
    for await (const { id } of client().items('/findings')) if (id === '1') break;
    expect(received).toHaveLength(1);
  });
});
