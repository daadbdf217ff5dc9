import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpFault, FaultCode } from '../../domain/faults.js';
import { erpControl } from '../../testing/erp-control.js';
import type { ErpControl } from '../../testing/erp-control.js';
import { fetchHttp } from '../../testing/fetch-http.js';
import { readIds, readPages, readRecords } from '../../testing/read-stream.js';
import type { Session } from '../provider.js';
import { businessCentralProvider } from './provider.js';

const tenantId = '3f9d5b5c-1d55-4f0d-9d36-0d1c1d0d5b01';
const companyId = 'a7d1e6a2-8b1d-4b8e-9a53-1f0b7c2d3e4f';
const clientId = '5a6b7c8d-1111-4222-8333-444455556666';
const clientSecret = 'se.cr~et';
const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

let simulators: ErpSimulators;
let control: ErpControl;
let http: ReturnType<typeof fetchHttp>;
beforeAll(async () => {
  simulators = await startErpSimulators();
  control = erpControl(simulators.urls.businessCentral);
});
beforeEach(async () => {
  http = fetchHttp();
  await control.putTenant(tenantId, {
    environmentName: 'Production',
    companyId,
    companyName: 'Cronus & Co',
    clientId,
    clientSecret,
  });
});
afterEach(async () => control.removeFaults());
afterAll(async () => simulators.stop());

const bankPage = (): object => ({
  bankAccountEndpoint: `${simulators.urls.businessCentral}/v2.0/${tenantId}/Production/api/navipartner/core/v1.0/companies({companyId})/vendorBankAccounts`,
  bankAccountVendorIdField: 'vendorNo',
  bankAccountIbanField: 'iban',
});
const open = (more: object = {}, { pageSize = 1_000, secret = clientSecret } = {}): Session => {
  const url = simulators.urls.businessCentral;
  return businessCentralProvider({ loginUrl: url, apiUrl: url }).open({
    config: { tenantId, environmentName: 'Production', companyId, clientId, ...more },
    http,
    pageSize,
    credentials: {
      secret: async () => secret,
      accessToken: async () => Promise.reject(new Error('has no consent')),
      renewedAccessToken: async () => Promise.reject(new Error('has no consent')),
    },
  });
};
const put = async (entity: string, records: readonly object[], remove: readonly string[] = []): Promise<void> =>
  control.putRecords(tenantId, entity, records, remove);
const vendor = { id: id(1), number: '10000', displayName: 'Fabrikam, Inc.' };

