import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { startPaddleSimulator } from '@invoicecontrol/simulators/paddle';
import type { PaddleSimulator } from '@invoicecontrol/simulators/paddle';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { CHECKOUT_REFERENCE_MS } from '../domain/checkout.js';
import {
  API_KEY,
  call,
  newSubscriptionId,
  notificationText,
  prices,
  SECRETS,
  signed,
  startBilling,
  subscriptionEntity,
} from '../testing/running-billing.js';
import type { RunningBilling, SubscriptionState } from '../testing/running-billing.js';

let billing: RunningBilling;
let paddle: PaddleSimulator;
/** If set, the clock of the service stays at this time. */
let now: Date | undefined;
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
    overrides: { jobPauseMsMax: 200, clock: { now: () => now ?? new Date() } },
  });
});
afterEach(() => {
  now = undefined;
  paddle.setOutage(false);
});
afterAll(async () => {
  await billing.stop();
  await paddle.stop();
});

const NOTHING = { duplicates: [] };

function stateOf(organizationId: string) {
  return billing.subscriptions.getSubscription({ organizationId }, call);
}

function tell(state: SubscriptionState, type = 'subscription.created', occurredAt?: string): Promise<void> {
  const text = notificationText(type, subscriptionEntity(state), occurredAt === undefined ? {} : { occurredAt });
  return billing.send(text, signed(text, SECRETS[0], now));
}

/** Returns the entry about a subscription that the operator's command `stuck` lists. */
async function stuckAbout(subscriptionId: string, at = new Date()) {
  // The clock moves on by ten seconds, because the minimum age that a request can name is one second.
  now = new Date(at.getTime() + 10_000);
  const { items } = await billing.operations.listStuckWork({ olderThanSeconds: 1 }, call);
  now = undefined;
  return items.filter(({ what }) => what.includes(subscriptionId));
}

async function waits(subscriptionId: string, why: RegExp, at?: Date): Promise<void> {
  expect(await stuckAbout(subscriptionId, at)).toMatchObject([
    {
      kind: 'unlinked_subscription',
      why: expect.stringMatching(why),
      resolution: expect.stringMatching(/link-subscription --subscription sub_\w+ --organization \S+ --dry-run/),
    },
  ]);
}

function link(subscriptionId: string, organizationId: string, dryRun = false) {
  return billing.operator.linkSubscription({ subscriptionId, organizationId, dryRun }, call);
}

