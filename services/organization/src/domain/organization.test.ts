import { describe, expect, test } from 'vitest';
import {
  changeFourEyes,
  changeReferenceValidation,
  changeSubscription,
  deleteOrganization,
  isRecoverable,
  readBaseCurrency,
  referenceValidationInForce,
  requireConfirmedName,
  restoreOrganization,
  setContract,
} from './organization.js';
import type { Organization } from './organization.js';
import { entitlements, subscriptionStatuses } from './plans.js';
import type { Contract } from './plans.js';

const now = new Date('2026-03-01T12:00:00Z');
const organization: Organization = {
  id: 'o',
  version: 3,
  name: 'Acme',
  billingEmail: undefined,
  baseCurrency: 'EUR',
  referenceValidationMode: 'DECLARED_PROFILES',
  fourEyes: false,
  plan: 'CORE',
  subscriptionStatus: 'none',
  additionalLegalEntities: 0,
  companies: [],
  defaultCompanyId: 'c',
  keySeriesId: 'before',
  createdAt: now,
  deletion: undefined,
};
const deletion = {
  recoveryTokenHash: 'hash',
  by: { type: 'API_KEY', id: 'k' } as const,
  now,
  retentionMs: 30 * 24 * 3_600_000,
};

describe('the base currency', () => {
  test.each(['EUR', 'USD', 'PLN', 'AED', 'SAR', 'QAR', 'BHD', 'XOF'])('may be %s, in any case', (code) => {
    expect(readBaseCurrency(code.toLowerCase())).toBe(code);
  });

  test.each(['BGN', 'HRK', 'XXX', 'XAU', 'KWD', 'EURO', '', ' EUR'])('may not be "%s"', (code) => {
    expect(() => readBaseCurrency(code)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});

describe('the four-eyes rule', () => {
  const ownerUserIds = ['ann', 'bob'];
  const byAnn = { person: 'USER:ann', ownerUserIds, now };
  const byBob = { person: 'USER:bob', ownerUserIds, now };
  const on = changeFourEyes(organization, true, byAnn);
  const requested = changeFourEyes(on, false, byAnn);

  test('is switched on by one person', () => {
    expect(on).toMatchObject({ fourEyes: true, fourEyesRequest: undefined });
  });

  test('is switched off by one person if there is no second OWNER', () => {
    for (const person of ['USER:ann', 'OPERATOR:operator']) {
      const alone = { person, ownerUserIds: ['ann'], now };
      expect(changeFourEyes(on, false, alone)).toMatchObject({ fourEyes: false, fourEyesRequest: undefined });
    }
  });

  test('stays on until another OWNER confirms, however often the first one asks', () => {
    expect(requested).toMatchObject({ fourEyes: true, fourEyesRequest: { by: 'USER:ann', at: now } });
    expect(changeFourEyes(requested, false, byAnn)).toBe(requested);
    expect(changeFourEyes(requested, false, byBob)).toMatchObject({ fourEyes: false, fourEyesRequest: undefined });
  });

  test('is not switched off by a person who is no OWNER, but by any OWNER after such a request', () => {
    const byNobody = { person: 'API_KEY:k', ownerUserIds, now };
    expect(() => changeFourEyes(requested, false, byNobody)).toThrow(expect.objectContaining({ kind: 'wrong_state' }));
    expect(changeFourEyes(changeFourEyes(on, false, byNobody), false, byAnn).fourEyes).toBe(false);
  });

  test('needs a new request after 7 days, and after it was switched on again', () => {
    const later = new Date(now.getTime() + 7 * 24 * 3_600_000);
    expect(changeFourEyes(requested, false, { ...byBob, now: later })).toMatchObject({
      fourEyes: true,
      fourEyesRequest: { by: 'USER:bob', at: later },
    });
    const withdrawn = changeFourEyes(requested, true, byBob);
    expect(changeFourEyes(withdrawn, false, byBob).fourEyes).toBe(true);
  });
});

describe('reference validation', () => {
  test('of all documents needs an active subscription; the other modes do not', () => {
    for (const mode of ['OFF', 'DECLARED_PROFILES']) {
      expect(changeReferenceValidation(organization, mode).referenceValidationMode).toBe(mode);
    }
    expect(() => changeReferenceValidation(organization, 'ALL')).toThrow(
      expect.objectContaining({ kind: 'subscription_required' }),
    );
    const paying = { ...organization, subscriptionStatus: 'active' } as const;
    expect(changeReferenceValidation(paying, 'ALL').referenceValidationMode).toBe('ALL');
  });

  test.each(['none', 'canceled', 'paused'] as const)(
    'of all documents lapses while the subscription is %s',
    (lapsed) => {
      const all = { ...organization, referenceValidationMode: 'ALL', subscriptionStatus: 'active' } as const;
      expect(referenceValidationInForce(all)).toBe('ALL');
      expect(referenceValidationInForce({ ...all, subscriptionStatus: lapsed })).toBe('DECLARED_PROFILES');
      expect(referenceValidationInForce({ ...all, subscriptionStatus: lapsed, referenceValidationMode: 'OFF' })).toBe(
        'OFF',
      );
    },
  );

  test('has no other modes', () => {
    expect(() => changeReferenceValidation(organization, 'all')).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});

describe('a subscription that billing tells of', () => {
  const tell = (before: Organization, version: number, told: Partial<Contract>): Organization =>
    changeSubscription(before, {
      plan: 'CORE',
      subscriptionStatus: 'active',
      additionalLegalEntities: 0,
      isSubscriptionActive: (told.subscriptionStatus ?? 'active') === 'active',
      ...told,
      source: { version, at: now },
    });
  const given = (contract: Partial<Contract>): Organization =>
    setContract({ ...organization, plan: 'ENTERPRISE' }, { plan: 'FREE', ...contract });
  const rights = (one: Organization) => {
    const { plan, hasActiveSubscription, limits } = entitlements(one);
    return [plan, hasActiveSubscription, limits.companies];
  };

  test.each<[string, Partial<Contract>, Partial<Contract>, ReturnType<typeof rights>]>([
    ['a lower plan than the operator set', { plan: 'ENTERPRISE' }, {}, ['ENTERPRISE', true, undefined]],
    ['a lower plan next to one that is paid for', { plan: 'SCALE' }, {}, ['SCALE', true, 1]],
    [
      'its end',
      { plan: 'SCALE', subscriptionStatus: 'active' },
      { subscriptionStatus: 'canceled' },
      ['SCALE', true, 1],
    ],
    ['a pause', { plan: 'ENTERPRISE' }, { subscriptionStatus: 'paused' }, ['ENTERPRISE', true, undefined]],
    ['fewer companies', { plan: 'CORE', additionalLegalEntities: 9 }, { plan: 'SCALE' }, ['SCALE', true, 10]],
    ['a higher plan', { plan: 'CORE' }, { plan: 'SCALE', additionalLegalEntities: 2 }, ['SCALE', true, 3]],
    ['an end of what was only bought', { plan: 'FREE' }, { subscriptionStatus: 'canceled' }, ['FREE', false, 1]],
  ])('by %s never lowers what the operator set before', (_, set, told, expected) => {
    const after = tell(given(set), 1, told);
    expect(rights(after)).toEqual(expected);
    // The plan that the operator granted must remain, whatever billing reports in between.
    const higher = tell(after, 2, { plan: 'SCALE', additionalLegalEntities: 50 });
    expect(rights(tell(higher, 3, told))).toEqual(expected);
  });

  test.each([{}, { subscriptionStatus: 'canceled' }] as const)(
    'decides over a plan that nobody stated: %j',
    (told: Partial<Contract>) => {
      const unstated: Organization = { ...organization, plan: 'ENTERPRISE' };
      expect(rights(unstated)).toEqual(['ENTERPRISE', true, undefined]);
      const expected = told.subscriptionStatus === undefined ? ['CORE', true, 1] : ['FREE', false, 1];
      expect(rights(tell(tell(unstated, 1, {}), 2, told))).toEqual(expected);
      // A contract with only a number of additional companies states no plan.
      const others = setContract(unstated, { additionalLegalEntities: 2 });
      expect(rights(tell(tell(others, 1, {}), 2, told))).toEqual(expected);
    },
  );

  test('decides over what the operator set while it was known', () => {
    const subscribed = tell({ ...organization, plan: 'ENTERPRISE' }, 1, {});
    const set = setContract(subscribed, { plan: 'SCALE' });
    expect(rights(set)).toEqual(['SCALE', true, 1]);
    expect(rights(tell(set, 2, {}))).toEqual(['CORE', true, 1]);
    // The granted plan also applies if the operator had set a lower plan before, whatever subscription status was set
    // with it.
    const raised = setContract(tell(given({ plan: 'FREE' }), 1, {}), { plan: 'SCALE', subscriptionStatus: 'none' });
    const again = setContract(raised, { plan: 'ENTERPRISE' });
    expect(rights(tell(again, 2, {}))).toEqual(['CORE', true, 1]);
  });

  test.each<[string, Partial<Contract>]>([
    ['repeats the plan', { plan: 'CONTROL' }],
    ['raises the plan', { plan: 'SCALE' }],
    ['states only companies', { additionalLegalEntities: 4 }],
    ['states only the status', { subscriptionStatus: 'active' }],
  ])('does not end what the operator granted when set-plan %s during a subscription', (_, stated) => {
    const set = setContract(tell(given({ plan: 'CONTROL', additionalLegalEntities: 3 }), 1, {}), stated);
    expect(rights(tell(set, 2, {}))).toEqual(['CONTROL', true, 4]);
  });

  test.each<[string, Partial<Contract>, ReturnType<typeof rights>]>([
    ['a lower plan', { plan: 'CONTROL' }, ['CONTROL', true, 4]],
    ['a plan below the one that is bought', { plan: 'FREE' }, ['CORE', true, 4]],
    ['fewer companies', { additionalLegalEntities: 1 }, ['SCALE', true, 2]],
    ['that it is canceled', { subscriptionStatus: 'canceled' }, ['CORE', true, 4]],
  ])('lets set-plan lower what the operator granted: %s', (_, stated, expected) => {
    const set = setContract(tell(given({ plan: 'SCALE', additionalLegalEntities: 3 }), 1, {}), stated);
    expect(rights(tell(set, 2, {}))).toEqual(expected);
  });

  test.each<[string, (canceled: Organization) => Organization]>([
    ['at once', (canceled) => canceled],
    ['after companies', (canceled) => setContract(canceled, { additionalLegalEntities: 0 })],
    [
      'stored by a release that kept no status',
      (canceled) => ({ ...canceled, subscriptionSource: { version: 2, at: now } }),
    ],
  ])('never lowers what the operator sets once it is canceled: %s', (_, between) => {
    const bought = tell({ ...organization, plan: 'ENTERPRISE' }, 1, { additionalLegalEntities: 4 });
    const canceled = between(tell(bought, 2, { subscriptionStatus: 'canceled', additionalLegalEntities: 4 }));
    const enterprise = setContract(canceled, { plan: 'ENTERPRISE' });
    expect(rights(enterprise)).toEqual(['ENTERPRISE', true, undefined]);
    expect(rights(tell(enterprise, 3, {}))).toEqual(['ENTERPRISE', true, undefined]);
    // The effective limit does not include additional companies from earlier purchases.
    expect(rights(setContract(canceled, { plan: 'CORE' }))).toEqual(['CORE', false, 1]);
  });

  test.each(['paused', 'canceled'] as const)(
    'takes the bought companies with it when it is %s',
    (subscriptionStatus) => {
      const bought = tell(given({ plan: 'CORE', additionalLegalEntities: 1 }), 1, { additionalLegalEntities: 7 });
      expect(rights(bought)).toEqual(['CORE', true, 8]);
      expect(rights(tell(bought, 2, { subscriptionStatus, additionalLegalEntities: 7 }))).toEqual(['CORE', false, 2]);
    },
  );
});

describe('deleting', () => {
  test.each(['acme', ' Acme', 'Acme ', ''])('needs the exact name, not "%s"', (name) => {
    expect(() => requireConfirmedName(organization, name)).toThrow(expect.objectContaining({ kind: 'invalid' }));
    expect(() => requireConfirmedName(organization, 'Acme')).not.toThrow();
  });

  test('takes a stored name that nobody can read as people see it', () => {
    const stored = { ...organization, name: 'Ac\u202eme\r\nLtd' };
    expect(() => requireConfirmedName(stored, 'Acme Ltd')).not.toThrow();
  });

  test('is refused for what billing knows, whatever its own status says', () => {
    for (const subscriptionStatus of subscriptionStatuses) {
      const told = { ...organization, subscriptionStatus };
      expect(() => deleteOrganization(told, true, deletion)).toThrow(expect.objectContaining({ kind: 'wrong_state' }));
      expect(deleteOrganization(told, false, deletion).deletion.at).toEqual(now);
    }
  });

  test('is refused by its own status where billing knows no subscription, until that is canceled', () => {
    const deletable = subscriptionStatuses.filter((subscriptionStatus) => {
      try {
        deleteOrganization({ ...organization, subscriptionStatus }, undefined, deletion);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ kind: 'wrong_state' });
        return false;
      }
    });
    expect(deletable).toEqual(['none', 'canceled']);
  });

  test('can be undone by the owner for exactly thirty days', () => {
    const { deletion: made } = deleteOrganization(organization, undefined, deletion);
    const endMs = Date.parse('2026-03-31T12:00:00Z');
    expect(isRecoverable(made, new Date(endMs - 1))).toBe(true);
    expect(isRecoverable(made, new Date(endMs))).toBe(false);
  });

  test('and restoring changes nothing but the key series', () => {
    const deleted = deleteOrganization(organization, undefined, deletion);
    expect(restoreOrganization(deleted, 'after')).toEqual({ ...organization, keySeriesId: 'after' });
  });
});
