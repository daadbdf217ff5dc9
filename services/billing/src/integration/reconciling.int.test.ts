import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { startPaddleSimulator } from '@invoicecontrol/simulators/paddle';
import type { PaddleSimulator } from '@invoicecontrol/simulators/paddle';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import {
  API_KEY,
  call,
  newSubscriptionId,
  notificationText,
  prices,
  SECRETS,
  startBilling,
  subscriptionEntity,
} from '../testing/running-billing.js';
import type { RunningBilling } from '../testing/running-billing.js';

const DAY_MS = 24 * 3_600_000;

let billing: RunningBilling;
let paddle: PaddleSimulator;
/** Milliseconds by which the clock of the service is ahead. */
let aheadMs = 0;
beforeAll(async () => {
  paddle = await startPaddleSimulator({
    notificationSecrets: SECRETS,
    prices,
    successUrl: 'https://example.com/success',
    apiKey: API_KEY,
  });
  billing = await startBilling(startService, {
    apiUrl: paddle.url,
    infrastructure: testInfrastructure(),
    until: (condition) =>
      eventually(async () => {
        if (!(await condition())) throw new Error('The condition does not hold yet.');
      }),
    databaseName: testDatabaseName(),
    env: { SUBSCRIPTION_PAST_DUE_DAYS: '10' },
    overrides: { jobPauseMsMax: 100, clock: { now: () => new Date(Date.now() + aheadMs) } },
  });
  // The tests begin after the first daily reconciliation, which would otherwise correct the data before the tests do.
  const schedules = billing.mongo.db.collection('schedules');
  await eventually(async () => {
    if ((await schedules.countDocuments({ dueAt: { $gt: new Date(Date.now() + DAY_MS / 2) } })) === 0) {
      throw new Error('The first daily run has not begun.');
    }
  });
});
afterEach(() => {
  aheadMs = 0;
  paddle.setOutage(false);
});
afterAll(async () => {
  await billing.stop();
  await paddle.stop();
});

async function subscriptionOf(organizationId: string) {
  const { subscription } = await billing.subscriptions.getSubscription({ organizationId }, call);
  return subscription;
}

async function checkOut(organizationId: string, plan = 'SCALE_MONTH'): Promise<string> {
  const reference = await billing.newReference(organizationId);
  return pay({ organization_id: organizationId, checkout_reference: reference }, plan);
}

/**
 * Completes a payment at the payment provider.
 * @returns the id of the subscription
 */
