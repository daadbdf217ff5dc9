import { notFound } from '@invoicecontrol/errors';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { retryOnConflict, VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { Connection } from '../../domain/connection.js';
import { connectionAudit } from './connection-events.js';
import type { ConnectionStore, OpenSubmissions } from './stores.js';

interface WipeDeps {
  readonly connections: Pick<ConnectionStore, 'save' | 'disabledWithSecret'>;
  readonly submissions: OpenSubmissions;
  /** Disables the inbox of the KSeF connection permanently. */
  readonly endInbox: (connection: Connection) => Promise<void>;
  /** Drops the access tokens of a KSeF connection and terminates its login session at KSeF. Never throws. */
  readonly endAccess: (connectionId: string) => Promise<void>;
  readonly logger: Logger;
}

export type DisableDeps = WipeDeps & { readonly connections: Pick<ConnectionStore, 'find'> };

/**
 * Disables a KSeF connection (endpoint 14), so that nothing more is sent or received through it. Its secret is kept as
 * long as sent submissions need it. A connection that is already DISABLED does not change.
 * @throws DomainError not_found
 */
export const disableConnection =
  (deps: DisableDeps) =>
  async (organizationId: string, connectionId: string, context: RequestContext): Promise<void> => {
    const disabled = await retryOnConflict(async () => {
      const connection = await requireConnection(deps.connections, organizationId, connectionId);
      if (connection.status === 'DISABLED') return undefined;
      return deps.connections.save(connection, { status: 'DISABLED' }, [
        connectionAudit('disabled', connectionId, context),
      ]);
    });
    if (disabled === undefined) return;
    await wakeWaiting(deps, disabled);
    await wipeSecret(deps, disabled);
  };

/** Removes the secrets that disabled KSeF connections no longer need. */
export const wipeSecrets =
  (deps: WipeDeps) =>
  async (signal: AbortSignal): Promise<void> => {
    for (const connection of await deps.connections.disabledWithSecret()) {
      if (signal.aborted) return;
      await wipeSecret(deps, connection);
    }
  };

async function wipeSecret(
  { connections, submissions, endInbox, endAccess, logger }: WipeDeps,
  connection: Connection,
): Promise<void> {
  const { id: connectionId, organizationId } = connection;
  try {
    await endInbox(connection);
    // Unsent submissions of the disabled KSeF connection fail now and not only when their waiting time is over.
    // Submissions that were sent need the secret until they are final.
    await submissions.wakeUnsent(organizationId, connectionId);
    if (await submissions.hasUnfinishedWork(organizationId, connectionId)) return;
    await connections.save(connection, { secret: undefined }, []);
    await endAccess(connectionId);
  } catch (error) {
    // The KSeF connection was restored in the meantime, or another replica removed its secret.
    if (error instanceof VersionConflict) return;
    logger.warn(
      { error, connectionId },
      'the token of a disabled connection could not be removed; the removal is retried',
    );
  }
}

/**
 * Wakes submissions that are waiting for a change of their KSeF connection. A failure is only logged, because they
 * continue later anyway.
 */
export async function wakeWaiting(
  { submissions, logger }: { readonly submissions: Pick<OpenSubmissions, 'wake'>; readonly logger: Logger },
  { id: connectionId, organizationId }: Pick<Connection, 'id' | 'organizationId'>,
): Promise<void> {
  try {
    await submissions.wake(organizationId, connectionId);
  } catch (error) {
    logger.warn({ error, connectionId }, 'submissions that are waiting for a connection could not be scheduled');
  }
}

/**
 * Returns a KSeF connection of the organization.
 * @throws DomainError not_found
 */
export async function requireConnection(
  connections: Pick<ConnectionStore, 'find'>,
  organizationId: string,
  connectionId: string,
): Promise<Connection> {
  const connection = await connections.find(organizationId, connectionId);
  if (connection === undefined) throw notFound('KSeF connection');
  return connection;
}
