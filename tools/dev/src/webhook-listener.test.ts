import { createHmac } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { startWebhookListener } from './webhook-listener.js';
import type { ListenerOptions, WebhookListener } from './webhook-listener.js';

const SECRET = 'whsec_one';
const BODY = '{"id":"evt_1","type":"finding.created","data":{"finding_id":"f"}}';
const T = 1_770_000_000;

let listener: WebhookListener;
let printed: string[];

async function start(options: Partial<ListenerOptions> = {}): Promise<void> {
  printed = [];
  listener = await startWebhookListener({
    port: 0,
    secrets: ['whsec_new', SECRET],
    status: 200,
    isJson: false,
    print: (text) => void printed.push(text),
    now: () => new Date((T + 2) * 1_000),
    ...options,
  });
}
afterEach(() => listener.stop());

async function deliver(body = BODY, secret = SECRET): Promise<number> {
  const v1 = createHmac('sha256', secret).update(`evt_1.${T}.${body}`).digest('hex');
  const headers = { 'svc-event-id': 'evt_1', 'svc-signature': `t=${T},v1=${v1}` };
  return (await fetch(`${listener.url}/hooks`, { method: 'POST', headers, body })).status;
}

test('a delivery is printed with its type, id, age and data, and a repeat as such', async () => {
  await start();
  expect([await deliver(), await deliver()]).toEqual([200, 200]);
  expect(printed).toEqual([
    '02:40:02.000  verified  finding.created  evt_1  /hooks  status 200, signed 2 s ago\n  {"finding_id":"f"}',
    '02:40:02.000  verified  finding.created  evt_1  /hooks  status 200, signed 2 s ago, seen 2 times\n  {"finding_id":"f"}',
  ]);
});

test('a delivery that does not verify is refused with the reason', async () => {
  await start();
  expect(await deliver(BODY, 'whsec_other')).toBe(400);
  expect(printed[0]).toContain('REFUSED');
  expect(printed[0]).toContain('SIGNATURE_MISMATCH');
  expect((await fetch(listener.url)).status).toBe(400);
  expect(printed[1]).toContain('no svc-event-id');
  expect(await deliver('x'.repeat(2 * 1024 ** 2)).catch(() => 413)).toBe(413);
  expect(listener.counts).toEqual({ verified: 0, refused: 3, unverified: 0 });
});

test('without a secret it says that nothing is verified', async () => {
  await start({ secrets: [] });
  expect(await deliver('no JSON')).toBe(200);
  expect(printed[0]).toContain('NOT VERIFIED (no secret)  no event');
});

test('the answer can be chosen and the output be JSON', async () => {
  await start({ status: 503, isJson: true });
  expect(await deliver()).toBe(503);
  expect(JSON.parse(printed[0] ?? '')).toMatchObject({ outcome: 'verified', answered: 503, event: JSON.parse(BODY) });
});

test('no control character reaches the terminal', async () => {
  await start({ secrets: [] });
  await deliver('{"type":"\\u001b[2J","data":"\\u009b2J"}');
  await deliver('\u001b[2J');
  expect(printed.join('').replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
});
