import type { Principal } from '@invoicecontrol/contracts/organization/v1/access_service';
import type { Company } from '@invoicecontrol/contracts/organization/v1/company_service';
import type { Member } from '@invoicecontrol/contracts/organization/v1/member_service';
import type { DescribeCallerResponse } from '@invoicecontrol/contracts/organization/v1/session_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_KEY_ID } from '../../http/description/examples.js';
import { stated } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import * as shown from '../../http/description/shown.js';
import { apiKey, grantedScope, role } from './api-keys.js';
import { company } from './companies.js';
import { organization } from './organizations.js';
import { sessionEnds } from './sessions.js';

interface DescribedCaller extends DescribeCallerResponse {
  readonly principal: Principal;
}

const ofOrganization = shown.record<NonNullable<DescribeCallerResponse['organization']>>()({
  id: organization.fields.id,
  name: organization.fields.name,
  plan: organization.fields.plan,
  baseCurrency: organization.fields.baseCurrency,
});

const key = shown.record<DescribedCaller>()({
  id: shown.made(apiKey.fields.id.schema, ({ principal }) => principal.apiKeyId, EXAMPLE_KEY_ID),
  name: shown.made(apiKey.fields.name.schema, ({ apiKey: found }) => stated(found).name, 'Desk of Ann'),
  role: shown.made(role, ({ principal }) => shown.oneOf(role, principal.role), 'ANALYST'),
  scopes: shown.made(
    apiKey.fields.scopes.schema,
    ({ principal }) => principal.scopes.map((scope) => shown.oneOf(grantedScope, scope)),
    ['payments:read', 'payments:write'],
  ),
  expiresAt: shown.made(
    apiKey.fields.expiresAt.schema,
    ({ apiKey: found }) => apiKey.fields.expiresAt.read(stated(found)),
    null,
  ),
});

const user = shown.record<Member>()({
  id: shown.id(EXAMPLE_IDS.assignee, 'The id of the member of the organization.', 'userId'),
  name: shown.text('Ann Example', 'The name of the member.'),
  email: shown.text('ann@example.com', 'The e-mail address of the member.'),
});

const session = shown.record<NonNullable<Principal['session']>>()({
  id: shown.id(EXAMPLE_IDS.session, 'The id of the session of the app.', 'sessionId'),
  ...sessionEnds,
});

const ownCompany = shown.record<Company>()({
  id: company.fields.id,
  name: company.fields.name,
  isDefault: company.fields.isDefault,
});

const features = shown.record<Principal>()({
  documents: feature('the organization can upload documents', ({ limits }) => limits?.uploadBytesPerMonth !== 0),
  webhooks: feature('the organization can register webhooks', ({ limits }) => limits?.webhooks !== 0),
  erp: feature(
    'the organization can connect an ERP',
    ({ limits, hasActiveSubscription }) => hasActiveSubscription && limits?.erpConnections !== 0,
  ),
  ksef: feature('the organization can connect to KSeF', ({ hasActiveSubscription }) => hasActiveSubscription),
  billing: feature('the organization can buy a plan in the hosted checkout', ({ plan }) => plan !== 'ENTERPRISE'),
});

function feature(what: string, isIncluded: (principal: Principal) => boolean) {
  return shown.made(z.boolean().describe(`Whether ${what}.`), isIncluded, true);
}

const caller = shown.record<DescribedCaller>('Caller')({
  organization: shown.part(ofOrganization, 'The organization of the caller.'),
  key: shown.made(
    key.schema.describe('The API key of the caller, with its current rights.'),
    (described) => key.present(described),
    {
      id: EXAMPLE_KEY_ID,
      name: 'Desk of Ann',
      role: 'ANALYST',
      scopes: ['payments:read', 'payments:write'],
      expiresAt: null,
    },
  ),
  user: shown.partOrNull(user, 'The member that the API key belongs to, or null if the API key belongs to no member.'),
  session: shown.made(
    session.schema.nullable().describe('The session of the app, or null if the caller sent the API key itself.'),
    ({ principal }) => (principal.session === undefined ? null : session.present(principal.session)),
    null,
  ),
  companies: shown.list(ownCompany, 'The companies of the organization.'),
  features: shown.made(
    features.schema.describe('The features that the plan of the organization includes.'),
    ({ principal }) => features.present(principal),
    { documents: true, webhooks: true, erp: true, ksef: true, billing: true },
  ),
});

export const getCaller = route({
  operation: 'getCaller',
  method: 'get',
  path: '/me',
  summary: 'Read the identity and the rights of the caller',
  rpc: 'invoicecontrol.organization.v1.SessionService/DescribeCaller',
  access: {},
  responses: { 200: { description: 'The caller with its organization and rights.', schema: caller.schema } },
  async handle({ principal }, { sessions }) {
    const reply = await sessions.describeCaller({ apiKeyId: principal.apiKeyId });
    return { status: 200, body: caller.present({ ...reply, principal }) };
  },
});
