import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import { erpControl } from '../../testing/erp-control.js';
import type { ErpControl } from '../../testing/erp-control.js';
import { fetchHttp } from '../../testing/fetch-http.js';
import { readIds, readPages, readRecords } from '../../testing/read-stream.js';
import type { IdPage, Session } from '../provider.js';
import { odooProvider } from './provider.js';

let simulators: ErpSimulators;
let control: ErpControl;
let http: ReturnType<typeof fetchHttp>;
let baseUrl: string;
beforeAll(async () => {
  simulators = await startErpSimulators();
  control = erpControl(simulators.urls.odoo);
  baseUrl = `${simulators.urls.odoo}/acme`;
});
beforeEach(async () => {
  http = fetchHttp();
  await set({});
});
afterEach(async () => control.removeFaults());
afterAll(async () => simulators.stop());

const set = async (settings: object): Promise<void> => control.putTenant('acme', { apiKey: 'key', ...settings });
const put = async (entity: string, records: readonly object[], remove: readonly number[] = []): Promise<void> =>
  control.putRecords('acme', entity, records, remove);
const open = (config: object = {}, { pageSize = 500, secret = 'key' } = {}): Session =>
  odooProvider.open({
    config: { baseUrl, ...config },
    http,
    pageSize,
    credentials: {
      secret: async () => secret,
      accessToken: async () => Promise.reject(new Error('has no consent')),
      renewedAccessToken: async () => Promise.reject(new Error('has no consent')),
    },
  });
const partner = { id: 14, name: 'Azure Interior', supplier_rank: 3 };

/**
 * Matches a message that names the field and says that a new ERP connection is needed, because configurations cannot be
 * changed.
 */
function connectAnewWith(field: string): unknown {
  return expect.stringMatching(
    new RegExp(`delete this connection and connect .*${field}|${field}, delete this connection`, 'i'),
  );
}

