import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { judgeFailing } from '../domain/endpoint.js';
import type { Endpoint, FailingLimits } from '../domain/endpoint.js';
import { endpointDisabled } from '../telemetry.js';
import type { Endpoints } from './stores.js';

interface Deps {
  readonly endpoints: Endpoints;
  readonly limits: FailingLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Publishes events about webhooks whose deliveries all fail, and disables them after several days. */
export const watchFailing =
  ({ endpoints, limits, clock, logger }: Deps) =>
  async (): Promise<void> => {
    const now = clock.now();
    for (const endpoint of await endpoints.failing(limits, now)) {
      const verdict = judgeFailing(endpoint, limits, now);
      if (verdict === 'NOTHING') continue;
      try {
        if (verdict === 'NOTICE') {
          await endpoints.saveFailing(endpoint, { noticedAt: now }, [
            announce(events.endpointFailing, noticeOf(endpoint)),
          ]);
        } else {
          await endpoints.saveFailing(endpoint, { status: 'DISABLED' }, [
            announce(events.endpointDisabled, noticeOf(endpoint)),
          ]);
          endpointDisabled();
          logger.warn({ endpointId: endpoint.id, failures: endpoint.failuresInRow }, 'an endpoint was switched off');
        }
      } catch (error) {
        // A failing webhook was changed by its owner, by another replica or by a successful delivery. The next run of
        // the job reads the webhook again.
        if (!(error instanceof VersionConflict)) throw error;
      }
    }
  };

function noticeOf({ id, url, failingSince, goneAt }: Endpoint) {
  return { endpointId: id, host: new URL(url).host, failingSinceTime: failingSince, goneTime: goneAt };
}
