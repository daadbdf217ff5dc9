import { ErpFault } from '../../domain/faults.js';
import type { RecordsOf, StreamName } from '../../domain/records.js';
import type { Page, Provider, Session, SessionDeps, Window } from '../provider.js';
import { readRows, Row } from '../row.js';
import { quickBooksClient, testReading } from './client.js';
import type { Changes, EntityName, QuickBooksClient } from './client.js';
import { readPages } from './pages.js';
import { quickBooks } from './product.js';
import { orderIdsOf, toBill, toOrder, toPayment, toVendor, toVendorCredit } from './records.js';
import type { RowContext } from './records.js';

const PAGE_SIZE_MAX = 1_000;
/** Ids of purchase orders in one statement, which is part of a URL. */
const ORDER_IDS_MAX = 200;
/** Changes are known for 30 days; an hour less, for clocks and calls take time. */
const CHANGES_MS_MAX = (30 * 24 - 1) * 3_600_000;

/** What each stream is read from, in the order of the streams. */
const entityOf = {
  vendors: 'Vendor',
  bills: 'Bill',
  creditNotes: 'VendorCredit',
  payments: 'BillPayment',
  orders: 'PurchaseOrder',
} as const satisfies Partial<Record<StreamName, EntityName>>;
type QuickBooksStream = keyof typeof entityOf;
const streams = Object.keys(entityOf) as readonly QuickBooksStream[];
const DATED: ReadonlySet<StreamName> = new Set(['bills', 'creditNotes', 'payments']);

/** @param apiUrl of the vendor or of a simulator, without what begins with `/v3` */
export function quickBooksProvider({ apiUrl }: { readonly apiUrl: string }): Provider {
  return {
    ...quickBooks,
    streams,
    withoutDeletions: [],
    reportsDeletions: streams,
    pageSize: PAGE_SIZE_MAX,
    concurrency: 5,
    overlapSeconds: 300,
    open: (deps) => openSession(apiUrl, deps),
  };
}

function openSession(apiUrl: string, deps: SessionDeps): Session {
  const realmId = String(deps.config['realmId']);
  const client = quickBooksClient(apiUrl, realmId, deps);
  const pageSize = Math.min(deps.pageSize, PAGE_SIZE_MAX);
  const pageUrl = pageUrls(apiUrl);
  const orderNumbers = new Map<string, string>();
  const changes = changesSince(client);
  let homeCurrency: Promise<string | undefined> | undefined;

  const contextOf = async (stream: QuickBooksStream, rows: readonly unknown[]): Promise<RowContext> => {
    if (stream === 'bills') await findOrderNumbers(client, rows, orderNumbers);
    // Companies with one currency name none.
    if (stream !== 'vendors' && rows.some(hasNoCurrency)) homeCurrency ??= readHomeCurrency(client);
    return { homeCurrency: await homeCurrency, orderNumbers, pageUrl };
  };

  async function* readStream(stream: StreamName, window: Window): AsyncIterable<Page<RecordsOf[QuickBooksStream]>> {
    if (!isRead(stream)) return;
    const entity = entityOf[stream];
    const statement = `select * from ${entity}${conditionsOf(stream, window)}`;
    for await (const { rows, position } of readPages(client, { entity, statement, pageSize, after: window.after })) {
      const context = await contextOf(stream, rows);
      const page = readRows<RecordsOf[QuickBooksStream]>(rows, 'Id', (row) => readers[stream](row, context));
      yield { ...page, deletedIds: [], position };
    }
    if (window.from === undefined) return;
    const { deletedIds, isComplete } = await changes(entity, window.from);
    if (deletedIds.length > 0 || !isComplete)
      yield { records: [], invalid: [], deletedIds, missesDeletions: !isComplete };
  }

  return {
    async test() {
      const name = await client.readCompanyName();
      await testReading(client, ['Vendor', 'Bill', 'VendorCredit']);
      const currency = await readHomeCurrency(client);
      return { ...(name === undefined ? {} : { name }), ...(currency === undefined ? {} : { currency }) };
    },
    read: <S extends StreamName>(stream: S, window: Window) =>
      readStream(stream, window) as AsyncIterable<Page<RecordsOf[S]>>,
    async *ids(stream) {
      if (!isRead(stream)) return;
      const entity = entityOf[stream];
      const statement = `select Id from ${entity}${conditionsOf(stream, {})}`;
      for await (const { rows } of readPages(client, { entity, statement, pageSize })) yield rows.map(idOf);
    },
    serverTime: () => client.serverTime(),
  };
}

