import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { parseAnswer, sendRaw } from '../../testing/raw-http.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';
import { TIMEOUTS } from '../limits/limits.js';

const key = keyNamed('owner');

let gateway: RunningGateway;
let strict: RunningGateway;
beforeAll(async () => {
  const access = accessFor(new Map([[key, principal()]]));
  const timeouts = { ...TIMEOUTS, headersMs: 150, requestMs: 300, checkingIntervalMs: 25 };
  [gateway, strict] = await Promise.all([startGateway({ access }), startGateway({ access }, { timeouts })]);
});
afterAll(() => Promise.all([gateway.stop(), strict.stop()]));

/**
 * Expects the same format for every refusal, whichever part writes it: the parser or the timers of Node.js, or the app.
 */
function expectEnvelope(text: string, status: number): void {
  const answer = parseAnswer(text);
  const { error } = JSON.parse(answer.body) as { error: Record<string, unknown> };
  expect({ status: answer.status, code: error['code'] }).toEqual({ status, code: 'INVALID_REQUEST' });
  expect(error['request_id']).toBe(answer.headers['x-request-id']);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(answer.body)),
  });
}

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;

describe('bytes that are not a request', () => {
  test.each([
    ['a malformed request line', 400, head('GARBAGE', 'Host: x')],
    ['a method that does not exist', 400, head('BREW /v1/invoices HTTP/1.1', 'Host: x')],
    ['a header without a colon', 400, head('GET /livez HTTP/1.1', 'Host x')],
    ['a folded header', 400, head('GET /livez HTTP/1.1', 'Host: x', 'X-A: 1', ' 2')],
    [
      'both Content-Length and Transfer-Encoding',
      400,
      head('POST /v1/invoices HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    ],
    [
      'two different Content-Lengths',
      400,
      head('POST /v1/invoices HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Content-Length: 6'),
    ],
    ['a negative Content-Length', 400, head('POST /v1/invoices HTTP/1.1', 'Host: x', 'Content-Length: -1')],
    ['headers over 16 KiB', 431, head('GET /livez HTTP/1.1', 'Host: x', `X-A: ${'a'.repeat(17 * 1024)}`)],
    ['a URL over 16 KiB', 414, head(`GET /v1/invoices?a=${'a'.repeat(17 * 1024)} HTTP/1.1`, 'Host: x')],
  ])('%s get the envelope and cost the connection', async (_, status, bytes) => {
    const answer = await sendRaw(gateway.port, [bytes]);
    expectEnvelope(answer, status);
    expect(parseAnswer(answer).headers['connection']).toBe('close');
  });
});

describe('a request that Node lets through', () => {
  test.each([
    ['without a Host', 400, head('GET /livez HTTP/1.1', 'Connection: close')],
    ['with two Hosts', 400, head('GET /livez HTTP/1.1', 'Host: a', 'Host: b', 'Connection: close')],
    ['with a URL over 8 KiB', 414, head(`GET /livez?${'a'.repeat(9_000)} HTTP/1.1`, 'Host: x', 'Connection: close')],
  ])('%s is refused', async (_, status, bytes) => {
    expectEnvelope(await sendRaw(gateway.port, [bytes]), status);
  });

  test('in absolute form is answered like any other', async () => {
    const answer = await sendRaw(gateway.port, [head('GET http://x/livez HTTP/1.1', 'Host: x', 'Connection: close')]);
    expect(parseAnswer(answer).status).toBe(200);
  });
});

describe('a header that may come only once', () => {
  const post = (...lines: string[]) =>
    head('POST /v1/invoices HTTP/1.1', 'Host: x', 'Content-Length: 0', 'Connection: close', ...lines);

  test('answers 401 to two Authorization headers, also when both are valid', async () => {
    const authorization = `Authorization: Bearer ${key}`;
    const answer = await sendRaw(gateway.port, [post(authorization, authorization)]);
    expect(parseAnswer(answer).status).toBe(401);
  });

  test('answers 400 to two Idempotency-Key headers', async () => {
    const body = JSON.stringify({
      supplier: { name: 'Acme' },
      invoice_number: '1',
      issue_date: '2026-01-01',
      currency: 'EUR',
      gross_amount: '1',
    });
    const request = head(
      'POST /v1/invoices HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Idempotency-Key: a',
      'Idempotency-Key: a',
      'Connection: close',
    );
    const answer = await sendRaw(gateway.port, [request, body]);
    expectEnvelope(answer, 400);
    expect(answer).toContain(
      'Idempotency-Key: The request has more than one Idempotency-Key header. Send only one such header.',
    );
  });
});

describe('a client that is too slow', () => {
  test('with its headers gets 408', async () => {
    expectEnvelope(await sendRaw(strict.port, ['GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ']), 408);
  });

  test('with its body gets 408 with the id it was known by', async () => {
    const answer = await sendRaw(strict.port, [
      head(
        'POST /v1/invoices HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${key}`,
        'X-Request-Id: slow-one',
        'Content-Type: application/json',
        'Content-Length: 100',
      ),
      '{"supplier":',
    ]);
    expectEnvelope(answer, 408);
    expect(parseAnswer(answer).headers['x-request-id']).toBe('slow-one');
  });
});

describe('a body that is too large', () => {
  const post = (...lines: string[]) =>
    head(
      'POST /v1/invoices HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      ...lines,
    );

  test('is not asked for when the client waits for permission to send it', async () => {
    const answer = await sendRaw(gateway.port, [post('Content-Length: 300000', 'Expect: 100-continue')]);
    expectEnvelope(answer, 413);
    expect(parseAnswer(answer).headers['connection']).toBe('close');
  });

  test('is read to its end and refused on a connection that stays usable', async () => {
    const next = head('GET /livez HTTP/1.1', 'Host: x', 'Connection: close');
    const answer = await sendRaw(gateway.port, [post('Content-Length: 300000'), 'x'.repeat(300_000), next]);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  test('is noticed without a declared length', async () => {
    const chunk = `${(300_000).toString(16)}\r\n${'x'.repeat(300_000)}\r\n0\r\n\r\n`;
    const answer = await sendRaw(gateway.port, [post('Transfer-Encoding: chunked', 'Connection: close'), chunk]);
    expectEnvelope(answer, 413);
  });

  test('but allowed is asked for when the client waits for permission', async () => {
    const answer = await sendRaw(gateway.port, [
      post('Content-Length: 2', 'Expect: 100-continue', 'Connection: close'),
      '{}',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  });
});