describe('records', () => {
  test('of vendors have what Odoo tells, without false and "/"', async () => {
    await put('res.partner', [
      {
        ...partner,
        vat: 'BE0477472701',
        street: '4557 De Silva St',
        city: 'Fremont',
        zip: '94538',
        state_id: [13, 'California (US)'],
        country_id: [233, 'United States'],
        email: 'a@example.com',
        write_date: '2026-02-01 09:15:22',
      },
      { id: 15, name: 'Old Ltd', supplier_rank: 1, active: false, vat: '/' },
      { id: 16, name: 'A customer' },
      { id: 17, name: 'Brandon', supplier_rank: 1, parent_id: [14, 'Azure Interior'] },
    ]);
    expect(await readRecords(open(), 'vendors')).toEqual([
      {
        externalId: '14',
        name: 'Azure Interior',
        taxId: 'BE0477472701',
        address: {
          line1: '4557 De Silva St',
          city: 'Fremont',
          region: 'California (US)',
          postalCode: '94538',
          country: 'US',
        },
        email: 'a@example.com',
        status: 'ACTIVE',
        modifiedAt: new Date('2026-02-01T09:15:22.000Z'),
        url: `${baseUrl}/web#id=14&model=res.partner&view_type=form`,
      },
      {
        externalId: '15',
        name: 'Old Ltd',
        address: {},
        status: 'ARCHIVED',
        modifiedAt: expect.any(Date),
        url: expect.any(String),
      },
    ]);
  });

  test('of vendors that are known from bills alone come with the bills, first and later', async () => {
    await put('res.partner', [partner, { id: 20, name: 'Draft only', write_date: '2026-01-01 00:00:00' }]);
    await put('account.move', [{ id: 51, partner_id: 20, state: 'draft', write_date: '2026-03-01 00:00:00' }]);
    const names = async (window: object): Promise<unknown> => {
      const session = open();
      const vendors = await readRecords(session, 'vendors', window);
      const pages = await readPages(session, 'bills', window);
      const named = pages.flatMap(({ besides }) => besides?.vendors?.records ?? []);
      return [...vendors, ...named].map(({ name }) => name);
    };
    expect(await names({})).toEqual(['Azure Interior', 'Draft only']);
    await put('res.partner', [{ ...partner, write_date: '2026-01-01 00:00:00' }]);
    expect(await names({ from: '2026-02-01T00:00:00Z' })).toEqual(['Draft only']);
    expect(await readIds(open(), 'vendors')).toEqual(['14', '20']);
  });

  test('of a vendor whose first bill is posted between two runs of the first window come with the bill', async () => {
    await put('res.partner', [partner, { id: 9, name: 'Draft only' }]);
    await put('account.move', [{ id: 51, partner_id: 9, state: 'draft' }]);
    expect(await readRecords(open(), 'vendors')).toMatchObject([{ externalId: '14' }]);
    await put('res.partner', [{ id: 9, name: 'Draft only', supplier_rank: 1 }]);
    const [page] = await readPages(open(), 'bills');
    expect(page?.besides?.vendors?.records).toMatchObject([{ externalId: '9' }]);
  });

  test('of bills have the number of the supplier, orders, and exact amounts', async () => {
    await put('res.partner', [partner]);
    await put('account.move', [
      {
        id: 51,
        name: 'BILL/2026/02/0001',
        ref: 'INV-2026-77',
        payment_state: 'partial',
        partner_id: [15, 'Azure Interior, Brandon'],
        commercial_partner_id: [14, 'Azure Interior'],
        partner_bank_id: [7, 'BE71 0961 2345 6769'],
        invoice_date: '2026-02-03',
        invoice_date_due: '2026-03-05',
        date: '2026-02-03',
        amount_untaxed: 100,
        amount_tax: 21.3,
        amount_total: 121.3,
        amount_residual: 0.1,
        invoice_origin: 'P00012, P00013',
        write_date: '2026-02-03 12:00:01',
      },
    ]);
    expect(await readRecords(open(), 'bills')).toEqual([
      {
        externalId: '51',
        kind: 'BILL',
        documentNumber: 'INV-2026-77',
        erpNumber: 'BILL/2026/02/0001',
        vendorExternalId: '14',
        vendorName: 'Azure Interior',
        issueDate: '2026-02-03',
        dueDate: '2026-03-05',
        currency: 'EUR',
        netAmount: '100',
        taxAmount: '21.3',
        grossAmount: '121.3',
        purchaseOrderRefs: ['P00012', 'P00013'],
        state: 'PARTIALLY_PAID',
        paidAmount: '121.2',
        paidAccountExternalId: '7',
        modifiedAt: new Date('2026-02-03T12:00:01.000Z'),
        url: `${baseUrl}/web#id=51&model=account.move&view_type=form`,
      },
    ]);
  });

  test.each([
    ['draft', 'not_paid', 'DRAFT'],
    ['posted', 'not_paid', 'OPEN'],
    ['posted', 'blocked', 'OPEN'],
    ['posted', 'partial', 'PARTIALLY_PAID'],
    ['posted', 'in_payment', 'PAID'],
    ['posted', 'paid', 'PAID'],
    ['posted', 'reversed', 'PAID'],
    ['posted', 'invoicing_legacy', 'PAID'],
    ['cancel', 'not_paid', 'VOID'],
  ])('of bills in state %s and payment state %s are %s', async (state, paymentState, expected) => {
    await put('account.move', [{ id: 51, partner_id: [14, 'A'], state, payment_state: paymentState, name: '/' }]);
    const [bill] = await readRecords(open(), 'bills');
    expect(bill).toMatchObject({ state: expected });
    expect(bill).not.toHaveProperty('erpNumber');
  });

  test('of refunds are credit notes, and not bills', async () => {
    await put('account.move', [
      { id: 51, partner_id: [14, 'A'] },
      { id: 52, partner_id: [14, 'A'], move_type: 'in_refund', amount_total: 121 },
      { id: 53, partner_id: [14, 'A'], move_type: 'out_invoice' },
    ]);
    expect(await readRecords(open(), 'bills')).toMatchObject([{ externalId: '51', kind: 'BILL' }]);
    expect(await readRecords(open(), 'creditNotes')).toMatchObject([
      { externalId: '52', kind: 'CREDIT_NOTE', grossAmount: '121' },
    ]);
    expect(await readIds(open(), 'creditNotes')).toEqual(['52']);
  });

  test('of payments have date, account and bills, and those of a contact belong to its company', async () => {
    await put('res.partner', [partner, { id: 17, name: 'Brandon', parent_id: [14, 'Azure Interior'] }]);
    const payment = { partner_id: 17, date: '2026-03-01', amount: 121.3, reconciled_bill_ids: [51] };
    await put('account.payment', [
      { id: 61, ...payment, partner_bank_id: [7, 'BE71 0961 2345 6769 - KBC'], payment_reference: 'INV-2026-77' },
      { id: 62, ...payment, state: 'rejected' },
      { id: 63, ...payment, state: 'draft' },
      { id: 64, ...payment, payment_type: 'inbound' },
      { id: 65, ...payment, partner_type: 'customer' },
    ]);
    expect(await readRecords(open(), 'payments')).toEqual([
      {
        externalId: '61',
        vendorExternalId: '14',
        date: '2026-03-01',
        currency: 'EUR',
        amount: '121.3',
        reference: 'INV-2026-77',
        billExternalIds: ['51'],
        account: { externalId: '7', raw: 'BE71 0961 2345 6769', iban: 'BE71096123456769' },
        isReturned: false,
        modifiedAt: expect.any(Date),
      },
      expect.objectContaining({ externalId: '62', isReturned: true }),
    ]);
  });

  test('of orders are those that a supplier has', async () => {
    await put('res.partner', [partner]);
    const order = { name: 'P00012', partner_id: 14, amount_untaxed: 100, amount_total: 121 };
    await put('purchase.order', [
      { id: 71, ...order },
      { id: 72, ...order, state: 'done' },
      { id: 73, ...order, state: 'draft' },
      { id: 74, ...order, state: 'cancel' },
    ]);
    const orders = await readRecords(open(), 'orders');
    expect(orders.map(({ externalId }) => externalId)).toEqual(['71', '72']);
    expect(orders[0]).toMatchObject({ number: 'P00012', vendorExternalId: '14', netAmount: '100', grossAmount: '121' });
  });

  test('of a wrong type are counted with their id and do not stop the page', async () => {
    await put('res.partner', [partner]);
    await control.addFault({ match: 'res.partner/search_read', kind: 'PATCH', field: 'vat', value: { a: 1 } });
    expect(await readPages(open(), 'vendors')).toMatchObject([
      { records: [], invalid: [{ externalId: '14', message: 'vat is not text.' }] },
    ]);
  });
});

