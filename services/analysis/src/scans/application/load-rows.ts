import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { MatchPart } from '@invoicecontrol/engine/facts/invoice';
import { compareByArrival } from '@invoicecontrol/engine/facts/record-order';
import { lookalikeKeysOf } from '@invoicecontrol/engine/supplier/lookalike';
import type {
  BankLinkStore,
  OrderLinkStore,
  SupplierRecord,
  SupplierStore,
} from '../../records/application/counted-records.js';
import type { LoadErpRecords } from '../../books/application/load-erp-records.js';
import type { InvoiceStore } from '../../records/application/invoice-store.js';
import type { ReadRow, StoredHistory } from './row-history.js';
import type { RowsReference, RowStore } from '../../records/application/row-store.js';

/** Maximum time for which a history scan waits for later invoices whose decision is in progress. */
const CONCURRENT_WAIT_MS_MAX = 2_000;
const CONCURRENT_POLL_EACH_MS = 20;
/**
 * Number of keys in one lookup for history scan rows, large enough for efficiency and small enough not to delay other
 * commands.
 */
const LOOKUP_KEYS = 500;
const LOOKUPS_AT_ONCE_MAX = 2;
/** Maximum difference between the time at which an invoice counts as received and the time at which it is stored. */
const IN_FLIGHT_MS_MAX = 60_000;
/**
 * Maximum number of invoices whose decisions are read for a history scan, of the invoices that share a key with a scan
 * row and were received after the scan was accepted.
 */
const CONCURRENT_INVOICES_MAX = 5_000;

interface Deps {
  readonly invoices: InvoiceStore;
  readonly rows: RowStore;
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly orderLinks: OrderLinkStore;
  readonly erpRecords: LoadErpRecords;
}

/**
 * Loads the suppliers, bank accounts and orders with which the rows of a history scan are compared. The rows need not
 * be stored yet.
 */
export async function loadKnown(
  { suppliers, bankLinks, orderLinks, erpRecords }: Pick<Deps, 'suppliers' | 'bankLinks' | 'orderLinks' | 'erpRecords'>,
  organizationId: string,
  rows: readonly ReadRow[],
): Promise<Omit<StoredHistory, 'hits'>> {
  const [sharing, accounts, orders, erp] = await Promise.all([
    suppliers.findMany(organizationId, 'keys', distinct(rows.flatMap(({ supplierKeys }) => supplierKeys))),
    bankLinks.findMany(organizationId, distinct(rows.flatMap(({ invoice }) => invoice.bankKey ?? []))),
    orderLinks.findMany(organizationId, distinct(rows.flatMap(({ invoice }) => invoice.poKey ?? []))),
    erpRecords(
      organizationId,
      rows.map(({ invoice }) => invoice),
    ),
  ]);
  const alike = await suppliers.findMany(organizationId, 'lookalikeKeys', lookalikeKeysOfNewcomers(rows, sharing));
  const known = new Map([...alike, ...sharing].map((record) => [record.identity.supplierId, record]));
  return { suppliers: [...known.values()], bankLinks: accounts, orderLinks: orders, erp };
}

/**
 * Returns the keys for similar names of scan rows, but only for new suppliers: those with a new tax id or, without a
 * tax id, with a new name.
 */
function lookalikeKeysOfNewcomers(rows: readonly ReadRow[], known: readonly SupplierRecord[]): string[] {
  const names = new Set(known.map(({ identity }) => identity.nameKey));
  const taxKeys = new Set(known.map(({ identity }) => identity.taxKey));
  const newcomers = new Map(
    rows
      .filter(({ invoice: { taxKey, nameKey } }) => (taxKey === undefined ? !names.has(nameKey) : !taxKeys.has(taxKey)))
      .map(({ invoice }) => [invoice.nameKey, invoice]),
  );
  return distinct([...newcomers.values()].flatMap((invoice) => lookalikeKeysOf(invoice)));
}

/** Searches for records that share a lookup key with a history scan row. */
export interface CandidateSearch {
  /** Lookup keys of all scan rows that were added to the search for earlier records so far. */
  readonly keys: ReadonlySet<string>;
  /**
   * Adds a history scan row to the search for earlier records. The database searches while this process reads the next
   * rows of the scan.
   */
  add(row: ReadRow): void;
  /** Returns the earlier records that were found for the rows of the history scan, each record once. */
  found(): Promise<readonly MatchPart[]>;
}

