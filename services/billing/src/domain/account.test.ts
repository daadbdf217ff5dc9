import { describe, expect, test } from 'vitest';
import {
  applySnapshot,
  correctSubscription,
  currentSubscription,
  duplicateSubscriptions,
  hasOpenSubscription,
  isActive,
  SUBSCRIPTIONS_MAX,
  trialNoticeDue,
} from './account.js';
import type { Account } from './account.js';
import type { Snapshot, SubscriptionStatus } from './subscription.js';

const empty: Account = { organizationId: 'o', version: 1, subscriptions: [], trialNoticeFor: undefined };

function snapshot(id: string, status: SubscriptionStatus = 'active', part: Partial<Snapshot> = {}): Snapshot {
  return {
    id,
    status,
    purchase: { plan: 'CORE', interval: 'month', additionalLegalEntities: 0 },
    hasUnknownPrice: false,
    hasSeveralPlans: false,
    customerId: 'ctm_1',
    periodStart: undefined,
    periodEnd: undefined,
    trialEnd: undefined,
    scheduledChange: undefined,
    claimedOrganizationId: 'o',
    checkoutReference: undefined,
    ...part,
  };
}

type Message = readonly [id: string, status: SubscriptionStatus, at: string];

function play(messages: readonly Message[]): Account {
  return messages.reduce(
    (account, [id, status, at]) => applySnapshot(account, snapshot(id, status), at).account,
    empty,
  );
}

/** Returns the items in every possible order. */
function orders<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

describe('the current subscription', () => {
  const story: readonly Message[] = [
    ['first', 'active', '1'],
    ['beside', 'active', '2'],
    ['first', 'canceled', '3'],
    ['after', 'active', '4'],
    ['after', 'past_due', '5'],
  ];

  test('is the same in every order of the same messages', () => {
    for (const order of orders(story)) {
      const account = play(order);
      expect(currentSubscription(account)).toMatchObject({ id: 'after', status: 'past_due' });
      expect(duplicateSubscriptions(account).map(({ id }) => id)).toEqual(['beside']);
    }
  });

  test('stays the canceled one while only a duplicate is left', () => {
    for (const order of orders(story.slice(0, 3))) {
      expect(currentSubscription(play(order))).toMatchObject({ id: 'first', status: 'canceled' });
      expect(hasOpenSubscription(play(order))).toBe(true);
    }
  });

  test('is the one that was linked first where two began at once', () => {
    expect(
      currentSubscription(
        play([
          ['a', 'active', '1'],
          ['b', 'active', '1'],
        ]),
      ),
    ).toMatchObject({ id: 'a' });
  });
});

test('an equal or older message is stale, and an unknown price without a purchase links nothing', () => {
  const account = play([['a', 'active', '2']]);
  expect(applySnapshot(account, snapshot('a', 'canceled'), '2').outcome).toBe('STALE');
  expect(applySnapshot(account, snapshot('a', 'canceled'), '1').outcome).toBe('STALE');
  expect(applySnapshot(empty, snapshot('b', 'active', { purchase: undefined }), '1').outcome).toBe('UNPRICED');
});

test(`holds ${SUBSCRIPTIONS_MAX} subscriptions and not one more`, () => {
  const full = play(Array.from({ length: SUBSCRIPTIONS_MAX }, (_, at): Message => [`s${at}`, 'canceled', '1']));
  expect(full.subscriptions).toHaveLength(SUBSCRIPTIONS_MAX);
  expect(applySnapshot(full, snapshot('more'), '2')).toEqual({ account: full, outcome: 'FULL' });
  expect(applySnapshot(full, snapshot('s1'), '2').outcome).toBe('APPLIED');
});

test('what the API shows is trusted also where its last change is not newer', () => {
  const account = play([['a', 'active', '2']]);
  const corrected = correctSubscription(account, snapshot('a', 'paused'), '1');
  expect(currentSubscription(corrected)).toMatchObject({ status: 'paused', lastOccurredAt: '2' });
});

test.each<[SubscriptionStatus, boolean]>([
  ['trialing', true],
  ['active', true],
  ['past_due', true],
  ['paused', false],
  ['canceled', false],
])('a subscription that is %s is active: %p', (status, expected) => {
  const current = currentSubscription(play([['a', status, '1']]));
  expect(current && isActive(current, { pastDueDaysMax: undefined }, new Date())).toBe(expected);
});

test('arrears end with the configured day', () => {
  const periodStart = new Date('2026-03-01T00:00:00Z');
  const { account } = applySnapshot(empty, snapshot('a', 'past_due', { periodStart }), '1');
  const current = currentSubscription(account);
  const at = (time: string) => current && isActive(current, { pastDueDaysMax: 3 }, new Date(time));
  expect(at('2026-03-03T23:59:59.999Z')).toBe(true);
  expect(at('2026-03-04T00:00:00Z')).toBe(false);
});

test('a trial is told of three days before its end, once', () => {
  const trialEnd = new Date('2026-03-10T12:00:00Z');
  const { account } = applySnapshot(empty, snapshot('a', 'trialing', { trialEnd }), '1');
  expect(trialNoticeDue(account)?.toISOString()).toBe('2026-03-07T12:00:00.000Z');
  expect(trialNoticeDue({ ...account, trialNoticeFor: trialEnd })).toBeUndefined();
});