describe('records', () => {
  test('of vendors have what the API tells, without its empty values', async () => {
    await put('vendors', [
      {
        ...vendor,
        addressLine1: '10 North Lake Avenue',
        city: 'Atlanta',
        state: 'GA',
        country: 'US',
        postalCode: '31772',
        email: 'k@contoso.example',
        taxRegistrationNumber: 'US123',
        currencyCode: 'USD',
        lastModifiedDateTime: '2026-08-21T07:38:46.53Z',
      },
      { id: id(2), number: '20000', displayName: 'Blocked Ltd', blocked: 'All' },
      { id: id(3), number: '30000', displayName: 'No payments Ltd', blocked: 'Payment' },
    ]);
    const [first, ...others] = await readRecords(open(), 'vendors');
    expect(first).toEqual({
      externalId: id(1),
      number: '10000',
      name: 'Fabrikam, Inc.',
      taxId: 'US123',
      address: { line1: '10 North Lake Avenue', city: 'Atlanta', region: 'GA', postalCode: '31772', country: 'US' },
      email: 'k@contoso.example',
      currency: 'USD',
      status: 'ACTIVE',
      modifiedAt: new Date('2026-08-21T07:38:46.530Z'),
      url: `https://businesscentral.dynamics.com/${tenantId}/Production?company=Cronus%20%26%20Co&page=26&filter='No.'%20IS%20'10000'`,
    });
    expect(others.map(({ status }) => status)).toEqual(['BLOCKED', 'BLOCKED']);
  });

  test('of bills have the number of the supplier, the order and amounts as they were sent', async () => {
    await put('vendors', [vendor]);
    await put('purchaseInvoices', [
      {
        id: id(11),
        number: '108001',
        vendorId: id(1),
        vendorInvoiceNumber: 'RE-4711',
        invoiceDate: '2026-02-27',
        dueDate: '2026-03-29',
        orderNumber: '106021',
        totalAmountExcludingTax: 1000,
        totalTaxAmount: 190.1,
        totalAmountIncludingTax: 1190.1,
        lastModifiedDateTime: '2026-03-02T10:11:12.13Z',
      },
    ]);
    expect(await readRecords(open(), 'bills')).toEqual([
      {
        externalId: id(11),
        kind: 'BILL',
        documentNumber: 'RE-4711',
        erpNumber: '108001',
        vendorExternalId: id(1),
        vendorName: 'Fabrikam, Inc.',
        issueDate: '2026-02-27',
        dueDate: '2026-03-29',
        currency: 'EUR',
        netAmount: '1000',
        taxAmount: '190.1',
        grossAmount: '1190.1',
        purchaseOrderRefs: ['106021'],
        state: 'OPEN',
        modifiedAt: new Date('2026-03-02T10:11:12.130Z'),
        url: expect.stringContaining('&page=138&'),
      },
    ]);
  });

  test.each([
    ['Draft', 'DRAFT'],
    ['In_x0020_Review', 'IN_APPROVAL'],
    ['Open', 'OPEN'],
    ['Paid', 'PAID'],
    ['Corrective', 'PAID'],
    ['Canceled', 'VOID'],
    ['_x0020_', 'DRAFT'],
  ])('of bills with status %s are %s', async (status, state) => {
    await put('vendors', [vendor]);
    await put('purchaseInvoices', [{ id: id(11), vendorId: id(1), status }]);
    expect(await readRecords(open(), 'bills')).toMatchObject([{ state }]);
  });

  test('of drafts lack the dates that the API fills with the year 1', async () => {
    await put('vendors', [vendor]);
    await put('purchaseInvoices', [{ id: id(11), vendorId: id(1), status: 'Draft' }]);
    const [draft] = await readRecords(open(), 'bills', { dateFrom: '2025-01-01' });
    expect(draft).not.toHaveProperty('issueDate');
    expect(draft).not.toHaveProperty('documentNumber');
  });

  test('of credit memos are positive and name no order', async () => {
    await put('vendors', [vendor]);
    const memo = { vendorCreditMemoNumber: 'CN-1', creditMemoDate: '2026-03-01', totalAmountIncludingTax: 119 };
    await put('purchaseCreditMemos', [{ id: id(21), vendorId: id(1), ...memo }]);
    expect(await readRecords(open(), 'creditNotes')).toMatchObject([
      {
        kind: 'CREDIT_NOTE',
        documentNumber: 'CN-1',
        issueDate: '2026-03-01',
        grossAmount: '119',
        purchaseOrderRefs: [],
      },
    ]);
  });

  test('of orders name vendor, currency and amounts', async () => {
    await put('vendors', [vendor]);
    const totals = { totalAmountExcludingTax: 100, totalAmountIncludingTax: 119 };
    await put('purchaseOrders', [{ id: id(31), number: '106021', vendorId: id(1), currencyCode: 'USD', ...totals }]);
    expect(await readRecords(open(), 'orders')).toEqual([
      {
        externalId: id(31),
        number: '106021',
        vendorExternalId: id(1),
        currency: 'USD',
        netAmount: '100',
        grossAmount: '119',
        modifiedAt: expect.any(Date),
      },
    ]);
  });

  test('of payments come from the ledger of vendors, with the currency of the company where none is named', async () => {
    await put('vendors', [vendor]);
    const entry = {
      vendorNumber: '10000',
      postingDate: '2026-03-10',
      amount: 1190.1,
      externalDocumentNumber: 'RE-4711',
    };
    await put('vendorLedgerEntries', [
      { id: id(41), ...entry },
      { id: id(42), ...entry, amount: -1190.1, currencyCode: 'USD', documentType: 'Payment' },
      { id: id(43), ...entry, documentType: 'Invoice' },
    ]);
    const payment = {
      externalId: '1',
      vendorExternalId: id(1),
      date: '2026-03-10',
      currency: 'EUR',
      amount: '1190.1',
      reference: 'RE-4711',
      billExternalIds: [],
      isReturned: false,
      modifiedAt: expect.any(Date),
    };
    expect(await readRecords(open(), 'payments')).toEqual([
      payment,
      { ...payment, externalId: '2', currency: 'USD', isReturned: true },
    ]);
  });

  test('of a wrong type are counted with their id and do not stop the page', async () => {
    await put('vendors', [vendor, { ...vendor, id: id(2), displayName: 5n.toString() }]);
    await control.addFault({ match: '/vendors', kind: 'PATCH', field: 'taxRegistrationNumber', value: { a: 1 } });
    const [page] = await readPages(open(), 'vendors');
    expect(page).toMatchObject({
      records: [],
      invalid: [
        { externalId: id(1), message: 'taxRegistrationNumber is not text.' },
        { externalId: id(2), message: 'taxRegistrationNumber is not text.' },
      ],
    });
  });
});

