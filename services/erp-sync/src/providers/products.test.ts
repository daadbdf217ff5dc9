import { describe, expect, test } from 'vitest';
import type { DomainError } from '@invoicecontrol/errors';
import { readCustomerUrl } from '@invoicecontrol/egress/customer-url';
import { businessCentral } from './business-central/product.js';
import { odoo } from './odoo/product.js';
import type { CredentialSetup, ErpProduct } from './product.js';
import { findProduct, products } from './registry.js';

const checks = {
  checkUrl: async (text: string) => readCustomerUrl(text, { isHttpAllowed: false }),
  bankOrigins: ['https://api.businesscentral.dynamics.com'],
};
const setupOf = ({ credentials }: ErpProduct): CredentialSetup => {
  if (credentials === undefined) throw new Error('no credentials');
  return credentials;
};
const faultsOf = async (erp: ErpProduct, config: unknown): Promise<[path: string, message: string][]> => {
  try {
    await setupOf(erp).readConfig(config, checks);
    return [];
  } catch (error) {
    return (error as DomainError).details.map(({ path, message }) => [path, message]);
  }
};
const GUID = 'F7A5738A-44e3-ea11-bb43-000d3a2feca1';

describe('the ERPs', () => {
  test('are found by code and by product name, letters as printed', () => {
    expect(products.map(({ code, product }) => [code, product])).toEqual([
      ['PROVIDER_A', 'BUSINESS_CENTRAL'],
      ['PROVIDER_B', 'ODOO'],
      ['PROVIDER_C', 'QUICKBOOKS_ONLINE'],
      ['PROVIDER_D', 'XERO'],
    ]);
    for (const erp of products) {
      expect(findProduct(erp.code)).toBe(erp);
      expect(findProduct(erp.product)).toBe(erp);
    }
    for (const unknown of ['odoo', 'PROVIDER_E', '', 'constructor']) expect(findProduct(unknown)).toBeUndefined();
  });
});

describe('the configuration of Business Central', () => {
  const config = { tenantId: GUID, environmentName: 'Production', companyId: GUID, clientId: GUID };
  const endpoint = 'https://api.businesscentral.dynamics.com/v2.0/t/e/api/p/g/v1.0/companies({companyId})/accounts';
  const bank = { bankAccountEndpoint: endpoint, bankAccountVendorIdField: 'vendorNo', bankAccountIbanField: 'iban' };

  test.each([
    ['a GUID as tenant', {}],
    ['a domain as tenant', { tenantId: 'contoso.onmicrosoft.com' }],
    ['an environment of 30 characters', { environmentName: `${'a'.repeat(28)}-_` }],
    ['a page with accounts', bank],
    ['a field of 120 characters', { ...bank, bankAccountIbanField: `_${'9'.repeat(119)}` }],
  ])('takes %s and keeps it as it was sent', async (_, part) => {
    const given = { ...config, ...part };
    expect((await setupOf(businessCentral).readConfig(given, checks)).config).toEqual(given);
  });

  test.each([
    ['tenantId', { tenantId: 'contoso' }],
    ['tenantId', { tenantId: '' }],
    ['tenantId', { tenantId: `${GUID}x` }],
    ['tenantId', { tenantId: undefined }],
    ['environmentName', { environmentName: 'a'.repeat(31) }],
    ['environmentName', { environmentName: '' }],
    ['environmentName', { environmentName: 'a b' }],
    ['environmentName', { environmentName: '../x' }],
    ['companyId', { companyId: 'CRONUS' }],
    ['companyId', { companyId: 3 }],
    ['clientId', { clientId: `${GUID}\n` }],
    ['clientSecret', { clientSecret: 'x' }],
    ['bankAccountEndpoint', { ...bank, bankAccountEndpoint: endpoint.replace('https', 'http') }],
    ['bankAccountEndpoint', { ...bank, bankAccountEndpoint: 'https://evil.example/x' }],
    ['bankAccountEndpoint', { ...bank, bankAccountEndpoint: endpoint.replace('api.', 'api.businesscentral@') }],
    ['bankAccountEndpoint', { ...bank, bankAccountEndpoint: endpoint.replace('://', '://user@') }],
    ['bankAccountEndpoint', { ...bank, bankAccountEndpoint: '' }],
    ['bankAccountVendorIdField', { ...bank, bankAccountVendorIdField: undefined }],
    ['bankAccountIbanField', { ...bank, bankAccountIbanField: undefined }],
    ['bankAccountIbanField', { ...bank, bankAccountIbanField: '9iban' }],
    ['bankAccountIbanField', { ...bank, bankAccountIbanField: 'a'.repeat(121) }],
  ])('refuses %s of %j', async (field, part) => {
    expect(await faultsOf(businessCentral, { ...config, ...part })).toEqual([[`config.${field}`, expect.anything()]]);
  });

  test('names every wrong field at once', async () => {
    const faults = await faultsOf(businessCentral, { tenantId: 1, extra: true });
    expect(faults.map(([path]) => path).sort()).toEqual([
      'config.clientId',
      'config.companyId',
      'config.environmentName',
      'config.extra',
      'config.tenantId',
    ]);
    for (const text of [null, 'text', []]) {
      expect(await faultsOf(businessCentral, text)).toEqual([['config', 'Must be an object.']]);
    }
  });

  test('is the same remote company in any case', async () => {
    const keyOf = async (part: object) =>
      (await setupOf(businessCentral).readConfig({ ...config, ...part }, checks)).remoteKey;
    expect(await keyOf({ companyId: GUID.toLowerCase(), environmentName: 'PRODUCTION' })).toBe(await keyOf({}));
    expect(await keyOf({ environmentName: 'Sandbox' })).not.toBe(await keyOf({}));
    expect(await keyOf({ clientId: GUID.replace('F', 'a') })).toBe(await keyOf({}));
  });
});