test.each([null, false, ''])('a vendor whose id is %j is counted as invalid, and does not disappear', async (value) => {
  await put('res.partner', [partner]);
  await control.addFault({ match: 'res.partner/search_read', kind: 'PATCH', field: 'id', value, times: 0 });
  expect(await readPages(open(), 'vendors')).toMatchObject([{ records: [], invalid: [{ message: 'id is missing.' }] }]);
});

describe('bank accounts', () => {
  const account = { id: 7, acc_number: 'BE71 0961 2345 6769', partner_id: 14, allow_out_payment: true };
  const read = {
    externalId: '7',
    vendorExternalId: '14',
    account: { externalId: '7', raw: 'BE71 0961 2345 6769', iban: 'BE71096123456769', isTrusted: true },
  };

  // An old version of Odoo does not have this field, so it remains unknown whether an account is trusted.
  test.each([
    ['18.0', undefined],
    ['19.0', true],
    ['20.0', true],
  ])('are read by the names of version %s', async (version, isTrusted) => {
    await set({ version, login: 'admin' });
    await put('res.partner', [partner]);
    await put('res.partner.bank', [account]);
    expect(await readRecords(open({ login: 'admin' }), 'bankAccounts')).toEqual([
      { ...read, account: { ...read.account, isTrusted } },
    ]);
  });

  test('of customers are not read, archived ones are deleted, and those of a contact belong to its company', async () => {
    await put('res.partner', [
      partner,
      { id: 16, name: 'A customer' },
      { id: 17, name: 'Brandon', supplier_rank: 1, parent_id: [14, 'Azure Interior'] },
    ]);
    await put('res.partner.bank', [
      { id: 8, acc_number: '1', partner_id: 16 },
      { id: 9, acc_number: '12345678', partner_id: 17 },
      { ...account, active: false },
    ]);
    const pages = await readPages(open(), 'bankAccounts');
    expect(pages.flatMap(({ deletedIds }) => deletedIds)).toEqual(['7']);
    expect(pages.flatMap(({ records }) => records)).toEqual([
      { externalId: '9', vendorExternalId: '14', account: { externalId: '9', raw: '12345678', isTrusted: false } },
    ]);
    expect(await readIds(open(), 'bankAccounts')).toEqual(['8', '9']);
  });

  test('of a vendor that is new are read although they did not change', async () => {
    const old = { write_date: '2026-01-01 00:00:00' };
    await put('res.partner', [{ ...partner, supplier_rank: 0, ...old }]);
    await put('res.partner.bank', [{ ...account, ...old }]);
    await put('account.move', [{ id: 51, partner_id: 14, write_date: '2026-03-01 00:00:00' }]);
    for (const window of [{ from: '2026-02-01T00:00:00Z' }, {}]) {
      const [page] = await readPages(open(), 'bills', window);
      expect(page?.besides?.bankAccounts?.records).toEqual([read]);
    }
    await put('res.partner', [{ ...partner, write_date: '2026-03-01 00:00:00' }]);
    // The session is a continued one, which has not read the vendor itself.
    expect(await readRecords(open(), 'bankAccounts', { from: '2026-02-01T00:00:00Z' })).toEqual([read]);
    expect(await readRecords(open(), 'bankAccounts', { from: '2026-04-01T00:00:00Z' })).toEqual([]);
  });
});

