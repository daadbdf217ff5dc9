import { events } from '@invoicecontrol/contracts/events';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { announce } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import { isSameSecret } from '../../domain/connection.js';
import type { Connection } from '../../domain/connection.js';
import { KsefRefusal } from '../../domain/ksef-refusal.js';
import { onlyViewing } from '../../domain/permissions.js';
import { credentialsOf } from '../ksef-calls.js';
import type { Ksef } from '../ksef-calls.js';
import type { ConnectionStore } from './stores.js';

/**
 * Sets the status of a KSeF connection to ERROR, or records that the connection may only view invoices.
 * @param used the connection at the time of the refused call
 */
export type FailConnection = (used: Connection, refusal: KsefRefusal) => Promise<void>;

interface FailDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'save'>;
  readonly ksef: Pick<Ksef, 'callsOf'>;
  readonly secrets: Pick<SealedField, 'open'>;
  readonly clock: Clock;
}

/**
 * Sets the status of a KSeF connection to ERROR because KSeF refused its token during a submission. Queued submissions
 * then wait for a new token instead of failing one by one, and owners and admins are notified. If KSeF refuses a
 * disabled connection, owners and admins are notified once too, because submissions that were already sent still need
 * the token. A connection that has lost only the permission to issue invoices stays CONNECTED, so that its inbox
 * continues.
 * @returns a function that sets the status, unless another token was stored in the meantime
 */
export const failConnection =
  (deps: FailDeps): FailConnection =>
  async (used, refusal) => {
    const { connections, clock } = deps;
    const isConnected = used.status === 'CONNECTED';
    if (isConnected && used.readOnlySince !== undefined && refusal.isAboutPermission) return;
    const isReadOnly = isConnected && refusal.isAboutPermission && (await mayView(deps, used));
    await retryOnConflict(async () => {
      const current = await connections.find(used.organizationId, used.id);
      if (current === undefined || !isSameSecret(current, used)) return;
      const { id: connectionId, companyId, environment, status, authentication, readOnlySince } = current;
      if (status === 'ERROR' || current.refusalToldAt !== undefined) return;
      if (isReadOnly && status === 'CONNECTED') {
        if (readOnlySince !== undefined) return;
        const message = onlyViewing(authentication);
        await connections.save(current, { readOnlySince: clock.now() }, [
          announce(events.ksefConnectionFailed, { connectionId, companyId, environment, message }),
        ]);
        return;
      }
      const { code, message } = refusal;
      const change =
        status === 'DISABLED'
          ? { refusalToldAt: clock.now() }
          : { status: 'ERROR' as const, refusal: { at: clock.now(), code } };
      await connections.save(current, { ...change, lastErrorMessage: message }, [
        announce(events.ksefConnectionFailed, { connectionId, companyId, environment, message }),
      ]);
    });
  };

/**
 * Checks whether KSeF allows the connection to view invoices (call S10). False if KSeF gives no conclusive response.
 */
async function mayView({ ksef, secrets }: FailDeps, connection: Connection): Promise<boolean> {
  const { secret } = connection;
  if (secret === undefined) return false;
  try {
    await ksef.callsOf(credentialsOf(connection, secret, secrets)).probeViewPermission();
    return true;
  } catch (error) {
    if (error instanceof KsefRefusal) return false;
    throw error;
  }
}