describe('the configuration of Odoo', () => {
  const baseUrl = 'https://erp.example.com';

  test.each([
    [baseUrl, baseUrl],
    [`${baseUrl}/`, baseUrl],
    ['https://ERP.example.com:443//', baseUrl],
    [`${baseUrl}:8069/company/`, `${baseUrl}:8069/company`],
    [`${baseUrl}/webshop`, `${baseUrl}/webshop`],
  ])('stores the address %s as %s', async (given, stored) => {
    expect((await setupOf(odoo).readConfig({ baseUrl: given }, checks)).config).toEqual({ baseUrl: stored });
  });

  test.each([
    ...['/json', '/json/2', '/json/2/', '/jsonrpc', '/xmlrpc', '/xmlrpc/2', '/odoo', '/web', '/WEB'].map((path) => [
      'baseUrl',
      { baseUrl: `${baseUrl}${path}` },
    ]),
    ['baseUrl', { baseUrl: 'http://erp.example.com' }],
    ['baseUrl', { baseUrl: `${baseUrl}?db=main` }],
    ['baseUrl', { baseUrl: `${baseUrl}#x` }],
    ['baseUrl', { baseUrl: 'https://key@erp.example.com' }],
    ['baseUrl', { baseUrl: 'erp.example.com' }],
    ['baseUrl', { baseUrl: undefined }],
    ['baseUrl', { baseUrl: 7 }],
    ['database', { database: '' }],
    ['database', { database: 'a\r\nX: b' }],
    ['database', { database: 'a'.repeat(129) }],
    ['erpCompanyId', { erpCompanyId: 0 }],
    ['erpCompanyId', { erpCompanyId: 1.5 }],
    ['erpCompanyId', { erpCompanyId: '1' }],
    ['erpCompanyId', { erpCompanyId: 2 ** 31 }],
    ['login', { login: '' }],
    ['login', { login: 'a b' }],
    ['login', { login: 'a'.repeat(255) }],
    ['apiKey', { apiKey: 'x' }],
  ] as [string, object][])('refuses %s of %j', async (field, part) => {
    expect(await faultsOf(odoo, { baseUrl, ...part })).toEqual([[`config.${field}`, expect.anything()]]);
  });

  test('takes every field at its limit', async () => {
    const config = { baseUrl, database: 'a'.repeat(128), erpCompanyId: 2 ** 31 - 1, login: 'a'.repeat(254) };
    expect((await setupOf(odoo).readConfig(config, checks)).config).toEqual(config);
  });

  test('is another remote company by address, database or company', async () => {
    const parts = [{}, { database: 'b' }, { erpCompanyId: 1 }, { erpCompanyId: 2 }, { baseUrl: `${baseUrl}/b` }];
    const keys = await Promise.all(
      parts.map(async (part) => (await setupOf(odoo).readConfig({ baseUrl, ...part }, checks)).remoteKey),
    );
    expect(new Set(keys).size).toBe(keys.length);
    const withLogin = await setupOf(odoo).readConfig({ baseUrl, login: 'x' }, checks);
    expect(withLogin.remoteKey).toBe(keys[0]);
  });
});
