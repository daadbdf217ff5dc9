import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpCalls } from '../../clients/erp-http.js';
import { APP, consent, control, openTestSession, readAll, testCalls } from '../../testing/consented-session.js';
import type { Credentials, Provider, Session } from '../provider.js';
import { STEPS_BACK_MAX } from './pages.js';
import { quickBooksProvider } from './provider.js';

const REALM = '4620816365291273680';
let simulators: ErpSimulators;
let base: string;
let tenant: string;
let provider: Provider;
let http: ErpCalls & { close(): void };
let credentials: Credentials;

beforeAll(async () => {
  simulators = await startErpSimulators({ quickBooksApp: APP });
  base = simulators.urls.quickBooks;
  tenant = `${base}/control/tenants/${REALM}`;
  provider = quickBooksProvider({ apiUrl: base });
});
beforeEach(async () => {
  await control(`PUT ${tenant}`, { companyName: 'Norton Ltd', homeCurrency: 'USD' });
  credentials = await consent({
    authorizeUrl: `${base}/connect/oauth2`,
    tokenUrl: `${base}/oauth2/v1/tokens/bearer`,
    scope: 'com.intuit.quickbooks.accounting',
    tenant: REALM,
  });
  http = testCalls(base);
});
afterEach(async () => {
  http.close();
  await control(`DELETE ${base}/control/faults`);
});
afterAll(() => simulators.stop());

const open = (pageSize = 1_000): Session =>
  openTestSession(provider, { config: { realmId: REALM }, http, credentials, pageSize });
const put = (entity: string, records: readonly object[], remove: readonly string[] = []): Promise<unknown> =>
  control(`POST ${tenant}/records`, { entity, records, remove });
const fault = (spec: object): Promise<unknown> => control(`POST ${base}/control/faults`, spec);
const expire = (what: string): Promise<unknown> => control(`POST ${tenant}/expire`, { what });
/** Returns a time on the clock of the ERP, which other tests advance. */
const ago = async (seconds: number): Promise<string> => {
  const { now } = (await control(`POST ${base}/control/clock`, { advanceSeconds: 0 })) as { readonly now: string };
  return new Date(Date.parse(now) - seconds * 1_000).toISOString();
};
const bills = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({
    Id: String(at + 1),
    VendorRef: { value: '56', name: 'N' },
    TotalAmt: 1,
  }));

