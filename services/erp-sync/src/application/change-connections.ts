import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';
import type { Places } from '@invoicecontrol/metering/places';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { Connection } from '../domain/connection.js';
import { readImportFrom } from '../domain/import-from.js';
import { productOf } from '../providers/registry.js';
import { auditEvent, connectionChanged } from './connection-events.js';
import { checkSecret } from './create-connection.js';
import type { ConnectionSecrets } from './secrets.js';
import type { ConnectionChange, ConnectionStore } from './stores.js';
import type { ListedIdStore, RunStore } from './sync-stores.js';

/** Makes the vendors of an ERP connection no longer count as known vendors. */
export interface VendorMaster {
  end(organizationId: string, connectionId: string, context: RequestContext): Promise<void>;
}

export interface ChangeDeps {
  readonly connections: ConnectionStore;
  readonly secrets: Pick<ConnectionSecrets, 'credential'>;
  readonly clock: Clock;
  readonly onDue: () => void;
}

export interface ConnectionUpdate {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly secret?: string | undefined;
  /** Name of the request field that contains the secret of the ERP connection. */
  readonly secretName: string;
  readonly isPaused?: boolean | undefined;
  readonly importFrom?: string | undefined;
}

/**
 * Changes the credentials of an ERP connection, pauses or resumes it, or sets its first import date. New credentials
 * queue an import run even in the status ERROR.
 * @throws DomainError not_found, invalid, wrong_state, in_progress
 */
export const updateConnection =
  ({ connections, secrets, clock, onDue }: ChangeDeps) =>
  async (update: ConnectionUpdate, context: RequestContext): Promise<Connection> => {
    const { organizationId, connectionId, secret, secretName } = update;
    const now = clock.now();
    const saved = await retryOnConflict(async () => {
      const connection = await requireConnection(connections, organizationId, connectionId);
      if (secret !== undefined) checkNewSecret(connection, { secretName, secret });
      const importFrom = readImportFrom(update.importFrom, now);
      requireNotDisabled(connection);
      const isReadAgain = importFrom !== undefined && importFrom !== connection.importFrom;
      if (isReadAgain && connection.runningRunId !== undefined) {
        throw new DomainError(
          'in_progress',
          'A synchronisation run of the ERP connection is in progress. Change import_from after the run has finished.',
        );
      }
      const isPaused = update.isPaused ?? connection.isPaused;
      const isResumed = connection.isPaused && !isPaused;
      // If only a person can fix the fault of an ERP connection, the next import run becomes due once someone has
      // stored new credentials or resumed the connection.
      const isDue = secret !== undefined || isResumed || (isReadAgain && connection.status !== 'ERROR');
      const change: ConnectionChange = {
        ...(secret === undefined ? {} : { credential: secrets.credential.seal(connection, secret) }),
        ...(update.isPaused === undefined ? {} : { isPaused }),
        ...(importFrom === undefined ? {} : { importFrom }),
        ...(isReadAgain ? { isReadAgain } : {}),
        ...(isPaused ? { nextSyncAt: undefined } : isDue ? { nextSyncAt: now } : {}),
      };
      return connections.save(connection, change, [auditEvent('updated', connectionId, context)]);
    });
    if (saved.nextSyncAt !== undefined && saved.nextSyncAt <= now) onDue();
    return saved;
  };

function checkNewSecret(
  { provider }: Connection,
  given: { readonly secretName: string; readonly secret: string },
): void {
  const { credentials, title } = productOf(provider);
  if (credentials !== undefined) {
    checkSecret(credentials, given);
    return;
  }
  throw invalidField(
    given.secretName,
    `is not used by ${title}. Give consent again with POST /v1/erp-connections/oauth/start.`,
  );
}

export interface DeleteDeps {
  readonly connections: ConnectionStore;
  readonly places: Places;
  readonly runs: Pick<RunStore, 'cancel'>;
  readonly listedIds: Pick<ListedIdStore, 'remove'>;
  readonly master: VendorMaster;
  /** Revokes the OAuth tokens of a deleted ERP connection without delay. */
  readonly revokeSoon: () => void;
  readonly logger: Logger;
}

/**
 * Disconnects an ERP. The first database write removes the credential and stops all import runs. A sweep repeats the
 * remaining steps until all are done. An ERP connection that is already DISABLED remains DISABLED.
 * @throws DomainError not_found
 */
export const deleteConnection =
  (deps: DeleteDeps) =>
  async (organizationId: string, connectionId: string, context: RequestContext): Promise<void> => {
    const { connections, logger } = deps;
    const isDeletedNow = await retryOnConflict(async () => {
      const connection = await requireConnection(connections, organizationId, connectionId);
      const { status: previousStatus } = connection;
      if (previousStatus === 'DISABLED') return false;
      await connections.markDeleted(connection, [
        connectionChanged(connection, { status: 'DISABLED', previousStatus }),
        auditEvent('deleted', connectionId, context),
      ]);
      return true;
    });
    if (!isDeletedNow) return;
    deps.revokeSoon();
    try {
      await finishDeletion(deps)({ id: connectionId, organizationId }, context);
    } catch (error) {
      logger.warn({ error, connectionId }, 'a deletion could not be finished; the sweep retries it');
    }
  };

/** Performs the steps that follow the committed deletion of an ERP connection. Each step can be repeated. */
export const finishDeletion =
  ({ connections, places, runs, listedIds, master }: Omit<DeleteDeps, 'logger' | 'revokeSoon'>) =>
  async (
    { id, organizationId }: { readonly id: string; readonly organizationId: string },
    context: RequestContext = systemContext('deletions'),
  ): Promise<void> => {
    await places.giveBack(organizationId, id);
    // The active worker of an ERP connection notices that its import run was cancelled. A worker that crashed can no
    // longer complete its run.
    await runs.cancel(organizationId, id);
    await listedIds.remove(id);
    await master.end(organizationId, id, context);
    await connections.finishDeletion(id);
  };

/**
 * Returns an ERP connection of the organization.
 * @throws DomainError not_found
 */
export async function requireConnection(
  connections: Pick<ConnectionStore, 'find'>,
  organizationId: string,
  connectionId: string,
): Promise<Connection> {
  const connection = await connections.find(organizationId, connectionId);
  if (connection === undefined) throw notFound('ERP connection');
  return connection;
}

/**
 * Refuses a disabled ERP connection.
 * @throws DomainError wrong_state
 */
export function requireNotDisabled({ status }: Pick<Connection, 'status'>): void {
  if (status !== 'DISABLED') return;
  throw new DomainError('wrong_state', 'The ERP connection was deleted. Connect the ERP again.');
}
