import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '@invoicecontrol/contracts/events';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import {
  call,
  newSubscriptionId,
  notificationText,
  SECRETS,
  signed,
  startBilling,
  subscriptionEntity,
} from '../testing/running-billing.js';
import type { RunningBilling } from '../testing/running-billing.js';

let billing: RunningBilling;
beforeAll(async () => {
  billing = await startBilling(startService, {
    infrastructure: testInfrastructure(),
    until: (condition) =>
      eventually(async () => {
        if (!(await condition())) throw new Error('The condition does not hold yet.');
      }),
    databaseName: testDatabaseName(),
    overrides: { jobPauseMsMax: 200 },
  });
});
afterAll(() => billing.stop());

async function subscriptionOf(organizationId: string) {
  const { subscription, duplicates } = await billing.subscriptions.getSubscription({ organizationId }, call);
  return { ...subscription, duplicates };
}

function stored(): Promise<number> {
  return billing.mongo.db.collection('notifications').countDocuments({});
}

/** Returns the collections of all documents that contain the text anywhere, in upper or lower case. */
async function documentsOf(text: string): Promise<string[]> {
  const { db } = billing.mongo;
  const found: string[] = [];
  for (const { name } of await db.listCollections().toArray()) {
    for (const document of await db.collection(name).find({}).toArray()) {
      if (JSON.stringify(document).toLowerCase().includes(text)) found.push(name);
    }
  }
  return found;
}

/** Returns the same random numbers in every run. */
function randomSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const SUBSCRIPTIONS = 50;
const MESSAGES = 1_000;
const CONCURRENT = 16;

test('1000 shuffled and repeated notifications of 50 subscriptions end as the ordered ones do', async () => {
  const random = randomSource(7);
  const statuses = ['trialing', 'active', 'past_due', 'paused', 'active', 'canceled'];
  const plans = ['CORE', 'CONTROL', 'SCALE'] as const;
  // Some organizations have two subscriptions, so that the test also covers the choice of the current one.
  const shapes = Array.from({ length: SUBSCRIPTIONS }, (_, index) => ({ organization: index % 40, index }));
  const story = Array.from({ length: MESSAGES * 0.8 }, (_, at) => {
    const shape = shapes[Math.floor(random() * shapes.length)] ?? { organization: 0, index: 0 };
    const status = statuses[Math.floor(random() * statuses.length)] ?? 'active';
    const plan = plans[Math.floor(random() * plans.length)] ?? 'CORE';
    const occurredAt = `2026-03-01T00:${String(Math.floor(at / 60) % 60).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}.${at}Z`;
    return { ...shape, status, plan, entities: Math.floor(random() * 5), occurredAt };
  });
  const play = async (isShuffled: boolean) => {
    const organizations = await Promise.all(Array.from({ length: 40 }, () => billing.newOrganization()));
    const ids = shapes.map(() => newSubscriptionId());
    const references = await Promise.all(
      shapes.map(({ organization }) => billing.newReference(organizations[organization] ?? '')),
    );
    const texts = story.map(({ organization, index, status, plan, entities, occurredAt }) =>
      notificationText(
        'subscription.updated',
        subscriptionEntity({
          id: ids[index] ?? '',
          organizationId: organizations[organization] ?? '',
          reference: references[index] ?? '',
          status,
          plan,
          entities,
        }),
        { occurredAt },
      ),
    );
    const repeated = [...texts, ...texts.slice(0, MESSAGES - texts.length)];
    const queue = isShuffled
      ? repeated.map((text) => ({ text, key: random() })).toSorted((left, right) => left.key - right.key)
      : texts.map((text) => ({ text }));
    if (isShuffled) expect(queue).toHaveLength(MESSAGES);
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await billing.send(next.text);
    };
    await Promise.all(Array.from({ length: isShuffled ? CONCURRENT : 1 }, work));
    const waiting = billing.mongo.db.collection('notifications');
    await eventually(async () => expect(await waiting.countDocuments({ state: 'PENDING' })).toBe(0));
    const results = await Promise.all(organizations.map(subscriptionOf));
    return results.map(({ duplicates, ...current }) => ({
      ...current,
      duplicates: duplicates
        .map(({ subscriptionId, status }) => ({ subscription: ids.indexOf(subscriptionId), status }))
        .toSorted((left, right) => left.subscription - right.subscription),
    }));
  };
  const ordered = await play(false);
  expect(await play(true)).toEqual(ordered);
  expect(ordered.some(({ duplicates }) => duplicates.length > 0)).toBe(true);
});

