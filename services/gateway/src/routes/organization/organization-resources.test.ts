import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '@invoicecontrol/errors';
import { accessFor, keyNamed, ORGANIZATION_ID, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const MINUTE_MS = 60_000;
const key = keyNamed('owner');
const COMPANY_ID = '0198a000-0000-7000-8000-00000000000c';
const USER_ID = '0198a000-0000-7000-8000-00000000000d';
const API_KEY_ID = 'Abcdefgh01234567';
const createdTime = new Date('2026-03-02T10:00:00.000Z');
const CREATED_AT = '2026-03-02T10:00:00.000Z';

const organization = {
  organizationId: ORGANIZATION_ID,
  name: 'Acme',
  baseCurrency: 'USD',
  referenceValidationMode: 'ALL',
  fourEyes: false,
  plan: 'SCALE',
  subscriptionStatus: 'past_due',
  createdTime,
  isTest: false,
};
const company = { companyId: COMPANY_ID, name: 'Acme PL', taxId: 'PL5260001246', isDefault: true, createdTime };
const member = {
  userId: USER_ID,
  email: 'ann@example.com',
  name: '',
  role: 'ANALYST',
  status: 'INVITED',
  createdTime,
};
const apiKey = {
  apiKeyId: API_KEY_ID,
  name: 'ERP',
  role: 'ANALYST',
  scopes: ['invoices:read'],
  createdTime,
  isTest: false,
};

const callerScopes = ['organization:read', 'organization:write', 'findings:assign'];
let gateway: RunningGateway;
/**
 * Time of the stopped clock. Each test moves it forward by one minute, so that failures of earlier tests do not count.
 */
let nowMs = Date.now();
/** Last request that any of the fake services received. */
let got: unknown;
const answer =
  <T>(reply: T) =>
  (request: unknown): Promise<T> => {
    got = request;
    return Promise.resolve(reply);
  };

beforeAll(async () => {
  gateway = await startGateway(
    {
      access: accessFor(new Map([[key, principal({ scopes: callerScopes })]])),
      organizations: {
        getOrganization: answer({ organization }),
        updateOrganization: answer({ organization: { ...organization, billingEmail: 'pay@example.com' } }),
        updateBaseCurrency: answer({ organization }),
        updateReferenceValidation: answer({ organization }),
        deleteOrganization: answer({
          deletedTime: createdTime,
          recoveryToken: 'rec_1',
          recoveryExpiresTime: new Date('2026-04-02T10:00:00.000Z'),
        }),
        restoreOrganization: ({ recoveryToken }) =>
          recoveryToken === 'rec_1'
            ? Promise.resolve({ organization, ownerKey: 'ick_new' })
            : Promise.reject(new DomainError('unauthenticated', 'No such recovery token.')),
      },
      companies: {
        listCompanies: answer({ companies: [company], nextPageToken: '' }),
        createCompany: answer({ company }),
        getCompany: answer({ company }),
        updateCompany: answer({ company }),
        deleteCompany: answer({}),
      },
      members: {
        listMembers: answer({ members: [{ ...member, name: 'Ann', status: 'ACTIVE' }], nextPageToken: '' }),
        listAssignees: answer({ assignees: [{ userId: USER_ID, name: 'Ann' }], nextPageToken: '' }),
        inviteMember: answer({ member }),
        acceptInvitation: ({ name }) => Promise.resolve({ member: { ...member, name, status: 'ACTIVE' } }),
        getMember: answer({ member }),
        updateMember: answer({ member }),
        removeMember: answer({}),
      },
      notifications: {
        listNotifications: answer({
          notifications: [
            {
              notificationId: 'n1',
              userId: USER_ID,
              kind: 'INVITATION',
              subject: 'Invitation to Acme',
              status: 'SENT',
              createdTime,
            },
          ],
          nextPageToken: '',
        }),
      },
      apiKeys: {
        listApiKeys: answer({ apiKeys: [{ ...apiKey, lastUsedTime: createdTime }], nextPageToken: 'more' }),
        createApiKey: answer({ apiKey, key: 'ick_shown_once' }),
        getApiKey: answer({ apiKey }),
        updateApiKey: answer({ apiKey }),
        revokeApiKey: answer({}),
      },
      audit: {
        listAuditEvents: answer({
          auditEvents: [
            {
              auditEventId: 'e1',
              eventTime: createdTime,
              actorType: 'API_KEY',
              actorId: API_KEY_ID,
              action: 'api_key.created',
              target: 'api_key:1',
              outcome: 'SUCCESS',
              requestId: 'req_1',
              ip: '',
              actorName: 'Ann',
            },
          ],
          nextPageToken: '',
        }),
      },
    },
    { clock: { now: () => new Date(nowMs) } },
  );
});
afterAll(() => gateway.stop());
beforeEach(() => {
  nowMs += MINUTE_MS;
  got = undefined;
});

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${gateway.origin}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get('location'),
    retryAfter: response.headers.get('retry-after'),
    body: text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>),
  };
}

