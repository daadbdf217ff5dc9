import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { useSharedSystem } from './running-system.js';
import type { Answer, ErrorBody, RunningSystem } from './running-system.js';
import { plainInvoice } from './shapes.js';
import type { AcceptedAnalysis, Page, StoredInvoice } from './shapes.js';

interface Organization {
  readonly id: string;
  readonly name: string;
  readonly billingEmail: string | null;
  readonly baseCurrency: string;
  readonly referenceValidationMode: string;
}

interface DeletedOrganization {
  readonly deletedAt: string;
  readonly recoveryToken: string;
  readonly recoveryExpiresAt: string;
}

const DAY_MS = 24 * 3_600_000;

let running: RunningSystem;
let tenant: Tenant;
let key: string;
beforeAll(async () => {
  running = await useSharedSystem();
  tenant = running.tenant;
  key = tenant.keys.owner;
});
afterAll(() => running.stop());

function read(withKey = key): Promise<Answer<Organization>> {
  return running.request<Organization>('GET /organizations/current', { key: withKey });
}

function patch(path: string, body: unknown, withKey = key): Promise<Answer<ErrorBody & Organization>> {
  return running.request(`PATCH /organizations/current${path}`, { key: withKey, body });
}

async function expectRefusedField(answer: Promise<Answer<ErrorBody>>, path: string): Promise<void> {
  const { status, body } = await answer;
  expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
  expect(body.error.message.split(': ', 1)).toEqual([path]);
}

