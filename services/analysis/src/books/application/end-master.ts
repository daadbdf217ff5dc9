import type { Cache } from '@invoicecontrol/runtime/cache';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { VendorList } from '../domain/erp-facts.js';
import type { ErpSourceStore } from './import-source.js';

interface Deps {
  readonly sources: ErpSourceStore;
  readonly vendorLists: Pick<Cache<readonly VendorList[]>, 'invalidate'>;
  readonly clock: Clock;
}

/** Ends the vendor master of a connection that was disconnected: one write. What was imported remains. */
export const endMaster =
  ({ sources, vendorLists, clock }: Deps) =>
  async (organizationId: string, connectionId: string): Promise<void> => {
    await sources.end(organizationId, connectionId, clock.now());
    vendorLists.invalidate(organizationId);
  };
