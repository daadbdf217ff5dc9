import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { PublishedRates } from '@invoicecontrol/engine/facts/exchange-rates';
import type { AnalysisFacts } from '../../records/domain/analysis.js';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import type { MatchPart, NormalisedInvoice, Suspicion } from '@invoicecontrol/engine/facts/invoice';
import { countBankUse, countOrderUse } from '@invoicecontrol/engine/facts/links';
import type { BankLink, OrderLink } from '@invoicecontrol/engine/facts/links';
import { applyCandidateCaps, HITS_PER_KEY_MAX } from '@invoicecontrol/engine/normalisation/match-keys';
import type { LookupKey } from '@invoicecontrol/engine/normalisation/match-keys';
import type { Policy } from '@invoicecontrol/engine/policy/policy';
import { erpFactsIndex } from '../../books/domain/erp-facts.js';
import type { ErpRecords } from '../../books/domain/erp-facts.js';
import { withoutKnownScans } from '../../records/domain/reimport.js';
import type { ReimportedRow } from '../../records/domain/reimport.js';
import { compareByArrival } from '@invoicecontrol/engine/facts/record-order';
import { resolveSupplier } from '@invoicecontrol/engine/supplier/identity';
import type { SupplierResolution, SupplierProfile } from '@invoicecontrol/engine/facts/supplier';
import { lookalikeKeysOf } from '@invoicecontrol/engine/supplier/lookalike';
import { emptyProfile } from '@invoicecontrol/engine/supplier/profile';
import type { ProfiledSupplier } from '@invoicecontrol/engine/supplier/related';
import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import { assembleFacts } from '../../facts/application/assemble-facts.js';
import { supplierAfter } from '../../records/application/counted-records.js';
import type { LinkRecord, SupplierRecord, SupplierState } from '../../records/application/counted-records.js';

/**
 * Maximum number of suppliers for one history scan row, as in the lookup for a single invoice (storage/suppliers.ts).
 */
const SUPPLIERS_PER_ROW_MAX = 64;

/** A row of a history scan with all values by which it is looked up. */
export interface ReadRow {
  readonly canonical: CanonicalInvoice;
  readonly invoice: NormalisedInvoice;
  readonly part: MatchPart;
  readonly lookups: readonly LookupKey[];
  readonly supplierKeys: readonly string[];
}

/** Stored records that are related to the rows of a history scan, in their state before the rows are counted. */
export interface StoredHistory {
  readonly suppliers: readonly SupplierRecord[];
  readonly bankLinks: ReadonlyMap<string, LinkRecord<BankLink>>;
  readonly orderLinks: ReadonlyMap<string, LinkRecord<OrderLink>>;
  /** Earlier records that share a lookup key with a row of the history scan, by key. */
  readonly hits: Hits;
  /** ERP records that concern the rows of the history scan. */
  readonly erp: ErpRecords;
}

/** Earlier invoices by lookup key. If too many records share a key, only the newest are included. */
export type Hits = ReadonlyMap<string, readonly MatchPart[]>;

export function hitsByKey(parts: readonly MatchPart[]): Hits {
  const hits = new Map<string, MatchPart[]>();
  for (const part of parts) for (const key of part.keys) entry(hits, key).push(part);
  for (const [key, sharing] of hits) hits.set(key, newest(sharing));
  return hits;
}

interface RowHistoryOptions {
  readonly organizationId: string;
  readonly tenant: TenantFacts;
  readonly policy: Policy;
  readonly publishedRates: PublishedRates;
  readonly highAmount: DecimalAmount | undefined;
  /** True if at least half of the rows in the history scan state a bank account. */
  readonly statesAccounts: boolean;
  /** True for the first history scan of the organization. */
  readonly isFirstScan: boolean;
  /** Rows that an earlier history scan of the company already imported, by invoice id. */
  readonly reimported: ReadonlyMap<string, ReimportedRow>;
}

/** The record of a supplier, account or order in which rows of a history scan must be counted. */
export interface Counts<R, S> {
  /**
   * The record of a supplier, account or order as it was read from the database, before the rows of the scan are
   * counted.
   */
  readonly record: R | undefined;
  /** Rows of the history scan in their order, each with the suspicion that its decision raised. */
  readonly rows: readonly NormalisedInvoice[];
  /** State of the supplier, account or order after the rows of the history scan are counted. */
  readonly state: S;
}

