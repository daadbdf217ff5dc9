import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { connectMongo } from '@invoicecontrol/runtime/mongo/connection';
import type { MongoConnection } from '@invoicecontrol/runtime/mongo/connection';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { Hold, HoldOptions } from '@invoicecontrol/testkit/mongo-proxy';
import { developmentSettings } from '@invoicecontrol/topology/start';
import { startKillableSystem } from './crash/killable-system.js';
import type { KillableSystem } from './crash/killable-system.js';
import { reached } from './crash/reached.js';

/**
 * The database writes of a notification that begins a subscription, in their order. Each is identified by the field
 * that names the organization.
 */
const steps = [
  'insert notifications',
  'insert subscriptions',
  'findAndModify customers',
  'update notifications',
] as const;
/**
 * These commands empty the outbox of the account once its event is published. They name no organization, so they are
 * paused one at a time.
 */
const unnamed = ['update customers', 'update relay'] as const;

interface KillPoint extends Pick<HoldOptions, 'command' | 'side'> {
  readonly isNamed: boolean;
}

const bothSides =
  (isNamed: boolean) =>
  (command: string): KillPoint[] => [
    { command, side: 'before', isNamed },
    { command, side: 'after', isNamed },
  ];
const named = steps.flatMap(bothSides(true));

/** Several times the duration of a worker's lease, which stays after the worker is killed. */
const TAKEOVER_MS_MAX = 40_000;

const settings = developmentSettings('billing');
const SECRET = settings['PADDLE_NOTIFICATION_SECRETS'] ?? '';

/** An organization that buys a plan. The provider sends the same notification until the response is 200. */
interface Buyer {
  readonly tenant: Tenant;
  readonly text: string;
}

let system: KillableSystem;
let mongo: MongoConnection;
const buyers: Buyer[] = [];
beforeAll(async () => {
  system = await startKillableSystem();
  mongo = await connectMongo({ url: system.mongodbUrl, databaseName: 'billing', appName: 'test' });
}, 120_000);
afterAll(async () => {
  await mongo.close();
  await system.stop();
});

async function newBuyer(): Promise<Buyer> {
  const tenant = await system.newTenant('Buyer', 'CORE');
  // The billing service must know the organization first, because the notification would otherwise wait for it.
  const customers = mongo.db.collection<{ _id: string }>('customers');
  await eventually(async () => expect(await customers.countDocuments({ _id: tenant.organizationId })).toBe(1));
  const checkout = await fetch(`${system.baseUrl}/billing/checkout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.keys.owner}` },
  });
  expect(checkout.status).toBe(200);
  const { customData } = (await checkout.json()) as { customData: object };
  // The event of the checkout is written separately, which this test does not cover.
  const published = { organizationId: tenant.organizationId, outboxPending: { $exists: false } };
  await eventually(async () => expect(await mongo.db.collection('checkouts').countDocuments(published)).toBe(1));
  const text = JSON.stringify({
    event_id: `evt_${randomUUID()}`,
    event_type: 'subscription.created',
    occurred_at: '2026-03-01T10:00:00.5Z',
    data: {
      id: `sub_${randomUUID()}`,
      status: 'active',
      customer_id: 'ctm_1',
      items: [
        { price: { id: settings['PADDLE_PRICE_SCALE_YEAR'] }, quantity: 1 },
        { price: { id: settings['PADDLE_PRICE_ENTITY_YEAR'] }, quantity: 2 },
      ],
      current_billing_period: { starts_at: '2026-03-01T10:00:00Z', ends_at: '2027-03-01T10:00:00Z' },
      custom_data: customData,
    },
  });
  const buyer = { tenant, text };
  buyers.push(buyer);
  return buyer;
}

/**
 * Sends the notification until the billing service accepts it.
 * @returns the status of the response
 */
