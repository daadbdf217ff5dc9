import type { Clock } from '@invoicecontrol/runtime/clock';
import { openSource } from './import-source.js';
import type { ErpSourceStore, ImportSource } from './import-source.js';

interface Deps {
  readonly sources: ErpSourceStore;
  readonly clock: Clock;
}

export interface CompletedRun {
  readonly finishedAt: Date;
  /** Whether the whole vendor list of the company is known now. */
  readonly hasVendorList: boolean;
}

/**
 * Ends a run that succeeded, or succeeded in part: from now on, what later runs bring is a change of what this one left.
 * @throws DomainError wrong_state when the connection was disconnected
 */
export const completeImport =
  ({ sources, clock }: Deps) =>
  async (of: ImportSource, { finishedAt, hasVendorList }: CompletedRun): Promise<void> => {
    const completedThrough = clock.now();
    await openSource(sources, of, completedThrough);
    await sources.complete(of, { completedThrough, syncedAt: hasVendorList ? finishedAt : undefined });
  };