describe('records', () => {
  test('a vendor has what QuickBooks shows of it, and its masked numbers are marked', async () => {
    await put('Vendor', [
      {
        Id: '56',
        DisplayName: 'Norton Lumber',
        TaxIdentifier: '123456789',
        BillAddr: {
          Line1: '4528 Country Road',
          Line2: 'Unit 1',
          Line3: 'Back yard',
          City: 'Middlefield',
          CountrySubDivisionCode: 'CA',
          PostalCode: '94303',
        },
        PrimaryEmailAddr: { Address: 'n@example.com' },
        PrimaryPhone: { FreeFormNumber: '(650) 555-3311' },
        VendorPaymentBankDetail: {
          BankAccountName: 'Norton',
          BankBranchIdentifier: '123-456',
          BankAccountNumber: '123456789',
        },
        MetaData: { LastUpdatedTime: '2026-01-02T10:00:00-08:00' },
      },
      { Id: '57', DisplayName: 'Old', Active: false, BusinessNumber: '51824753556' },
    ]);
    const { records, invalid } = await readAll(open(), 'vendors');
    expect(invalid).toEqual([]);
    expect(records).toMatchObject([
      {},
      { externalId: '57', status: 'ARCHIVED', taxId: '51824753556', isTaxIdMasked: false, accounts: [] },
    ]);
    expect(records[0]).toEqual({
      externalId: '56',
      name: 'Norton Lumber',
      taxId: 'XXXXX6789',
      isTaxIdMasked: true,
      address: {
        line1: '4528 Country Road',
        line2: 'Unit 1, Back yard',
        city: 'Middlefield',
        region: 'CA',
        postalCode: '94303',
      },
      email: 'n@example.com',
      phone: '(650) 555-3311',
      currency: 'USD',
      status: 'ACTIVE',
      accounts: [{ raw: '123-456 XXXXX6789', holder: 'Norton', isMasked: true }],
      modifiedAt: new Date('2026-01-02T18:00:00.000Z'),
      url: 'https://app.qbo.intuit.com/app/vendordetail?nameId=56',
    });
  });

  test('a bill has its tax, what is paid, and the numbers of its purchase orders', async () => {
    await put('PurchaseOrder', [
      { Id: '118', DocNumber: 'PO-7', VendorRef: { value: '56', name: 'N' }, TotalAmt: 200 },
      { Id: '119', VendorRef: { value: '56', name: 'N' }, TotalAmt: 1 },
    ]);
    const order = (TxnId: string) => ({ TxnId, TxnType: 'PurchaseOrder' });
    await put('Bill', [
      {
        Id: '25',
        DocNumber: 'A-100',
        TxnDate: '2026-01-06',
        DueDate: '2026-02-05',
        VendorRef: { value: '56', name: 'Norton Lumber' },
        CurrencyRef: { value: 'GBP' },
        TxnTaxDetail: { TotalTax: 20.58 },
        TotalAmt: 123.48,
        Balance: 23.48,
        LinkedTxn: [order('118'), { TxnId: '9', TxnType: 'BillPaymentCheck' }],
        Line: [{ Id: '1', LinkedTxn: [order('118'), order('119')] }],
      },
      { Id: '26', VendorRef: { value: '56', name: 'N' }, TotalAmt: 10, TxnDate: '2026-01-07' },
      { Id: '27', VendorRef: { value: '56', name: 'N' }, TotalAmt: 10, Balance: 0, TxnDate: '2026-01-08' },
      { Id: '28', VendorRef: { value: '56', name: 'N' }, TotalAmt: 10.3, Balance: 0.1 + 0.2, TxnDate: '2026-01-08' },
    ]);
    const { records, invalid } = await readAll(open(), 'bills');
    expect(invalid).toEqual([]);
    expect(records[0]).toEqual({
      externalId: '25',
      kind: 'BILL',
      documentNumber: 'A-100',
      erpNumber: '25',
      vendorExternalId: '56',
      vendorName: 'Norton Lumber',
      issueDate: '2026-01-06',
      dueDate: '2026-02-05',
      currency: 'GBP',
      netAmount: '102.9',
      taxAmount: '20.58',
      grossAmount: '123.48',
      purchaseOrderRefs: ['PO-7'],
      state: 'PARTIALLY_PAID',
      paidAmount: '100',
      modifiedAt: expect.any(Date),
      url: 'https://app.qbo.intuit.com/app/bill?txnId=25',
    });
    expect(records.slice(1)).toMatchObject([
      { externalId: '26', state: 'OPEN', paidAmount: '0', currency: 'USD', purchaseOrderRefs: [] },
      { externalId: '27', state: 'PAID', paidAmount: '10' },
      { externalId: '28', state: 'PARTIALLY_PAID', paidAmount: '10' },
    ]);
    expect(records[1]).not.toHaveProperty('netAmount');
    expect(records[1]).not.toHaveProperty('taxAmount');
    expect(records[1]).not.toHaveProperty('documentNumber');
  });

  test('a vendor credit, a payment and a purchase order have what is read of them', async () => {
    const ofVendor = { VendorRef: { value: '56', name: 'N' }, TxnDate: '2026-03-01' };
    await put('VendorCredit', [{ Id: '30', ...ofVendor, DocNumber: 'C-1', TotalAmt: 12, Balance: 12 }]);
    const line = (TxnType: string, TxnId: string) => ({ Amount: 1, LinkedTxn: [{ TxnId, TxnType }] });
    await put('BillPayment', [
      {
        Id: '40',
        ...ofVendor,
        DocNumber: '1001',
        TotalAmt: 90.5,
        Line: [line('Bill', '25'), line('VendorCredit', '30')],
      },
      { Id: '41', ...ofVendor, TotalAmt: 0, PrivateNote: 'Voided' },
    ]);
    await put('PurchaseOrder', [
      { Id: '118', ...ofVendor, DocNumber: 'PO-7', TotalAmt: 120, TxnTaxDetail: { TotalTax: 20 } },
      { Id: '119', ...ofVendor, TotalAmt: 1 },
    ]);
    const session = open();
    expect((await readAll(session, 'creditNotes')).records).toMatchObject([
      { externalId: '30', kind: 'CREDIT_NOTE', documentNumber: 'C-1', grossAmount: '12', state: 'OPEN' },
    ]);
    const { records: payments } = await readAll(session, 'payments');
    expect(payments[0]).toEqual({
      externalId: '40',
      vendorExternalId: '56',
      date: '2026-03-01',
      currency: 'USD',
      amount: '90.5',
      reference: '1001',
      billExternalIds: ['25'],
      isReturned: false,
      modifiedAt: expect.any(Date),
    });
    expect(payments[1]).toMatchObject({ externalId: '41', amount: '0', isReturned: true });
    expect((await readAll(session, 'orders')).records).toMatchObject([
      { externalId: '118', number: 'PO-7', vendorExternalId: '56', netAmount: '100', grossAmount: '120' },
    ]);
  });

  test('rows that name no currency are in the home currency', async () => {
    await put('Bill', bills(2));
    await fault({ match: 'from Bill', kind: 'PATCH', field: 'CurrencyRef', value: null, times: 0 });
    expect((await readAll(open(), 'bills')).records).toMatchObject([{ currency: 'USD' }, { currency: 'USD' }]);
    await fault({ match: '/preferences', kind: 'BODY', body: '{"Preferences":{}}' });
    expect((await readAll(open(), 'bills')).invalid).toHaveLength(2);
  });

  test.each([
    ['TotalAmt', 'much', 'TotalAmt is not a number.'],
    ['TotalAmt', 1e21, 'TotalAmt is a number with an exponent.'],
    ['VendorRef', null, 'VendorRef is missing.'],
    ['VendorRef', { value: '1' }, 'name is missing.'],
    ['Line', 'none', 'Line is not a list.'],
    ['MetaData', { LastUpdatedTime: 5 }, 'LastUpdatedTime is not a date with a time.'],
  ])('a bill whose %s is %j is left out', async (field, value, message) => {
    await put('Bill', bills(1));
    await fault({ match: 'from Bill', kind: 'PATCH', field, value });
    expect(await readAll(open(), 'bills')).toMatchObject({ records: [], invalid: [{ externalId: '1', message }] });
  });
});

