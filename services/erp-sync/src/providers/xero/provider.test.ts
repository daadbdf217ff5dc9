import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import type { ErpCalls } from '../../clients/erp-http.js';
import { APP, consent, control, openTestSession, readAll, testCalls } from '../../testing/consented-session.js';
import type { Credentials, Page, Provider, Session } from '../provider.js';
import { xeroProvider } from './provider.js';

const SCOPE =
  'offline_access accounting.contacts.read accounting.invoices.read accounting.settings.read accounting.payments.read';
const VENDOR = '430fa14a-f945-44d3-9f97-5df5e28441b8';
let simulators: ErpSimulators;
let base: string;
let tenantId: string;
let provider: Provider;
let http: ErpCalls & { close(): void };
let credentials: Credentials;

beforeAll(async () => {
  simulators = await startErpSimulators({ xeroApp: APP });
  base = simulators.urls.xero;
  provider = xeroProvider({ apiUrl: base });
});
beforeEach(async () => {
  tenantId = randomUUID();
  await control(`PUT ${tenant()}`, { tenantName: 'Liam Ltd' });
  credentials = await connect(SCOPE);
  http = testCalls(base);
});
afterEach(async () => {
  http.close();
  await control(`DELETE ${base}/control/faults`);
});
afterAll(() => simulators.stop());

const tenant = (): string => `${base}/control/tenants/${tenantId}`;
const connect = (scope: string): Promise<Credentials> =>
  consent({
    authorizeUrl: `${base}/identity/connect/authorize`,
    tokenUrl: `${base}/connect/token`,
    scope,
    tenant: tenantId,
  });
const open = (pageSize = 1_000): Session =>
  openTestSession(provider, { config: { tenantId }, http, credentials, pageSize });
const put = (entity: string, records: readonly object[], remove: readonly string[] = []): Promise<unknown> =>
  control(`POST ${tenant()}/records`, { entity, records, remove });
const fault = (spec: object): Promise<unknown> => control(`POST ${base}/control/faults`, spec);
const expire = (what: string): Promise<unknown> => control(`POST ${tenant()}/expire`, { what });
const at = (text: string): string => `/Date(${Date.parse(text)}+0000)/`;
const idOf = (n: number): string => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
const Contact = { ContactID: VENDOR, Name: 'Liam Supplies Ltd' };
const bills = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, n) => ({ InvoiceID: idOf(n + 1), InvoiceNumber: `A-${n + 1}`, Contact, Total: 1 }));
const vendorIds = (pages: readonly Page<unknown>[]): string[] =>
  pages.flatMap(({ besides }) => besides?.vendors?.records.map(({ externalId }) => externalId) ?? []);
const billIds = (records: readonly { readonly externalId: string }[]): number[] =>
  records.map(({ externalId }) => Number(externalId.slice(0, 8)));

