import { describe, expect, test } from 'vitest';
import { entitlements, isUnderSubscription, plans, subscriptionStatuses, TEST_LIMITS } from './plans.js';

const contract = { plan: 'CONTROL', subscriptionStatus: 'active', additionalLegalEntities: 0 } as const;

describe('an active subscription', () => {
  test.each([
    ['none', false, false],
    ['trialing', true, true],
    ['active', true, true],
    ['past_due', true, true],
    ['paused', false, true],
    ['canceled', false, false],
  ] as const)('exists while the status is %s: %s; it prevents deletion: %s', (status, active, kept) => {
    expect(entitlements({ ...contract, subscriptionStatus: status }).hasActiveSubscription).toBe(active);
    expect(isUnderSubscription(status)).toBe(kept);
  });

  test('is implied by ENTERPRISE, which the operator grants, and by no other plan', () => {
    const implied = plans.filter(
      (plan) => entitlements({ ...contract, plan, subscriptionStatus: 'none' }).hasActiveSubscription,
    );
    expect(implied).toEqual(['ENTERPRISE']);
    expect(entitlements({ ...contract, plan: 'ENTERPRISE', subscriptionStatus: 'canceled' })).toMatchObject({
      plan: 'FREE',
      hasActiveSubscription: false,
    });
  });
});

describe('limits', () => {
  test('grow with the plan and end with ENTERPRISE', () => {
    const analyses = plans.map((plan) => entitlements({ ...contract, plan }).limits.analysesPerMonth);
    expect(analyses).toEqual([25, 250, 1_000, 5_000, undefined]);
    const rows = plans.map((plan) => entitlements({ ...contract, plan }).limits.scanRowsPerMonth);
    expect(rows).toEqual([500, 5_000, 25_000, 100_000, undefined]);
    const lines = plans.map((plan) => entitlements({ ...contract, plan }).limits.paymentLinesPerMonth);
    expect(lines).toEqual([500, 5_000, 25_000, 100_000, undefined]);
    const { limits } = entitlements({ ...contract, plan: 'ENTERPRISE' });
    expect(Object.values(limits).every((limit) => limit === undefined)).toBe(true);
  });

  test('allow webhooks on SCALE and ENTERPRISE alone', () => {
    const allowed = plans.filter((plan) => entitlements({ ...contract, plan }).limits.webhooks !== 0);
    expect(allowed).toEqual(['SCALE', 'ENTERPRISE']);
  });

  test('of a test organization are fixed, below those of every bought plan, and without ERP connections and members', () => {
    const test = entitlements({ ...contract, plan: 'ENTERPRISE', testOf: 'parent' });
    expect(test).toEqual({ plan: 'SCALE', hasActiveSubscription: false, limits: TEST_LIMITS });
    const { limits: bought } = entitlements({ ...contract, plan: 'CORE' });
    for (const name of ['analysesPerMonth', 'scanRowsPerMonth', 'uploadBytesPerMonth'] as const) {
      expect(TEST_LIMITS[name]).toBeLessThan(bought[name] ?? 0);
    }
    expect(TEST_LIMITS).toMatchObject({ erpConnections: 0, members: 0, paymentLinesPerMonth: 0 });
  });

  test('allow one company and those that the subscription adds', () => {
    expect(entitlements({ ...contract, additionalLegalEntities: 4 }).limits.companies).toBe(5);
  });

  test('fall back to FREE when the subscription is paused or canceled', () => {
    const limited = subscriptionStatuses.filter(
      (subscriptionStatus) =>
        entitlements({ plan: 'SCALE', subscriptionStatus, additionalLegalEntities: 4 }).plan === 'FREE',
    );
    expect(limited).toEqual(['paused', 'canceled']);
    const { limits } = entitlements({ plan: 'SCALE', subscriptionStatus: 'canceled', additionalLegalEntities: 4 });
    expect(limits).toMatchObject({ analysesPerMonth: 25, companies: 1 });
  });
});