describe('pages', () => {
  test('go on behind the position of any page, in another session', async () => {
    await put(
      'res.partner',
      Array.from({ length: 5 }, (_, n) => ({ id: n + 1, name: `V${n}`, supplier_rank: 1 })),
    );
    await put('res.partner', [{ id: 9, name: 'Draft only' }]);
    await put(
      'account.move',
      Array.from({ length: 5 }, (_, n) => ({ id: n + 1, partner_id: [9, 'Draft only'] })),
    );
    for (const stream of ['vendors', 'bills'] as const) {
      const pages = await readPages(open({}, { pageSize: 2 }), stream);
      expect(pages.flatMap(({ records }) => records)).toHaveLength(5);
      for (const [at, { position }] of pages.entries()) {
        const rest = await readPages(open({}, { pageSize: 2 }), stream, { after: position ?? '' });
        const missing = pages.slice(at + 1).flatMap(({ records }) => records);
        expect(rest.flatMap(({ records }) => records)).toEqual(missing);
      }
    }
  });

  test('of ids go on behind the position of any page, also between vendors on bills and suppliers', async () => {
    await put('res.partner', [partner, { id: 15, name: 'B', supplier_rank: 1 }, { id: 20, name: 'Draft only' }]);
    await put('account.move', [
      { id: 51, partner_id: 20 },
      { id: 52, partner_id: 20 },
    ]);
    const session = open({}, { pageSize: 1 });
    const pages: IdPage[] = [];
    for await (const page of session.ids('vendors')) pages.push(page);
    expect(pages.flatMap(({ ids }) => ids)).toEqual(['20', '20', '14', '15']);
    for (const [at, { position }] of pages.entries()) {
      const rest: string[] = [];
      for await (const { ids } of open({}, { pageSize: 1 }).ids('vendors', position)) rest.push(...ids);
      expect(rest).toEqual(pages.slice(at + 1).flatMap(({ ids }) => ids));
    }
  });

  test.each([1, 2])(
    'of ids keep a vendor whose bill is posted between two runs, behind page %i',
    async (pagesOfFirstRun) => {
      await put('res.partner', [partner, { id: 15, name: 'B', supplier_rank: 1 }, { id: 9, name: 'Draft only' }]);
      await put('account.move', [
        { id: 51, partner_id: 9, state: 'draft' },
        { id: 52, partner_id: 9, state: 'draft' },
      ]);
      const ids: string[] = [];
      let position: string | undefined;
      let pages = 0;
      for await (const page of open({}, { pageSize: 1 }).ids('vendors')) {
        ids.push(...page.ids);
        position = page.position;
        if (++pages === pagesOfFirstRun) break;
      }
      // Odoo increases the supplier rank when the first bill is posted.
      await put('res.partner', [{ id: 9, name: 'Draft only', supplier_rank: 1 }]);
      for await (const page of open({}, { pageSize: 1 }).ids('vendors', position)) ids.push(...page.ids);
      expect(new Set(ids)).toEqual(new Set(['14', '15', '9']));
    },
  );

  test('leave out documents before the first day, but not drafts without a date', async () => {
    await put('account.move', [
      { id: 51, partner_id: [14, 'A'], invoice_date: '2024-12-31' },
      { id: 52, partner_id: [14, 'A'], invoice_date: '2025-01-01' },
      { id: 53, partner_id: [14, 'A'], state: 'draft' },
    ]);
    const bills = await readRecords(open(), 'bills', { dateFrom: '2025-01-01' });
    expect(bills.map(({ externalId }) => externalId)).toEqual(['52', '53']);
  });

  test('that repeat are BAD_RESPONSE', async () => {
    await put(
      'account.move',
      [1, 2, 3].map((id) => ({ id, partner_id: [14, 'A'] })),
    );
    await control.addFault({ match: 'account.move/search_read', kind: 'ENDLESS', times: 0 });
    await expect(readPages(open({}, { pageSize: 2 }), 'bills')).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });

  test('that are no list are BAD_RESPONSE', async () => {
    for (const body of ['{}', 'null', '5', 'text']) {
      await control.addFault({ match: 'account.move/search_read', kind: 'BODY', body });
      await expect(readPages(open(), 'bills')).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    }
  });

  test('of ids with a row that has none are not believed', async () => {
    await put('account.move', [{ id: 1, partner_id: [14, 'A'] }]);
    await control.addFault({ match: 'account.move/search_read', kind: 'PATCH', field: 'id', value: false });
    await expect(readIds(open(), 'bills')).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });

  test('of a run without changes take at most 10 calls', async () => {
    const readAll = async (session: Session): Promise<number> => {
      const before = http.calls.length;
      for (const stream of odooProvider.streams) await readPages(session, stream, { from: '2026-05-01T00:00:00Z' });
      return http.calls.length - before;
    };
    await put('res.partner', [{ ...partner, country_id: [20, 'Belgium'] }]);
    await put('res.partner.bank', [{ id: 7, acc_number: 'BE71 0961 2345 6769', partner_id: 14 }]);
    await put('account.payment', [{ id: 61, partner_id: 14, date: '2026-03-01', amount: 121 }]);
    // The limit on calls also holds directly after all records were written, when all of them lie within the overlap of
    // two time windows.
    expect(await readAll(open())).toBeLessThanOrEqual(10);
    await set({ version: '18.0', login: 'admin' });
    expect(await readAll(open({ login: 'admin', database: 'main' }))).toBeLessThanOrEqual(10);
  });
});

