// Rotates a webhook secret under load as integrators do. Each received delivery is then verified by each published
// receiver with each secret.
import { mkdir, rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook } from '@invoicecontrol/client';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { startWebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import type { ReceivedRequest, WebhookReceiver } from '@invoicecontrol/testkit/webhook-receiver';
import { isThere, languagesIn, PREPARE_MS_MAX, root, startReceiver } from '../contract/receiver-languages.js';
import type { Language, Receiver } from '../contract/receiver-languages.js';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';
import type { AcceptedAnalysis } from './shapes.js';

const SENDERS = 4;
const ARRIVALS_OF_A_PHASE = 15;
const directory = `${root}.cache/rotation-${process.pid}`;

/**
 * A webhook delivery, and the number of secrets that had been shown when the invoice that caused its event was sent.
 */
interface Recorded {
  readonly request: ReceivedRequest;
  readonly id: string;
  readonly signature: string;
  readonly rotationsBefore: number;
  /** Number of secret rotations that had been requested when the delivery arrived. */
  readonly rotationsAsked: number;
}

let running: RunningSystem;
let receiver: WebhookReceiver;
/** The first signing secret, followed by the secret that each of the two rotations returned. */
const secrets: string[] = [];
let recorded: readonly Recorded[];

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  running = await startRunningSystem({
    EGRESS_ALLOW_CIDRS: '127.0.0.1/32',
    WEBHOOK_TEST_CA_FILE: receiver.caFile,
  });
  const key = running.tenant.keys.owner;
  const order = { url: `${receiver.origin}/hook`, events: ['invoice.analysis.completed'] };
  const created = await running.request<{ id: string; secret: string }>('POST /webhooks', { key, body: order });
  secrets.push(created.body.secret);

  /** Number of secret rotations that were completed before each invoice was sent. */
  const rotationsBefore = new Map<string, number>();
  /** Number of secret rotations that had been requested at each arrival. */
  const rotationsAsked: number[] = [];
  let asked = 0;
  receiver.answer('/hook', (_request, response) => {
    rotationsAsked.push(asked);
    response.end('ok');
  });
  /**
   * The clocks of services differ slightly: requests sent before the first arrival may appear older than the endpoint.
   */
  const awaited = new Set<string>();
  let sent = 0;
  let isSending = true;
  const sender = async (): Promise<void> => {
    while (isSending) {
      const before = secrets.length - 1;
      const hasBegun = receiver.requests.length > 0;
      const { body } = await running.request<AcceptedAnalysis>('POST /invoices', {
        key,
        body: plainInvoice((sent += 1)),
      });
      rotationsBefore.set(body.id, before);
      if (hasBegun) awaited.add(body.id);
    }
  };
  /** Waits until the given number of deliveries has arrived that were sent after the given number of rotations. */
  const arrivals = (count: number, rotations: number): Promise<void> =>
    eventually(() => {
      const made = receiver.requests.map(({ body }) => rotationsBefore.get(invoiceOf(body)));
      expect(made.filter((before) => before === rotations).length).toBeGreaterThanOrEqual(count);
    });
  const senders = Array.from({ length: SENDERS }, sender);
  for (let rotations = 0; rotations < 2; rotations++) {
    await arrivals(ARRIVALS_OF_A_PHASE, rotations);
    asked += 1;
    const rotated = await running.request<{ secret: string }>(`POST /webhooks/${created.body.id}/rotate-secret`, {
      key,
      body: {},
    });
    secrets.push(rotated.body.secret);
  }
  await arrivals(ARRIVALS_OF_A_PHASE, 2);
  isSending = false;
  await Promise.all(senders);
  await untilArrived(awaited);
  recorded = receiver.requests.map((request, index) => {
    return {
      request,
      id: String(request.headers['svc-event-id']),
      signature: String(request.headers['svc-signature']),
      rotationsBefore: rotationsBefore.get(invoiceOf(request.body)) ?? -1,
      rotationsAsked: rotationsAsked[index] ?? -1,
    };
  });
});
afterAll(async () => {
  await running.stop();
  await receiver.close();
});

const invoiceOf = (body: string): string => (JSON.parse(body) as { data: { invoice_id: string } }).data.invoice_id;

const untilArrived = (invoiceIds: ReadonlySet<string>): Promise<void> =>
  eventually(() => {
    const arrived = new Set(receiver.requests.map(({ body }) => invoiceOf(body)));
    expect([...invoiceIds].filter((id) => !arrived.has(id))).toEqual([]);
  });

/**
 * Returns the deliveries that a receiver with only this secret must accept: all deliveries sent while the secret was
 * valid.
 */
const accepted = (secret: number): readonly Recorded[] =>
  recorded.filter(({ rotationsBefore, rotationsAsked }) => rotationsBefore >= secret && rotationsAsked <= secret + 1);
/**
 * Returns the deliveries that a receiver with only this secret must refuse: those sent before the secret existed, and
 * those sent after the second rotation that follows it.
 */
const refused = (secret: number): readonly Recorded[] =>
  recorded.filter(({ rotationsBefore, rotationsAsked }) => rotationsBefore >= secret + 2 || rotationsAsked < secret);

describe('two rotations under load', () => {
  test('leave every delivery with a signature of a secret that is valid then', () => {
    expect(new Set(recorded.map(({ id }) => id)).size).toBe(recorded.length);
    for (const { request, rotationsBefore, rotationsAsked } of recorded) {
      const { body, headers, at } = request;
      const valid = secrets.slice(Math.max(0, rotationsBefore - 1), rotationsAsked + 1);
      expect(verifyWebhook({ body, headers, secret: valid, now: () => at })).toEqual(JSON.parse(body));
    }
  });

  test('sign with one secret before the first, and with two, the new one first, after each', () => {
    const counts = (rotations: number): number[] =>
      recorded
        .filter(({ rotationsBefore, rotationsAsked }) => rotationsBefore === rotations && rotationsAsked === rotations)
        .map(({ signature }) => signature.split('v1=').length - 1);
    expect(new Set(counts(0))).toEqual(new Set([1]));
    expect(new Set(counts(1))).toEqual(new Set([2]));
    expect(new Set(counts(2))).toEqual(new Set([2]));
  });

  for (const language of languagesIn(directory).filter(isThere)) {
    test(
      `are followed by the receiver in ${language.name}, with the secret that it has and with the new one`,
      async () => {
        await mkdir(directory, { recursive: true });
        await language.prepare?.();
        const receivers = await startAll(language);
        try {
          for (const [index, copy] of receivers.entries()) {
            expect(await statusesOf(copy, accepted(index))).toEqual(new Set([204]));
            expect(await statusesOf(copy, refused(index))).toEqual(new Set([400]));
          }
        } finally {
          for (const copy of receivers) await copy.stop();
          await rm(directory, { recursive: true, force: true });
        }
      },
      PREPARE_MS_MAX,
    );
  }
});

/** Starts one webhook receiver for each secret. */
function startAll(language: Language): Promise<readonly Receiver[]> {
  return Promise.all(
    secrets.map((secret, index) => startReceiver(language, { secret, eventsDirectory: `${directory}/${index}` })),
  );
}

async function statusesOf(copy: Receiver, deliveries: readonly Recorded[]): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (const { id, request, signature } of deliveries) statuses.add(await copy.deliver(id, request.body, signature));
  return statuses;
}