describe('the organization', () => {
  test('is shown to every role, to the letter', async () => {
    for (const readingKey of Object.values(tenant.keys)) {
      const { status, body } = await read(readingKey);
      expect(status).toBe(200);
      expect(body).toEqual({
        id: tenant.organizationId,
        name: expect.any(String),
        billingEmail: expect.stringContaining('@'),
        baseCurrency: 'EUR',
        referenceValidationMode: 'DECLARED_PROFILES',
        test: false,
        fourEyes: false,
        plan: 'ENTERPRISE',
        subscriptionStatus: 'none',
        createdAt: expect.any(String),
      });
    }
  });

  test('switches four eyes off only by two OWNERs, whose keys are their own', async () => {
    const { request } = running;
    const owner = { key: tenant.keys.owner };
    const { admin, owner: ownerId } = tenant.users;
    const setRole = (role: string) => request(`PATCH /members/${admin}`, { ...owner, body: { role } });
    expect(await setRole('OWNER')).toMatchObject({ status: 200 });
    const keyOf = async (userId: string): Promise<string> => {
      const body = { name: 'Of a member', role: 'OWNER', user_id: userId };
      const created = await request<{ key: string; userId: string }>('POST /api-keys', { ...owner, body });
      expect(created).toMatchObject({ status: 201, body: { userId } });
      return created.body.key;
    };
    const [again, second] = [await keyOf(ownerId), await keyOf(admin)];
    const change = (fourEyes: boolean, key: string) =>
      request('PATCH /organizations/current', { key, body: { four_eyes: fourEyes } });
    expect(await change(true, owner.key)).toMatchObject({ status: 200, body: { fourEyes: true } });
    for (const key of [owner.key, again])
      expect(await change(false, key)).toMatchObject({
        status: 202,
        body: { fourEyes: true, fourEyesRequest: { by: `USER:${ownerId}`, confirmed: false } },
      });
    const confirmed = await change(false, second);
    expect(confirmed).toMatchObject({ status: 200, body: { fourEyes: false } });
    expect(confirmed.body).not.toHaveProperty('fourEyesRequest');
    expect(await change(false, tenant.keys.admin)).toMatchObject({ status: 403 });
    expect(await setRole('ADMIN')).toMatchObject({ status: 200 });
  });

  test('changes name and billing e-mail, each alone, trimmed', async () => {
    const renamed = await patch('', { name: '  Sägewerk & Söhne  ' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Sägewerk & Söhne' } });
    const answered = await patch('', { billing_email: 'bills@saegewerk.example' });
    expect(answered.body).toEqual({ ...renamed.body, billingEmail: 'bills@saegewerk.example' });
    expect((await read()).body).toEqual(answered.body);
  });

  test('takes a name of 200 characters, whatever characters they are', async () => {
    const { organizationId, keys } = await running.newTenant();
    const name = '\u{1f3ed}'.repeat(200);
    const { status, body } = await patch('', { name }, keys.owner);
    expect({ status, body }).toMatchObject({ status: 200, body: { id: organizationId, name } });
  });

  test.each<[string, unknown, string]>([
    ['nothing', {}, 'body'],
    ['a blank name', { name: ' ' }, 'name'],
    ['no name', { name: null }, 'name'],
    ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
    ['an address without a domain', { billing_email: 'bills' }, 'billing_email'],
    ['an address of 255 characters', { billing_email: `${'x'.repeat(243)}@example.org` }, 'billing_email'],
    ['another plan', { plan: 'ENTERPRISE' }, 'plan'],
    ['another id', { id: 'x', name: 'x' }, 'id'],
  ])('does not change to %s', (_, body, path) => expectRefusedField(patch('', body), path));
});

describe('the base currency', () => {
  test.each(['USD', 'GBP', 'PLN', 'JPY', 'AED', 'SAR', 'QAR', 'BHD', 'eur'])(
    'can be %s, and the answer contains nothing else',
    async (currency) => {
      const { status, body } = await patch('/base-currency', { base_currency: currency });
      expect({ status, body }).toEqual({ status: 200, body: { baseCurrency: currency.toUpperCase() } });
      expect((await read()).body.baseCurrency).toBe(currency.toUpperCase());
    },
  );

  test.each(['XXX', 'XAU', 'VND', 'KPW', 'HRK', 'CHW', 'ZZZ', 'EURO', '', null, 978, ['EUR']])(
    'cannot be %j, for which there is no rate',
    async (currency) => {
      const before = (await read()).body.baseCurrency;
      await expectRefusedField(patch('/base-currency', { base_currency: currency }), 'base_currency');
      expect((await read()).body.baseCurrency).toBe(before);
    },
  );

  test('must be sent, and alone', async () => {
    await expectRefusedField(patch('/base-currency', {}), 'base_currency');
    await expectRefusedField(patch('/base-currency', { base_currency: 'EUR', mode: 'OFF' }), 'mode');
  });
});

describe('reference validation', () => {
  test.each(['OFF', 'ALL', 'DECLARED_PROFILES'])('can be %s, and the answer contains nothing else', async (mode) => {
    const { status, body } = await patch('/reference-validation', { mode });
    expect({ status, body }).toEqual({ status: 200, body: { referenceValidationMode: mode } });
    expect((await read()).body.referenceValidationMode).toBe(mode);
  });

  test.each(['off', 'all', 'NONE', '', null, true])('cannot be %j', (mode) =>
    expectRefusedField(patch('/reference-validation', { mode }), 'mode'),
  );

  test('is ALL only with an active subscription; the other modes need none', async () => {
    const { organizationId, keys } = await running.newTenant('CORE');
    const set = async (mode: string) => (await patch('/reference-validation', { mode }, keys.owner)).status;
    const refused = await patch('/reference-validation', { mode: 'ALL' }, keys.owner);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
    expect([await set('OFF'), await set('DECLARED_PROFILES')]).toEqual([200, 200]);
    await running.setPlan(organizationId, { subscriptionStatus: 'active' });
    expect(await set('ALL')).toBe(200);
    await running.setPlan(organizationId, { subscriptionStatus: 'canceled' });
    await set('OFF');
    expect(await set('ALL')).toBe(403);
  });
});

describe('deleting', () => {
  const remove = (withKey: string, confirmName: unknown) =>
    running.request<DeletedOrganization & ErrorBody>('DELETE /organizations/current', {
      key: withKey,
      body: { confirm_name: confirmName },
    });

  test('is refused for any name but the organization’s own, and changes nothing', async () => {
    const { name } = (await read()).body;
    for (const wrong of [name.toUpperCase(), `${name}.`, name.slice(1), '', ' ', null, undefined]) {
      await expectRefusedField(remove(key, wrong), 'confirm_name');
    }
    expect((await read()).status).toBe(200);
  });

  test.each(['trialing', 'active', 'past_due', 'paused'])(
    'is refused with CONFLICT while the subscription is %s',
    async (subscriptionStatus) => {
      const { organizationId, keys } = await running.newTenant();
      await running.setPlan(organizationId, { subscriptionStatus });
      const { name } = (await read(keys.owner)).body;
      const refused = await remove(keys.owner, name);
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
      expect((await read(keys.owner)).status).toBe(200);
    },
  );

  test('ends every key at once, keeps the records, and can be undone with the token that it showed', async () => {
    const { organizationId, keys } = await running.newTenant();
    await running.setPlan(organizationId, { subscriptionStatus: 'canceled', plan: 'SCALE' });
    const invoice = await running.request<AcceptedAnalysis>('POST /invoices', {
      key: keys.owner,
      body: plainInvoice(1),
    });
    const { body: before } = await read(keys.owner);
    await Promise.all(Object.values(keys).map((each) => read(each)));

    const deleted = await remove(keys.owner, before.name);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({
      deletedAt: expect.any(String),
      recoveryToken: expect.stringMatching(/^rec_[0-9A-Za-z]{43}$/),
      recoveryExpiresAt: expect.any(String),
    });
    const { deletedAt, recoveryExpiresAt, recoveryToken } = deleted.body;
    expect(Date.parse(recoveryExpiresAt) - Date.parse(deletedAt)).toBe(30 * DAY_MS);
    const expectDead = async () => {
      for (const each of Object.values(keys)) expect((await read(each)).status).toBe(401);
    };
    await expectDead();

    const restore = (token: string) =>
      running.request<Organization & { ownerKey: string }>('POST /organizations/current/restore', {
        body: { recovery_token: token },
      });
    expect((await restore(`rec_${'x'.repeat(43)}`)).status).toBe(401);
    const restored = await restore(recoveryToken);
    const { ownerKey, ...organization } = restored.body;
    expect({ status: restored.status, organization }).toEqual({ status: 200, organization: before });
    expect((await read(ownerKey)).body).toEqual(before);
    const list = await running.request<Page<StoredInvoice>>('GET /invoices', { key: ownerKey });
    expect(list.body.items.map(({ id }) => id)).toEqual([invoice.body.id]);
    await expectDead();
    expect((await restore(recoveryToken)).status).toBe(401);
  });

  test('does not change other organizations', async () => {
    expect((await read(running.other.keys.owner)).status).toBe(200);
  });
});

describe('restoring', () => {
  test.each<[string, unknown]>([
    ['nothing', {}],
    ['an empty token', { recovery_token: '' }],
    ['a number', { recovery_token: 7 }],
    ['more than a token', { recovery_token: 'x', organization_id: 'y' }],
  ])('is refused with 400 for %s', async (_, body) => {
    const answer = await running.request('POST /organizations/current/restore', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });
});

describe('the audit trail', () => {
  test('says who changed what, when, from where and in which request, newest first', async () => {
    const { organizationId, keys } = await running.newTenant();
    const { body: own } = await running.request<{ user: { email: string } }>('GET /me', { key: keys.owner });
    const [, keyId] = /^ick_\w+?_([0-9A-Za-z]{16})_/.exec(keys.owner) ?? [];
    await running.request('PATCH /organizations/current', {
      key: keys.owner,
      body: { name: 'Renamed' },
      requestId: 'renaming-1',
    });
    const { body } = await running.request<Page<Record<string, unknown>>>('GET /audit-events', { key: keys.admin });
    expect(body.items[0]).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      // The first owner has no name, so the trail shows the e-mail address.
      actor: { type: 'API_KEY', id: keyId, name: own.user.email },
      action: 'organization.updated',
      target: `organization:${organizationId}`,
      outcome: 'SUCCEEDED',
      requestId: 'renaming-1',
      ip: running.clientAddress,
    });
    const times = body.items.map(({ at }) => String(at));
    expect(times).toEqual(times.toSorted((left, right) => right.localeCompare(left)));
  });

  test('is paged, every event once', async () => {
    const api = running.clientOf(key);
    const seen: string[] = [];
    for await (const { id } of api.items('/audit-events', { query: { limit: 3 } })) seen.push(id);
    const all = await api.get('/audit-events', { query: { limit: 100 } });
    expect(seen).toEqual(all.data.items.map(({ id }) => id));
    expect(seen.length).toBeGreaterThan(6);
  });
});