async function deliver({ text }: Buyer): Promise<number> {
  const ts = Math.floor(Date.now() / 1_000);
  const h1 = createHmac('sha256', SECRET).update(`${ts}:${text}`).digest('hex');
  const response = await fetch(`${system.baseUrl}/billing/paddle/notifications`, {
    method: 'POST',
    headers: { 'paddle-signature': `ts=${ts};h1=${h1}`, 'content-type': 'application/json' },
    body: text,
  });
  await response.arrayBuffer();
  return response.status;
}

const deliverUntilAnswered = (buyer: Buyer): Promise<void> =>
  eventually(async () => expect(await deliver(buyer)).toBe(200));

/** Returns every effect of the notification, without ids and times that differ between test runs. */
async function stateOf({ tenant: { organizationId, keys } }: Buyer) {
  const { db } = mongo;
  const [account] = await db.collection('customers').find({ organizationId }).toArray();
  const links = await db.collection('subscriptions').find({ organizationId }).toArray();
  const notifications = await db.collection('notifications').find({ organizationId }).toArray();
  const response = await fetch(`${system.baseUrl}/billing/subscription`, {
    headers: { authorization: `Bearer ${keys.owner}` },
  });
  const { usage: _, ...subscription } = (await response.json()) as Record<string, unknown>;
  return {
    subscription,
    version: account?.['version'] as unknown,
    isPublished: account?.['outboxPending'] === undefined,
    subscriptions: (account?.['subscriptions'] as object[] | undefined)?.map((one) => ({ ...one, id: 'sub' })),
    links: links.length,
    // A notification that was applied just before the kill is recognised as stale.
    notifications: notifications.map(({ state, outcome }) => ({
      state: state as unknown,
      isApplied: outcome === 'APPLIED' || outcome === 'STALE',
    })),
  };
}

/** Makes a new buyer's notification wait at this point of the command. */
async function reach({ command, side, isNamed }: KillPoint): Promise<Hold> {
  const buyer = await newBuyer();
  const mentioning = isNamed ? { mentioning: [buyer.tenant.organizationId] } : {};
  const hold = system.proxyOf('billing').hold({ command, side, ...mentioning });
  deliver(buyer).catch(() => {});
  await reached(hold, `${side} "${command}" was not reached`);
  return hold;
}

async function killAt(points: readonly KillPoint[]): Promise<void> {
  const before = buyers.length;
  const holds: Hold[] = [];
  for (const point of points) holds.push(await reach(point));
  await system.billing.kill();
  for (const hold of holds) hold.drop();
  await system.billing.restart();
  await Promise.all(buyers.slice(before).map(deliverUntilAnswered));
}

describe('a notification of the payment provider whose service is killed', () => {
  test('sends no write that has no kill point here', async () => {
    const buyer = await newBuyer();
    const before = new Set(system.proxyOf('billing').commandNames());
    await deliverUntilAnswered(buyer);
    await eventually(async () =>
      expect(await stateOf(buyer)).toMatchObject({ isPublished: true, subscription: { plan: 'SCALE', active: true } }),
    );
    const writes = system
      .proxyOf('billing')
      .commandNames()
      .filter((name) => !before.has(name) && !name.startsWith('find '));
    const points: readonly string[] = [...steps, ...unnamed];
    expect(writes.filter((name) => !points.includes(name))).toEqual([]);
    expect(writes).toEqual(expect.arrayContaining([...steps]));
  });

  test.each([
    { where: 'at every write that names the organization', points: named },
    ...unnamed
      .flatMap(bothSides(false))
      .map((point) => ({ where: `${point.side} "${point.command}"`, points: [point] })),
  ])(
    '$where ends as the undisturbed one',
    async ({ points }) => {
      const from = buyers.length;
      await killAt(points);
      const [undisturbed, ...disturbed] = [buyers[0] as Buyer, ...buyers.slice(from)];
      const expected = await stateOf(undisturbed);
      for (const buyer of disturbed) {
        await eventually(async () => expect(await stateOf(buyer)).toEqual(expected), { timeoutMs: TAKEOVER_MS_MAX });
      }
      expect(system.unexpected).toEqual([]);
    },
    60_000,
  );
});
