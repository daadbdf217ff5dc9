import { ErpFault } from '../../domain/faults.js';
import type { RecordsOf, StreamName } from '../../domain/records.js';
import type { Page, Provider, RemoteCompany, Session, SessionDeps, Window } from '../provider.js';
import { readRows } from '../row.js';
import type { Row } from '../row.js';
import { businessCentralClient, COMPANY, NoSuchList, permissionDenied, QueryRefused } from './client.js';
import type { BusinessCentralAddresses, BusinessCentralClient, BusinessCentralConfig, ListTarget } from './client.js';
import { businessCentral } from './product.js';
import { loadPaymentContext, paymentFields, readLocalCurrency, readPayment } from './payments.js';
import {
  billFields,
  creditNoteFields,
  orderFields,
  readBill,
  readCreditNote,
  readOrder,
  readVendor,
  readVendorAccount,
  vendorFields,
} from './records.js';
import type { PageUrl } from './records.js';

const PAGE_SIZE_MAX = 1_000;
const WEB_CLIENT_URL = 'https://businesscentral.dynamics.com';
/** Numbers of pages of the web client. */
const webPages = { vendor: 26, bill: 138, creditNote: 140 } as const;
/** The set of each stream in the standard API, with what is read of it. */
const sets = {
  vendors: { name: 'vendors', fields: vendorFields, dateField: undefined },
  bills: { name: 'purchaseInvoices', fields: billFields, dateField: 'invoiceDate' },
  creditNotes: { name: 'purchaseCreditMemos', fields: creditNoteFields, dateField: 'creditMemoDate' },
  orders: { name: 'purchaseOrders', fields: orderFields, dateField: undefined },
} as const;
type StandardStream = keyof typeof sets;
const BANK_PAGE = 'the bank account page';
const PAYMENTS_PAGE = 'vendorLedgerEntries';

/** Dynamics 365 Business Central online, API v2.0 (ERP reference, section 3). */
export function businessCentralProvider(addresses: BusinessCentralAddresses): Provider {
  return {
    code: businessCentral.code,
    product: businessCentral.product,
    title: businessCentral.title,
    streams: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'payments', 'orders'],
    withoutDeletions: ['vendors', 'bankAccounts', 'bills', 'creditNotes', 'orders'],
    pageSize: PAGE_SIZE_MAX,
    concurrency: 5,
    overlapSeconds: 300,
    open: (deps) => openSession(addresses, deps),
  };
}

