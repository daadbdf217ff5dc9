import { ErpFault } from '../../domain/faults.js';
import type { RecordsOf, StreamName } from '../../domain/records.js';
import type { Page, Provider, Session, SessionDeps, Window } from '../provider.js';
import { readRows } from '../row.js';
import type { Row } from '../row.js';
import { testReading, xeroClient } from './client.js';
import type { ListName, ListQuery, XeroClient } from './client.js';
import { xero } from './product.js';
import { isDeletedOrder, toBill, toCreditNote, toOrder, toPayment, toVendor } from './records.js';
import type { RowContext } from './records.js';

const PAGE_SIZE_MAX = 1_000;
/** Ids of contacts in one call, which are part of a URL. */
const CONTACT_IDS_MAX = 50;
/** More contacts than this are read from the whole list, in larger pages. */
const CONTACTS_BY_ID_MAX = 1_000;
const WEB_URL = 'https://go.xero.com';

/** What each stream is read from, in the order of the streams. */
const lists = {
  vendors: { list: 'Contacts', id: 'ContactID', where: undefined },
  bills: { list: 'Invoices', id: 'InvoiceID', where: 'Type=="ACCPAY"' },
  creditNotes: { list: 'CreditNotes', id: 'CreditNoteID', where: 'Type=="ACCPAYCREDIT"' },
  payments: { list: 'Payments', id: 'PaymentID', where: 'PaymentType=="ACCPAYPAYMENT"' },
  orders: { list: 'PurchaseOrders', id: 'PurchaseOrderID', where: undefined },
} as const satisfies Partial<Record<StreamName, { list: ListName; id: string; where: string | undefined }>>;
type XeroStream = keyof typeof lists;
const streams = Object.keys(lists) as readonly XeroStream[];

/** @param apiUrl of the vendor or of a simulator, without what begins with `/api.xro` */
export function xeroProvider({ apiUrl }: { readonly apiUrl: string }): Provider {
  return {
    ...xero,
    streams,
    // Nothing vanishes: bills are VOIDED or DELETED, contacts ARCHIVED.
    withoutDeletions: [],
    pageSize: PAGE_SIZE_MAX,
    concurrency: 5,
    overlapSeconds: 300,
    open: (deps) => openSession(apiUrl, deps),
  };
}

function openSession(apiUrl: string, deps: SessionDeps): Session {
  const client = xeroClient(apiUrl, String(deps.config['tenantId']), deps);
  const pageSize = Math.min(deps.pageSize, PAGE_SIZE_MAX);
  let context: Promise<RowContext> | undefined;
  /** What kept the suppliers of bills from being found. */
  let billsFault: ErpFault | undefined;
  /** One call for a session, and none where nothing has changed. */
  const readContext = (): Promise<RowContext> => (context ??= contextOf(client));

  async function* readList<S extends XeroStream>(
    stream: S,
    window: Window,
    read: (row: Row, context: RowContext) => RecordsOf[S] | undefined,
  ): AsyncIterable<Page<RecordsOf[S]>> {
    const { id } = lists[stream];
    for await (const { rows, position } of pages(client, queryOf(stream, window), pageSize, window.after)) {
      const rowContext = rows.length === 0 ? undefined : await readContext();
      if (rowContext === undefined) continue;
      yield { ...readRows(rows, id, (row) => read(row, rowContext)), deletedIds: [], position };
    }
  }

  /**
   * Contacts that Xero calls suppliers, then those of the bills that this run reads: the mark comes with the first bill, which may
   * not change the contact, and drafts do not set it.
   */
  async function* readVendors(window: Window): AsyncIterable<Page<RecordsOf['vendors']>> {
    const known = new Set<string>();
    for await (const page of readList('vendors', window, readSupplier)) {
      for (const { externalId } of page.records) known.add(externalId.toLowerCase());
      yield page;
    }
    const ofBills = await contactsOfBills(client, window.ofBills ?? window, pageSize).catch((error: unknown) => {
      if (!(error instanceof ErpFault)) throw error;
      // Bills that cannot be read must not cost the vendors; their stream tells the fault, and both are read again.
      billsFault = error;
      return [];
    });
    const missing = new Set(ofBills.filter((id) => !known.has(id)));
    if (missing.size === 0) return;
    const rowContext = await readContext();
    const pageOf = (rows: readonly unknown[]) =>
      readRows(rows, 'ContactID', (row) => {
        const isMissing = missing.delete((row.text('ContactID') ?? '').toLowerCase());
        return isMissing ? toVendor(row, rowContext) : undefined;
      });
    if (missing.size > CONTACTS_BY_ID_MAX) {
      for await (const { rows } of pages(client, { list: 'Contacts' }, pageSize)) {
        yield { ...pageOf(rows), deletedIds: [] };
      }
      return;
    }
    const ids = [...missing];
    for (let at = 0; at < ids.length; at += CONTACT_IDS_MAX) {
      const query = { list: 'Contacts', ids: ids.slice(at, at + CONTACT_IDS_MAX).join(',') } as const;
      yield { ...pageOf((await client.readPage(query, 1, CONTACT_IDS_MAX)).rows), deletedIds: [] };
    }
  }

  async function* readBills(window: Window): AsyncIterable<Page<RecordsOf['bills']>> {
    // Bills whose suppliers were not found would be bills of unknown suppliers.
    if (billsFault !== undefined) throw billsFault;
    yield* readList('bills', window, toBill);
  }

  async function* readOrders(window: Window): AsyncIterable<Page<RecordsOf['orders']>> {
    for await (const { rows, position } of pages(client, queryOf('orders', window), pageSize, window.after)) {
      const rowContext = rows.length === 0 ? undefined : await readContext();
      if (rowContext === undefined) continue;
      const deleted = readRows(rows, 'PurchaseOrderID', (row) =>
        isDeletedOrder(row) ? row.requiredText('PurchaseOrderID') : undefined,
      );
      const page = readRows(rows, 'PurchaseOrderID', (row) => toOrder(row, rowContext));
      yield { ...page, deletedIds: window.from === undefined ? [] : deleted.records, position };
    }
  }

  function readStream(stream: StreamName, window: Window): AsyncIterable<Page<RecordsOf[StreamName]>> {
    switch (stream) {
      case 'vendors':
        return readVendors(window);
      case 'bills':
        return readBills(window);
      case 'creditNotes':
        return readList('creditNotes', window, toCreditNote);
      case 'payments':
        return readList('payments', window, toPayment);
      case 'orders':
        return readOrders(window);
      case 'bankAccounts':
        throw new TypeError('Xero has no bank accounts of suppliers apart from its contacts.');
    }
  }

  return {
    async test() {
      const { name, baseCurrency: currency } = await testReading(client);
      return { ...(name === undefined ? {} : { name }), ...(currency === undefined ? {} : { currency }) };
    },
    read: <S extends StreamName>(stream: S, window: Window) =>
      readStream(stream, window) as AsyncIterable<Page<RecordsOf[S]>>,
    async *ids(stream) {
      if (!(stream in lists)) return;
      const { id } = lists[stream as XeroStream];
      for await (const { rows } of pages(client, queryOf(stream as XeroStream, {}), pageSize)) {
        const { records, invalid } = readRows(rows, id, (row) => row.requiredText(id));
        // A list with other entries would make live records look deleted.
        if (invalid.length > 0)
          throw new ErpFault('BAD_RESPONSE', 'Xero sent a list of ids with an entry that has none.');
        yield records;
      }
    },
    serverTime: () => client.serverTime(),
  };
}