test('nothing is stored of what is refused, whatever the header and the body are', async () => {
  const before = await stored();
  const random = randomSource(11);
  const text = notificationText('subscription.updated', { id: 'sub_1' });
  const good = signed(text);
  const headers = [
    '',
    ';',
    'ts=;h1=',
    'h1=abc',
    `ts=${Date.now()};h1=${'0'.repeat(64)}`,
    `ts=-1;${good}`,
    good.replace('ts=', 't='),
    good.toUpperCase(),
    `${good};v1=a`,
    good.replace(/ts=\d+/, 'ts=1'),
    good.replace(/ts=\d+/, `ts=${Math.floor(Date.now() / 1_000) + 400}`),
    signed(text, 'another'),
    `${good}${`;h1=${'1'.repeat(64)}`.repeat(20)}`,
    `ts=1;${'h1=a;'.repeat(2_000)}`,
    ...Array.from({ length: 100 }, () => {
      const at = Math.floor(random() * good.length);
      // The header is compared byte by byte, so another character makes another header.
      const other = good[at] === '7' ? '8' : '7';
      return good.slice(0, at) + other + good.slice(at + 1);
    }),
    ...Array.from({ length: 50 }, () => randomBytes(80).toString('latin1')),
  ];
  for (const header of headers) {
    const refusal = billing.send(text, header);
    await expect(refusal).rejects.toMatchObject({ kind: 'unauthenticated' });
  }
  const large = ' '.repeat(1024 ** 2 + 1);
  await expect(billing.send(large)).rejects.toMatchObject({ kind: 'too_large' });
  const bodies = ['', 'null', '[]', '{', '"text"', '{"event_id":1}', '['.repeat(100_000), '\u0000'];
  for (const body of bodies) await expect(billing.send(body)).rejects.toMatchObject({ kind: 'invalid' });
  expect(await stored()).toBe(before);
});

test('any good signature among several is taken, for any of the secrets', async () => {
  for (const secret of SECRETS) {
    const before = await stored();
    const text = notificationText('product.updated', {});
    const [ts = '', h1 = ''] = signed(text, secret).split(';');
    const wrong = `h1=${'a'.repeat(64)}`;
    await billing.send(text, [ts, wrong, h1].join(';'));
    expect(await stored()).toBeGreaterThan(before);
    const second = notificationText('product.updated', {});
    const [secondTs = '', secondH1 = ''] = signed(second, secret).split(';');
    await billing.send(second, [secondTs, secondH1, ...Array.from({ length: 19 }, () => wrong)].join(';'));
  }
});

test('a notification that was stored before a crash is applied by the sweep, and counts for deleting at once', async () => {
  const organizationId = await billing.newOrganization();
  const reference = await billing.newReference(organizationId);
  const text = notificationText(
    'subscription.created',
    subscriptionEntity({ id: newSubscriptionId(), organizationId, reference }),
  );
  const { event_id: eventId, event_type: type } = JSON.parse(text) as { event_id: string; event_type: string };
  const now = new Date();
  // Restores the payment notification of a process that crashed between storing and applying it. Its lease has expired.
  await billing.mongo.db.collection<{ _id: string }>('notifications').insertOne({
    _id: eventId,
    type,
    occurredAt: '2026-03-01T00:00:00.',
    body: text,
    organizationId,
    state: 'PENDING',
    attempts: 1,
    dueAt: now,
    claim: 'a dead process',
    leaseUntil: new Date(0),
    receivedAt: now,
    expiresAt: new Date(now.getTime() + 60_000),
  } as { _id: string });
  expect(await billing.subscriptions.checkDeletion({ organizationId }, call)).toEqual({
    hasSubscription: true,
    isKnown: true,
  });
  await eventually(async () => expect(await subscriptionOf(organizationId)).toMatchObject({ status: 'active' }));
  await eventually(() =>
    expect(billing.changes).toContainEqual(expect.objectContaining({ organizationId, active: true, plan: 'CONTROL' })),
  );
});