describe('a subscription that names an organization', () => {
  test('without a reference changes nothing about it, and waits for the operator', async () => {
    const organizationId = await billing.newOrganization();
    const id = newSubscriptionId();
    await tell({ id, organizationId });
    await tell({ id, organizationId, status: 'past_due' }, 'subscription.past_due');
    expect(await stateOf(organizationId)).toEqual(NOTHING);
    await expect(billing.subscriptions.createPortalSession({ organizationId }, call)).rejects.toMatchObject({
      kind: 'wrong_state',
    });
    expect(await billing.subscriptions.checkDeletion({ organizationId }, call)).toEqual({
      hasSubscription: false,
      isKnown: false,
    });
    await waits(id, /has no reference/);
    // A subscription that was canceled and refunded at the payment provider needs no action.
    await tell({ id, organizationId, status: 'canceled' }, 'subscription.canceled');
    expect(await stuckAbout(id)).toEqual([]);
    expect(await stateOf(organizationId)).toEqual(NOTHING);
    expect(billing.changes.filter((change) => change.organizationId === organizationId)).toEqual([]);
  });

  test('is linked by a reference of a checkout of that organization, whose hash alone is stored', async () => {
    const organizationId = await billing.newOrganization();
    const reference = await billing.newReference(organizationId);
    expect(reference).toMatch(/^chk_[0-9a-f]{64}$/);
    const checkouts = await billing.mongo.db.collection('checkouts').find({ organizationId }).toArray();
    expect(checkouts).toHaveLength(1);
    expect(JSON.stringify(checkouts)).not.toContain(reference.slice(4));
    const id = newSubscriptionId();
    await tell({ id, organizationId, reference });
    expect(await stateOf(organizationId)).toMatchObject({ subscription: { plan: 'CONTROL', active: true } });
    expect(await stuckAbout(id)).toEqual([]);
  });

  test('does not take the place of a linked one by its reference, however both arrive', async () => {
    const organizationId = await billing.newOrganization();
    const reference = await billing.newReference(organizationId);
    const ids = [newSubscriptionId(), newSubscriptionId()];
    const concurrent = Array.from({ length: 8 }, (_, index) =>
      tell({ id: ids[index % 2] ?? '', organizationId, reference }, 'subscription.updated'),
    );
    await Promise.all(concurrent);
    const links = await billing.mongo.db
      .collection<{ _id: string }>('subscriptions')
      .find({ organizationId })
      .toArray();
    expect(links).toHaveLength(1);
    const other = ids.find((id) => id !== links[0]?._id) ?? '';
    await waits(other, /already used by another subscription/);
    expect((await stateOf(organizationId)).duplicates).toEqual([]);
    // Messages of a linked subscription are applied even if they no longer contain the reference.
    await tell({ id: links[0]?._id ?? '', organizationId, status: 'paused' }, 'subscription.paused');
    expect(await stateOf(organizationId)).toMatchObject({ subscription: { status: 'paused' } });
  });

  test('is not linked by the reference of another organization, by a guess, or by a reference without the name', async () => {
    const [victim, stranger] = [await billing.newOrganization(), await billing.newOrganization()];
    const reference = await billing.newReference(stranger);
    const ids = [newSubscriptionId(), newSubscriptionId(), newSubscriptionId()] as const;
    await tell({ id: ids[0], organizationId: victim, reference });
    await tell({ id: ids[1], organizationId: victim, reference: `chk_${'0'.repeat(64)}` });
    const { custom_data: _, ...unnamed } = subscriptionEntity({ id: ids[2], organizationId: victim });
    const own = await billing.newReference(victim);
    await billing.send(
      notificationText('subscription.created', { ...unnamed, custom_data: { checkout_reference: own } }),
    );
    await waits(ids[0], /not issued to the organization/);
    await waits(ids[1], /not issued to the organization/);
    await waits(ids[2], /has no reference/);
    expect(await stateOf(victim)).toEqual(NOTHING);
    // Attempts of other organizations do not use up a reference.
    await tell({ id: newSubscriptionId(), organizationId: stranger, reference });
    await tell({ id: newSubscriptionId(), organizationId: victim, reference: own });
    expect(await stateOf(stranger)).toMatchObject({ subscription: { active: true } });
    expect(await stateOf(victim)).toMatchObject({ subscription: { active: true } });
  });

  test('is linked for 30 days after its checkout, and then waits', async () => {
    const requestedAt = new Date();
    for (const [ageMs, isLinked] of [
      [CHECKOUT_REFERENCE_MS, true],
      [CHECKOUT_REFERENCE_MS + 1, false],
    ] as const) {
      const organizationId = await billing.newOrganization();
      now = requestedAt;
      const reference = await billing.newReference(organizationId);
      const paidAt = new Date(requestedAt.getTime() + ageMs);
      now = paidAt;
      const id = newSubscriptionId();
      await tell({ id, organizationId, reference });
      now = undefined;
      expect((await stateOf(organizationId)).subscription !== undefined).toBe(isLinked);
      if (!isLinked) await waits(id, /more than 30 days before/, paidAt);
    }
  });

  test('and is canceled before it is told that it began stays canceled', async () => {
    const organizationId = await billing.newOrganization();
    const reference = await billing.newReference(organizationId);
    const state = { id: newSubscriptionId(), organizationId, reference };
    await tell({ ...state, status: 'canceled' }, 'subscription.canceled', '2026-03-02T00:00:00Z');
    await tell(state, 'subscription.created', '2026-03-01T00:00:00Z');
    expect(await stateOf(organizationId)).toMatchObject({ subscription: { status: 'canceled', active: false } });
  });

  test('stays with the organization that an earlier release linked it to', async () => {
    const [organizationId, other] = [await billing.newOrganization(), await billing.newOrganization()];
    const ids = [newSubscriptionId(), newSubscriptionId()];
    const links = billing.mongo.db.collection<{ _id: string }>('subscriptions');
    // Two subscriptions can be linked, because they have no checkout in common.
    await links.insertMany(ids.map((id) => ({ _id: id, organizationId, linkedAt: new Date() }) as { _id: string }));
    const reference = await billing.newReference(other);
    await tell({ id: ids[0] ?? '', organizationId: other, reference }, 'subscription.updated');
    expect(await stateOf(organizationId)).toMatchObject({ subscription: { active: true } });
    expect(await stateOf(other)).toEqual(NOTHING);
  });
});