const readers: {
  readonly [S in QuickBooksStream]: (row: Row, context: RowContext) => RecordsOf[S] | undefined;
} = { vendors: toVendor, bills: toBill, creditNotes: toVendorCredit, payments: toPayment, orders: toOrder };

function isRead(stream: StreamName): stream is QuickBooksStream {
  return stream in entityOf;
}

function conditionsOf(stream: QuickBooksStream, { from, dateFrom }: Window): string {
  const conditions: string[] = [];
  // Inactive vendors are left out of what does not name the property.
  if (stream === 'vendors') conditions.push('Active in (true,false)');
  if (from !== undefined) conditions.push(`MetaData.LastUpdatedTime >= '${from}'`);
  if (dateFrom !== undefined && DATED.has(stream)) conditions.push(`TxnDate >= '${dateFrom}'`);
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
}

function hasNoCurrency(row: unknown): boolean {
  const currency =
    typeof row === 'object' && row !== null ? (row as Record<string, unknown>)['CurrencyRef'] : undefined;
  return currency === undefined || currency === null;
}

async function readHomeCurrency(client: QuickBooksClient): Promise<string | undefined> {
  const currency = await client.readHomeCurrency();
  return typeof currency === 'string' && currency !== '' ? currency : undefined;
}

/** Bills name their orders by id; what people know is the number. A company without purchase orders has none. */
async function findOrderNumbers(
  client: QuickBooksClient,
  rows: readonly unknown[],
  orderNumbers: Map<string, string>,
): Promise<void> {
  const { records } = readRows(rows, 'Id', orderIdsOf);
  const ids = [...new Set(records.flat())].filter((id) => !orderNumbers.has(id) && /^\d+$/.test(id));
  for (let at = 0; at < ids.length; at += ORDER_IDS_MAX) {
    const list = ids.slice(at, at + ORDER_IDS_MAX).map((id) => `'${id}'`);
    const statement = `select Id, DocNumber from PurchaseOrder where Id in (${list.join(',')}) maxresults ${ORDER_IDS_MAX}`;
    const orders = await client.query('PurchaseOrder', statement).catch((error: unknown) => {
      if (error instanceof ErpFault && error.code === 'PERMISSION_DENIED') return undefined;
      throw error;
    });
    if (orders === undefined) return;
    readRows(orders, 'Id', (row) => {
      const number = row.text('DocNumber');
      if (number !== undefined) orderNumbers.set(row.requiredText('Id'), number);
      return undefined;
    });
  }
}

/**
 * What was deleted since the beginning of a window. One call tells it for all entities; where its answer is full, each entity is
 * asked for apart.
 */
function changesSince(client: QuickBooksClient): (entity: EntityName, since: string) => Promise<Changes> {
  const known = new Map<string, Promise<ReadonlyMap<EntityName, Changes>>>();
  const all = Object.values(entityOf);
  return async (entity, since) => {
    const now = Date.parse(client.serverTime() ?? '');
    const none: Changes = { deletedIds: [], isComplete: false };
    if (Number.isNaN(now) || now - Date.parse(since) > CHANGES_MS_MAX) return none;
    let ofAll = known.get(since);
    if (ofAll === undefined) {
      ofAll = client.readChanges(all, since);
      known.set(since, ofAll);
    }
    const together = (await ofAll).get(entity) ?? none;
    if (together.isComplete) return together;
    return (await client.readChanges([entity], since)).get(entity) ?? none;
  };
}

/** Pages of the web application; a sandbox has its own. */
function pageUrls(apiUrl: string): (path: string) => string {
  const isSandbox = new URL(apiUrl).hostname.startsWith('sandbox-');
  return (path) => `https://app.${isSandbox ? 'sandbox.' : ''}qbo.intuit.com/app/${path}`;
}

/** @throws ErpFault: a list with other entries would make live records look deleted */
function idOf(row: unknown): string {
  try {
    return new Row(row).requiredText('Id');
  } catch {
    throw new ErpFault('BAD_RESPONSE', 'QuickBooks Online sent a list of ids with an entry that has none.');
  }
}
