import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';
import { startWebhookReceiver } from './simulator.js';
import type { Fault, WebhookReceiver } from './simulator.js';

const SECRET = 'whsec_one';
const BODY = '{"id":"evt_1","type":"finding.created","data":{}}';

let receiver: WebhookReceiver;

beforeEach(async () => {
  receiver = await startWebhookReceiver({ secrets: [SECRET] });
});
afterEach(() => receiver.stop());

function signed(secrets: readonly string[] = [SECRET], t = Math.floor(Date.now() / 1_000)): Record<string, string> {
  const v1 = secrets.map((secret) => createHmac('sha256', secret).update(`evt_1.${t}.${BODY}`).digest('hex'));
  return { 'svc-event-id': 'evt_1', 'svc-signature': `t=${t},${v1.map((hex) => `v1=${hex}`).join(',')}` };
}

async function deliver(path: string, headers = signed(), body = BODY): Promise<number> {
  const response = await fetch(`${receiver.url}${path}`, { method: 'POST', headers, body, redirect: 'manual' });
  await response.arrayBuffer();
  return response.status;
}

test('a delivery is recorded with its bytes and who signed it', async () => {
  receiver.setSecrets('/own', ['whsec_new', 'whsec_old']);
  expect(await deliver('/own', signed(['whsec_new', 'whsec_old', 'whsec_unknown']))).toBe(200);
  expect(await deliver('/any')).toBe(200);
  expect(receiver.deliveries).toMatchObject([
    {
      path: '/own',
      eventId: 'evt_1',
      body: Buffer.from(BODY),
      signedBy: [0, 1, null],
      isVerified: true,
      answered: 200,
    },
    { path: '/any', signedBy: [0], isVerified: true },
  ]);
});

test('a delivery that does not verify gets a 400 and is recorded', async () => {
  expect(await deliver('/a', signed(['whsec_other']))).toBe(400);
  expect(await deliver('/a', signed([SECRET], 1_000))).toBe(400);
  expect(await deliver('/a', signed(), `${BODY} `)).toBe(400);
  expect(await deliver('/a', {})).toBe(400);
  expect(receiver.deliveries.map(({ isVerified }) => isVerified)).toEqual([false, false, false, false]);
});

test('the published vector verifies', async () => {
  const v1 = 'd3da2c7d1e31e91ec705210f3b070ed0ff6c4228ac04a7c474dac44265895203';
  receiver.setSecrets('*', ['whsec_test']);
  await deliver('/a', { 'svc-event-id': 'evt_1', 'svc-signature': `t=1700000000,v1=${v1}` }, '{"id":"evt_1"}');
  expect(receiver.deliveries).toMatchObject([{ t: 1_700_000_000, signedBy: [0], isVerified: false }]);
});