async function contextOf(client: XeroClient): Promise<RowContext> {
  const { countryCode, baseCurrency, shortCode } = await client.readOrganisation();
  return {
    countryCode,
    baseCurrency,
    pageUrl: (path) =>
      shortCode === undefined
        ? `${WEB_URL}${path}`
        : `${WEB_URL}/organisationlogin/default.aspx?shortcode=${encodeURIComponent(shortCode)}&redirecturl=${encodeURIComponent(path)}`,
  };
}

/** Customers are contacts, too. */
function readSupplier(row: Row, context: RowContext): RecordsOf['vendors'] | undefined {
  return row.boolean('IsSupplier') === true ? toVendor(row, context) : undefined;
}

function queryOf(stream: XeroStream, { from, dateFrom }: Window): ListQuery {
  const { list, where } = lists[stream];
  const conditions: string[] = where === undefined ? [] : [where];
  if (dateFrom !== undefined && where !== undefined) {
    const [year, month, day] = dateFrom.split('-').map(Number);
    conditions.push(`Date>=DateTime(${year},${month},${day})`);
  }
  return { list, where: conditions.length === 0 ? undefined : conditions.join(' AND '), modifiedSince: from };
}

interface RowsPage {
  readonly rows: readonly unknown[];
  readonly position: string;
}

/** Pages in the order of ids: since nothing vanishes, a row may come twice, but none is skipped. */
async function* pages(client: XeroClient, query: ListQuery, pageSize: number, after?: string): AsyncIterable<RowsPage> {
  const [, lastPage = '0', sizeThen] = /^(\d{1,9}):(\d{1,9})$/.exec(after ?? '') ?? [];
  // Pages of another size have other rows.
  const first = sizeThen === String(pageSize) ? Number(lastPage) + 1 : 1;
  for (let page = first; ; page++) {
    const { rows, isLast } = await client.readPage(query, page, pageSize);
    yield { rows, position: `${page}:${pageSize}` };
    if (isLast) return;
  }
}

/** Ids of the contacts of bills that changed. */
async function contactsOfBills(client: XeroClient, { from, dateFrom }: Window, pageSize: number): Promise<string[]> {
  const ids = new Set<string>();
  const query = queryOf('bills', {
    ...(from === undefined ? {} : { from }),
    ...(dateFrom === undefined ? {} : { dateFrom }),
  });
  let firstBill: string | undefined;
  for await (const { rows } of pages(client, query, pageSize)) {
    const { records } = readRows(rows, 'InvoiceID', (row) => ({
      bill: row.text('InvoiceID'),
      contact: row.row('Contact')?.text('ContactID'),
    }));
    // The same page again: there may be no end, which the stream of bills tells.
    if (records.length > 0 && records[0]?.bill === firstBill) break;
    firstBill = records[0]?.bill;
    for (const { contact } of records) {
      if (contact !== undefined && /^[0-9a-f-]{36}$/i.test(contact)) ids.add(contact.toLowerCase());
    }
  }
  return [...ids];
}