describe('windows', () => {
  test('show what changed since then, inactive vendors too, and bills from a day on', async () => {
    const at = (day: number) => ({ MetaData: { LastUpdatedTime: `2026-01-0${day}T00:00:00Z` } });
    await put('Vendor', [
      { Id: '1', DisplayName: 'A', ...at(1) },
      { Id: '2', DisplayName: 'B', Active: false, ...at(3) },
    ]);
    await put(
      'Bill',
      bills(3).map((bill, day) => ({ ...bill, TxnDate: `2026-01-0${day + 1}`, ...at(5) })),
    );
    const session = open();
    const vendors = await readAll(session, 'vendors', { from: '2026-01-02T00:00:00.000Z' });
    expect(vendors.records.map(({ externalId }) => externalId)).toEqual(['2']);
    const { records } = await readAll(session, 'bills', { dateFrom: '2026-01-02' });
    expect(records.map(({ externalId }) => externalId)).toEqual(['2', '3']);
  });

  test.each([1, 2, 3, 10])('pages of %i rows have every row once', async (pageSize) => {
    await put('Bill', bills(10));
    const { records, pages } = await readAll(open(pageSize), 'bills');
    expect(records.map(({ externalId }) => externalId)).toEqual(bills(10).map((_, at) => String(at + 1)));
    expect(pages).toHaveLength(Math.ceil(10 / pageSize));
  });

  test('a window continues after the position of any page', async () => {
    await put('Bill', bills(10));
    const { pages } = await readAll(open(3), 'bills');
    for (const [at, { position }] of pages.entries()) {
      const rest = await readAll(open(4), 'bills', position === undefined ? {} : { after: position });
      const expected = pages.slice(at + 1).flatMap(({ records }) => records.map(({ externalId }) => externalId));
      expect(rest.records.map(({ externalId }) => externalId)).toEqual(expected);
    }
  });

  test.each([['1'], ['3'], ['4'], ['9']])(
    'no row is skipped when bill %s is deleted between two pages',
    async (gone) => {
      await put('Bill', bills(10));
      const seen = new Set<string>();
      let page = 0;
      for await (const { records } of open(3).read('bills', {})) {
        for (const { externalId } of records) seen.add(externalId);
        page += 1;
        if (page === 1) await put('Bill', [], [gone]);
      }
      const expected = bills(10).map((_, at) => String(at + 1));
      expect([...seen].sort()).toEqual(expected.filter((id) => id !== gone || seen.has(gone)).sort());
    },
  );

  test.each([
    ['fewer rows than a page', ['1', '2']],
    ['the row at which it ended', ['6']],
    ['more rows than a page', ['1', '2', '3', '4', '5']],
    ['more rows than a page, and the one at which it ended', ['1', '2', '3', '4', '6']],
  ])('no row is skipped when %s are deleted between two runs', async (_, gone) => {
    await put('Bill', bills(12));
    const { pages } = await readAll(open(3), 'bills');
    const [, second] = pages;
    await put('Bill', [], gone);
    const rest = await readAll(open(3), 'bills', { after: second?.position ?? '' });
    const ids = new Set(rest.records.map(({ externalId }) => externalId));
    expect([...ids]).toEqual(expect.arrayContaining(['7', '8', '9', '10', '11', '12']));
  });

  test('a company that repeats a page for ever ends with a fault', async () => {
    await put('Bill', bills(10));
    await fault({ match: 'from Bill', kind: 'ENDLESS', times: 0 });
    await expect(readAll(open(2), 'bills')).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    expect(http.callsCount).toBeLessThan(3 * STEPS_BACK_MAX);
  });

  test('all ids are listed, those of inactive vendors too', async () => {
    await put('Vendor', [{ Id: '1' }, { Id: '2', Active: false }, { Id: '3' }]);
    const ids: string[] = [];
    for await (const page of open(2).ids('vendors')) ids.push(...page.ids);
    expect(ids).toEqual(['1', '2', '3']);
    await fault({ match: 'select Id from Vendor', kind: 'PATCH', field: 'Id', value: null });
    const broken = async () => {
      for await (const page of open().ids('vendors')) ids.push(...page.ids);
    };
    await expect(broken()).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });
});