async function pay(customData: Readonly<Record<string, unknown>>, plan = 'SCALE_MONTH'): Promise<string> {
  const response = await fetch(`${paddle.url}/checkouts`, {
    method: 'POST',
    body: JSON.stringify({
      items: [{ priceId: prices[plan], quantity: 1 }],
      customData,
    }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { subscriptionId: string }).subscriptionId;
}

function reconcile() {
  return billing.operator.reconcileSubscriptions({}, call);
}

describe('reconciling', () => {
  test('finds subscriptions whose notifications were lost, corrects what differs, and counts what is unknown', async () => {
    const organizationId = await billing.newOrganization();
    // The simulator has no address for notifications, so every payment notification is lost.
    const subscriptionId = await checkOut(organizationId);
    await pay({ organization_id: organizationId });
    const first = await reconcile();
    expect(first).toMatchObject({ corrected: 1, unknown: 1 });
    expect(await subscriptionOf(organizationId)).toMatchObject({ plan: 'SCALE', status: 'active', active: true });
    await eventually(() =>
      expect(billing.changes).toContainEqual(expect.objectContaining({ organizationId, plan: 'SCALE' })),
    );
    expect(await reconcile()).toEqual({ ...first, corrected: 0 });

    await fetch(`${paddle.url}/subscriptions/${subscriptionId}/cancel`, {
      method: 'POST',
      body: JSON.stringify({ effective_from: 'immediately' }),
    });
    expect(await reconcile()).toEqual(first);
    expect(await subscriptionOf(organizationId)).toMatchObject({ status: 'canceled', active: false });
  });

  test('passes over the canceled subscription of a purged organization, and counts one that is not as unknown', async () => {
    const organizationId = await billing.newOrganization();
    const subscriptionId = await checkOut(organizationId);
    const before = await reconcile();
    await billing.announcePurge(organizationId);
    const customers = billing.mongo.db.collection<{ _id: string }>('customers');
    const links = billing.mongo.db.collection<{ _id: string }>('subscriptions');
    await eventually(async () => {
      expect(await customers.countDocuments({ _id: organizationId })).toBe(0);
      expect(await links.countDocuments({ _id: subscriptionId })).toBe(0);
    });
    expect(await reconcile()).toEqual({ ...before, corrected: 0, unknown: before.unknown + 1 });
    await fetch(`${paddle.url}/subscriptions/${subscriptionId}/cancel`, {
      method: 'POST',
      body: JSON.stringify({ effective_from: 'immediately' }),
    });
    expect(await reconcile()).toEqual({ ...before, corrected: 0 });
    expect(await links.countDocuments({ _id: subscriptionId })).toBe(0);
  });

  test('says that the provider cannot be read', async () => {
    paddle.setOutage(true);
    await expect(reconcile()).rejects.toMatchObject({ kind: 'foreign_failure' });
  });
});

test('the owners are told once that a trial ends, three days before', async () => {
  const organizationId = await billing.newOrganization();
  const reference = await billing.newReference(organizationId);
  const nextBilledAt = new Date(Date.now() + 5 * DAY_MS).toISOString();
  await billing.send(
    notificationText(
      'subscription.created',
      subscriptionEntity({ id: newSubscriptionId(), organizationId, reference, status: 'trialing', nextBilledAt }),
    ),
  );
  const told = () => billing.announced(events.trialEnding).filter((event) => event.organizationId === organizationId);
  aheadMs = 2 * DAY_MS - 60_000;
  expect(told()).toEqual([]);
  aheadMs = 2 * DAY_MS + 60_000;
  await eventually(() => expect(told()).toHaveLength(1));
  expect(told()[0]?.trialEndTime?.toISOString()).toBe(nextBilledAt);
  const customer = await billing.mongo.db.collection<{ _id: string }>('customers').findOne({ _id: organizationId });
  expect(customer).not.toHaveProperty('dueAt');
});

test('a subscription in arrears stops being active when the grace ends', async () => {
  const organizationId = await billing.newOrganization();
  const reference = await billing.newReference(organizationId);
  const periodStart = new Date(Date.now() - 9 * DAY_MS).toISOString();
  await billing.send(
    notificationText(
      'subscription.past_due',
      subscriptionEntity({ id: newSubscriptionId(), organizationId, reference, status: 'past_due', periodStart }),
    ),
  );
  expect(await subscriptionOf(organizationId)).toMatchObject({ status: 'past_due', active: true });
  aheadMs = 2 * DAY_MS;
  expect(await subscriptionOf(organizationId)).toMatchObject({ status: 'past_due', active: false });
  await eventually(() =>
    expect(billing.changes.filter((change) => change.organizationId === organizationId).at(-1)).toMatchObject({
      status: 'past_due',
      active: false,
    }),
  );
});

test('the portal needs a customer', async () => {
  const organizationId = await billing.newOrganization();
  await expect(billing.subscriptions.createPortalSession({ organizationId }, call)).rejects.toMatchObject({
    kind: 'wrong_state',
  });
});

test('a checkout is refused for what the operator set only where no subscription is known', async () => {
  const organizationId = await billing.newOrganization();
  const checkout = (subscriptionStatus: string) =>
    billing.checkouts.createCheckout(
      {
        organizationId,
        planCode: 'CORE',
        billingInterval: 'month',
        additionalLegalEntities: 0,
        subscriptionStatus,
      },
      call,
    );
  const reference = await billing.newReference(organizationId);
  expect(await checkout('none')).toMatchObject({ items: [{ priceId: prices['CORE_MONTH'], quantity: 1 }] });
  await expect(checkout('paused')).rejects.toMatchObject({ kind: 'wrong_state' });
  await billing.send(
    notificationText(
      'subscription.canceled',
      subscriptionEntity({ id: newSubscriptionId(), organizationId, reference, status: 'canceled' }),
    ),
  );
  expect(await checkout('active')).toMatchObject({ successUrl: 'https://example.com/success' });
});