const shownOrganization = {
  id: ORGANIZATION_ID,
  name: 'Acme',
  billingEmail: null,
  baseCurrency: 'USD',
  referenceValidationMode: 'ALL',
  fourEyes: false,
  plan: 'SCALE',
  subscriptionStatus: 'past_due',
  createdAt: CREATED_AT,
  test: false,
};
const shownCompany = {
  id: COMPANY_ID,
  name: 'Acme PL',
  taxId: 'PL5260001246',
  country: null,
  isDefault: true,
  createdAt: CREATED_AT,
};
const shownMember = {
  userId: USER_ID,
  email: 'ann@example.com',
  name: null,
  role: 'ANALYST',
  status: 'INVITED',
  createdAt: CREATED_AT,
};
const shownApiKey = {
  id: API_KEY_ID,
  name: 'ERP',
  role: 'ANALYST',
  scopes: ['invoices:read'],
  test: false,
  createdAt: CREATED_AT,
  expiresAt: null,
  lastUsedAt: null,
};
const organizationId = ORGANIZATION_ID;

interface Success {
  title: string;
  request: [string, string, unknown?];
  status: number;
  /** The request that the fake organization service received. */
  asked: unknown;
  body: unknown;
}

const successes: Success[] = [
  {
    title: 'the organization',
    request: ['GET', '/organizations/current'],
    status: 200,
    asked: { organizationId },
    body: shownOrganization,
  },
  {
    title: 'a changed organization',
    request: ['PATCH', '/organizations/current', { billing_email: ' pay@example.com ' }],
    status: 200,
    asked: { organizationId, billingEmail: 'pay@example.com' },
    body: { ...shownOrganization, billingEmail: 'pay@example.com' },
  },
  {
    title: 'a new base currency',
    request: ['PATCH', '/organizations/current/base-currency', { base_currency: 'usd' }],
    status: 200,
    asked: { organizationId, baseCurrency: 'USD' },
    body: { baseCurrency: 'USD' },
  },
  {
    title: 'a new validation mode',
    request: ['PATCH', '/organizations/current/reference-validation', { mode: 'ALL' }],
    status: 200,
    asked: { organizationId, mode: 'ALL' },
    body: { referenceValidationMode: 'ALL' },
  },
  {
    title: 'a deleted organization with its recovery token',
    request: ['DELETE', '/organizations/current', { confirm_name: 'Acme' }],
    status: 200,
    asked: { organizationId, confirmName: 'Acme' },
    body: { deletedAt: CREATED_AT, recoveryToken: 'rec_1', recoveryExpiresAt: '2026-04-02T10:00:00.000Z' },
  },
  {
    title: 'the companies',
    request: ['GET', '/companies?limit=2&created_from=2026-01-01'],
    status: 200,
    asked: { organizationId, pageSize: 2, pageToken: '', createdFromTime: new Date('2026-01-01T00:00:00Z') },
    body: { items: [shownCompany], nextCursor: null },
  },
  {
    title: 'a new company',
    request: ['POST', '/companies', { name: ' Acme PL', tax_id: 'PL5260001246', country: 'PL' }],
    status: 201,
    asked: { organizationId, name: 'Acme PL', taxId: 'PL5260001246', country: 'PL', isDefault: false },
    body: shownCompany,
  },
  {
    title: 'a company',
    request: ['GET', `/companies/${COMPANY_ID.toUpperCase()}`],
    status: 200,
    asked: { organizationId, companyId: COMPANY_ID },
    body: shownCompany,
  },
  {
    title: 'a changed company',
    request: ['PATCH', `/companies/${COMPANY_ID}`, { is_default: true }],
    status: 200,
    asked: { organizationId, companyId: COMPANY_ID, isDefault: true },
    body: shownCompany,
  },
  {
    title: 'nothing of a removed company',
    request: ['DELETE', `/companies/${COMPANY_ID}`],
    status: 204,
    asked: { organizationId, companyId: COMPANY_ID },
    body: undefined,
  },
  {
    title: 'the members',
    request: ['GET', '/members'],
    status: 200,
    asked: { organizationId, pageSize: 50, pageToken: '' },
    body: { items: [{ ...shownMember, name: 'Ann', status: 'ACTIVE' }], nextCursor: null },
  },
  {
    title: 'the assignees',
    request: ['GET', '/assignees'],
    status: 200,
    asked: { organizationId, pageSize: 50, pageToken: '' },
    body: { items: [{ userId: USER_ID, name: 'Ann' }], nextCursor: null },
  },
  {
    title: 'an invited member, without the token',
    request: ['POST', '/members', { email: ' ann@example.com ', role: 'ANALYST' }],
    status: 201,
    asked: { organizationId, email: 'ann@example.com', role: 'ANALYST' },
    body: shownMember,
  },
  {
    title: 'a member',
    request: ['GET', `/members/${USER_ID.toUpperCase()}`],
    status: 200,
    asked: { organizationId, userId: USER_ID },
    body: shownMember,
  },
  {
    title: 'a member in another role',
    request: ['PATCH', `/members/${USER_ID}`, { role: 'ANALYST' }],
    status: 200,
    asked: { organizationId, userId: USER_ID, role: 'ANALYST' },
    body: shownMember,
  },
  {
    title: 'nothing of a removed member',
    request: ['DELETE', `/members/${USER_ID}`],
    status: 204,
    asked: { organizationId, userId: USER_ID },
    body: undefined,
  },
  {
    title: 'the notifications',
    request: ['GET', '/notifications'],
    status: 200,
    asked: { organizationId, pageSize: 50, pageToken: '' },
    body: {
      items: [
        {
          id: 'n1',
          userId: USER_ID,
          kind: 'INVITATION',
          subject: 'Invitation to Acme',
          status: 'SENT',
          createdAt: CREATED_AT,
        },
      ],
      nextCursor: null,
    },
  },
  {
    title: 'the API keys',
    request: ['GET', '/api-keys'],
    status: 200,
    asked: { organizationId, pageSize: 50, pageToken: '', isTest: false },
    body: { items: [{ ...shownApiKey, lastUsedAt: CREATED_AT }], nextCursor: expect.stringMatching(/^[\w-]{8}more$/) },
  },
  {
    title: 'the test keys',
    request: ['GET', '/api-keys?test=true'],
    status: 200,
    asked: { organizationId, pageSize: 50, pageToken: '', isTest: true },
    body: { items: [{ ...shownApiKey, lastUsedAt: CREATED_AT }], nextCursor: expect.stringMatching(/^[\w-]{8}more$/) },
  },
  {
    title: 'a new test key',
    request: ['POST', '/api-keys', { name: 'ERP', role: 'ANALYST', test: true }],
    status: 201,
    asked: { organizationId, name: 'ERP', role: 'ANALYST', scopes: [], isTest: true },
    body: { ...shownApiKey, key: 'ick_shown_once' },
  },
  {
    title: 'a new API key, the key itself once',
    request: [
      'POST',
      '/api-keys',
      { name: 'ERP', role: 'ANALYST', scopes: ['invoices:read'], expires_at: '2027-01-01T00:00:00+01:00' },
    ],
    status: 201,
    asked: {
      organizationId,
      name: 'ERP',
      role: 'ANALYST',
      scopes: ['invoices:read'],
      expiresTime: new Date('2026-12-31T23:00:00Z'),
    },
    body: { ...shownApiKey, key: 'ick_shown_once' },
  },
  {
    title: 'the record of an API key',
    request: ['GET', `/api-keys/${API_KEY_ID}`],
    status: 200,
    asked: { organizationId, apiKeyId: API_KEY_ID },
    body: shownApiKey,
  },
  {
    title: 'a lowered API key',
    request: ['PATCH', `/api-keys/${API_KEY_ID}`, { role: 'ANALYST' }],
    status: 200,
    asked: { organizationId, apiKeyId: API_KEY_ID, role: 'ANALYST', scopes: [] },
    body: shownApiKey,
  },
  {
    title: 'nothing of a revoked API key',
    request: ['DELETE', `/api-keys/${API_KEY_ID}`],
    status: 204,
    asked: { organizationId, apiKeyId: API_KEY_ID },
    body: undefined,
  },
  {
    title: 'the audit trail with every filter',
    request: [
      'GET',
      '/audit-events?actor_id=k1&action=company.created&target=company:1&outcome=REFUSED&created_from=2026-03-01&limit=3',
    ],
    status: 200,
    asked: {
      organizationId,
      pageSize: 3,
      pageToken: '',
      createdFromTime: new Date('2026-03-01T00:00:00Z'),
      actorId: 'k1',
      action: 'company.created',
      target: 'company:1',
      outcome: 'REFUSED',
    },
    body: { items: [expect.objectContaining({ id: 'e1' })], nextCursor: null },
  },
  {
    title: 'the audit trail',
    request: ['GET', '/audit-events'],
    status: 200,
    asked: { organizationId, pageSize: 50, pageToken: '' },
    body: {
      items: [
        {
          id: 'e1',
          at: CREATED_AT,
          actor: { type: 'API_KEY', id: API_KEY_ID, name: 'Ann' },
          action: 'api_key.created',
          target: 'api_key:1',
          outcome: 'SUCCESS',
          requestId: 'req_1',
          ip: null,
        },
      ],
      nextCursor: null,
    },
  },
];

