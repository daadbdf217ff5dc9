import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { createKeyLock } from '@invoicecontrol/runtime/key-lock';
import type { VendorList } from '../../domain/erp/erp-facts.js';
import type { examineBooks } from './examine-books.js';
import { openSource } from './import-source.js';
import type { ErpSourceStore, ImportSource } from './import-source.js';

interface Deps {
  readonly sources: ErpSourceStore;
  readonly examineBooks: ReturnType<typeof examineBooks>;
  readonly vendorLists: Pick<Cache<readonly VendorList[]>, 'invalidate'>;
  readonly clock: Clock;
}

export interface CompletedRun {
  readonly finishedAt: Date;
  /** Whether the whole vendor list of the company is known now. */
  readonly hasVendorList: boolean;
}

/**
 * Ends a run that succeeded, or succeeded in part: examines what changed in the books, and raises the findings that need no
 * invoice. From then on, what later runs bring is a change of what this one left; what fails in between is examined again
 * by a repeat or by the next run.
 * @returns how many findings are new
 * @throws DomainError wrong_state when the connection was disconnected
 */
export const completeImport = ({ sources, examineBooks: examine, vendorLists, clock }: Deps) => {
  // A repeat waits for the call before it, and then finds nothing left to do.
  const oneAfterTheOther = createKeyLock();
  return (of: ImportSource, { finishedAt, hasVendorList }: CompletedRun): Promise<number> =>
    oneAfterTheOther(`${of.organizationId}|${of.connectionId}`, async () => {
      const completedThrough = clock.now();
      const source = await openSource(sources, of, completedThrough);
      const created = await examine(source, completedThrough);
      await sources.complete(of, { completedThrough, syncedAt: hasVendorList ? finishedAt : undefined });
      vendorLists.invalidate(of.organizationId);
      return created;
    });
};

/** The vendor lists of an organization that are known as a whole, of connections that were not disconnected. */
export const vendorListsOf =
  (sources: Pick<ErpSourceStore, 'ofOrganization'>) =>
  async (organizationId: string): Promise<readonly VendorList[]> =>
    (await sources.ofOrganization(organizationId)).flatMap(({ connectionId, companyId, syncedAt }) =>
      syncedAt === undefined ? [] : [{ connectionId, companyId, syncedAt }],
    );