test('stores nothing that names a purged organization, of whatever type, answers as ever, and revives nothing', async () => {
  const [purged, other] = [await billing.newOrganization(), await billing.newOrganization()];
  const [id, kept] = [newSubscriptionId(), newSubscriptionId()];
  const references = new Map([
    [purged, await billing.newReference(purged)],
    [other, await billing.newReference(other)],
  ]);
  const send = (subscriptionId: string, organizationId: string, status: string) => {
    const reference = references.get(organizationId) ?? '';
    const entity = subscriptionEntity({ id: subscriptionId, organizationId, reference, status });
    return billing.send(notificationText('subscription.updated', entity));
  };
  // A payment notification about a foreign subscription names the organization, too.
  const strange = subscriptionEntity({ id: newSubscriptionId(), organizationId: purged });
  await billing.send(notificationText('subscription.created', strange));
  await send(id, purged, 'canceled');
  await send(kept, other, 'active');
  await billing.announcePurge(purged);
  await eventually(async () => expect(await documentsOf(purged)).toEqual([]));

  const before = await stored();
  await send(id, purged, 'active');
  await send(newSubscriptionId(), purged, 'active');
  const repeated = notificationText('transaction.updated', {
    id: 'txn_1',
    subscription_id: id,
    custom_data: { organization_id: purged.toUpperCase() },
  });
  await billing.send(repeated);
  await billing.send(repeated);
  // A subscription stays linked to its organization, whatever organization a later notification names.
  await send(kept, other, 'paused');
  expect(await stored()).toBe(before + 4);
  await billing.announceOrganization(purged);
  const next = randomUUID();
  await billing.announceOrganization(next);
  const customers = billing.mongo.db.collection<{ _id: string }>('customers');
  await eventually(async () => expect(await customers.countDocuments({ _id: next })).toBe(1));
  expect(await documentsOf(purged)).toEqual([]);
  expect(await subscriptionOf(other)).toMatchObject({ status: 'paused' });
  expect(await subscriptionOf(purged)).toEqual({ duplicates: [] });
});

test('grants the highest of several plans in one subscription, and tells so in the audit trail', async () => {
  const organizationId = await billing.newOrganization();
  const id = newSubscriptionId();
  const reference = await billing.newReference(organizationId);
  const [core, scale] = (['CORE', 'SCALE'] as const).map((plan) =>
    subscriptionEntity({ id, organizationId, reference, plan }),
  ) as [Record<string, unknown>, Record<string, unknown>];
  const items = [...(core['items'] as object[]), ...(scale['items'] as object[])];
  await billing.send(notificationText('subscription.created', { ...core, items }));
  expect(await subscriptionOf(organizationId)).toMatchObject({ plan: 'SCALE', active: true });
  const told = () =>
    billing
      .announced(events.billingAuditRecorded)
      .filter((line) => line.organizationId === organizationId && line.action === 'billing.several_plans_found');
  await eventually(() => expect(told()).toMatchObject([{ target: `subscription:${id}` }]));
  await billing.send(notificationText('subscription.updated', { ...core, items: scale['items'] }));
  expect(await subscriptionOf(organizationId)).toMatchObject({ plan: 'SCALE' });
  expect(told()).toHaveLength(1);
});