function openSession(addresses: BusinessCentralAddresses, deps: SessionDeps): Session {
  const config = deps.config as unknown as BusinessCentralConfig;
  const client = businessCentralClient(addresses, config, deps);
  const { pageSize } = deps;
  let companyName: string | undefined;

  /** Links name the company as people do; one call for a session. */
  const openPageUrl = async (): Promise<PageUrl> => {
    companyName ??= textOf(await client.get(client.companyUrl, COMPANY), 'name') ?? '';
    return (page, number) => webPageUrl(config, companyName ?? '', webPages[page], number);
  };

  async function* readStandard<S extends StandardStream>(
    stream: S,
    window: Window,
    read: (row: Row) => RecordsOf[S] | undefined,
  ): AsyncIterable<Page<RecordsOf[S]>> {
    const { name, fields, dateField } = sets[stream];
    const url = listUrl(`${client.companyUrl}/${name}`, {
      $select: fields.join(','),
      $orderby: 'id',
      $filter: windowFilter(window, 'lastModifiedDateTime', dateField),
    });
    for await (const { rows, next } of pages({ url, name }, window.after)) {
      yield { ...readRows(rows, 'id', read), deletedIds: [], ...positionOf(next) };
    }
  }

  async function* readAccounts(window: Window): AsyncIterable<Page<RecordsOf['bankAccounts']>> {
    const url = bankUrl();
    if (url === undefined) return;
    const filtered = withQuery(url, { $filter: windowFilter(window, 'systemModifiedAt', undefined) });
    let hasFields = false;
    for await (const { rows, next } of ofBankPage(changedAccounts({ url, name: BANK_PAGE }, filtered, window))) {
      hasFields ||= rows.length === 0 || rows.some((row) => hasBankFields(row));
      if (!hasFields) throw bankFieldMissing(config);
      yield { ...readRows(rows, 'id', (row) => readVendorAccount(row, config)), deletedIds: [], ...positionOf(next) };
    }
  }

  /** Only what changed, where the published page tells when; else everything. */
  async function* changedAccounts(
    target: ListTarget,
    filtered: string,
    { from, after }: Window,
  ): AsyncGenerator<ListRows> {
    if (from === undefined || after !== undefined) return yield* pages(target, after);
    let first: ListRows;
    try {
      first = await client.readPage({ ...target, url: filtered }, pageSize);
    } catch (error) {
      if (error instanceof QueryRefused) return yield* pages(target);
      throw error;
    }
    yield* continued(target, first);
  }

  const hasBankFields = (row: unknown): boolean => {
    const { bankAccountVendorIdField: vendor = '', bankAccountIbanField: iban = '' } = config;
    return typeof row === 'object' && row !== null && vendor in row && iban in row;
  };

  async function* readPayments(window: Window): AsyncIterable<Page<RecordsOf['payments']>> {
    const changed = windowFilter(window, 'lastModifiedDateTime', undefined);
    const day = window.dateFrom === undefined ? undefined : `postingDate ge ${window.dateFrom}`;
    const url = listUrl(
      client.apiUrlOf(`microsoft/reportsFinance/beta/companies(${config.companyId})/vendorLedgerEntries`),
      {
        $select: paymentFields.join(','),
        $orderby: 'entryNumber',
        $filter: [`documentType eq 'Payment'`, changed, day].filter(Boolean).join(' and '),
      },
    );
    const list = pages({ url, name: PAYMENTS_PAGE }, window.after)[Symbol.asyncIterator]();
    for (;;) {
      const page = await list.next().catch((error: unknown) => {
        // The API for reports is a part of Business Central that may be missing: payments are left out then.
        if (error instanceof NoSuchList) throw permissionDenied([PAYMENTS_PAGE]);
        throw error;
      });
      if (page.done === true) return;
      const { rows, next } = page.value;
      const context = await loadPaymentContext(client, rows);
      yield {
        ...readRows(rows, 'entryNumber', (row) => readPayment(row, context)),
        deletedIds: [],
        ...positionOf(next),
      };
    }
  }

  async function* pages(target: ListTarget, after?: string): AsyncGenerator<ListRows> {
    yield* continued(target, await client.readPage(target, pageSize, after));
  }

  async function* continued(target: ListTarget, first: ListRows): AsyncGenerator<ListRows> {
    for (let page = first; ; page = await client.readPage(target, pageSize, page.next)) {
      yield page;
      if (page.next === undefined) return;
    }
  }

  const bankUrl = (): string | undefined => config.bankAccountEndpoint?.replaceAll('{companyId}', config.companyId);

  return {
    async test() {
      const url = bankUrl();
      return testAccess(client, url, async () => {
        if (url === undefined) return;
        const target = { url: withQuery(url, { $top: '1' }), name: BANK_PAGE };
        for await (const { rows } of ofBankPage(firstPageOf(client, target))) {
          if (rows.length > 0 && !rows.some((row) => hasBankFields(row))) throw bankFieldMissing(config);
        }
      });
    },
    async *read<S extends StreamName>(stream: S, window: Window) {
      yield* readStream(stream, window) as AsyncIterable<Page<RecordsOf[S]>>;
    },
    async *ids(stream) {
      if (stream === 'bankAccounts') {
        const url = bankUrl();
        if (url === undefined) return;
        for await (const { rows } of ofBankPage(pages({ url, name: BANK_PAGE }))) {
          yield readIds(rows, (row) => readVendorAccount(row, config)?.externalId);
        }
      } else if (stream !== 'payments') {
        const { name } = sets[stream];
        const url = listUrl(`${client.companyUrl}/${name}`, { $select: 'id', $orderby: 'id' });
        for await (const { rows } of pages({ url, name })) {
          yield readIds(rows, (row) => row.requiredText('id').toLowerCase());
        }
      }
    },
    serverTime: () => client.serverTime(),
  };

  async function* readStream(stream: StreamName, window: Window): AsyncIterable<Page<RecordsOf[StreamName]>> {
    switch (stream) {
      case 'vendors': {
        const pageUrl = await openPageUrl();
        return yield* readStandard('vendors', window, (row) => readVendor(row, pageUrl));
      }
      case 'bankAccounts':
        return yield* readAccounts(window);
      case 'bills': {
        const pageUrl = await openPageUrl();
        return yield* readStandard('bills', window, (row) => readBill(row, pageUrl));
      }
      case 'creditNotes': {
        const pageUrl = await openPageUrl();
        return yield* readStandard('creditNotes', window, (row) => readCreditNote(row, pageUrl));
      }
      case 'payments':
        return yield* readPayments(window);
      case 'orders':
        return yield* readStandard('orders', window, readOrder);
    }
  }
}

