import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { isSameSecret } from '../../domain/connection.js';
import type { Connection } from '../../domain/connection.js';
import type { KsefRefusal } from '../../domain/ksef-refusal.js';
import type { ConnectionStore } from './stores.js';

/**
 * Sets the status of a connection to ERROR.
 * @param used the connection as it was when KSeF refused its token
 */
export type FailConnection = (used: Connection, refusal: Pick<KsefRefusal, 'code' | 'message'>) => Promise<void>;

interface FailDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'save'>;
  readonly clock: Clock;
}

/**
 * Sets the status of a connection to ERROR because KSeF refused its token during a submission. Queued submissions then
 * wait for a new token instead of failing one by one, and owners and admins are notified. If a disabled connection is
 * refused, they are also notified once, because sent submissions still need its token.
 * @returns a function that changes nothing if another token was stored in the meantime
 */
export const failConnection =
  ({ connections, clock }: FailDeps): FailConnection =>
  (used, { code, message }) =>
    retryOnConflict(async () => {
      const current = await connections.find(used.organizationId, used.id);
      if (current === undefined || !isSameSecret(current, used)) return;
      const { id: connectionId, companyId, environment, status, refusalToldAt } = current;
      if (status === 'ERROR' || refusalToldAt !== undefined) return;
      const change =
        status === 'DISABLED'
          ? { refusalToldAt: clock.now() }
          : { status: 'ERROR' as const, refusal: { at: clock.now(), code } };
      await connections.save(current, { ...change, lastErrorMessage: message }, [
        announce(events.ksefConnectionFailed, { connectionId, companyId, environment, message }),
      ]);
    });