test('a bill that only names an organization mails nobody; once its subscription is linked, the owners are told', async () => {
  const organizationId = await billing.newOrganization();
  const id = newSubscriptionId();
  const failed = (subscriptionId: string | null) =>
    billing.send(
      notificationText('transaction.payment_failed', {
        id: `txn_${subscriptionId ?? 'none'}`,
        subscription_id: subscriptionId,
        custom_data: { organization_id: organizationId },
      }),
    );
  await failed(null);
  await failed(id);
  const told = () => billing.announced(events.paymentFailed).filter((one) => one.organizationId === organizationId);
  const reference = await billing.newReference(organizationId);
  await tell({ id, organizationId, reference });
  await eventually(() => expect(told()).toMatchObject([{ transactionId: `txn_${id}` }]));
});

describe('the operator', () => {
  test('sees who pays, links the subscription for good, and may repeat it', async () => {
    const organizationId = await billing.newOrganization();
    const first = newSubscriptionId();
    await tell({ id: first, organizationId, reference: await billing.newReference(organizationId), plan: 'CORE' });
    await tell({ id: first, organizationId, plan: 'CORE', status: 'canceled' }, 'subscription.canceled');
    const response = await fetch(`${paddle.url}/checkouts`, {
      method: 'POST',
      body: JSON.stringify({
        items: [{ priceId: prices['SCALE_MONTH'], quantity: 1 }],
        customer: { email: 'someone.else@example.net' },
        customData: { organization_id: organizationId },
      }),
    });
    const { subscriptionId, customerId } = (await response.json()) as { subscriptionId: string; customerId: string };
    const { data } = (await (await fetch(`${paddle.url}/subscriptions/${subscriptionId}`)).json()) as {
      data: Record<string, unknown>;
    };
    await billing.send(notificationText('subscription.created', data));
    await waits(subscriptionId, /has no reference/);
    const shown = {
      plan: 'SCALE',
      status: 'active',
      customerId,
      customerEmail: 'someone.else@example.net',
      namedOrganizationId: organizationId,
      otherCustomerIds: ['ctm_1'],
      otherSubscriptionIds: [],
    };
    expect(await link(subscriptionId, organizationId, true)).toEqual({ ...shown, linked: false, alreadyLinked: false });
    expect(await stateOf(organizationId)).toMatchObject({ subscription: { plan: 'CORE', status: 'canceled' } });
    expect(await link(subscriptionId, organizationId)).toEqual({ ...shown, linked: true, alreadyLinked: false });
    expect(await stateOf(organizationId)).toMatchObject({ subscription: { plan: 'SCALE', active: true } });
    expect(await stuckAbout(subscriptionId)).toEqual([]);
    expect(await link(subscriptionId, organizationId)).toMatchObject({ linked: true, alreadyLinked: true });
    const lines = () =>
      billing.announced(events.billingAuditRecorded).filter(({ action }) => action === 'billing.subscription_linked');
    await eventually(() =>
      expect(lines()).toMatchObject([{ organizationId, target: `subscription:${subscriptionId}` }]),
    );
    const other = await billing.newOrganization();
    await expect(link(subscriptionId, other)).rejects.toMatchObject({
      kind: 'wrong_state',
      message: expect.stringContaining(organizationId),
    });
  });

  test('links one whose notifications were lost, as the provider shows it', async () => {
    const organizationId = await billing.newOrganization();
    const response = await fetch(`${paddle.url}/checkouts`, {
      method: 'POST',
      body: JSON.stringify({ items: [{ priceId: prices['CORE_YEAR'], quantity: 1 }], customData: { note: 'by hand' } }),
    });
    const { subscriptionId } = (await response.json()) as { subscriptionId: string };
    paddle.setOutage(true);
    await expect(link(subscriptionId, organizationId)).rejects.toMatchObject({ kind: 'foreign_failure' });
    paddle.setOutage(false);
    // The reconciliation finds the subscription as well, and reports it.
    await billing.operator.reconcileSubscriptions({}, call);
    await waits(subscriptionId, /has no reference/);
    await link(subscriptionId, organizationId);
    expect(await stateOf(organizationId)).toMatchObject({ subscription: { plan: 'CORE', billingInterval: 'year' } });
  });

  test('is told when an id is wrong or unknown', async () => {
    const organizationId = await billing.newOrganization();
    await expect(link('', organizationId)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(link('ctm_1', organizationId)).rejects.toMatchObject({ kind: 'invalid' });
    await expect(link(newSubscriptionId(), organizationId)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(link(newSubscriptionId(), randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
    expect(await billing.mongo.db.collection('subscriptions').countDocuments({ organizationId })).toBe(0);
  });
});
