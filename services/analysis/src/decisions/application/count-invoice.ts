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

/** A decision this old has lost its worker if its derived records are still marked as missing: others store them. */
export const LEFT_BY_ITS_WORKER_MS = 30_000;
const TRIES_MAX = 8;
/** Invoices under way for one supplier; while so many are, others wait for the sweep. */
const COUNTED_UNITS_MAX = 1_000;

interface Deps {
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly orderLinks: OrderLinkStore;
  readonly unfinalized: Unfinalized;
  readonly clock: Clock;
}

/** Those of these invoices and scans that may not have been counted everywhere yet. */
export type Unfinalized = (organizationId: string, unitIds: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * The records a decision was read from, where they were read: undefined is one that was not there. What is left out is
 * read.
 */
export type ReadRecords = Partial<Pick<LoadedFacts, 'supplier' | 'bankLink' | 'orderLink'>>;

/**
 * Counts a decided invoice in its supplier's profile and in the links of its account and order, each once, however often and late it is
 * repeated (detection reference, section 11). While its derived records may be missing an invoice is marked as pending; that mark says
 * whether its id may be dropped from the counted ones, and whether it must still be counted.
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
          store.write(organizationId, key, {
            version: current?.version ?? 0,
            link: count(current?.link ?? null),
            countedUnits,
          }),
      }),
    );
  return async ({ organizationId, invoice, supplier }, decidedAt, records = {}) => {
    const { invoiceId, bankKey, poKey } = invoice;
    const { supplierId } = supplier;
    const unit: Unit = {
      unitId: invoiceId,
      // Half the time, so that a worker that was slow notices before others begin.
      mayBeCounted: () => clock.now().getTime() - decidedAt.getTime() >= LEFT_BY_ITS_WORKER_MS / 2,
      unfinalized: (unitIds) => unfinalized(organizationId, unitIds),
    };
    await Promise.all([
      withKeyLock(`${organizationId}|${supplierId}`, (isFirst) =>
        countOnce(unit, {
          known: isFirst && 'supplier' in records ? { record: records.supplier } : undefined,
          read: () => suppliers.find(organizationId, supplierId),
          write: (current, countedUnits) =>
            suppliers.write(organizationId, {
              version: current?.version ?? 0,
              ...supplierAfter(current, supplierId, invoice),
              countedUnits,
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

/** Result of a read: a record, or its absence. The first write notices when that has changed. */
interface Known<R extends CountedRecord> {
  readonly record: R | undefined;
}

/** An invoice or a scan that is counted once. */
export interface Unit {
  readonly unitId: string;
  /** Tells whether so much time has passed that another worker may have counted and finished it. */
  readonly mayBeCounted: () => boolean;
  readonly unfinalized: (unitIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

export interface Counting<R extends CountedRecord> {
  /** Good for the first try. */
  readonly known: Known<R> | undefined;
  readonly read: () => Promise<R | undefined>;
  /** False when another writer changed the record since it was read. */
  readonly write: (current: R | undefined, countedUnits: readonly string[]) => Promise<boolean>;
}

/** Counts a unit in a record under its version, however often others are faster. */
export async function countOnce<R extends CountedRecord>(
  { unitId, mayBeCounted, unfinalized }: Unit,
  { known, read, write }: Counting<R>,
): Promise<void> {
  let current = known === undefined ? await read() : known.record;
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    let counted = current?.countedUnits ?? [];
    if (counted.includes(unitId)) return;
    if (isFull(counted) || mayBeCounted()) {
      // Asked after the record was read: a unit is dropped only when it is finished, so one that is neither
      // listed nor finished was never counted.
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
