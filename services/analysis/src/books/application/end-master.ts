import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { VendorList } from '../domain/erp-facts.js';
import type { ErpSourceStore } from './import-source.js';

interface Deps {
  readonly sources: ErpSourceStore;
  readonly vendorLists: Pick<Cache<readonly VendorList[]>, 'invalidate'>;
  readonly clock: Clock;
}

/**
 * Records in one database write that an ERP connection was disconnected. The vendors that it imported no longer count
 * as known vendors, and all imported records are kept.
 */
export type EndMaster = (organizationId: string, connectionId: string) => Promise<void>;

export const endMaster =
  ({ sources, vendorLists, clock }: Deps): EndMaster =>
  async (organizationId, connectionId) => {
    await sources.end(organizationId, connectionId, clock.now());
    vendorLists.invalidate(organizationId);
  };
