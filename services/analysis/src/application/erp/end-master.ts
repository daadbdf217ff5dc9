import type { Clock } from '@invoicecontrol/runtime/clock';
import type { ErpSourceStore } from './import-source.js';

interface Deps {
  readonly sources: ErpSourceStore;
  readonly clock: Clock;
}

/** Ends the vendor master of a connection that was disconnected: one write. What was imported remains. */
export const endMaster =
  ({ sources, clock }: Deps) =>
  (organizationId: string, connectionId: string): Promise<void> =>
    sources.end(organizationId, connectionId, clock.now());
