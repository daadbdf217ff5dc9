// Simulates attacks by people who buy a plan and name another organization in the checkout. The payment provider signs
// the notifications about their subscriptions, so the signature does not reveal the attack.
import { createHmac, randomUUID } from 'node:crypto';
import { developmentSettings } from '@invoicecontrol/topology/start';
import type { AttackedSystem } from './attacked-system.js';
import { tally } from './wire.js';

export const STRANGERS = 40;

/**
 * Attacks with checkouts that name another organization. That organization is the victim, and its ordinary client must
 * be served during the attack.
 */
export async function payForAnother(system: AttackedSystem, whileHeld: () => Promise<void>): Promise<string> {
  const before = await subscriptionOf(system);
  const statuses: number[] = [];
  const subscriptions = Array.from({ length: STRANGERS }, () => `sub_${randomUUID().replaceAll('-', '')}`);
  const each = async (tell: (subscriptionId: string) => Promise<number>): Promise<void> => {
    statuses.push(...(await Promise.all(subscriptions.map(tell))));
  };
  await each((id) => notify(system, 'subscription.created', subscription(system, id, 'active')));
  await requireSame(system, before);
  await whileHeld();
  await each((id) => notify(system, 'transaction.payment_failed', { id: `txn_${id}`, subscription_id: id }));
  await each((id) => notify(system, 'subscription.canceled', subscription(system, id, 'canceled')));
  await requireSame(system, before);
  return tally(statuses);
}

/**
 * Requires that the attack did not change the plan of the victim.
 * @throws Error if the plan of the victim has changed, or its portal page is accessible
 */
async function requireSame(system: AttackedSystem, before: string): Promise<void> {
  const after = await subscriptionOf(system);
  if (after !== before) throw new Error(`The subscription of another organization was ${before} and is ${after}.`);
  const portal = await call(system, 'POST', '/billing/portal-session');
  if (portal.status !== 409) throw new Error(`The portal of another organization answered ${portal.status}.`);
}

async function subscriptionOf(system: AttackedSystem): Promise<string> {
  const response = await call(system, 'GET', '/billing/subscription');
  const { usage: _, ...subscription } = (await response.json()) as Record<string, unknown>;
  return JSON.stringify(subscription);
}

function call({ origin, bystander }: AttackedSystem, method: string, path: string): Promise<Response> {
  return fetch(`${origin}/v1${path}`, { method, headers: { authorization: `Bearer ${bystander.keys.owner}` } });
}

const settings = developmentSettings('billing');

function subscription({ bystander }: AttackedSystem, id: string, status: string): object {
  return {
    id,
    status,
    customer_id: 'ctm_stranger',
    items: [{ price: { id: settings['PADDLE_PRICE_CORE_MONTH'] }, quantity: 1 }],
    custom_data: { organization_id: bystander.organizationId, checkout_reference: `chk_${'0'.repeat(64)}` },
  };
}

/**
 * Sends a signed notification of the payment provider to the gateway.
 * @returns the status of the response
 */
async function notify({ origin, bystander }: AttackedSystem, type: string, data: object): Promise<number> {
  const body = JSON.stringify({
    event_id: `evt_${randomUUID()}`,
    event_type: type,
    occurred_at: new Date().toISOString(),
    data: { custom_data: { organization_id: bystander.organizationId }, ...data },
  });
  const ts = Math.floor(Date.now() / 1_000);
  const h1 = createHmac('sha256', settings['PADDLE_NOTIFICATION_SECRETS'] ?? '')
    .update(`${ts}:${body}`)
    .digest('hex');
  const headers = { 'paddle-signature': `ts=${ts};h1=${h1}`, 'content-type': 'application/json' };
  const response = await fetch(`${origin}/v1/billing/paddle/notifications`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}
