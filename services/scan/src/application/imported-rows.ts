import type { NewScan, ScanReference } from './scan-store.js';

/** The operations of use cases on the imported_rows collection: the scan that an external id of a company belongs to. */
export interface ImportedRows {
  /**
   * Takes the external ids for a scan; may be repeated.
   * @param positions each external id with the position of its row
   * @returns those that other scans have
   */
  take(
    scan: Pick<NewScan, 'organizationId' | 'scanId' | 'companyId' | 'createdAt'>,
    positions: ReadonlyMap<string, number>,
  ): Promise<ReadonlySet<string>>;
  /** Gives up all that a scan has taken. */
  release(scan: ScanReference): Promise<void>;
}
