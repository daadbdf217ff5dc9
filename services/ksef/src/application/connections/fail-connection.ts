import { events } from '@invoicecontrol/contracts/events';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Connection } from '../../domain/connection.js';
import type { ConnectionStore } from './stores.js';

export type FailConnection = (connection: Connection, message: string) => Promise<void>;

/**
 * Turns a connection to ERROR because KSeF refused its token while an invoice was submitted: what is queued waits for a new
 * token instead of failing one by one, and owners and admins are told.
 * @returns a function that changes nothing when the connection was changed since it was read
 */
export const failConnection =
  ({ connections }: { readonly connections: Pick<ConnectionStore, 'save'> }): FailConnection =>
  async (connection, message) => {
    const { id: connectionId, companyId, environment, status } = connection;
    if (status !== 'CONNECTED') return;
    try {
      await connections.save(connection, { status: 'ERROR', lastErrorMessage: message }, [
        announce(events.ksefConnectionFailed, { connectionId, companyId, environment, message }),
      ]);
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
    }
  };