/**
 * History in memory for the rows of a history scan. Each row is analyzed with the stored invoices and the earlier rows
 * of the scan, as if all rows had been sent one by one (detection reference, section 4).
 */
export interface RowHistory {
  /** Returns the facts of a history scan row, including the rows that were counted so far. */
  factsOf(row: ReadRow): AnalysisFacts;
  /** Adds an analyzed scan row to the history that later rows use. */
  count(row: ReadRow, resolution: Pick<SupplierResolution, 'supplierId'>, suspicion: Suspicion | undefined): void;
  /** Records that count rows of a history scan, by supplier, by bank account and by order. */
  readonly suppliers: ReadonlyMap<string, Counts<SupplierRecord, SupplierState>>;
  readonly accounts: ReadonlyMap<string, Counts<LinkRecord<BankLink>, BankLink>>;
  readonly orders: ReadonlyMap<string, Counts<LinkRecord<OrderLink>, OrderLink>>;
}

type Supplier = ProfiledSupplier & SupplierState;

export function rowHistory(stored: StoredHistory, options: RowHistoryOptions): RowHistory {
  const { organizationId, tenant, policy, publishedRates, highAmount, reimported } = options;
  const suppliers = supplierIndex(stored.suppliers);
  const rowHits = new Map<string, MatchPart[]>();
  const bankLinks = new Map([...stored.bankLinks].map(([key, { link }]) => [key, link]));
  const orderLinks = new Map([...stored.orderLinks].map(([key, { link }]) => [key, link]));
  const counted = {
    suppliers: new Map<string, Counting<SupplierRecord, SupplierState>>(),
    accounts: new Map<string, Counting<LinkRecord<BankLink>, BankLink>>(),
    orders: new Map<string, Counting<LinkRecord<OrderLink>, OrderLink>>(),
  };
  const supplierRecords = new Map(stored.suppliers.map((record) => [record.identity.supplierId, record]));
  const erpFacts = erpFactsIndex(stored.erp, policy);
  let rowsBefore = 0;

  const hitsOf = ({ invoice, lookups }: ReadRow): MatchPart[] => {
    const hits = new Set<MatchPart>();
    for (const { key } of lookups) {
      for (const hit of stored.hits.get(key) ?? []) hits.add(hit);
      for (const hit of rowHits.get(key) ?? []) hits.add(hit);
    }
    return reimported.has(invoice.invoiceId) ? withoutKnownScans(invoice, [...hits]) : [...hits];
  };

  return {
    ...counted,
    factsOf(row) {
      const { invoice } = row;
      const known = suppliers.sharing(row.supplierKeys);
      const resolution = resolveSupplier(
        organizationId,
        invoice,
        known.map(({ identity }) => identity),
        { similarNameMin: policy.duplicates.similarNameMin },
      );
      return {
        ...assembleFacts({
          organizationId,
          invoice,
          resolution,
          profile: suppliers.profileOf(resolution.supplierId),
          withdrawnUnits: suppliers.withdrawnFrom(resolution.supplierId),
          found: applyCandidateCaps(invoice, hitsOf(row), row.lookups),
          bankLink: invoice.bankKey === undefined ? undefined : bankLinks.get(invoice.bankKey),
          orderLink: invoice.poKey === undefined ? undefined : orderLinks.get(invoice.poKey),
          tenant,
          publishedRates,
          known,
          erpFacts,
          newcomer: () => ({ alike: suppliers.alike(lookalikeKeysOf(invoice)), highAmount }),
        }),
        scanStatesAccounts: options.statesAccounts,
        ...(options.isFirstScan ? { firstScanRowsBefore: rowsBefore } : {}),
      };
    },
    count({ invoice: unresolved, part, supplierKeys }, { supplierId }, suspicion) {
      rowsBefore++;
      const decided = { supplierId, ...(suspicion === undefined ? {} : { suspectedAs: suspicion }) };
      const invoice: NormalisedInvoice = { ...unresolved, ...decided };
      const analyzed: MatchPart = { ...part, ...decided, status: 'ANALYZED' };
      // History scan rows are sorted by day, so the last rows with a key are the newest.
      for (const key of part.keys) {
        const hits = entry(rowHits, key);
        hits.push(analyzed);
        if (hits.length > HITS_PER_KEY_MAX) hits.shift();
      }
      // A history scan row that was imported before is not counted again, because its first import counted it.
      if (reimported.has(invoice.invoiceId)) return;
      const supplier = suppliers.count(supplierId, invoice, supplierKeys);
      add(counted.suppliers, supplierId, supplierRecords.get(supplierId), invoice, supplier);
      const { bankKey, poKey } = invoice;
      if (bankKey !== undefined) {
        const link = countBankUse(bankLinks.get(bankKey) ?? null, bankKey, invoice, supplierId);
        bankLinks.set(bankKey, link);
        add(counted.accounts, bankKey, stored.bankLinks.get(bankKey), invoice, link);
      }
      if (poKey !== undefined) {
        const link = countOrderUse(orderLinks.get(poKey) ?? null, poKey, invoice, supplierId);
        orderLinks.set(poKey, link);
        add(counted.orders, poKey, stored.orderLinks.get(poKey), invoice, link);
      }
    },
  };
}

