import type { NormalisedInvoice } from '@invoicecontrol/engine/facts/invoice';
import { countBankUse, countOrderUse, isFull } from '@invoicecontrol/engine/facts/links';
import { countOnce } from '../../decisions/application/count-invoice.js';
import type { Unit, Unfinalized } from '../../decisions/application/count-invoice.js';
import { supplierAfter } from '../../records/application/counted-records.js';
import type {
  BankLinkStore,
  CountedRecord,
  LinkRecord,
  LinkStore,
  OrderLinkStore,
  SupplierRecord,
  SupplierState,
  SupplierStore,
} from '../../records/application/counted-records.js';
import type { Counts, RowHistory } from './row-history.js';

/**
 * Maximum number of supplier, account and order records that are written at the same time. Each of these records gets a
 * write of its own, because another writer changed it in the meantime.
 */
const AT_ONCE_MAX = 8;

interface Deps {
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly orderLinks: OrderLinkStore;
  readonly unfinalized: Unfinalized;
}

/**
 * Counts all rows of a history scan in the records of their suppliers, bank accounts and orders. Each record is written
 * once, with all of its rows counted. If another writer changed a record in the meantime, its rows are counted again.
 * The call can be repeated.
 */
export type CountRows = (organizationId: string, scanId: string, history: RowHistory) => Promise<void>;

export const countRows =
  ({ suppliers, bankLinks, orderLinks, unfinalized }: Deps): CountRows =>
  async (organizationId, scanId, history) => {
    const unit: Unit = {
      unitId: scanId,
      mayBeCounted: () => true,
      unfinalized: (unitIds) => unfinalized(organizationId, unitIds),
    };
    const countLinks = <L>(
      store: LinkStore<L>,
      counts: ReadonlyMap<string, Counts<LinkRecord<L>, L>>,
      use: (link: L | null, key: string, row: NormalisedInvoice, supplierId: string) => L,
    ): Promise<void> =>
      countAll(unit, counts, {
        stateAfter: (key, record, rows) =>
          // Each history scan row was assigned to a supplier before it is counted, and the record of each bank account
          // and order has at least one row.
          rows.reduce<L | null>((link, row) => use(link, key, row, row.supplierId ?? ''), record?.link ?? null) as L,
        recordOf: (record, link, countedUnits) => ({ version: record?.version ?? 0, link, countedUnits }),
        writeMany: (records) => store.writeMany(organizationId, records, scanId),
        read: (key) => store.find(organizationId, key),
        write: (key, record) => store.write(organizationId, key, record),
      });

    await Promise.all([
      countAll<SupplierRecord, SupplierState>(unit, history.suppliers, {
        stateAfter: supplierAfterAll,
        recordOf: (record, { identity, profile, withdrawnUnits }, countedUnits) => ({
          version: record?.version ?? 0,
          identity,
          profile,
          countedUnits,
          withdrawnUnits,
        }),
        writeMany: (records) => suppliers.writeMany(organizationId, [...records.values()], scanId),
        read: (supplierId) => suppliers.find(organizationId, supplierId),
        write: (_supplierId, record) => suppliers.write(organizationId, record),
      }),
      countLinks(bankLinks, history.accounts, countBankUse),
      countLinks(orderLinks, history.orders, countOrderUse),
    ]);
  };

function supplierAfterAll(
  supplierId: string,
  record: SupplierRecord | undefined,
  rows: readonly NormalisedInvoice[],
): SupplierState {
  const state = rows.reduce<SupplierState | undefined>((before, row) => supplierAfter(before, supplierId, row), record);
  if (state === undefined) throw new TypeError(`supplier ${supplierId} has no rows to count`);
  return state;
}

interface CountingAll<R extends CountedRecord, S> {
  /**
   * Counts the rows of a history scan in a supplier record that changed after the scan read it, and returns the new
   * state of the supplier.
   */
  readonly stateAfter: (key: string, record: R | undefined, rows: readonly NormalisedInvoice[]) => S;
  /**
   * Builds the next version of the record of a supplier, account or order, from its new state and the version that was
   * read.
   */
  readonly recordOf: (record: R | undefined, state: S, countedUnits: readonly string[]) => R;
  /**
   * Writes many records of suppliers, accounts or orders in one database command.
   * @returns keys of the records that another writer changed in the meantime
   */
  readonly writeMany: (records: ReadonlyMap<string, R>) => Promise<ReadonlySet<string>>;
  readonly read: (key: string) => Promise<R | undefined>;
  readonly write: (key: string, record: R) => Promise<boolean>;
}

async function countAll<R extends CountedRecord, S>(
  unit: Unit,
  counts: ReadonlyMap<string, Counts<R, S>>,
  { stateAfter, recordOf, writeMany, read, write }: CountingAll<R, S>,
): Promise<void> {
  const { unitId } = unit;
  const ready = new Map<string, R>();
  const left: string[] = [];
  for (const [key, { record, state }] of counts) {
    const units = record?.countedUnits ?? [];
    if (units.includes(unitId)) continue;
    if (isFull(units)) left.push(key);
    else ready.set(key, recordOf(record, state, [...units, unitId]));
  }
  const missed = ready.size === 0 ? [] : await writeMany(ready);
  left.push(...missed);
  const worker = async (): Promise<void> => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) {
      const target = key;
      const rows = counts.get(target)?.rows ?? [];
      await countOnce<R>(unit, {
        known: undefined,
        read: () => read(target),
        write: (current, countedUnits) =>
          write(target, recordOf(current, stateAfter(target, current, rows), countedUnits)),
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, worker));
}