describe('bank accounts', () => {
  test('come from the page that the customer published, joined by number or id, and IBANs without blanks', async () => {
    await put('vendorBankAccounts', [
      { id: id(51), vendorNo: '10000', iban: 'de89 3704 0044 0532 0130 00', swiftCode: 'COBADEFFXXX' },
      { id: id(52), vendorNo: id(1).toUpperCase(), iban: 'BE71096123456769' },
      { id: id(53), vendorNo: '10000', iban: '' },
    ]);
    expect(await readRecords(open(bankPage()), 'bankAccounts')).toEqual([
      {
        externalId: id(51),
        vendorNumber: '10000',
        account: {
          externalId: id(51),
          iban: 'DE89370400440532013000',
          raw: 'de89 3704 0044 0532 0130 00',
          bic: 'COBADEFFXXX',
        },
      },
      {
        externalId: id(52),
        vendorExternalId: id(1),
        account: { externalId: id(52), iban: 'BE71096123456769', raw: 'BE71096123456769' },
      },
    ]);
    expect(await readIds(open(bankPage()), 'bankAccounts')).toEqual([id(51), id(52)]);
  });

  test('are not asked for without such a page', async () => {
    expect(await readPages(open(), 'bankAccounts')).toEqual([]);
    expect(http.calls).toEqual([]);
  });

  test('without the configured fields are BANK_FIELD_MISSING, with the fields in the message', async () => {
    await put('vendorBankAccounts', [{ id: id(51), vendorNo: '10000', iban: 'DE89370400440532013000' }]);
    await expect(
      readPages(open({ ...bankPage(), bankAccountIbanField: 'ibanNumber' }), 'bankAccounts'),
    ).rejects.toMatchObject({
      code: 'BANK_FIELD_MISSING',
      message: expect.stringContaining('vendorNo and ibanNumber'),
    });
  });

  test.each([401, 403, 404])('that are answered with %i end neither the run nor the connection', async (status) => {
    await control.addFault({ match: '/vendorBankAccounts', kind: 'STATUS', status, times: 0 });
    await expect(readPages(open(bankPage()), 'bankAccounts')).rejects.toMatchObject({
      code: 'BAD_RESPONSE',
      needsAPerson: false,
      message: expect.stringContaining(status === 401 ? 'Bank accounts of vendors' : 'the bank account page'),
    });
  });

  test('are read whole where the page does not tell what changed', async () => {
    await put('vendorBankAccounts', [
      { id: id(51), vendorNo: '1', iban: 'DE89370400440532013000', systemModifiedAt: '2026-01-01T00:00:00Z' },
      { id: id(52), vendorNo: '1', iban: 'BE71096123456769', systemModifiedAt: '2026-03-01T00:00:00Z' },
    ]);
    const window = { from: '2026-02-01T00:00:00.000Z' };
    expect(await readRecords(open(bankPage()), 'bankAccounts', window)).toMatchObject([{ externalId: id(52) }]);
    await control.addFault({ match: 'systemModifiedAt', kind: 'STATUS', status: 400 });
    expect(await readRecords(open(bankPage()), 'bankAccounts', window)).toHaveLength(2);
  });
});