interface ListRows {
  readonly rows: readonly unknown[];
  readonly next: string | undefined;
}

async function* firstPageOf(client: BusinessCentralClient, target: ListTarget): AsyncGenerator<ListRows> {
  yield await client.readPage(target, 1);
}

/**
 * The company, and one row of each list: every list that may not be read is named. The bank account page fails as it does in a
 * run, after what ends one.
 */
async function testAccess(
  client: BusinessCentralClient,
  bankUrl: string | undefined,
  testBankPage: () => Promise<void>,
): Promise<RemoteCompany> {
  const missing: string[] = [];
  const tryTo = async <T>(name: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ErpFault) || error.code !== 'PERMISSION_DENIED') throw error;
      missing.push(name);
      return undefined;
    }
  };
  const company = await tryTo('companies', async () => client.get(client.companyUrl, COMPANY));
  const lists = [sets.vendors, sets.bills, sets.creditNotes].map(({ name }) => ({
    name: name as string,
    url: `${client.companyUrl}/${name}?$top=1&$select=id`,
  }));
  for (const target of lists) await tryTo(target.name, async () => client.readPage(target, 1));
  if (missing.length > 0 && bankUrl !== undefined) {
    const target = { name: BANK_PAGE, url: withQuery(bankUrl, { $top: '1' }) };
    await tryTo(target.name, async () => client.readPage(target, 1)).catch(() => undefined);
  }
  if (missing.length > 0) throw permissionDenied(missing);
  await testBankPage();
  const currency = await tryTo('companyInformation', async () => readLocalCurrency(client)).catch(() => undefined);
  const name = textOf(company, 'displayName') ?? textOf(company, 'name');
  return { ...(name === undefined ? {} : { name }), ...(currency === undefined ? {} : { currency }) };
}

/** A list of ids with a row that cannot be read would make live records look deleted. */
function readIds(rows: readonly unknown[], read: (row: Row) => string | undefined): readonly string[] {
  const { records, invalid } = readRows(rows, 'id', read);
  if (invalid.length > 0) throw new ErpFault('BAD_RESPONSE', 'The list of all ids has a row that cannot be read.');
  return records;
}

function textOf(value: unknown, name: string): string | undefined {
  const text = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** The page is the customer's own: that it cannot be read ends neither the run nor the connection. */
async function* ofBankPage(pages: AsyncIterable<ListRows>): AsyncGenerator<ListRows> {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof ErpFault) || !error.needsAPerson) throw error;
    throw new ErpFault('BAD_RESPONSE', `Accounts of vendors are missing: ${error.message}`);
  }
}

function bankFieldMissing({ bankAccountVendorIdField, bankAccountIbanField }: BusinessCentralConfig): ErpFault {
  return new ErpFault(
    'BANK_FIELD_MISSING',
    `The rows of the bank account page do not have the fields ${bankAccountVendorIdField} and ${bankAccountIbanField}. Correct bankAccountVendorIdField and bankAccountIbanField, or the page.`,
  );
}

/** Documents without a date are drafts: they are read, whatever the first day is. */
function windowFilter({ from, dateFrom }: Window, modified: string, dateField: string | undefined): string | undefined {
  const parts: string[] = [];
  if (from !== undefined) parts.push(`${modified} ge ${from}`);
  if (dateFrom !== undefined && dateField !== undefined) {
    parts.push(`(${dateField} ge ${dateFrom} or ${dateField} eq 0001-01-01)`);
  }
  return parts.length === 0 ? undefined : parts.join(' and ');
}

function listUrl(url: string, query: Readonly<Record<string, string | undefined>>): string {
  return withQuery(url, query);
}

function withQuery(url: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  if (pairs.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

function positionOf(next: string | undefined): { readonly position?: string } {
  return next === undefined ? {} : { position: next };
}

function webPageUrl(config: BusinessCentralConfig, company: string, page: number, number: string): string {
  const { tenantId, environmentName } = config;
  const filter = `'No.' IS '${number.replaceAll("'", "''")}'`;
  const query = `company=${encodeURIComponent(company)}&page=${page}&filter=${encodeURIComponent(filter)}`;
  return `${WEB_CLIENT_URL}/${encodeURIComponent(tenantId)}/${encodeURIComponent(environmentName)}?${query}`;
}