describe('the owner is asked for the tenant of the key and the caller is shown', () => {
  test.each(successes)('$title', async ({ request: [method, path, body], status, asked, body: shown }) => {
    const answered = await call(method, path, body);
    expect({ status: answered.status, body: answered.body }).toEqual({ status, body: shown });
    expect(got).toEqual(asked);
  });

  test('where to read what was created', async () => {
    expect((await call('POST', '/companies', { name: 'Acme PL' })).location).toBe(`/v1/companies/${COMPANY_ID}`);
    const invited = await call('POST', '/members', { email: 'ann@example.com', role: 'ANALYST' });
    expect(invited.location).toBe(`/v1/members/${USER_ID}`);
    const created = await call('POST', '/api-keys', { name: 'ERP', role: 'ANALYST' });
    expect(created.location).toBe(`/v1/api-keys/${API_KEY_ID}`);
  });
});

describe('a request is refused before its owner is asked', () => {
  test.each<[string, string, unknown, string]>([
    ['PATCH', '/organizations/current', {}, 'body'],
    ['PATCH', '/organizations/current', { name: '' }, 'name'],
    ['PATCH', '/organizations/current', { plan: 'SCALE' }, 'plan'],
    ['DELETE', '/organizations/current', {}, 'confirm_name'],
    ['PATCH', '/organizations/current/base-currency', { base_currency: 'EURO' }, 'base_currency'],
    ['PATCH', '/organizations/current/base-currency', { baseCurrency: 'EUR' }, 'base_currency'],
    ['PATCH', '/organizations/current/reference-validation', { mode: 'all' }, 'mode'],
    ['POST', '/companies', {}, 'name'],
    ['POST', '/companies', { name: 'x'.repeat(201) }, 'name'],
    ['POST', '/companies', { name: 'Acme', country: 'pl' }, 'country'],
    ['POST', '/companies', { name: 'Acme', country: 'QQ' }, 'country'],
    ['POST', '/companies', { name: 'Acme', is_default: 'true' }, 'is_default'],
    ['PATCH', `/companies/${COMPANY_ID}`, {}, 'body'],
    ['POST', '/members', { role: 'ADMIN' }, 'email'],
    ['POST', '/members', { email: ' ', role: 'ADMIN' }, 'email'],
    ['POST', '/members', { email: 'ann@example.com', role: 'ROOT' }, 'role'],
    ['PATCH', `/members/${USER_ID}`, {}, 'role'],
    ['PATCH', `/members/${USER_ID}`, { role: 'ADMIN', email: 'x@example.com' }, 'email'],
    ['POST', '/members/accept', { token: 'inv_1' }, 'name'],
    ['POST', '/api-keys', { name: 'ERP' }, 'role'],
    ['POST', '/api-keys', { name: 'ERP', role: 'ROOT' }, 'role'],
    ['POST', '/api-keys', { name: 'ERP', role: 'ADMIN', scopes: [] }, 'scopes'],
    ['POST', '/api-keys', { name: 'ERP', role: 'ADMIN', scopes: ['invoices'] }, 'scopes[0]'],
    ['POST', '/api-keys', { name: 'ERP', role: 'ADMIN', expires_at: '2027-01-01' }, 'expires_at'],
    ['PATCH', `/api-keys/${API_KEY_ID}`, { expires_at: '2027-01-01T00:00:00Z' }, 'expires_at'],
    ['GET', '/audit-events?actor=me', undefined, 'actor'],
    ['GET', `/audit-events?actor_id=${'k'.repeat(201)}`, undefined, 'actor_id'],
    ['GET', '/audit-events?action=', undefined, 'action'],
    ['GET', '/audit-events?outcome=MAYBE', undefined, 'outcome'],
  ])('%s %s %j names %s', async (method, path, body, field) => {
    const { status, body: shown } = await call(method, path, body);
    const { error } = shown as { error: { code: string; details: { path: string }[] } };
    expect({ status, code: error.code, path: error.details[0]?.path }).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
      path: field,
    });
    expect(got).toBeUndefined();
  });

  test('when an id in the path cannot be one', async () => {
    for (const path of ['/companies/1', '/members/1', '/api-keys/short', `/api-keys/${COMPANY_ID}`]) {
      expect((await call('GET', path)).status).toBe(404);
    }
    expect(got).toBeUndefined();
  });
});

describe('POST /members/accept', () => {
  test('needs no key and shows the new member', async () => {
    const response = await fetch(`${gateway.origin}/v1/members/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: 'inv_1', name: ' Ann ' }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ...shownMember, name: 'Ann', status: 'ACTIVE' });
  });
});

describe('POST /organizations/current/restore', () => {
  const restore = (recovery_token: string) =>
    fetch(`${gateway.origin}/v1/organizations/current/restore`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ recovery_token }),
    });

  test('needs no key and shows a new one for the owner', async () => {
    const response = await restore('rec_1');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ...shownOrganization, ownerKey: 'ick_new' });
  });

  test('is refused to an address that has guessed twenty times', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await restore('rec_guess')).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    const response = await restore('rec_1');
    expect([statuses[20], response.status]).toEqual([429, 429]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
