// Demonstrates webhooks: registers a webhook endpoint for the demonstration's organization, with the URL of a receiver
// that runs together with the demonstration.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { publicEventTypes } from '@invoicecontrol/public-events';
import type { WebhookReceiver } from '@invoicecontrol/simulators/webhook-receiver';
import { RECEIVER_HOST } from './simulators.js';

/**
 * Each of these settings weakens a protection of webhook deliveries. If a user sets one of them, the demonstration does
 * not add its own settings.
 */
const SETTINGS_OF_RECEIVERS = ['EGRESS_ALLOW_CIDRS', 'EGRESS_ALLOW_HTTP', 'WEBHOOK_TEST_CA_FILE'] as const;

const PATH = '/demonstration';
const ARRIVE_MS_MAX = 5_000;
const LOOK_EACH_MS = 20;

/**
 * Checks whether this run of the demonstration includes webhooks. It does not if the environment sets one of the
 * settings for webhook receivers, or in production.
 */
export function showsWebhook(env: NodeJS.ProcessEnv): boolean {
  return env['NODE_ENV'] !== 'production' && SETTINGS_OF_RECEIVERS.every((name) => env[name] === undefined);
}

/**
 * Registers the webhook receiver of this run of the demonstration for all events. If an earlier run registered a
 * webhook endpoint, that endpoint gets the URL of the current receiver and a new secret, because only the receiver of
 * the earlier run knew the old secret. If no receiver is given, the endpoint is deleted.
 * @returns true if the endpoint is new, so that it has no deliveries from an earlier run
 */
export async function registerReceiver(
  baseUrl: string,
  apiKey: string,
  receiver: Pick<WebhookReceiver, 'url' | 'setSecrets'> | undefined,
): Promise<boolean> {
  const api = createClient({ baseUrl, apiKey });
  const existing = await findEndpoint(api);
  if (receiver === undefined) {
    if (existing !== undefined) await api.delete('/webhooks/{webhookId}', { path: { webhookId: existing.id } });
    return false;
  }
  const url = `${receiver.url}${PATH}`;
  if (existing === undefined) {
    const { data } = await api.post('/webhooks', { body: { url, events: publicEventTypes } });
    receiver.setSecrets(PATH, [data.secret]);
    return true;
  }
  const path = { webhookId: existing.id };
  const { data } = await api.post('/webhooks/{webhookId}/rotate-secret', { path, body: { revoke_previous: true } });
  // The secret is printed before the URL of the webhook is set, because deliveries that have waited since the last
  // start then arrive.
  receiver.setSecrets(PATH, [data.secret]);
  await api.patch('/webhooks/{webhookId}', { path, body: { url, status: 'ACTIVE' } });
  return false;
}

async function findEndpoint(api: Client): Promise<Schemas['Webhook'] | undefined> {
  for await (const endpoint of api.items('/webhooks')) {
    const { hostname, pathname } = new URL(endpoint.url);
    if (hostname === RECEIVER_HOST && pathname === PATH) return endpoint;
  }
  return undefined;
}

/**
 * Waits a short time until the given number of webhook deliveries has arrived, and prints the deliveries that arrived.
 */
export async function describeDeliveries(
  { deliveries, controlUrl }: Pick<WebhookReceiver, 'deliveries' | 'controlUrl'>,
  expected: number,
): Promise<string> {
  for (let waitedMs = 0; deliveries.length < expected && waitedMs < ARRIVE_MS_MAX; waitedMs += LOOK_EACH_MS) {
    await delay(LOOK_EACH_MS);
  }
  if (deliveries.length === 0) return `none yet; post an invoice, then: curl -s ${controlUrl}/deliveries`;
  const verified = deliveries.filter(({ isVerified }) => isVerified).length;
  return `${deliveries.length} arrived, ${verified} verified: curl -s ${controlUrl}/deliveries`;
}