test('an order without an id is counted although it has no number either, and does not disappear', async () => {
  await put('PurchaseOrder', [{ Id: '1', VendorRef: { value: '56', name: 'N' }, DocNumber: null }]);
  await fault({ match: 'from PurchaseOrder', kind: 'PATCH', field: 'Id', value: '' });
  const { records, invalid } = await readAll(open(), 'orders');
  expect([records, invalid]).toEqual([[], [{ message: 'Id is missing.' }]]);
});

describe('deletions', () => {
  test('of which one has no id make the list of changes incomplete', async () => {
    const changes = [{ status: 'Deleted' }, { Id: '9', status: 'Deleted' }];
    const body = JSON.stringify({ CDCResponse: [{ QueryResponse: [{ Bill: changes }] }] });
    const session = open();
    const from = await ago(60);
    await fault({ match: '/cdc', kind: 'BODY', body, times: 0 });
    expect(await readAll(session, 'bills', { from })).toMatchObject({ deletedIds: ['9'], missesDeletions: true });
  });

  test('are told since the beginning of a window, with one call for all streams', async () => {
    await put('Bill', bills(3));
    await put('Vendor', [{ Id: '56' }], []);
    const from = await ago(60);
    await put('Bill', [], ['2']);
    await put('Vendor', [], ['56']);
    const session = open();
    const vendors = await readAll(session, 'vendors', { from });
    const before = http.callsCount;
    const found = await readAll(session, 'bills', { from });
    expect([vendors.deletedIds, found.deletedIds, found.missesDeletions]).toEqual([['56'], ['2'], false]);
    expect(http.callsCount - before).toBe(1);
    expect((await readAll(session, 'bills')).deletedIds).toEqual([]);
  });

  test('are not all known when the list of changes is full or too old', async () => {
    await put('Bill', bills(1_000));
    const session = open();
    const from = await ago(60);
    expect(await readAll(session, 'bills', { from })).toMatchObject({ missesDeletions: true });
    expect(await readAll(session, 'vendors', { from })).toMatchObject({ missesDeletions: false });
    expect(await readAll(session, 'vendors', { from: await ago(31 * 86_400) })).toMatchObject({
      missesDeletions: true,
    });
  });
});

test('a run without changes costs at most 10 calls', async () => {
  await put('Bill', [
    { Id: '1', VendorRef: { value: '1', name: 'N' }, MetaData: { LastUpdatedTime: '2026-01-01T00:00:00Z' } },
  ]);
  const session = open();
  const from = await ago(60);
  for (const stream of provider.streams) expect((await readAll(session, stream, { from })).records).toEqual([]);
  expect(http.callsCount).toBe(provider.streams.length + 1);
});

