import { afterEach, describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { accessFor, keyNamed, principal, refuseEverything } from '../../testing/fakes.js';
import { parseAnswer, sendRaw } from '../../testing/raw-http.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';
import { FAILURES_PER_MINUTE_MAX } from '../limits/failure-bucket.js';

const key = keyNamed('owner');
const NOTIFICATION = '/v1/billing/paddle/notifications';

const started: RunningGateway[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((gateway) => gateway.stop()));
});

async function start(): Promise<RunningGateway> {
  const access = accessFor(new Map([[key, principal()]]));
  // The clock is stopped, so that no minute ends during a test.
  const uploads = {
    async authorizeUpload({ token }: { readonly token: string }) {
      if (token !== 'good') throw new DomainError('unauthenticated', 'Not the token of this upload.');
      return { organizationId: principal().organizationId };
    },
    async receiveUpload(requests: AsyncIterable<unknown>) {
      const messages = requests[Symbol.asyncIterator]();
      while ((await messages.next()).done !== true);
      return {};
    },
  };
  const answers = { ...refuseEverything(), access, uploads };
  const gateway = await startGateway(answers, { clock: { now: () => new Date(0) } });
  started.push(gateway);
  return gateway;
}

const head = (start: string, ...lines: string[]): string =>
  `${[`${start} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`;
const withKey = `Authorization: Bearer ${key}`;

async function statusOf({ port }: RunningGateway, ...pieces: string[]): Promise<number> {
  return parseAnswer(await sendRaw(port, pieces)).status;
}

const accept = (...lines: string[]): string => head('POST /v1/members/accept', ...lines);
const refused: readonly [title: string, status: number, pieces: readonly string[]][] = [
  ['an unknown path', 404, [head('GET /v1/nothing')]],
  ['a path that is not percent-encoding', 404, [head('GET /v1/invoices/%E0%A4%A')]],
  ['a wrong method', 405, [head('PUT /v1/invoices')]],
  ['a wrong method of a page', 405, [head('POST /docs')]],
  ['a long URL', 414, [head(`GET /v1/invoices?${'a'.repeat(9_000)}`)]],
  ['a long header', 431, [head('GET /v1/invoices', `Prefer: ${'a'.repeat(5_000)}`)]],
  ['headers over 16 KiB', 431, [head('GET /v1/invoices', `Cookie: ${'a'.repeat(17_000)}`)]],
  ['two Hosts', 400, [head('GET /v1/invoices', 'Host: y')]],
  ['bytes that are no request', 400, ['GARBAGE\r\n\r\n']],
  ['a body of another type', 415, [accept('Content-Type: text/plain', 'Content-Length: 1'), 'x']],
  ['an unknown charset', 415, [accept('Content-Type: application/json; charset=x', 'Content-Length: 2'), '{}']],
  ['a large body', 413, [accept('Content-Type: application/json', 'Content-Length: 300000'), 'x'.repeat(300_000)]],
  ['a body that is no JSON', 400, [accept('Content-Type: application/json', 'Content-Length: 1'), '{']],
  ['a body of another shape', 400, [accept('Content-Type: application/json', 'Content-Length: 2'), '{}']],
];

describe('a request without a good key that is refused', () => {
  test.each(refused)('for %s is a refused attempt of its address, which is limited then', async (_, status, pieces) => {
    const gateway = await start();
    for (let count = 0; count < FAILURES_PER_MINUTE_MAX; count += 1) {
      expect(await statusOf(gateway, ...pieces)).toBe(status);
    }
    const answer = parseAnswer(await sendRaw(gateway.port, pieces));
    expect({ status: answer.status, code: JSON.parse(answer.body) as unknown }).toMatchObject({
      status: 429,
      code: { error: { code: 'RATE_LIMITED' } },
    });
    expect(answer.headers['retry-after']).toBe('60');
    expect(await statusOf(gateway, accept('Content-Type: application/json', 'Content-Length: 2'), '{}')).toBe(429);
  });
});

describe('an address with too many refused attempts', () => {
  async function startExhausted(): Promise<RunningGateway> {
    const gateway = await start();
    for (let count = 0; count <= FAILURES_PER_MINUTE_MAX; count += 1) await statusOf(gateway, head('GET /v1/nothing'));
    expect(await statusOf(gateway, head('GET /v1/nothing'))).toBe(429);
    return gateway;
  }

  test('is served with a good key, also one that is new to the gateway', async () => {
    const gateway = await startExhausted();
    expect(await statusOf(gateway, head('GET /v1/organizations/current', withKey))).toBe(409);
  });

  test('is served with the good token of an upload, and limited with a wrong one', async () => {
    const put = (token: string) =>
      head(
        `PUT /v1/uploads/0198a000-0000-7000-8000-00000000000a/content?token=${token}`,
        'Content-Type: application/pdf',
        'Content-Length: 0',
      );
    const gateway = await startExhausted();
    expect(await statusOf(gateway, put('good'))).toBe(204);
    expect(await statusOf(gateway, put('guess'))).toBe(429);
  });

  test('is told with a good key what is wrong', async () => {
    const gateway = await startExhausted();
    await statusOf(gateway, head('GET /v1/organizations/current', withKey));
    expect(await statusOf(gateway, head('GET /v1/nothing', withKey))).toBe(404);
    expect(await statusOf(gateway, head('PUT /v1/invoices', withKey))).toBe(405);
  });

  test('still hands in notifications that are signed', async () => {
    const gateway = await startExhausted();
    const notification = [head(`POST ${NOTIFICATION}`, 'Content-Type: application/json', 'Content-Length: 2'), '{}'];
    expect(await statusOf(gateway, ...notification)).toBe(409);
  });

  test('still sees pages and probes', async () => {
    const gateway = await startExhausted();
    for (const path of ['/docs', '/openapi.json', '/livez', '/readyz']) {
      expect(await statusOf(gateway, head(`GET ${path}`))).toBe(200);
    }
  });
});

describe('are no refused attempts:', () => {
  async function expectUncounted(...pieces: string[]): Promise<void> {
    const gateway = await start();
    await statusOf(gateway, head('GET /v1/organizations/current', withKey));
    const sent = Array.from({ length: FAILURES_PER_MINUTE_MAX * 2 }, () => statusOf(gateway, ...pieces));
    expect(new Set(await Promise.all(sent)).size).toBe(1);
    expect(await statusOf(gateway, head('GET /v1/nothing'))).toBe(404);
  }

  test('unknown paths with a good key', () => expectUncounted(head('GET /v1/nothing', withKey)));
  test('wrong methods with a good key', () => expectUncounted(head('PUT /v1/invoices', withKey)));
  test('broken bodies with a good key', () =>
    expectUncounted(head('POST /v1/invoices', withKey, 'Content-Type: application/json', 'Content-Length: 1'), '{'));
  test('requests without a key, whose refusal costs nothing', () => expectUncounted(head('GET /v1/invoices')));
  test('notifications of a signed sender that are too large', () =>
    expectUncounted(head(`POST ${NOTIFICATION}`, 'Content-Length: 99999999')));
});
