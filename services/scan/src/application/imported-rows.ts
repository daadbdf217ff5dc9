import type { NewScan, ScanReference } from './scan-store.js';

/** Stores which history scan imported each external id of a company. */
export interface ImportedRows {
  /**
   * Reserves the external ids for a history scan. The call can be repeated.
   * @param positions position of the row with each external id
   * @returns the ids that belong to other history scans
   */
  take(
    scan: Pick<NewScan, 'organizationId' | 'scanId' | 'companyId' | 'createdAt'>,
    positions: ReadonlyMap<string, number>,
  ): Promise<ReadonlySet<string>>;
  /** Releases all external ids of a history scan. */
  release(scan: ScanReference): Promise<void>;
}
