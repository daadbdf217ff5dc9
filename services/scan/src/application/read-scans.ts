import { notFound } from '@invoicecontrol/errors';
import type { Page } from '@invoicecontrol/runtime/page';
import type { CompleteScan, ScanQuery, ScanStore } from './scan-store.js';

/** Reads completed history scans. A running scan is treated as if it did not exist. */
export interface ScanReader {
  /**
   * Returns a completed history scan.
   * @throws DomainError not_found
   */
  get(organizationId: string, scanId: string): Promise<CompleteScan>;
  list(organizationId: string, query: ScanQuery): Promise<Page<CompleteScan>>;
}

export function scanReader(scans: ScanStore): ScanReader {
  return {
    async get(organizationId, scanId) {
      const scan = await scans.find(organizationId, scanId);
      if (scan?.status !== 'COMPLETE') throw notFound('scan');
      return scan;
    },
    list: (organizationId, query) => scans.list(organizationId, query),
  };
}