describe('vendors', () => {
  test('have what Xero has of them; customers are none', async () => {
    await put('Contacts', [
      {
        ...Contact,
        AccountNumber: 'S-100',
        EmailAddress: 'a@example.com',
        BankAccountDetails: '20-00-40 12345678',
        BatchPayments: { BankAccountNumber: '20004012345678', BankAccountName: 'Liam Supplies', Details: '' },
        TaxNumber: 'GB123456789',
        CompanyNumber: '01234567',
        Addresses: [
          { AddressType: 'POBOX', AddressLine1: 'PO Box 1' },
          {
            AddressType: 'STREET',
            AddressLine1: '1 High St',
            AddressLine2: 'Floor 2',
            City: 'Leeds',
            Region: '',
            PostalCode: 'LS1 1AA',
            Country: 'United Kingdom',
          },
        ],
        Phones: [{ PhoneType: 'DEFAULT', PhoneCountryCode: '44', PhoneAreaCode: '113', PhoneNumber: '4960000' }],
        DefaultCurrency: 'GBP',
        UpdatedDateUTC: '/Date(1551399321043+0000)/',
      },
      { ContactID: idOf(1), Name: 'Customer', IsSupplier: false, IsCustomer: true },
      { ContactID: idOf(2), Name: 'Old', ContactStatus: 'ARCHIVED', MergedToContactID: VENDOR },
    ]);
    const { records, invalid } = await readAll(open(), 'vendors');
    expect(invalid).toEqual([]);
    expect(records).toMatchObject([{ externalId: idOf(2), status: 'ARCHIVED', mergedIntoExternalId: VENDOR }, {}]);
    expect(records[1]).toEqual({
      externalId: VENDOR,
      number: 'S-100',
      name: 'Liam Supplies Ltd',
      taxId: 'GB123456789',
      registrationNumber: '01234567',
      address: {
        line1: '1 High St',
        line2: 'Floor 2',
        city: 'Leeds',
        postalCode: 'LS1 1AA',
        country: 'United Kingdom',
      },
      email: 'a@example.com',
      phone: '44 113 4960000',
      currency: 'GBP',
      status: 'ACTIVE',
      accounts: [{ raw: '20-00-40 12345678', holder: 'Liam Supplies', sortCode: '200040', accountNumber: '12345678' }],
      modifiedAt: new Date('2019-03-01T00:15:21.043Z'),
      url: expect.stringMatching(
        /^https:\/\/go\.xero\.com\/organisationlogin\/default\.aspx\?shortcode=.+&redirecturl=%2FContacts%2FView%2F430fa14a/,
      ),
    });
  });

  test.each([
    ['DE89 3704 0044 0532 0130 00', 'GB', { iban: 'DE89370400440532013000' }],
    ['IBAN: gb29 nwbk 6016 1331 9268 19', 'GB', { iban: 'GB29NWBK60161331926819' }],
    ['20004012345678', 'NZ', {}],
    ['2000401234567', 'GB', {}],
    ['call us first', 'GB', {}],
  ])('have of %j in %s %j and the text', async (raw, countryCode, account) => {
    await control(`PUT ${tenant()}`, { countryCode });
    credentials = await connect(SCOPE);
    await put('Contacts', [{ ...Contact, BankAccountDetails: raw }]);
    expect((await readAll(open(), 'vendors')).records[0]?.accounts).toEqual([{ raw, ...account }]);
  });

  test('with a first bill come with the bill, although nothing else of them changed', async () => {
    const old = { UpdatedDateUTC: at('2026-01-01') };
    const others = Array.from({ length: 60 }, (_, n) => ({
      ...old,
      ContactID: idOf(n + 1),
      Name: `V ${n}`,
      IsSupplier: false,
    }));
    await put('Contacts', [...others, { ...Contact, ...old, IsSupplier: false }]);
    const window = { from: '2026-01-02T00:00:00.000Z' };
    await put('Invoices', [
      ...bills(1),
      ...others.map(({ ContactID }, n) => ({ InvoiceID: idOf(n + 100), Contact: { ContactID, Name: 'V' } })),
    ]);
    const session = open();
    expect((await readAll(session, 'vendors', window)).records).toEqual([]);
    const { pages, records } = await readAll(session, 'bills', window);
    expect(records).toHaveLength(61);
    // The bill names more contacts than one call may request, so its page of ERP records is split.
    expect(pages.map(({ records: { length }, besides }) => [length, besides?.vendors?.records.length])).toEqual([
      [50, 50],
      [11, 11],
    ]);
    expect(vendorIds(pages)).toContain(VENDOR);
  });

  test.each([0, 1])('of a page in parts come again from the part on that a run ended with (%i)', async (ended) => {
    const many = Array.from({ length: 120 }, (_, n) => ({ ContactID: idOf(n + 1), Name: `V ${n}`, IsSupplier: false }));
    await put(
      'Invoices',
      many.map(({ ContactID }, n) => ({ InvoiceID: idOf(n + 1), Contact: { ContactID, Name: 'V' } })),
    );
    await put('Contacts', many);
    const { pages } = await readAll(open(), 'bills');
    expect(pages.map(({ records }) => records.length)).toEqual([50, 50, 20]);
    const after = pages[ended]?.position ?? '';
    const rest = await readAll(open(), 'bills', { after });
    expect(rest.records).toEqual(pages.slice(ended + 1).flatMap(({ records }) => records));
    expect(vendorIds(rest.pages)).toEqual(vendorIds(pages.slice(ended + 1)));
    // If the row at which the part ended no longer exists, the whole page is read. With another page size, reading
    // begins again.
    await put('Invoices', [{ InvoiceID: idOf(50 * (ended + 1)), Type: 'ACCREC' }]);
    expect((await readAll(open(), 'bills', { after })).records).toHaveLength(119);
    expect((await readAll(open(100), 'bills', { after })).records).toHaveLength(119);
  });

  test('that a draft, a credit note or a payment alone names come with it, and customers do not', async () => {
    const old = { UpdatedDateUTC: at('2026-01-01'), IsSupplier: false };
    const contacts = [1, 2, 3, 4].map((n) => ({ ...old, ContactID: idOf(n), Name: `V ${n}` }));
    const [drafted, credited, paid] = contacts;
    await put('Invoices', [{ InvoiceID: idOf(10), Contact: drafted, Status: 'DRAFT' }]);
    await put('CreditNotes', [{ CreditNoteID: idOf(11), Contact: credited, Status: 'DRAFT' }]);
    await put('Payments', [{ PaymentID: idOf(12), Amount: 1, Invoice: { InvoiceID: idOf(13), Contact: paid } }]);
    await put('Contacts', contacts);
    for (const window of [{}, { from: '2026-01-02T00:00:00.000Z' }]) {
      const session = open();
      expect((await readAll(session, 'vendors', window)).records).toEqual([]);
      const named: string[] = [];
      for (const stream of ['bills', 'creditNotes', 'payments'] as const) {
        named.push(...vendorIds((await readAll(session, stream, window)).pages));
      }
      expect(named).toEqual([idOf(1), idOf(2), idOf(3)]);
    }
  });

  test('that the session has read are not asked for again', async () => {
    await put('Contacts', [Contact]);
    await put('Invoices', bills(3));
    const session = open();
    await readAll(session, 'vendors');
    const before = http.callsCount;
    expect(vendorIds((await readAll(session, 'bills')).pages)).toEqual([]);
    expect(http.callsCount - before).toBe(1);
  });

  test('that cannot be read keep the bills back that name them', async () => {
    await put('Contacts', [Contact]);
    await put('Invoices', bills(1));
    await fault({ match: '/Contacts', kind: 'BODY', body: 'hello', times: 0 });
    await expect(readAll(open(), 'bills')).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });
});

