import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INTERIM_ANSWERS_MAX } from '@invoicecontrol/egress/send-request';
import {
  finalAnswer,
  interimAnswers,
  startRawHttpServer,
  unaskedAnswers,
} from '@invoicecontrol/testkit/raw-http-server';
import { boundedFetch } from './bounded-fetch.js';

const BYTES_MAX = 1_000;
let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    if (pathname === '/silent') return;
    if (pathname === '/begins') {
      response.write('a');
      return;
    }
    if (pathname === '/redirect') response.writeHead(302, { location: `${origin}/bytes?n=1` });
    if (pathname === '/empty') response.writeHead(204);
    response.end(pathname === '/bytes' ? 'x'.repeat(Number(searchParams.get('n'))) : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const call = (path: string, callMs = 10_000): Promise<Response> =>
  boundedFetch({ callMs, answerBytesMax: BYTES_MAX, peer: 'xero' })(`${origin}${path}`, {});

test('an answer may have as many bytes as are allowed, and no more', async () => {
  expect(await (await call(`/bytes?n=${BYTES_MAX}`)).text()).toHaveLength(BYTES_MAX);
  await expect(call(`/bytes?n=${BYTES_MAX + 1}`)).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
});

test.each(['/silent', '/begins'])('an answer that does not end in time is a TIMEOUT: %s', async (path) => {
  await expect(call(path, 50)).rejects.toMatchObject({ code: 'TIMEOUT' });
});

test('a redirect is not followed', async () => {
  expect((await call('/redirect')).status).toBe(302);
});

test('an answer without a body has none', async () => {
  const answer = await call('/empty');
  expect([answer.status, await answer.text()]).toEqual([204, '']);
});

test('an address that nobody answers at is UPSTREAM_ERROR, and the message does not name it', async () => {
  const calling = boundedFetch({ callMs: 10_000, answerBytesMax: BYTES_MAX, peer: 'xero' })(
    'http://127.0.0.1:1/secret',
    {},
  );
  await expect(calling).rejects.toMatchObject({ code: 'UPSTREAM_ERROR', message: 'The ERP is unavailable.' });
});

test.each(unaskedAnswers)('%s before the final answer is read over', async (_, unasked) => {
  const raw = await startRawHttpServer(() => [...unasked, finalAnswer('{"access_token":"a"}')]);
  try {
    const fetchBounded = boundedFetch({ callMs: 10_000, answerBytesMax: BYTES_MAX, peer: 'xero' });
    const answer = await fetchBounded(`${raw.url}/token`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
    expect([answer.status, await answer.json()]).toEqual([200, { access_token: 'a' }]);
    expect(raw.requestsCount).toBe(1);
  } finally {
    await raw.stop();
  }
});

test('more interim answers than may come are UPSTREAM_ERROR', async () => {
  let count = INTERIM_ANSWERS_MAX;
  const raw = await startRawHttpServer(() => [...interimAnswers(count), finalAnswer('{}')]);
  try {
    const fetchBounded = boundedFetch({ callMs: 10_000, answerBytesMax: BYTES_MAX, peer: 'xero' });
    expect((await fetchBounded(raw.url, {})).status).toBe(200);
    count++;
    await expect(fetchBounded(raw.url, {})).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  } finally {
    await raw.stop();
  }
});
