import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import { isSameSecret } from '../../domain/connection.js';
import type { Connection } from '../../domain/connection.js';
import type { KsefRefusal } from '../../domain/ksef-refusal.js';
import type { ConnectionStore } from './stores.js';

/** @param used the connection as it was when KSeF refused its token */
export type FailConnection = (used: Connection, refusal: Pick<KsefRefusal, 'code' | 'message'>) => Promise<void>;

interface FailDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'save'>;
  readonly clock: Clock;
}

/**
 * Turns a connection to ERROR because KSeF refused its token while an invoice was submitted: what is queued waits for a new
 * token instead of failing one by one, and owners and admins are told. They are told once, too, of a disabled connection, whose
 * token is needed to follow what was sent.
 * @returns a function that changes nothing when another token was stored since
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