describe('documents', () => {
  test('a bill has its days without a zone, its amounts and what is paid', async () => {
    await put('Invoices', [
      {
        InvoiceID: idOf(1),
        InvoiceNumber: 'LS-889',
        Contact,
        DateString: '2026-03-08T00:00:00',
        DueDate: at('2026-04-07'),
        Status: 'AUTHORISED',
        SubTotal: 400,
        TotalTax: 80,
        Total: 480.0,
        AmountPaid: 100.5,
        UpdatedDateUTC: '/Date(1772960000000+0000)/',
      },
    ]);
    const { records, invalid } = await readAll(open(), 'bills');
    expect(invalid).toEqual([]);
    expect(records).toEqual([
      {
        externalId: idOf(1),
        kind: 'BILL',
        documentNumber: 'LS-889',
        vendorExternalId: VENDOR,
        vendorName: 'Liam Supplies Ltd',
        issueDate: '2026-03-08',
        dueDate: '2026-04-07',
        currency: 'GBP',
        netAmount: '400',
        taxAmount: '80',
        grossAmount: '480',
        purchaseOrderRefs: [],
        state: 'PARTIALLY_PAID',
        paidAmount: '100.5',
        modifiedAt: new Date('2026-03-08T08:53:20.000Z'),
        url: expect.stringContaining(encodeURIComponent(`/AccountsPayable/View.aspx?InvoiceID=${idOf(1)}`)),
      },
    ]);
  });

  test.each([
    [{ Status: 'DRAFT' }, 'DRAFT'],
    [{ Status: 'SUBMITTED' }, 'IN_APPROVAL'],
    [{ Status: 'AUTHORISED' }, 'OPEN'],
    [{ Status: 'AUTHORISED', AmountCredited: 0.01 }, 'PARTIALLY_PAID'],
    [{ Status: 'PAID' }, 'PAID'],
    [{ Status: 'VOIDED' }, 'VOID'],
    [{ Status: 'DELETED' }, 'VOID'],
  ])('a bill with %j is %s', async (fields, state) => {
    await put('Invoices', [{ ...bills(1)[0], ...fields }]);
    expect((await readAll(open(), 'bills')).records).toMatchObject([{ state }]);
  });

  test('invoices to customers are no bills, and credit notes to them no credit notes', async () => {
    await put('Invoices', [{ InvoiceID: idOf(1), Type: 'ACCREC', Contact }]);
    await put('CreditNotes', [
      { CreditNoteID: idOf(1), Type: 'ACCRECCREDIT', Contact },
      { CreditNoteID: idOf(2), CreditNoteNumber: 'C-1', Contact, Total: 10, RemainingCredit: 4 },
    ]);
    expect((await readAll(open(), 'bills')).records).toEqual([]);
    expect((await readAll(open(), 'creditNotes')).records).toMatchObject([
      { externalId: idOf(2), kind: 'CREDIT_NOTE', documentNumber: 'C-1', state: 'PARTIALLY_PAID', grossAmount: '10' },
    ]);
  });

  test('a payment names its bill, its day and the account that was paid', async () => {
    const Invoice = { InvoiceID: idOf(1), Type: 'ACCPAY', CurrencyCode: 'EUR', Contact };
    await put('Payments', [
      {
        PaymentID: idOf(5),
        Date: at('2026-03-31'),
        Amount: 99.99,
        Reference: 'RUN 7',
        BankAccountNumber: '20-00-40 12345678',
        Invoice,
        UpdatedDateUTC: at('2026-03-31T12:00:00Z'),
      },
      { PaymentID: idOf(6), Amount: 5, Invoice, Status: 'DELETED' },
      { PaymentID: idOf(7), Amount: 5, Invoice, PaymentType: 'ACCRECPAYMENT' },
    ]);
    const { records } = await readAll(open(), 'payments');
    expect(records[0]).toEqual({
      externalId: idOf(5),
      vendorExternalId: VENDOR,
      date: '2026-03-31',
      currency: 'EUR',
      amount: '99.99',
      reference: 'RUN 7',
      billExternalIds: [idOf(1)],
      account: { raw: '20-00-40 12345678', sortCode: '200040', accountNumber: '12345678' },
      isReturned: false,
      modifiedAt: new Date('2026-03-31T12:00:00.000Z'),
    });
    expect(records.slice(1)).toMatchObject([{ externalId: idOf(6), isReturned: true }]);
  });

  test('orders are those that were approved, and deleted ones are told', async () => {
    const order = (n: number, Status: string) => ({
      PurchaseOrderID: idOf(n),
      PurchaseOrderNumber: `PO-${n}`,
      Contact,
      SubTotal: 100,
      Total: 120,
      Status,
    });
    await put('PurchaseOrders', [order(1, 'AUTHORISED'), order(2, 'BILLED'), order(3, 'DRAFT'), order(4, 'DELETED')]);
    const { records, deletedIds } = await readAll(open(), 'orders', { from: '2026-01-01T00:00:00.000Z' });
    expect(records).toMatchObject([
      { externalId: idOf(1), number: 'PO-1', vendorExternalId: VENDOR, netAmount: '100', grossAmount: '120' },
      { externalId: idOf(2) },
    ]);
    expect(deletedIds).toEqual([idOf(4)]);
  });

  test.each([
    ['Total', '480.00', 'Total is not a number.'],
    ['Status', 'SOMEHOW', 'Status is missing or not known.'],
    ['Contact', null, 'Contact is missing.'],
    ['DueDate', 'soon', 'DueDate is not a date.'],
    ['InvoiceID', null, 'InvoiceID is missing.'],
  ])('a bill whose %s is %j is left out', async (field, value, message) => {
    await put('Invoices', bills(1));
    await fault({ match: 'Invoices', kind: 'PATCH', field, value });
    const { records, invalid } = await readAll(open(), 'bills');
    expect([records, invalid.map((row) => row.message)]).toEqual([[], [message]]);
  });
});

