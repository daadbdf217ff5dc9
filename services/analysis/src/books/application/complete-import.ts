import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { createKeyLock } from '@invoicecontrol/runtime/key-lock';
import type { VendorList } from '../domain/erp-facts.js';
import { examinationParts, openSource } from './import-source.js';
import type {
  ErpSource,
  ErpSourceStore,
  ExaminationProgress,
  ExaminedBooks,
  ImportSource,
  OpenExamination,
} from './import-source.js';

interface Deps {
  readonly sources: ErpSourceStore;
  readonly examineBooks: (
    source: ErpSource,
    begun: OpenExamination,
    saveProgress: (progress: ExaminationProgress) => Promise<void>,
  ) => Promise<ExaminedBooks>;
  readonly vendorLists: Pick<Cache<readonly VendorList[]>, 'invalidate'>;
  readonly clock: Clock;
}

export interface CompletedRun {
  readonly finishedAt: Date;
  /** True if the import run has read the complete vendor list of a company from its ERP. */
  readonly hasVendorList: boolean;
}

/**
 * Completes a successful or partly successful import run: examines the imported records that changed, and raises
 * findings that need no invoice. Each call examines a limited number of records, and the caller repeats the call until
 * none are left. If the examination was interrupted, the next call, for this or a later run, continues it. Changes that
 * a later run imports are examined when that later run is completed.
 * @throws DomainError wrong_state if the connection was disconnected
 */
export type CompleteImport = (of: ImportSource, run: CompletedRun) => Promise<ExaminedBooks>;

export const completeImport = ({ sources, examineBooks: examine, vendorLists, clock }: Deps): CompleteImport => {
  // If a call that completes the import is still running, a repeated call waits for its end.
  const oneAfterTheOther = createKeyLock();
  return (of, { finishedAt, hasVendorList }) =>
    oneAfterTheOther(`${of.organizationId}|${of.connectionId}`, async () => {
      const now = clock.now();
      const source = await openSource(sources, of, now);
      const begun =
        source.examination ??
        (await sources.beginExamination(of, {
          until: now,
          runFinishedAt: finishedAt,
          part: examinationParts[0],
          from: undefined,
        }));
      const examined = await examine(source, begun, (progress) =>
        sources.saveExamination(of, { ...begun, ...progress }),
      );
      if (examined.hasMore) return examined;
      // An examination that an earlier import run began does not cover the changes of this run. They need another
      // examination.
      const isOfThisRun = begun.runFinishedAt.getTime() === finishedAt.getTime();
      const syncedAt = isOfThisRun && hasVendorList ? finishedAt : undefined;
      await sources.complete(of, { completedThrough: begun.until, syncedAt });
      vendorLists.invalidate(of.organizationId);
      return { created: examined.created, hasMore: !isOfThisRun };
    });
};

/** Returns the complete vendor lists of an organization, without the lists of disconnected ERP connections. */
export const vendorListsOf =
  (sources: Pick<ErpSourceStore, 'ofOrganization'>) =>
  async (organizationId: string): Promise<readonly VendorList[]> =>
    (await sources.ofOrganization(organizationId)).flatMap(({ connectionId, companyId, syncedAt }) =>
      syncedAt === undefined ? [] : [{ connectionId, companyId, syncedAt }],
    );