test('receives over HTTPS with a certificate', async () => {
  const authority = createTestAuthority();
  const { key, certificate: cert } = authority.issue();
  const secure = await startWebhookReceiver({ tls: { key, cert } });
  try {
    const calling = httpsRequest(`${secure.url}/a`, { method: 'POST', ca: authority.certificate, agent: false });
    calling.end(BODY);
    const [response] = (await once(calling, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(200);
    expect(secure.deliveries).toHaveLength(1);
  } finally {
    await secure.stop();
  }
});

describe('a fault', () => {
  /**
   * Sends a request to the receiver and returns what the sender receives: the status, and the bytes of the body until
   * it ends, is interrupted or reaches `bytesMax`.
   */
  async function send(bytesMax = Infinity): Promise<{ status?: number; bytes: number; error?: string }> {
    const calling = httpRequest(`${receiver.url}/a`, { method: 'POST', headers: signed(), agent: false });
    // An error of the request is handled below, where the test waits for the response or reads it.
    calling.on('error', () => {});
    calling.end(BODY);
    let bytes = 0;
    let status: number | undefined;
    try {
      const [response] = (await once(calling, 'response')) as [IncomingMessage];
      status = response.statusCode;
      for await (const chunk of response) {
        bytes += (chunk as Buffer).length;
        if (bytes >= bytesMax) break;
      }
      return { ...(status === undefined ? {} : { status }), bytes };
    } catch (error) {
      return {
        ...(status === undefined ? {} : { status }),
        bytes,
        error: String((error as NodeJS.ErrnoException).code),
      };
    } finally {
      calling.destroy();
    }
  }

  test.each<[Fault, object]>([
    [{ kind: 'STATUS', status: 503 }, { status: 503 }],
    [{ kind: 'STATUS', status: 302, location: 'http://127.0.0.1/' }, { status: 302 }],
    [
      { kind: 'SLOW', delayMs: 20 },
      { status: 200, bytes: 0 },
    ],
    [{ kind: 'RESET' }, { error: 'ECONNRESET', bytes: 0 }],
    [{ kind: 'RESET_AFTER_HEADERS' }, { status: 200, error: 'ECONNRESET' }],
    [
      { kind: 'BIG_BODY', bytes: 200_000 },
      { status: 200, bytes: 200_000 },
    ],
    [{ kind: 'BIG_HEADERS' }, { error: 'HPE_HEADER_OVERFLOW' }],
    [{ kind: 'INTERIM' }, { status: 200, bytes: 0 }],
    [
      { kind: 'DRIP_HEADERS', delayMs: 1 },
      { status: 200, bytes: 0 },
    ],
  ])('%j shows the sender %j', async (fault, seen) => {
    receiver.setFault('/a', { ...fault, times: 1 });
    expect(await send()).toMatchObject(seen);
    expect(await send()).toEqual({ status: 200, bytes: 0 });
    expect(receiver.deliveries.map(({ answered }) => answered)).toEqual([fault.kind, 200]);
  });

  test('DRIP, GZIP_BOMB and BIG_BODY end with their reader', async () => {
    receiver.setFault('*', { kind: 'DRIP', delayMs: 1 });
    expect(await send(3)).toMatchObject({ status: 200 });
    receiver.setFault('*', { kind: 'GZIP_BOMB' });
    const { bytes } = await send();
    expect(bytes).toBeGreaterThan(40_000);
    expect(bytes).toBeLessThan(100_000);
    receiver.setFault('*', { kind: 'BIG_BODY' });
    expect(await send(100_000)).toMatchObject({ status: 200 });
    while (receiver.open > 0) await new Promise(setImmediate);
  });

  test('SILENCE keeps one endpoint waiting while another is answered', async () => {
    receiver.setFault('/a', { kind: 'SILENCE' });
    const calling = httpRequest(`${receiver.url}/a`, { method: 'POST', headers: signed(), agent: false });
    calling.on('error', () => {}).end(BODY);
    while (receiver.deliveries.length === 0) await new Promise(setImmediate);
    expect(await deliver('/b')).toBe(200);
    expect(receiver.open).toBe(1);
    calling.destroy();
  });

  test('gives Retry-After', async () => {
    receiver.setFault('*', { kind: 'STATUS', status: 429, retryAfter: '120' });
    const response = await fetch(`${receiver.url}/a`, { method: 'POST', headers: signed(), body: BODY });
    expect(response.headers.get('retry-after')).toBe('120');
  });
});

describe('over HTTP', () => {
  const post = (path: string, order: unknown): Promise<Response> =>
    fetch(`${receiver.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(order) });

  test('secrets and faults are set and deliveries read', async () => {
    await post('/secrets', { path: '/a', secrets: ['whsec_two'] });
    await post('/faults', { path: '/a', kind: 'STATUS', status: 503, times: 1 });
    expect([await deliver('/a'), await deliver('/a'), await deliver('/a', signed(['whsec_two']))]).toEqual([
      503, 400, 200,
    ]);
    const deliveries = await (await fetch(`${receiver.controlUrl}/deliveries`)).json();
    expect(deliveries).toMatchObject([{ answered: 'STATUS' }, { answered: 400 }, { answered: 200, body: BODY }]);
    await fetch(`${receiver.controlUrl}/deliveries`, { method: 'DELETE' });
    expect(receiver.deliveries).toEqual([]);
  });

  test('a command that cannot be executed gets an explanation', async () => {
    const wrong = [
      { kind: 'FIRE' },
      { kind: 'STATUS', status: 99 },
      { kind: 'DRIP', times: -1 },
      { path: 'a', kind: 'DRIP' },
    ];
    for (const order of [...wrong, null, {}]) {
      const response = await post('/faults', order);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('GZIP_BOMB');
    }
    expect((await post('/secrets', { secrets: 'whsec_one' })).status).toBe(400);
    expect((await fetch(`${receiver.controlUrl}/`)).status).toBe(404);
  });
});