/**
 * Starts to search for invoices to compare before the scan rows are stored, because otherwise the rows would mainly
 * find each other.
 */
export function searchCandidates({ rows: store }: Pick<Deps, 'rows'>, of: RowsReference): CandidateSearch {
  const inTurn = pLimit(LOOKUPS_AT_ONCE_MAX);
  const hasHistory = store.hasHistory(of.organizationId);
  // The first lookup awaits this promise. If the caller leaves before a lookup starts, nothing awaits it, and an
  // unhandled rejection would end the process. The empty catch avoids that.
  hasHistory.catch(() => {});
  const keys = new Set<string>();
  const lookups: Promise<readonly MatchPart[]>[] = [];
  let next: string[] = [];
  const startLookup = (): void => {
    const some = next;
    next = [];
    const lookup = inTurn(async () => ((await hasHistory) ? store.candidates(of, some) : []));
    // The function `found` awaits the lookup of earlier invoices. Until then, the empty catch avoids an unhandled
    // rejection.
    lookup.catch(() => {});
    lookups.push(lookup);
  };
  return {
    keys,
    add({ lookups: wanted }) {
      for (const { key } of wanted) {
        if (keys.has(key)) continue;
        keys.add(key);
        next.push(key);
      }
      if (next.length >= LOOKUP_KEYS) startLookup();
    },
    async found() {
      if (next.length > 0) startLookup();
      const found = await Promise.all(lookups);
      return [...new Map(found.flat().map((hit) => [hit.invoiceId, hit])).values()];
    },
  };
}

/**
 * The records that share lookup keys with the rows of a history scan, and the time at which the rows count as received.
 */
export interface FoundCandidates {
  readonly candidates: readonly MatchPart[];
  readonly receivedAtMs: number;
}

/**
 * Adds to the candidates of a history scan the invoices that have arrived since the candidates were read. All rows must
 * be stored before this call. Then, of a row and an invoice that arrive at the same time, at least one finds the other.
 * A later invoice may have been decided before the rows were visible, so that neither would report the pair. In this
 * case, all rows of the scan count as received after that invoice.
 */
export async function withArrivals(
  { invoices, rows: store }: Pick<Deps, 'invoices' | 'rows'>,
  of: RowsReference,
  rows: readonly ReadRow[],
  { candidates, keys, since }: { candidates: readonly MatchPart[]; keys: ReadonlySet<string>; since: Date },
): Promise<FoundCandidates> {
  const [first] = rows;
  if (first === undefined) throw new TypeError('a scan has at least one row');
  const arrivals = await store.arrivedSince(of, new Date(since.getTime() - IN_FLIGHT_MS_MAX));
  const arrived = arrivals.filter((arrival) => arrival.keys.some((key) => keys.has(key)));
  const found = [...new Map([...candidates, ...arrived].map((hit) => [hit.invoiceId, hit])).values()];
  const { receivedAtMs } = first.invoice;
  const later = found
    // ERP bills are left out of the later invoices of a scan, because they have no decision.
    .filter((hit) => hit.source !== 'ERP' && compareByArrival(hit, first.invoice) > 0)
    .map(({ invoiceId }) => invoiceId);
  if (later.length === 0) return { candidates: found, receivedAtMs };
  const own = new Set(rows.map(({ invoice }) => invoice.invoiceId));
  const missed = await decidedWithout(invoices, of.organizationId, later.slice(0, CONCURRENT_INVOICES_MAX), own);
  const after = Math.max(receivedAtMs, ...missed.map((outcome) => outcome.receivedAtMs + 1));
  return {
    candidates: found.filter((hit) => compareByArrival(hit, { ...first.invoice, receivedAtMs: after }) < 0),
    receivedAtMs: after,
  };
}

/** Returns those of the invoices whose decision names no row of the history scan. */
async function decidedWithout(
  invoices: InvoiceStore,
  organizationId: string,
  invoiceIds: readonly string[],
  own: ReadonlySet<string>,
): Promise<readonly { readonly receivedAtMs: number }[]> {
  const deadline = Date.now() + CONCURRENT_WAIT_MS_MAX;
  for (;;) {
    const outcomes = await invoices.outcomes(organizationId, invoiceIds);
    if (outcomes.every(({ isDecided }) => isDecided) || Date.now() >= deadline) {
      return outcomes.filter(({ isDecided, named }) => isDecided && ![...named].some((id) => own.has(id)));
    }
    await delay(CONCURRENT_POLL_EACH_MS);
  }
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