test.each([
  ['orders', 'PurchaseOrders', 'PurchaseOrderID', { Status: 'DRAFT' }],
  ['orders', 'PurchaseOrders', 'Status', {}],
  ['payments', 'Payments', 'PaymentType', {}],
  ['vendors', 'Contacts', 'ContactID', { IsSupplier: false }],
] as const)('a row of %s (%s) without %s is counted, and does not disappear', async (stream, entity, field, more) => {
  await put(entity, [
    { ContactID: VENDOR, PurchaseOrderID: idOf(1), PaymentID: idOf(1), Name: 'V', Amount: 1, Contact, ...more },
  ]);
  await fault({ match: `/${entity}`, kind: 'PATCH', field, value: null, times: 0 });
  const { records, invalid } = await readAll(open(), stream);
  expect([records, invalid.map(({ message }) => message)]).toEqual([[], [`${field} is missing.`]]);
});

describe('windows', () => {
  test.each([1, 2, 3, 10])('pages of %i rows have every row once', async (pageSize) => {
    await put('Invoices', bills(10));
    const { records, pages } = await readAll(open(pageSize), 'bills');
    expect(billIds(records)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(pages).toHaveLength(Math.ceil(10 / pageSize));
  });

  test('a window continues after the position of any page, and from its beginning with other pages', async () => {
    await put('Invoices', bills(7));
    const { pages } = await readAll(open(3), 'bills');
    for (const [page, { position }] of pages.entries()) {
      const window = position === undefined ? {} : { after: position };
      const expected = pages.slice(page + 1).flatMap(({ records }) => billIds(records));
      expect(billIds((await readAll(open(3), 'bills', window)).records)).toEqual(expected);
      expect((await readAll(open(2), 'bills', window)).records).toHaveLength(7);
    }
  });

  test('show what changed since then, and bills from a day on', async () => {
    await put(
      'Invoices',
      bills(3).map((bill, n) => ({
        ...bill,
        DateString: `2026-01-0${n + 1}T00:00:00`,
        UpdatedDateUTC: at(`2026-02-0${n + 1}T00:00:00Z`),
      })),
    );
    const from = '2026-02-02T00:00:00.000Z';
    expect(billIds((await readAll(open(), 'bills', { from })).records)).toEqual([2, 3]);
    expect(billIds((await readAll(open(), 'bills', { dateFrom: '2026-01-03' })).records)).toEqual([3]);
    expect(billIds((await readAll(open(), 'bills', { from, dateFrom: '2026-01-03' })).records)).toEqual([3]);
  });

  test('all ids are listed', async () => {
    await put('Invoices', bills(3));
    const ids: string[] = [];
    for await (const page of open(2).ids('bills')) ids.push(...page.ids);
    expect(ids).toEqual([idOf(1), idOf(2), idOf(3)]);
  });

  test('a run without changes costs at most 10 calls', async () => {
    await put(
      'Invoices',
      bills(1).map((bill) => ({ ...bill, UpdatedDateUTC: at('2026-01-01') })),
    );
    const session = open();
    const from = '2026-02-01T00:00:00.000Z';
    for (const stream of provider.streams) expect((await readAll(session, stream, { from })).records).toEqual([]);
    expect(http.callsCount).toBe(provider.streams.length);
  });
});

describe('faults', () => {
  test('an access token that ended is renewed once', async () => {
    await expire('ACCESS');
    expect(await open().test()).toEqual({ name: 'Liam Ltd', currency: 'GBP' });
    expect(await control(`GET ${tenant()}/tokens`)).toMatchObject({ refreshed: 1 });
  });

  test('an access that was taken back, and an organisation that was disconnected, must be connected again', async () => {
    await expire('ACCESS');
    await expire('REFRESH');
    await expect(open().test()).rejects.toMatchObject({ code: 'REAUTH_REQUIRED' });
    credentials = await connect(SCOPE);
    const authorization = `Bearer ${await credentials.accessToken()}`;
    const connections = await fetch(`${base}/connections`, { headers: { authorization } });
    const listed = (await connections.json()) as readonly { readonly id: string; readonly tenantId: string }[];
    const { id } = listed.find((each) => each.tenantId === tenantId) ?? {};
    await fetch(`${base}/connections/${id}`, { method: 'DELETE', headers: { authorization } });
    await expect(readAll(open(), 'vendors')).rejects.toMatchObject({
      code: 'REAUTH_REQUIRED',
      message: 'The organisation was disconnected in Xero. Connect the organisation again.',
    });
  });

  test('missing permissions are named one by one', async () => {
    credentials = await connect('offline_access accounting.contacts.read accounting.settings.read');
    await expect(open().test()).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining(
        'read: bills (accounting.invoices.read), credit notes (accounting.invoices.read).',
      ),
    });
    await expect(readAll(open(), 'payments')).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('payments (accounting.payments.read)'),
    });
    expect(await control(`GET ${tenant()}/tokens`)).toMatchObject({ refreshed: 0 });
    await expire('RIGHTS');
    await expect(open().test()).rejects.toMatchObject({
      message: expect.stringContaining('read: the organisation (accounting.settings.read), contacts'),
    });
  });

  test('a limit of the day is told with its time', async () => {
    const headers = { 'retry-after': '70000', 'x-rate-limit-problem': 'day' };
    await fault({ match: 'Invoices', kind: 'STATUS', status: 429, headers });
    await expect(readAll(open(), 'bills')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 70_000_000 });
  });

  test.each<[string, object, string?]>([
    ['text', { kind: 'BODY', body: 'hello', contentType: 'text/plain' }],
    ['a list', { kind: 'BODY', body: '[]' }],
    ['no rows', { kind: 'BODY', body: '{"Invoices":{}}' }],
    ['another status', { kind: 'STATUS', status: 404 }, 'UPSTREAM_ERROR'],
    ['a redirect', { kind: 'REDIRECT', location: 'http://10.0.0.1/secret' }],
  ])('%s instead of bills is a fault without data of the ERP', async (_, spec, code = 'BAD_RESPONSE') => {
    await fault({ match: 'Invoices', ...spec, times: 0 });
    await expect(readAll(open(), 'bills')).rejects.toMatchObject({
      code,
      message: expect.not.stringMatching(/secret|http:|hello/),
    });
  });
});
