import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Connection } from '../../domain/connection.js';
import { dueNotice, endsSoon } from '../../domain/credential-end.js';
import type { Organizations } from '../submissions/stores.js';
import type { ConnectionStore } from './stores.js';

interface AnnounceDeps {
  readonly connections: Pick<ConnectionStore, 'ending' | 'save'>;
  readonly organizations: Organizations;
  /** Time when KSeF stops taking tokens in PRODUCTION; undefined where no end is known. */
  readonly tokensEnd: Date | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Announces certificates and tokens that end soon (KSeF reference, section 18), each notice once: the write that stores the notice also
 * carries its event. A sweep reads all pages, so connections that fail do not hide those behind them.
 */
export const announceEnds =
  ({ connections, organizations, tokensEnd, clock, logger }: AnnounceDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    async function announceEnd(connection: Connection): Promise<void> {
      const notice = dueNotice(connection, { now: clock.now(), tokensEnd });
      // A restored organization is told then.
      if (notice === undefined || !(await organizations.exists(connection.organizationId))) return;
      const { id: connectionId, companyId, environment, authentication } = connection;
      await connections.save(connection, { endTold: notice }, [
        announce(events.ksefCredentialEnding, {
          connectionId,
          companyId,
          environment,
          authentication,
          expiryTime: notice.endsAt,
          daysLeft: notice.days,
        }),
      ]);
    }

    let failures = 0;
    let afterId: string | undefined;
    for (;;) {
      const page = await connections.ending(endsSoon({ now: clock.now(), tokensEnd }), afterId);
      for (const connection of page) {
        if (signal.aborted) return;
        try {
          await announceEnd(connection);
        } catch (error) {
          // Another replica announced it, or the connection was changed: the next sweep decides again.
          if (error instanceof VersionConflict) continue;
          failures++;
          logger.warn(
            { error, connectionId: connection.id },
            'the end of a certificate or token could not be announced',
          );
        }
      }
      afterId = page.at(-1)?.id;
      if (afterId === undefined) break;
    }
    // Counts as a failure of the job, which the next sweep repeats.
    if (failures > 0) throw new Error(`${failures} ends of certificates or tokens could not be announced.`);
  };