describe('faults', () => {
  test('an access token that ended is renewed once', async () => {
    await expire('ACCESS');
    expect(await open().test()).toEqual({ name: 'Norton Ltd', currency: 'USD' });
    expect(await control(`GET ${tenant}/tokens`)).toMatchObject({ refreshed: 1 });
  });

  test('an access that was taken back must be given again', async () => {
    await expire('ACCESS');
    await expire('REFRESH');
    await expect(open().test()).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
    await fault({ match: '/v3/', kind: 'STATUS', status: 401, times: 0 });
    await control(`PUT ${tenant}`, {});
    await expect(open().test()).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
  });

  test('missing permissions are named one by one', async () => {
    await expire('RIGHTS');
    await expect(open().test()).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message:
        'QuickBooks Online does not let this connection read: vendors, bills, vendor credits. Connect it again as an administrator of the company.',
    });
    await expect(readAll(open(), 'orders')).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('read: purchase orders.'),
    });
  });

  test('bills are read where purchase orders may not be', async () => {
    await put('Bill', [{ ...bills(1)[0], LinkedTxn: [{ TxnId: '5', TxnType: 'PurchaseOrder' }] }]);
    const body = {
      Fault: { Error: [{ Message: 'Feature Not Supported Error', code: '5030' }], type: 'ValidationFault' },
    };
    await fault({ match: 'from PurchaseOrder', kind: 'STATUS', status: 400, body, times: 0 });
    expect((await readAll(open(), 'bills')).records).toMatchObject([{ purchaseOrderRefs: [] }]);
    await expect(readAll(open(), 'orders')).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  test('a company of another environment, and one whose subscription ended, are told apart', async () => {
    const faultOf = (code: string) => ({ Fault: { Error: [{ Message: 'x', code }], type: 'ValidationFault' } });
    await fault({ match: '/v3/', kind: 'STATUS', status: 403, body: faultOf('3100') });
    await expect(open().test()).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await fault({ match: '/v3/', kind: 'STATUS', status: 400, body: faultOf('6190') });
    await expect(open().test()).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
  });

  test('a throttled call is tried again, also when its status is success', async () => {
    await put('Bill', bills(1));
    const body = JSON.stringify({ Fault: { Error: [{ code: '003001' }], type: 'ThrottleExceeded' } });
    await fault({ match: 'from Bill', kind: 'STATUS', status: 429 });
    await fault({ match: 'from Bill', kind: 'BODY', body });
    expect((await readAll(open(), 'bills')).records).toHaveLength(1);
    // The client pauses 60 times for a millisecond, because QuickBooks requires a minute without stating it.
    expect(http.throttledMs).toBeGreaterThanOrEqual(59);
  });

  test.each<[string, object, string?]>([
    ['text', { kind: 'BODY', body: 'hello', contentType: 'text/plain' }],
    ['a list', { kind: 'BODY', body: '[]' }],
    ['another object', { kind: 'BODY', body: '{"QueryResponse":[]}' }],
    ['rows that are none', { kind: 'BODY', body: '{"QueryResponse":{"Bill":{}}}' }],
    ['a fault', { kind: 'BODY', body: '{"Fault":{"Error":[{"Message":"secret","code":"10000"}]}}' }, 'UPSTREAM_ERROR'],
    ['a redirect', { kind: 'REDIRECT', location: 'http://10.0.0.1/secret' }],
    ['another status', { kind: 'STATUS', status: 400 }],
  ])('%s instead of bills is a fault without data of the ERP', async (_, spec, code = 'BAD_RESPONSE') => {
    await fault({ match: 'from Bill', ...spec, times: 0 });
    await expect(readAll(open(), 'bills')).rejects.toMatchObject({
      code,
      message: expect.not.stringMatching(/secret|http:/),
    });
  });
});

test('tells the time of the ERP from its last answer', async () => {
  const session = open();
  expect(session.serverTime()).toBeUndefined();
  await control(`POST ${base}/control/clock`, { advanceSeconds: 86_400 });
  await readAll(session, 'vendors');
  expect(Date.parse(session.serverTime() ?? '')).toBeGreaterThan(Date.now() + 86_000_000);
});