describe('a test', () => {
  test('tells the company and its currency', async () => {
    expect(await open().test()).toEqual({ name: 'My Company', currency: 'EUR' });
    expect(await open({ erpCompanyId: 1 }).test()).toEqual({ name: 'My Company', currency: 'EUR' });
  });

  test('takes the company that the user begins in where there are several', async () => {
    await put('res.company', [{ id: 2, name: 'Second' }]);
    await put('res.users', [{ id: 2, company_id: [2, 'Second'] }]);
    expect(await open().test()).toMatchObject({ name: 'Second' });
    expect(await open({ erpCompanyId: 1 }).test()).toMatchObject({ name: 'My Company' });
    await put('account.move', [
      { id: 51, partner_id: [14, 'A'], company_id: [1, 'My Company'] },
      { id: 52, partner_id: [14, 'A'], company_id: [2, 'Second'] },
    ]);
    expect(await readRecords(open(), 'bills')).toMatchObject([{ externalId: '52' }]);
  });

  test('names a wrong or revoked key, an unknown company and a wrong address', async () => {
    const authFailed = { code: 'AUTH_FAILED', message: expect.stringMatching(/API key.* send it with PATCH\.$/) };
    await expect(open({}, { secret: 'other' }).test()).rejects.toMatchObject(authFailed);
    const noCompany = { code: 'TENANT_NOT_FOUND', message: connectAnewWith('erpCompanyId') };
    await expect(open({ erpCompanyId: 9 }).test()).rejects.toMatchObject(noCompany);
    // A proxy returns the same response while Odoo is restarting, so the message must not advise to delete the
    // connection.
    const noOdoo = { code: 'UPSTREAM_ERROR', message: expect.stringMatching(/^(?!.*delete).*baseUrl is right/i) };
    await expect(open({ baseUrl: `${simulators.urls.odoo}/nobody` }).test()).rejects.toMatchObject(noOdoo);
    await control.expire('acme', 'SECRET');
    await expect(open().test()).rejects.toMatchObject(authFailed);
  });

  test('names every model that may not be read', async () => {
    await control.addFault({ match: '/account.move/|/res.partner.bank/', kind: 'STATUS', status: 403, times: 0 });
    await expect(open().test()).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('bank accounts of contacts (res.partner.bank), vendor bills (account.move).'),
    });
    await control.expire('acme', 'RIGHTS');
    await expect(open().test()).rejects.toMatchObject({ message: expect.stringContaining('companies (res.company)') });
  });

  test('needs a database where there are several, and finds the only one', async () => {
    await set({ databases: ['one', 'two'] });
    const required = { code: 'DATABASE_REQUIRED', message: connectAnewWith('database') };
    await expect(open().test()).rejects.toMatchObject(required);
    await expect(open({ database: 'three' }).test()).rejects.toMatchObject(required);
    // If the list of ids cannot be read, no record counts as deleted.
    await control.addFault({
      match: 'database/list',
      kind: 'BODY',
      times: 0,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { data: { name: 'odoo.exceptions.AccessDenied' } } }),
    });
    for (const config of [{}, { database: 'three' }]) {
      await expect(open(config).test()).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
    }
    expect(await open({ database: 'two' }).test()).toMatchObject({ name: 'My Company' });
  });
});

