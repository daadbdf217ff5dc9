import type { Clock } from './clock.js';
import type { FindStuckWork } from './stuck-work.js';
import { reportGauges } from './telemetry.js';
import { metrics } from './telemetry/schema.js';

/** Age from which work counts as stuck, as in the command of the operator. */
const STUCK_AGE_MS = 600_000;

/**
 * Reports how many items of stuck work the operator's command would list, by their kind. If a source cannot be read,
 * its metrics keep their last values.
 */
export function reportStuckWork(sources: readonly FindStuckWork[], clock: Clock, service: string): () => void {
  const kinds = metrics['invoicecontrol.jobs.stuck'].attributes.kind.values;
  return reportGauges(
    ['invoicecontrol.jobs.stuck'],
    async () => {
      const now = clock.now();
      const before = new Date(now.getTime() - STUCK_AGE_MS);
      const found = (await Promise.all(sources.map((find) => find(before, now)))).flat();
      return kinds.map((kind) => ({
        attributes: { kind },
        values: { 'invoicecontrol.jobs.stuck': found.filter((item) => item.kind === kind).length },
      }));
    },
    service,
  );
}