/** Makes suppliers findable by id, by identity key and by similar-name key. */
function supplierIndex(records: readonly SupplierRecord[]) {
  const byId = new Map<string, Supplier>();
  const idsByKey = new Map<string, Set<string>>();
  const idsByLookalikeKey = new Map<string, Set<string>>();
  const indexed = (index: Map<string, Set<string>>, keys: readonly string[], supplierId: string): void => {
    for (const key of keys) {
      const ids = index.get(key);
      if (ids === undefined) index.set(key, new Set([supplierId]));
      else ids.add(supplierId);
    }
  };
  const found = (index: Map<string, Set<string>>, keys: readonly string[]): Supplier[] => {
    const ids = new Set<string>();
    for (const key of keys) for (const id of index.get(key) ?? []) ids.add(id);
    return [...ids].slice(0, SUPPLIERS_PER_ROW_MAX).flatMap((id) => byId.get(id) ?? []);
  };
  for (const { identity, profile, withdrawnUnits } of records) {
    byId.set(identity.supplierId, { identity, profile, withdrawnUnits });
    indexed(idsByKey, identity.keys, identity.supplierId);
    indexed(idsByLookalikeKey, identity.lookalikeKeys ?? [], identity.supplierId);
  }
  return {
    sharing: (keys: readonly string[]): Supplier[] => found(idsByKey, keys),
    alike: (keys: readonly string[]): Supplier[] => found(idsByLookalikeKey, keys),
    profileOf: (supplierId: string): SupplierProfile => byId.get(supplierId)?.profile ?? emptyProfile,
    withdrawnFrom: (supplierId: string): readonly string[] => byId.get(supplierId)?.withdrawnUnits ?? [],
    count(supplierId: string, invoice: NormalisedInvoice, supplierKeys: readonly string[]): Supplier {
      const known = byId.get(supplierId);
      const supplier = supplierAfter(known, supplierId, invoice);
      byId.set(supplierId, supplier);
      indexed(idsByKey, supplierKeys, supplierId);
      const { lookalikeKeys = [] } = supplier.identity;
      if (lookalikeKeys !== known?.identity.lookalikeKeys) indexed(idsByLookalikeKey, lookalikeKeys, supplierId);
      return supplier;
    },
  };
}

function newest(hits: MatchPart[]): MatchPart[] {
  if (hits.length <= HITS_PER_KEY_MAX) return hits;
  return hits
    .sort((left, right) => right.issueDay - left.issueDay || compareByArrival(right, left))
    .slice(0, HITS_PER_KEY_MAX);
}

function entry<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: T[] = [];
  lists.set(key, list);
  return list;
}

/** The mutable form of {@link Counts}, which is changed while history scan rows are being counted. */
interface Counting<R, S> {
  readonly record: R | undefined;
  readonly rows: NormalisedInvoice[];
  state: S;
}

function add<R, S>(
  counts: Map<string, Counting<R, S>>,
  key: string,
  record: R | undefined,
  row: NormalisedInvoice,
  state: S,
): void {
  const known = counts.get(key);
  if (known === undefined) counts.set(key, { record, rows: [row], state });
  else {
    known.rows.push(row);
    known.state = state;
  }
}
