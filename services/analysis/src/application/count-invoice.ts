import { DomainError } from '@invoicecontrol/errors';
import { oneAtATime } from '@invoicecontrol/runtime/one-at-a-time';
import type { Facts } from '../domain/facts.js';
import { countBankUse, countOrderUse, withCountedUnit } from '../domain/links.js';
import { identityAfter } from '../domain/supplier/identity.js';
import { countInvoice as countInProfile, emptyProfile } from '../domain/supplier/profile.js';
import type {
  BankLinkStore,
  CountedRecord,
  LinkRecord,
  LinkStore,
  OrderLinkStore,
  SupplierStore,
} from './counted-records.js';
import type { LoadedFacts } from './load-facts.js';

const TRIES_MAX = 8;

interface Deps {
  readonly suppliers: SupplierStore;
  readonly bankLinks: BankLinkStore;
  readonly orderLinks: OrderLinkStore;
}

/**
 * The records a decision was read from, where they were read: undefined is one that was not there. What is left out is
 * read.
 */
export type ReadRecords = Partial<Pick<LoadedFacts, 'supplier' | 'bankLink' | 'orderLink'>>;

/**
 * Counts a decided invoice in its supplier's profile and in the links of its account and order, each once, whoever
 * repeats it (detection reference, section 11).
 */
export const countInvoice = ({ suppliers, bankLinks, orderLinks }: Deps) => {
  const inTurn = oneAtATime();
  const countLink = <L>(
    store: LinkStore<L>,
    organizationId: string,
    key: string,
    unitId: string,
    known: Known<LinkRecord<L>> | undefined,
    count: (link: L | null) => L,
  ): Promise<void> =>
    inTurn(`${organizationId}|${key}`, (isFirst) =>
      countOnce({
        unitId,
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
  return async ({ organizationId, invoice, supplier }: Facts, records: ReadRecords = {}): Promise<void> => {
    const { invoiceId, bankKey, poKey } = invoice;
    const { supplierId } = supplier;
    await Promise.all([
      inTurn(`${organizationId}|${supplierId}`, (isFirst) =>
        countOnce({
          unitId: invoiceId,
          known: isFirst && 'supplier' in records ? { record: records.supplier } : undefined,
          read: () => suppliers.find(organizationId, supplierId),
          write: (current, countedUnits) =>
            suppliers.write(organizationId, {
              version: current?.version ?? 0,
              identity: identityAfter(current?.identity, supplierId, invoice),
              profile: countInProfile(current?.profile ?? emptyProfile, invoice),
              countedUnits,
              withdrawnUnits: current?.withdrawnUnits ?? [],
            }),
        }),
      ),
      bankKey === undefined
        ? undefined
        : countLink(
            bankLinks,
            organizationId,
            bankKey,
            invoiceId,
            'bankLink' in records ? { record: records.bankLink } : undefined,
            (link) => countBankUse(link, bankKey, invoice, supplierId),
          ),
      poKey === undefined
        ? undefined
        : countLink(
            orderLinks,
            organizationId,
            poKey,
            invoiceId,
            'orderLink' in records ? { record: records.orderLink } : undefined,
            (link) => countOrderUse(link, poKey, invoice, supplierId),
          ),
    ]);
  };
};

/** What was read a moment ago: a record, or that there is none, which the first write then finds out if it is no longer so. */
interface Known<R extends CountedRecord> {
  readonly record: R | undefined;
}

interface Counting<R extends CountedRecord> {
  readonly unitId: string;
  /** Good for the first try. */
  readonly known: Known<R> | undefined;
  readonly read: () => Promise<R | undefined>;
  /** False when somebody else changed the record since it was read. */
  readonly write: (current: R | undefined, countedUnits: readonly string[]) => Promise<boolean>;
}

async function countOnce<R extends CountedRecord>({ unitId, known, read, write }: Counting<R>): Promise<void> {
  let current = known === undefined ? await read() : known.record;
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const countedUnits = withCountedUnit(current?.countedUnits ?? [], unitId);
    if (countedUnits === undefined || (await write(current, countedUnits))) return;
    current = await read();
  }
  throw new DomainError('concurrent_change', 'The supplier is being changed by others; the sweep counts the invoice.');
}