test('a repeated event and an equal instant change nothing', async () => {
  const organizationId = await billing.newOrganization();
  const id = newSubscriptionId();
  const reference = await billing.newReference(organizationId);
  const occurredAt = '2026-03-01T00:00:00.15Z';
  const first = notificationText('subscription.created', subscriptionEntity({ id, organizationId, reference }), {
    occurredAt,
  });
  await billing.send(first);
  await billing.send(first);
  await billing.send(
    notificationText('subscription.canceled', subscriptionEntity({ id, organizationId, status: 'canceled' }), {
      occurredAt: '2026-03-01T00:00:00.150000Z',
    }),
  );
  expect(await subscriptionOf(organizationId)).toMatchObject({ status: 'active' });
  await billing.send(
    notificationText('subscription.canceled', subscriptionEntity({ id, organizationId, status: 'canceled' }), {
      occurredAt: '2026-03-01T00:00:00.1500001Z',
    }),
  );
  expect(await subscriptionOf(organizationId)).toMatchObject({ status: 'canceled', active: false });
});

test('a new subscription after a canceled one is the current one, and a duplicate is not promoted', async () => {
  const organizationId = await billing.newOrganization();
  const [first, duplicate, next] = [newSubscriptionId(), newSubscriptionId(), newSubscriptionId()];
  const references = new Map<string, string>();
  for (const id of [first, duplicate, next]) references.set(id, await billing.newReference(organizationId));
  const send = (id: string, status: string, second: number, plan: 'CORE' | 'SCALE' = 'CORE') => {
    const entity = subscriptionEntity({ id, organizationId, reference: references.get(id) ?? '', status, plan });
    return billing.send(
      notificationText('subscription.updated', entity, { occurredAt: `2026-03-01T00:00:0${second}Z` }),
    );
  };
  await send(first, 'active', 1);
  await send(duplicate, 'active', 2, 'SCALE');
  await send(first, 'canceled', 3);
  expect(await subscriptionOf(organizationId)).toMatchObject({
    plan: 'CORE',
    status: 'canceled',
    duplicates: [{ subscriptionId: duplicate, status: 'active' }],
  });
  await send(next, 'active', 4, 'SCALE');
  expect(await subscriptionOf(organizationId)).toMatchObject({ plan: 'SCALE', status: 'active', active: true });
  await eventually(() =>
    expect(billing.changes.filter((change) => change.organizationId === organizationId).at(-1)).toMatchObject({
      plan: 'SCALE',
      active: true,
    }),
  );
});

test('a price that is not configured keeps what was bought before, and a cancellation with it still counts', async () => {
  const organizationId = await billing.newOrganization();
  const id = newSubscriptionId();
  const reference = await billing.newReference(organizationId);
  await billing.send(
    notificationText('subscription.created', subscriptionEntity({ id, organizationId, reference, plan: 'CORE' })),
  );
  const unknown = { ...subscriptionEntity({ id, organizationId }), items: [{ price: { id: 'pri_old' }, quantity: 1 }] };
  const later = (ms: number) => ({ occurredAt: new Date(Date.now() + ms).toISOString() });
  await billing.send(notificationText('subscription.updated', unknown, later(1_000)));
  expect(await subscriptionOf(organizationId)).toMatchObject({ plan: 'CORE', status: 'active' });
  await billing.send(notificationText('subscription.canceled', { ...unknown, status: 'canceled' }, later(2_000)));
  expect(await subscriptionOf(organizationId)).toMatchObject({ status: 'canceled', active: false });
});

test('a failed payment is announced with its bill and day, and takes nothing away', async () => {
  const organizationId = await billing.newOrganization();
  const id = newSubscriptionId();
  const reference = await billing.newReference(organizationId);
  await billing.send(notificationText('subscription.created', subscriptionEntity({ id, organizationId, reference })));
  const bill = { id: 'txn_1', subscription_id: id, custom_data: null };
  await billing.send(notificationText('transaction.payment_failed', bill, { occurredAt: '2026-03-09T23:59:59.9Z' }));
  await eventually(() =>
    expect(billing.announced(events.paymentFailed)).toContainEqual(
      expect.objectContaining({ organizationId, transactionId: 'txn_1', day: '2026-03-09' }),
    ),
  );
  expect(await subscriptionOf(organizationId)).toMatchObject({ status: 'active', active: true });
});