describe('pages', () => {
  beforeEach(async () =>
    put(
      'vendors',
      Array.from({ length: 7 }, (_, n) => ({
        id: id(n),
        displayName: `V${n}`,
        lastModifiedDateTime: n < 5 ? '2026-01-01T00:00:00Z' : '2026-03-01T00:00:00Z',
      })),
    ),
  );

  test('go on behind the position of any page, in another session', async () => {
    const pages = await readPages(open({}, { pageSize: 3 }), 'vendors');
    expect(pages.map(({ records }) => records.length)).toEqual([3, 3, 1]);
    expect(pages.map(({ position }) => typeof position)).toEqual(['string', 'string', 'undefined']);
    const [, second] = pages;
    const after = pages[0]?.position ?? '';
    const resumed = await readPages(open({}, { pageSize: 3 }), 'vendors', { after });
    expect(resumed[0]).toEqual(second);
    expect(resumed).toHaveLength(2);
  });

  test('begin again where the position of an earlier run is refused: a link to a page does not hold for ever', async () => {
    const [first] = await readPages(open({}, { pageSize: 3 }), 'vendors');
    await control.addFault({ match: 'skiptoken', kind: 'STATUS', status: 400 });
    const after = first?.position ?? '';
    expect(
      (await readPages(open({}, { pageSize: 3 }), 'vendors', { after })).map(({ records }) => records.length),
    ).toEqual([3, 3, 1]);
  });

  test('have what changed since the beginning of the window, and the time is the time of the ERP', async () => {
    const session = open();
    expect(session.serverTime()).toBeUndefined();
    expect(await readRecords(session, 'vendors', { from: '2026-02-01T00:00:00.000Z' })).toHaveLength(2);
    expect(Math.abs(Date.parse(session.serverTime() ?? '') - Date.now())).toBeLessThan(5_000);
  });

  test('leave out documents before the first day, but not drafts without a date', async () => {
    await put('purchaseInvoices', [
      { id: id(11), vendorId: id(1), invoiceDate: '2024-12-31' },
      { id: id(12), vendorId: id(1), invoiceDate: '2025-01-01' },
      { id: id(13), vendorId: id(1) },
    ]);
    const bills = await readRecords(open(), 'bills', { dateFrom: '2025-01-01' });
    expect(bills.map(({ externalId }) => externalId)).toEqual([id(12), id(13)]);
  });

  test('that link to another address are not followed', async () => {
    await control.addFault({ match: '/vendors', kind: 'NEXT_LINK', url: 'https://evil.example/vendors' });
    await expect(readPages(open(), 'vendors')).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    expect(http.calls.every(({ url }) => url.startsWith(simulators.urls.businessCentral))).toBe(true);
  });

  test('without a list are BAD_RESPONSE', async () => {
    for (const body of ['[]', '{"value": 5}', 'null', 'text']) {
      await control.addFault({ match: '/vendors', kind: 'BODY', body });
      await expect(readPages(open(), 'vendors')).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    }
  });

  test('of ids are complete, and a row without an id is not passed over', async () => {
    expect(await readIds(open({}, { pageSize: 2 }), 'vendors')).toEqual([0, 1, 2, 3, 4, 5, 6].map(id));
    await control.addFault({ match: '/vendors', kind: 'PATCH', field: 'id', value: null });
    await expect(readIds(open(), 'vendors')).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });

  test('of a run without changes take at most 10 calls', async () => {
    const provider = businessCentralProvider({ loginUrl: '', apiUrl: '' });
    const session = open(bankPage());
    for (const stream of provider.streams) await readPages(session, stream, { from: '2026-05-01T00:00:00Z' });
    expect(http.calls.length).toBeLessThanOrEqual(10);
  });
});

test.each([
  ['bankAccounts', 'vendorBankAccounts', 'vendorNo', { iban: '' }],
  ['payments', 'vendorLedgerEntries', 'entryNumber', { documentType: 'Invoice' }],
  ['payments', 'vendorLedgerEntries', 'documentType', {}],
] as const)('a row of %s (%s) without %s is counted, and does not disappear', async (stream, entity, field, more) => {
  const row = { id: id(51), entryNumber: 7, documentType: 'Payment', vendorNo: '10000', ...more };
  const value = JSON.stringify({ value: [{ ...row, [field]: null }] });
  await control.addFault({ match: `/${entity}`, kind: 'BODY', body: value, times: 0 });
  const [page] = await readPages(open(bankPage()), stream);
  expect([page?.records, page?.invalid.map(({ message }) => message)]).toEqual([[], [`${field} is missing.`]]);
});