describe('JSON-RPC', () => {
  beforeEach(async () => set({ version: '18.0', login: 'admin' }));

  test('is used where there is no JSON-2 and a login is configured', async () => {
    await expect(open().test()).rejects.toMatchObject({
      message: expect.stringContaining('connect Odoo again with login'),
    });
    expect(await open({ login: 'admin' }).test()).toMatchObject({ name: 'My Company' });
    await put('res.partner', [partner]);
    expect(await readRecords(open({ login: 'admin' }), 'vendors')).toMatchObject([{ externalId: '14' }]);
  });

  test('names a wrong key, login and database', async () => {
    const authFailed = { code: 'AUTH_FAILED' };
    await expect(open({ login: 'admin' }, { secret: 'other' }).test()).rejects.toMatchObject(authFailed);
    await expect(open({ login: 'somebody' }).test()).rejects.toMatchObject({
      ...authFailed,
      message: connectAnewWith('login'),
    });
    const required = { code: 'DATABASE_REQUIRED', message: connectAnewWith('database') };
    await expect(open({ login: 'admin', database: 'x' }).test()).rejects.toMatchObject(required);
    await set({ version: '18.0', login: 'admin', databases: ['one', 'two'] });
    await expect(open({ login: 'admin' }).test()).rejects.toMatchObject(required);
    await control.expire('acme', 'RIGHTS');
    await expect(open({ login: 'admin', database: 'one' }).test()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

test('payments and orders are left out where their app is missing or may not be read', async () => {
  for (const [stream, model] of [
    ['payments', 'account.payment'],
    ['orders', 'purchase.order'],
  ] as const) {
    await control.addFault({ match: `${model}/search_read`, kind: 'STATUS', status: 403 });
    await expect(readPages(open(), stream)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await control.addFault({ match: `${model}/search_read`, kind: 'STATUS', status: 404 });
    await expect(readPages(open(), stream)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  }
});

test('faults show nothing of the key, the address or an answer', async () => {
  const body = { name: 'builtins.ValueError', message: 'TELLTALE', debug: 'Traceback' };
  await control.addFault({ match: 'account.move', kind: 'STATUS', status: 500, times: 0, body });
  const fault = await readPages(open(), 'bills').catch((error: unknown) => error);
  expect(fault).toMatchObject({ code: 'BAD_RESPONSE' });
  expect(String(fault)).not.toMatch(/TELLTALE|Traceback|key|127\.0\.0\.1/);
});
