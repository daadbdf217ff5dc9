import type { Logger } from '@invoicecontrol/runtime/logger';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { FinishScan } from './finish-scan.js';
import type { ScanStore } from './scan-store.js';

interface Deps {
  readonly scans: ScanStore;
  readonly finish: FinishScan;
  readonly logger: Logger;
}

/**
 * Completes, one after another, the history scans whose worker stopped responding. An error with one history scan does
 * not delay the others.
 * @param signal ends the wait for a history scan in progress; another worker takes the scan over when its lease has
 *   expired
 */
export const sweepScans =
  ({ scans, finish, logger }: Deps) =>
  async (signal: AbortSignal): Promise<void> => {
    for (const { organizationId, scanId } of await scans.abandoned()) {
      if (signal.aborted) return;
      try {
        const taken = await scans.takeOver({ organizationId, scanId });
        if (taken !== undefined) await whileRunning(signal, finish(taken, systemContext(`sweep-${scanId}`)));
      } catch (error) {
        logger.warn({ error, organizationId, scanId }, 'a scan that its worker had abandoned did not complete');
      }
    }
  };

/** Waits until the sweep of the history scans ends or the service stops. */
async function whileRunning(signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  let stop = (): void => {};
  const stopping = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop);
  });
  try {
    await Promise.race([work, stopping]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
