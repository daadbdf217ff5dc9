import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { createKeyLock } from '@invoicecontrol/runtime/key-lock';
import type { AnalysisFacts } from '../../records/domain/analysis.js';
import { countBankUse, countOrderUse, isFull, withoutFinalized } from '@invoicecontrol/engine/facts/links';
import { supplierAfter } from '../../records/application/counted-records.js';
import type {
  BankLinkStore,
  CountedRecord,
  LinkRecord,
  LinkStore,
  OrderLinkStore,
  SupplierStore,
} from '../../records/application/counted-records.js';
import type { LoadedFacts } from '../../facts/application/load-facts.js';

/**
 * Age of an invoice decision after which its worker counts as lost if the records that follow from the decision are
 * missing. Another worker then stores these records.
 */
export const LEFT_BY_ITS_WORKER_MS = 30_000;
const TRIES_MAX = 8;
/** Maximum number of invoices in progress for one supplier. Further invoices are left to the sweep. */
const COUNTED_UNITS_MAX = 1_000;

interface Deps {
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly orderLinks: OrderLinkStore;
  readonly unfinalized: Unfinalized;
  readonly clock: Clock;
}

/**
 * Returns those of the given invoices and history scans that some record of a supplier, account or order may not have
 * counted yet.
 */
export type Unfinalized = (organizationId: string, unitIds: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Records of the supplier, bank account and order in which a decided invoice is counted, as the decision read them. A
 * member with the value undefined means that the record did not exist. If a member is absent, its record is read again.
 */
export type ReadRecords = Partial<Pick<LoadedFacts, 'supplier' | 'bankLink' | 'orderLink'>>;

/**
 * Counts a decided invoice in its supplier's profile and in the records of its bank account and purchase order, exactly
 * once, no matter how often and how late the call is repeated (detection reference, section 11). An invoice is marked
 * as unfinished until all records that derive from its decision are stored. The mark shows whether the id of the
 * invoice must stay among the counted ids, and whether a late call must still count the invoice.
 */
export type CountInvoice = (facts: AnalysisFacts, decidedAt: Date, records?: ReadRecords) => Promise<void>;

export const countInvoice = ({ suppliers, bankLinks, orderLinks, unfinalized, clock }: Deps): CountInvoice => {
  const withKeyLock = createKeyLock();
  const countLink = <L>(
    store: LinkStore<L>,
    organizationId: string,
    key: string,
    unit: Unit,
    known: Known<LinkRecord<L>> | undefined,
    count: (link: L | null) => L,
  ): Promise<void> =>
    withKeyLock(`${organizationId}|${key}`, (isFirst) =>
      countOnce(unit, {
        known: isFirst ? known : undefined,
        read: () => store.find(organizationId, key),
        write: (current, countedUnits) =>
          store.writeCounted(organizationId, key, {
            before: current,
            record: { version: current?.version ?? 0, link: count(current?.link ?? null), countedUnits },
            unitId: unit.unitId,
          }),
      }),
    );
  return async ({ organizationId, invoice, supplier }, decidedAt, records = {}) => {
    const { invoiceId, bankKey, poKey } = invoice;
    const { supplierId } = supplier;
    const unit: Unit = {
      unitId: invoiceId,
      // Other workers leave an invoice to its own worker for twice this time. A slow worker therefore checks whether
      // the invoice was already counted before another worker can begin to count it.
      mayBeCounted: () => clock.now().getTime() - decidedAt.getTime() >= LEFT_BY_ITS_WORKER_MS / 2,
      unfinalized: (unitIds) => unfinalized(organizationId, unitIds),
    };
    await Promise.all([
      withKeyLock(`${organizationId}|${supplierId}`, (isFirst) =>
        countOnce(unit, {
          known: isFirst && 'supplier' in records ? { record: records.supplier } : undefined,
          read: () => suppliers.find(organizationId, supplierId),
          write: (current, countedUnits) =>
            suppliers.writeCounted(organizationId, {
              before: current,
              record: { version: current?.version ?? 0, ...supplierAfter(current, supplierId, invoice), countedUnits },
              unitId: invoiceId,
            }),
        }),
      ),
      bankKey === undefined
        ? undefined
        : countLink(
            bankLinks,
            organizationId,
            bankKey,
            unit,
            'bankLink' in records ? { record: records.bankLink } : undefined,
            (link) => countBankUse(link, bankKey, invoice, supplierId),
          ),
      poKey === undefined
        ? undefined
        : countLink(
            orderLinks,
            organizationId,
            poKey,
            unit,
            'orderLink' in records ? { record: records.orderLink } : undefined,
            (link) => countOrderUse(link, poKey, invoice, supplierId),
          ),
    ]);
  };
};

/**
 * The record that counts invoices, as it was read, or undefined if it did not exist. The first write detects whether
 * the record changed since then.
 */
interface Known<R extends CountedRecord> {
  readonly record: R | undefined;
}

/**
 * An invoice or a history scan as the unit that is counted. Each unit is counted once in every record of a supplier,
 * bank account or order.
 */
export interface Unit {
  readonly unitId: string;
  /**
   * Checks whether enough time has passed that another worker may have counted the invoice in the supplier's profile.
   */
  readonly mayBeCounted: () => boolean;
  readonly unfinalized: (unitIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

export interface Counting<R extends CountedRecord> {
  /**
   * Record that counts invoices, as the caller has already read it. Only the first attempt to change the record uses
   * it.
   */
  readonly known: Known<R> | undefined;
  readonly read: () => Promise<R | undefined>;
  /**
   * Writes the record that counts the invoices of a supplier, a bank account or a purchase order. Returns false if
   * another writer has changed it since it was read.
   */
  readonly write: (current: R | undefined, countedUnits: readonly string[]) => Promise<boolean>;
}

/**
 * Counts a unit (an invoice or a history scan) in a record with a version check, and repeats the attempt while other
 * writers change the record.
 */
export async function countOnce<R extends CountedRecord>(
  { unitId, mayBeCounted, unfinalized }: Unit,
  { known, read, write }: Counting<R>,
): Promise<void> {
  let current = known === undefined ? await read() : known.record;
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    let counted = current?.countedUnits ?? [];
    if (counted.includes(unitId)) return;
    if (isFull(counted) || mayBeCounted()) {
      // The unfinished invoices are read after the record that counts the invoices of a supplier, account or order. The
      // record removes the id of an invoice only after the invoice is finished. An unfinished invoice whose id is not
      // in the record was therefore never counted.
      const open = await unfinalized([...counted, unitId]);
      if (!open.has(unitId)) return;
      if (isFull(counted)) counted = withoutFinalized(counted, open);
    }
    if (counted.length >= COUNTED_UNITS_MAX) break;
    if (await write(current, [...counted, unitId])) return;
    current = await read();
  }
  throw new DomainError(
    'concurrent_change',
    'Other requests are changing the supplier; the sweep will count the invoice.',
  );
}
