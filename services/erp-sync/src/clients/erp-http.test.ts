import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { INTERIM_ANSWERS_MAX } from '@invoicecontrol/egress/send-request';
import { collectGarbage } from '@invoicecontrol/testkit/collect-garbage';
import {
  finalAnswer,
  interimAnswers,
  startRawHttpServer,
  unaskedAnswers,
} from '@invoicecontrol/testkit/raw-http-server';
import { BudgetSpent, ErpFault, Outage } from '../domain/faults.js';
import type { ErpRequest } from '../providers/provider.js';
import { CALL_TRIES_MAX, erpHttpClient } from './erp-http.js';
import type { ErpCallsOptions, ErpHttpClient, ErpHttpSettings } from './erp-http.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const GIGABYTE = 1024 ** 3;

let server: Server;
let origin: string;
let requestsCount: number;
let answer: Answer;
const clients: ErpHttpClient[] = [];

const noEgress = { EGRESS_ALLOW_CIDRS: [], EGRESS_ALLOW_HTTP: false, EGRESS_DNS_SERVERS: [] };
const json =
  (value: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(code, headers).end();
  };

beforeEach(async () => {
  requestsCount = 0;
  answer = json({ value: [] });
  server = createServer((request, response) => {
    requestsCount++;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients.splice(0)) client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const settings = { callMs: 2_000, responseBytesMax: 1_000, backoffMs: 1, backoffMsMax: 2_000 };
function open({ trustedOrigins = new Set([origin]), ...changed }: Partial<ErpHttpSettings> = {}): ErpHttpClient {
  const client = erpHttpClient({ ...settings, trustedOrigins, ...changed }, noEgress);
  clients.push(client);
  return client;
}
const options: ErpCallsOptions = {
  company: 'PROVIDER_B|main',
  peer: 'odoo',
  concurrency: 2,
  callsMax: 100,
  runMs: 60_000,
  signal: new AbortController().signal,
};
const get = (path = '/'): ErpRequest => ({ method: 'GET', url: `${origin}${path}` });
const faultOf = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

test('returns the answer with its headers and its JSON', async () => {
  answer = json({ value: [1] }, { 'X-Page': '1' });
  const { status: code, headers, json: body } = await open().open(options).send(get());
  expect([code, headers['x-page'], body]).toEqual([200, '1', { value: [1] }]);
});

test('returns an answer that the caller is at fault for without trying again', async () => {
  answer = status(404);
  const calls = open().open(options);
  expect((await calls.send(get())).status).toBe(404);
  expect([requestsCount, calls.callsCount]).toEqual([1, 1]);
});

test.each([500, 502, 503, 408])('tries again after %d, and takes the good answer', async (code) => {
  answer = (request, response) =>
    requestsCount < 3 ? status(code)(request, response) : json({ ok: true })(request, response);
  const calls = open().open(options);
  expect((await calls.send(get())).json).toEqual({ ok: true });
  expect([requestsCount, calls.callsCount, calls.throttledMs]).toEqual([3, 3, 0]);
});

test('tries a call five times and no more', async () => {
  answer = status(500);
  const fault = await faultOf(open().open(options).send(get()));
  expect(fault).toMatchObject({ code: 'UPSTREAM_ERROR' });
  expect(requestsCount).toBe(CALL_TRIES_MAX);
});

test('tries again when the connection breaks', async () => {
  answer = (request, response) =>
    requestsCount < 2 ? request.socket.destroy() : json({ ok: true })(request, response);
  expect((await open().open(options).send(get())).json).toEqual({ ok: true });
});

test('leaves to the caller what is an outage: that is tried again, whatever its status', async () => {
  answer = status(503);
  const never = { ...get(), faultOf: () => new ErpFault('BAD_RESPONSE', 'Known.') };
  expect((await open().open(options).send(never)).status).toBe(503);
  expect(requestsCount).toBe(1);
  requestsCount = 0;
  answer = json({ ok: true });
  const outage = new Outage('BAD_RESPONSE', 'Unknown.');
  expect(
    await faultOf(
      open()
        .open(options)
        .send({ ...get(), faultOf: () => outage }),
    ),
  ).toBe(outage);
  expect(requestsCount).toBe(CALL_TRIES_MAX);
});

test('waits as long as Retry-After says, and tells it as throttled', async () => {
  answer = (request, response) =>
    requestsCount < 2 ? status(429, { 'retry-after': '1' })(request, response) : json({ ok: true })(request, response);
  const calls = open().open(options);
  const begun = performance.now();
  await calls.send(get());
  expect(performance.now() - begun).toBeGreaterThanOrEqual(990);
  expect(calls.throttledMs).toBeGreaterThanOrEqual(990);
});

test('ends at once when Retry-After is above the cap, and lets nobody call the company before', async () => {
  answer = status(429, { 'retry-after': '3' });
  const client = open();
  expect(await faultOf(client.open(options).send(get()))).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 3_000 });
  expect(await faultOf(client.open(options).send(get()))).toMatchObject({ code: 'RATE_LIMITED' });
  expect(requestsCount).toBe(1);
  answer = json({ ok: true });
  expect((await client.open({ ...options, company: 'another' }).send(get())).json).toEqual({ ok: true });
});

test('reads Retry-After as a time by the clock of the ERP, and bounds a nonsensical one', async () => {
  answer = status(429, { date: 'Mon, 02 Mar 2026 10:00:00 GMT', 'retry-after': 'Mon, 02 Mar 2026 10:01:00 GMT' });
  expect(await faultOf(open().open(options).send(get()))).toMatchObject({ retryAfterMs: 60_000 });
  answer = status(429, { 'retry-after': '99999999999999999999' });
  expect(await faultOf(open().open(options).send(get()))).toMatchObject({ retryAfterMs: 7 * 24 * 3_600_000 });
});

test.each([301, 302, 303, 307, 308])('does not follow a redirect (%d)', async (code) => {
  answer = status(code, { location: `${origin}/elsewhere` });
  expect(await faultOf(open().open(options).send(get()))).toMatchObject({ code: 'BAD_RESPONSE' });
  expect(requestsCount).toBe(1);
});

test('takes a body of the greatest size, and not one byte more', async () => {
  const sized =
    (bytes: number): Answer =>
    (_, response) =>
      void response.writeHead(200).end('x'.repeat(bytes));
  answer = sized(1_000);
  expect((await open().open(options).send(get())).text).toHaveLength(1_000);
  answer = sized(1_001);
  expect(await faultOf(open().open(options).send(get()))).toMatchObject({ code: 'BAD_RESPONSE' });
});

test.each([
  ['with its length', { 'content-length': String(GIGABYTE) }],
  ['without an end that is told', {}],
])('cuts a body of a gigabyte %s at the greatest size, and needs no more memory than that', async (_, headers) => {
  const responseBytesMax = 32 * 1024 ** 2;
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  let sent = 0;
  answer = (__, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    // Sends one small buffer repeatedly, as fast as the reader reads.
    const write = (): void => {
      while (sent < GIGABYTE && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
      if (!response.destroyed) response.end();
    };
    write();
  };
  const calls = open({ callMs: 30_000, responseBytesMax }).open(options);
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  }, 1);
  try {
    for (let call = 1; call <= 5; call++) {
      expect(await faultOf(calls.send(get()))).toMatchObject({ code: 'BAD_RESPONSE', needsAPerson: false });
      // The counted bytes include those that were in transit when the connection was closed.
      expect(sent).toBeLessThan(2 * responseBytesMax);
      expect(requestsCount).toBe(call);
      sent = 0;
      collectGarbage();
    }
  } finally {
    clearInterval(sampling);
  }
  // The collector has not come yet for all that a call has let go.
  expect(peak).toBeLessThan(5 * responseBytesMax);
});