describe('a test', () => {
  test('tells the company and its currency', async () => {
    expect(await open(bankPage()).test()).toEqual({ name: 'Cronus & Co', currency: 'EUR' });
  });

  // Secrets are changed with PATCH, but configurations cannot be changed.
  test.each<[string, object, string, FaultCode, RegExp]>([
    ['a wrong secret', {}, 'wrong', 'AUTH_FAILED', /client secret is wrong.* with PATCH/],
    ['an unknown application', { clientId: id(9) }, clientSecret, 'AUTH_FAILED', /clientId .*delete this connection/],
    ['an unknown tenant', { tenantId: id(9) }, clientSecret, 'TENANT_NOT_FOUND', /Delete this connection .*tenantId/],
    [
      'an unknown environment',
      { environmentName: 'Test' },
      clientSecret,
      'TENANT_NOT_FOUND',
      /Delete this connection .*environmentName/,
    ],
    [
      'an unknown company',
      { companyId: id(9) },
      clientSecret,
      'TENANT_NOT_FOUND',
      /Delete this connection .*companyId/,
    ],
  ])('says what to change, and how, for %s', async (_, config, secret, code, sentence) => {
    await expect(open(config, { secret }).test()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(sentence),
    });
  });

  test('names an expired secret', async () => {
    await control.expire(tenantId, 'SECRET');
    await expect(open().test()).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      message: expect.stringMatching(/expired.* send it with PATCH/),
    });
  });

  test('names every list that may not be read', async () => {
    await control.addFault({
      match: '/(purchaseInvoices|vendorBankAccounts)\\?',
      kind: 'STATUS',
      status: 403,
      times: 0,
    });
    await expect(open(bankPage()).test()).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('may not read purchaseInvoices, the bank account page.'),
    });
    await control.expire(tenantId, 'RIGHTS');
    await expect(open().test()).rejects.toMatchObject({
      message: expect.stringContaining('may not read companies, vendors, purchaseInvoices, purchaseCreditMemos.'),
    });
  });
});

describe('a test of the bank account page', () => {
  test.each([401, 403, 404])('that is answered with %i fails as a run does', async (status) => {
    await put('vendorBankAccounts', [{ id: id(51), vendorNo: '1', iban: 'DE89370400440532013000' }]);
    await control.addFault({ match: '/vendorBankAccounts', kind: 'STATUS', status, times: 0 });
    const faultOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
    const ofRun = (await faultOf(readPages(open(bankPage()), 'bankAccounts'))) as ErpFault;
    const ofTest = (await faultOf(open(bankPage()).test())) as ErpFault;
    expect([ofTest.code, ofTest.message, ofTest.needsAPerson]).toEqual([ofRun.code, ofRun.message, false]);
  });

  test('without the configured fields is BANK_FIELD_MISSING', async () => {
    await put('vendorBankAccounts', [{ id: id(51), vendorNo: '1', iban: 'DE89370400440532013000' }]);
    const config = { ...bankPage(), bankAccountIbanField: 'ibanNumber' };
    await expect(open(config).test()).rejects.toMatchObject({ code: 'BANK_FIELD_MISSING' });
  });
});

describe('a session', () => {
  test('asks for one token, and for another one when it is refused', async () => {
    const session = open();
    await readPages(session, 'vendors');
    await readPages(session, 'orders');
    const tokens = (): number => http.calls.filter(({ url }) => url.endsWith('/oauth2/v2.0/token')).length;
    expect(tokens()).toBe(1);
    await control.expire(tenantId, 'ACCESS');
    await readPages(session, 'vendors');
    expect(tokens()).toBe(2);
    await control.addFault({ match: '/vendors', kind: 'STATUS', status: 401, times: 0 });
    await expect(readPages(session, 'vendors')).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      message: expect.stringContaining('Microsoft Entra Applications'),
    });
  });

  test('leaves payments out where the API for reports is missing or may not be read', async () => {
    for (const status of [404, 403]) {
      await control.addFault({ match: 'vendorLedgerEntries', kind: 'STATUS', status });
      await expect(readPages(open(), 'payments')).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    }
  });

  test('shows nothing of the secret, the token or an answer in its faults', async () => {
    await control.addFault({
      match: '/vendors',
      kind: 'STATUS',
      status: 418,
      times: 0,
      body: { error: { message: 'TELLTALE' } },
    });
    const fault = await readPages(open(), 'vendors').catch((error: unknown) => error);
    expect(String(fault)).not.toMatch(/TELLTALE|se\.cr~et|Bearer|127\.0\.0\.1/);
  });
});
