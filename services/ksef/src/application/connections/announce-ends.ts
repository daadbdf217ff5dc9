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
  /** Time when KSeF stops accepting tokens in the PRODUCTION environment. Undefined if no date is known. */
  readonly tokensEnd: Date | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Announces certificates and tokens that will expire soon (KSeF reference, section 18). Each notice is announced once,
 * because the write that stores the notice also stores its event. A sweep reads all pages of connections, so that a
 * failing connection does not block the following connections.
 */
export const announceEnds =
  ({ connections, organizations, tokensEnd, clock, logger }: AnnounceDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    async function announceEnd(connection: Connection): Promise<void> {
      const notice = dueNotice(connection, { now: clock.now(), tokensEnd });
      // While the organization is deleted, the notice of expiry is not announced. If the organization is restored, a
      // later sweep announces the notice.
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
          // A version conflict means that another replica announced the notice, or that the KSeF connection was
          // changed. The next sweep checks again.
          if (error instanceof VersionConflict) continue;
          failures++;
          logger.warn(
            { error, connectionId: connection.id },
            'the expiry of a certificate or token could not be announced',
          );
        }
      }
      afterId = page.at(-1)?.id;
      if (afterId === undefined) break;
    }
    // The error makes the job that announces expiring certificates and tokens fail. A failed job is repeated.
    if (failures > 0)
      throw new Error(
        `Some notices about expiring KSeF certificates and tokens could not be sent: ${failures} failed.`,
      );
  };