test('counts a packed body by its size when unpacked', async () => {
  const packed = (bytes: number): Answer => {
    const body = gzipSync('x'.repeat(bytes));
    return (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
  };
  answer = packed(1_000);
  expect((await open().open(options).send(get())).text).toHaveLength(1_000);
  answer = packed(50_000_000);
  expect(await faultOf(open().open(options).send(get()))).toMatchObject({ code: 'BAD_RESPONSE' });
});

test('refuses an unknown encoding, and tries broken gzip again', async () => {
  const broken: [Answer, number][] = [
    [(_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'), CALL_TRIES_MAX],
    [(_, response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('x'), 1],
  ];
  for (const [sent, tries] of broken) {
    answer = sent;
    requestsCount = 0;
    expect(await faultOf(open().open(options).send(get()))).toMatchObject({ code: 'BAD_RESPONSE' });
    expect(requestsCount).toBe(tries);
  }
});

test.each(['{"value":', '['.repeat(999), ''])('leaves JSON that is cut off (%j) to the caller', async (body) => {
  answer = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  expect(await open().open(options).send(get())).toMatchObject({ status: 200, json: undefined, text: body });
});

test('ends a body that drips at the deadline of the call', async () => {
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  };
  const begun = performance.now();
  const fault = await faultOf(open({ callMs: 150 }).open(options).send(get()));
  expect(fault).toMatchObject({ code: 'TIMEOUT' });
  expect(performance.now() - begun).toBeLessThan(CALL_TRIES_MAX * 150 + 2_000);
});

test('ends a call that is not answered at all', async () => {
  answer = () => {};
  expect(await faultOf(open({ callMs: 50 }).open(options).send(get()))).toMatchObject({ code: 'TIMEOUT' });
  expect(requestsCount).toBe(CALL_TRIES_MAX);
});

test('makes as many calls as the run may make, and not one more', async () => {
  const calls = open().open({ ...options, callsMax: 2 });
  await calls.send(get());
  await calls.send(get());
  const fault = await faultOf(calls.send(get()));
  expect(fault).toBeInstanceOf(BudgetSpent);
  expect([requestsCount, calls.callsCount]).toEqual([2, 2]);
});

test('makes no call after the time of the run', async () => {
  answer = () => {};
  const fault = await faultOf(
    open({ callMs: 10_000 })
      .open({ ...options, runMs: 500 })
      .send(get()),
  );
  expect(fault).toMatchObject({ code: 'TIMEOUT' });
  expect(fault).toBeInstanceOf(ErpFault);
  expect(requestsCount).toBe(1);
});

test('makes no call after one that was given the rest of the run, although its timer fires early', async () => {
  answer = () => {};
  // The simulated clock is slow. A timer of Node.js then fires early by the clock, as real timers do by up to two
  // milliseconds.
  const now = performance.now.bind(performance);
  const begun = now();
  vi.spyOn(performance, 'now').mockImplementation(() => begun + (now() - begun) / 2);
  const fault = await faultOf(
    open({ callMs: 10_000 })
      .open({ ...options, runMs: 300 })
      .send(get()),
  );
  expect(fault).toBeInstanceOf(BudgetSpent);
  expect(requestsCount).toBe(1);
});

test('makes no more calls at once than the remote company takes, whatever their caller', async () => {
  let now = 0;
  let most = 0;
  answer = (request, response) => {
    most = Math.max(most, ++now);
    setTimeout(() => {
      now--;
      json({})(request, response);
    }, 20);
  };
  const client = open();
  const runs = [client.open(options), client.open(options)];
  await Promise.all(Array.from({ length: 10 }, async (_, index) => runs[index % 2]?.send(get())));
  expect([most, requestsCount]).toEqual([2, 10]);
});

test('ends waiting and calling when the run is stopped', async () => {
  answer = () => {};
  const stopping = new AbortController();
  const sent = faultOf(
    open()
      .open({ ...options, signal: stopping.signal })
      .send(get()),
  );
  setTimeout(() => stopping.abort(new Error('stopped')), 50);
  expect(await sent).toMatchObject({ message: 'stopped' });
});

test('calls an address that the configuration does not name only through the egress guard', async () => {
  const client = open({ trustedOrigins: new Set() });
  const fault = await faultOf(client.open(options).send(get()));
  expect(fault).toMatchObject({ code: 'BAD_RESPONSE' });
  const https = await faultOf(
    client.open(options).send({ method: 'GET', url: `https://127.0.0.1:${new URL(origin).port}/` }),
  );
  expect(https).toMatchObject({ code: 'BAD_RESPONSE' });
  expect(requestsCount).toBe(0);
});

test('says nothing of addresses, headers and bodies in its messages', async () => {
  answer = (_, response) => void response.writeHead(500, { 'x-secret': 'hidden' }).end('secret trace');
  const fault = (await faultOf(open().open(options).send(get('/secret-path')))) as ErpFault;
  expect(fault.message).not.toMatch(/secret|hidden|127\.0\.0\.1/);
});

// Tests an address of the configuration, and an address of a customer.
describe.each([true, false])('before the final answer of an ERP (trusted: %s)', (isTrusted) => {
  test.each(unaskedAnswers)('%s is read over', async (_, unasked) => {
    const raw = await startRawHttpServer(() => [...unasked, finalAnswer('{"value":[1]}')]);
    const client = erpHttpClient(
      { ...settings, trustedOrigins: new Set(isTrusted ? [raw.url] : []) },
      { ...noEgress, EGRESS_ALLOW_CIDRS: ['127.0.0.1/32'], EGRESS_ALLOW_HTTP: true },
    );
    clients.push(client);
    try {
      const sent = client.open(options).send({ method: 'POST', url: `${raw.url}/`, body: '{}' });
      expect(await sent).toMatchObject({ status: 200, json: { value: [1] } });
      expect(raw.requestsCount).toBe(1);
    } finally {
      await raw.stop();
    }
  });
});

test('more interim answers than may come are an outage of the ERP, which is tried again', async () => {
  const raw = await startRawHttpServer(() => [
    ...interimAnswers(raw.requestsCount === 1 ? INTERIM_ANSWERS_MAX + 1 : INTERIM_ANSWERS_MAX),
    finalAnswer('{"value":[1]}'),
  ]);
  try {
    const sent = open({ trustedOrigins: new Set([raw.url]) })
      .open(options)
      .send({ method: 'GET', url: `${raw.url}/` });
    expect(await sent).toMatchObject({ status: 200, json: { value: [1] } });
    expect(raw.requestsCount).toBe(2);
  } finally {
    await raw.stop();
  }
});
