import { expect, test } from 'vitest';
import { readConfig } from '@invoicecontrol/runtime/config';
import { bankOrigins, configSchema, unsafeSettings } from './config.js';

const env = {
  MONGODB_URL: 'mongodb://localhost',
  TLS_DIR: '/identity',
  NATS_URL: 'nats://localhost',
  ORGANIZATION_ADDRESS: 'localhost:1',
  ANALYSIS_ADDRESS: 'localhost:2',
  SECRETBOX_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};

test('has the defaults of the ERP reference, section 14', () => {
  expect(readConfig(configSchema, env)).toMatchObject({
    ERP_PROVIDER_NAMES: 'codes',
    ERP_EGRESS_ALLOW_ORIGINS: [],
    BUSINESS_CENTRAL_LOGIN_URL: 'https://login.microsoftonline.com',
    BUSINESS_CENTRAL_API_URL: 'https://api.businesscentral.dynamics.com',
    BUSINESS_CENTRAL_BANK_ORIGINS: [],
    QUICKBOOKS_AUTHORIZE_URL: 'https://appcenter.intuit.com/connect/oauth2',
    QUICKBOOKS_TOKEN_URL: 'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
    QUICKBOOKS_REVOKE_URL: 'https://developer.api.intuit.com/v2/oauth2/tokens/revoke',
    QUICKBOOKS_API_URL: 'https://quickbooks.api.intuit.com',
    XERO_AUTHORIZE_URL: 'https://login.xero.com/identity/connect/authorize',
    XERO_TOKEN_URL: 'https://identity.xero.com/connect/token',
    XERO_REVOKE_URL: 'https://identity.xero.com/connect/revocation',
    XERO_API_URL: 'https://api.xero.com',
    ERP_SYNC_INTERVAL_SECONDS: 3_600,
    ERP_POLL_SECONDS: 15,
    ERP_LEASE_SECONDS: 60,
    ERP_RECONCILE_SECONDS: 604_800,
    ERP_INITIAL_MONTHS: 24,
    ERP_REFRESH_SECONDS: 86_400,
    ERP_CALL_SECONDS: 30,
    ERP_RESPONSE_MAX_BYTES: 33_554_432,
    ERP_BACKOFF_MS: 1_000,
    ERP_BACKOFF_MAX_SECONDS: 60,
    ERP_RUN_SECONDS: 1_800,
    ERP_RUN_CALLS: 2_000,
    ERP_OAUTH_FLOW_SECONDS: 600,
    ERP_OAUTH_CONFIRM: true,
  });
});

test('sends the token of Business Central to its API alone, unless origins are named', () => {
  expect(bankOrigins(readConfig(configSchema, env))).toEqual(['https://api.businesscentral.dynamics.com']);
  const named = { ...env, BUSINESS_CENTRAL_BANK_ORIGINS: 'https://a.example, http://127.0.0.1:8443' };
  expect(bankOrigins(readConfig(configSchema, named))).toEqual(['https://a.example', 'http://127.0.0.1:8443']);
});

test.each([
  ['EGRESS_ALLOW_CIDRS', '127.0.0.1/32'],
  ['EGRESS_ALLOW_HTTP', 'true'],
])('refuses %s in production, and names it elsewhere', (name, value) => {
  const set = { ...env, [name]: value };
  expect(() => readConfig(configSchema, { ...set, NODE_ENV: 'production' })).toThrow(name);
  expect(unsafeSettings(readConfig(configSchema, set))).toEqual([name]);
});

test.each([
  ['ERP_EGRESS_ALLOW_ORIGINS', 'https://a.example/'],
  ['ERP_EGRESS_ALLOW_ORIGINS', 'a.example'],
  ['BUSINESS_CENTRAL_BANK_ORIGINS', 'https://a.example/page'],
  ['ERP_PROVIDER_NAMES', 'names'],
  ['ERP_LEASE_SECONDS', '0'],
  ['ERP_PAGE_SIZE', '100001'],
  ['XERO_API_URL', 'ftp://api.xero.com'],
])('refuses %s=%s', (name, value) => {
  expect(() => readConfig(configSchema, { ...env, [name]: value })).toThrow(name);
});
