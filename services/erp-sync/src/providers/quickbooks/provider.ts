import type { StreamName } from '../../domain/streams.js';
import { ErpFault } from '../../domain/faults.js';
import { chunksOf } from '../chunks.js';
import { defineProvider, deniedAmong, idsOf } from '../define-provider.js';
import type { StreamSource } from '../define-provider.js';
import { fieldOf, isObject } from '../json.js';
import type { Provider, Window } from '../provider.js';
import { present, readRows } from '../row.js';
import type { Row } from '../row.js';
import { permissionDenied, quickBooksClient } from './client.js';
import type { Changes, EntityName, QuickBooksClient } from './client.js';
import { readPages } from './pages.js';
import { quickBooks } from './product.js';
import { orderIdsOf, toBill, toOrder, toPayment, toVendor, toVendorCredit } from './records.js';
import type { RowContext } from './records.js';

/** Maximum number of purchase order ids in one QuickBooks query, which is part of a URL. */
const ORDER_IDS_MAX = 200;
/**
 * Maximum age of changes that QuickBooks reports, in milliseconds. Changes are available for 30 days. One hour is
 * subtracted for clock differences and slow calls.
 */
const CHANGES_MS_MAX = (30 * 24 - 1) * 3_600_000;
/** Query condition that includes inactive vendors, which QuickBooks Online leaves out by default. */
const VENDORS_OF_ALL_STATES = 'Active in (true,false)';
const streams = ['vendors', 'bills', 'creditNotes', 'payments', 'orders'] as const satisfies readonly StreamName[];

/**
 * Creates the provider for QuickBooks Online.
 * @param apiUrl URL of the vendor or a simulator, up to `/v3`
 */
export function quickBooksProvider({ apiUrl }: { readonly apiUrl: string }): Provider {
  return defineProvider({
    ...quickBooks,
    streams,
    withoutDeletions: [],
    reportsDeletions: streams,
    pageSize: 1_000,
    concurrency: 5,
    overlapSeconds: 300,
    open({ config, http, credentials, pageSize }) {
      const client = quickBooksClient(apiUrl, String(config['realmId']), { http, credentials });
      const changes = changesSince(client, () => http.serverTime());
      const orderNumbers = new Map<string, string>();
      let homeCurrency: string | undefined;
      const pageUrl = pageUrls(apiUrl);

      const sourceOf = <R>(
        entity: EntityName,
        read: (row: Row, context: RowContext) => R | undefined,
        conditions: (window: Window) => readonly string[] = changedSince,
      ): StreamSource<R> => ({
        idName: 'Id',
        async *pages(window) {
          const statement = statementOf('*', entity, conditions(window));
          yield* readPages(client, { entity, statement, pageSize, after: window.after });
          if (window.from === undefined) return;
          const { deletedIds, isComplete } = await changes(entity, window.from);
          if (deletedIds.length > 0 || !isComplete) yield { rows: [], deletedIds, missesDeletions: !isComplete };
        },
        async prepare(rows) {
          if (entity === 'Bill') await loadOrderNumbers(client, rows, orderNumbers);
          // Documents of a QuickBooks company with a single currency do not state the currency.
          const hasNone = entity !== 'Vendor' && rows.some((row) => !isObject(fieldOf(row, 'CurrencyRef')));
          if (hasNone) homeCurrency ??= await client.readHomeCurrency();
        },
        read: (row) => read(row, { homeCurrency, orderNumbers, pageUrl }),
        ids(after) {
          const statement = statementOf('Id', entity, conditions({}));
          return idsOf(readPages(client, { entity, statement, pageSize, after }), (row) => row.requiredText('Id'));
        },
      });

      return {
        async test() {
          const name = await client.readCompanyName();
          const denied = await deniedAmong(
            (['Vendor', 'Bill', 'VendorCredit'] as const).map((entity) => [entity, () => client.tryQuery(entity)]),
          );
          if (denied.length > 0) throw permissionDenied(denied);
          return present({ name, currency: await client.readHomeCurrency() });
        },
        streams: {
          vendors: sourceOf('Vendor', toVendor, (window) => [VENDORS_OF_ALL_STATES, ...changedSince(window)]),
          bills: sourceOf('Bill', toBill, changedDocuments),
          creditNotes: sourceOf('VendorCredit', toVendorCredit, changedDocuments),
          payments: sourceOf('BillPayment', toPayment, changedDocuments),
          orders: sourceOf('PurchaseOrder', toOrder),
        },
      };
    },
  });
}

function statementOf(columns: string, entity: EntityName, conditions: readonly string[]): string {
  return `select ${columns} from ${entity}${conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`}`;
}

function changedSince({ from }: Window): readonly string[] {
  return from === undefined ? [] : [`MetaData.LastUpdatedTime >= '${from}'`];
}

function changedDocuments(window: Window): readonly string[] {
  const { dateFrom } = window;
  return [...changedSince(window), ...(dateFrom === undefined ? [] : [`TxnDate >= '${dateFrom}'`])];
}

/**
 * Loads the purchase order numbers for QuickBooks bills. Bills state the ids of their orders, but people use the
 * numbers. In a company without purchase orders, nothing is loaded.
 */
async function loadOrderNumbers(
  client: QuickBooksClient,
  bills: readonly unknown[],
  orderNumbers: Map<string, string>,
): Promise<void> {
  const ids = readRows(bills, 'Id', orderIdsOf).records.flat();
  for (const chunk of chunksOf(
    ids.filter((id) => !orderNumbers.has(id) && /^\d+$/.test(id)),
    ORDER_IDS_MAX,
  )) {
    const list = chunk.map((id) => `'${id}'`).join(',');
    const statement = `${statementOf('Id, DocNumber', 'PurchaseOrder', [`Id in (${list})`])} maxresults ${ORDER_IDS_MAX}`;
    const orders = await client.query('PurchaseOrder', statement).catch((error: unknown) => {
      if (error instanceof ErpFault && error.code === 'PERMISSION_DENIED') return [];
      throw error;
    });
    readRows(orders, 'Id', (row) => {
      const number = row.text('DocNumber');
      if (number !== undefined) orderNumbers.set(row.requiredText('Id'), number);
      return undefined;
    });
  }
}

/**
 * Reads the ids of the QuickBooks rows that were deleted since the beginning of a time window. One call covers all
 * entities; if its response is full, each entity is read separately.
 */
function changesSince(
  client: QuickBooksClient,
  serverTime: () => string | undefined,
): (entity: EntityName, since: string) => Promise<Changes> {
  const entities = ['Vendor', 'Bill', 'VendorCredit', 'BillPayment', 'PurchaseOrder'] as const;
  const unknown: Changes = { deletedIds: [], isComplete: false };
  const known = new Map<string, ReadonlyMap<EntityName, Changes>>();
  return async (entity, since) => {
    const now = Date.parse(serverTime() ?? '');
    if (Number.isNaN(now) || now - Date.parse(since) > CHANGES_MS_MAX) return unknown;
    const ofAll = known.get(since) ?? (await client.readChanges(entities, since));
    known.set(since, ofAll);
    const together = ofAll.get(entity) ?? unknown;
    if (together.isComplete) return together;
    return (await client.readChanges([entity], since)).get(entity) ?? unknown;
  };
}

/** Returns the base URL of the QuickBooks web application. A sandbox has its own URL. */
function pageUrls(apiUrl: string): (path: string) => string {
  const isSandbox = new URL(apiUrl).hostname.startsWith('sandbox-');
  return (path) => `https://app.${isSandbox ? 'sandbox.' : ''}qbo.intuit.com/app/${path}`;
}
