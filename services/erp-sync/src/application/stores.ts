import { DomainError } from '@invoicecontrol/errors';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Connection, ConnectionStatus } from '../domain/connection.js';
import type { ProviderCode } from '../domain/provider-code.js';

// The operations of the use cases about connections on the collections.

/** Fields that a change of a connection sets; absent ones stay. */
export interface ConnectionChange {
  readonly credential?: SealedValue;
  readonly isPaused?: boolean;
  readonly importFrom?: string;
  /** Undefined when it is no longer scheduled. */
  readonly nextSyncAt?: Date | undefined;
  /** Bills, credit notes and payments are read from the beginning again. */
  readonly isReadAgain?: true;
}

export interface ConnectionFilter {
  readonly companyId: string | undefined;
  readonly provider: ProviderCode | undefined;
  readonly status: ConnectionStatus | undefined;
}

export function alreadyConnected(): DomainError {
  return new DomainError(
    'already_exists',
    'This company of the ERP is already connected to the organization. Change that connection, or delete it first.',
  );
}

/** Connections that a new one is compared with. */
export interface KnownConnections {
  readonly connections: readonly Connection[];
  /** The place of the next one among those of its provider: only one can take it. */
  readonly next: number;
}

export interface ConnectionStore {
  /**
   * @param remoteKey names the remote company within its provider
   * @param more tokens of a provider with consent; of any other its {@link KnownConnections.next}
   * @throws DomainError already_exists when the organization has connected the remote company
   * @throws VersionConflict when another connection was stored as the next one
   */
  insert(
    connection: Connection,
    remoteKey: string,
    events: readonly Announcement[],
    more: { readonly tokens: SealedValue } | { readonly ordinal: number },
  ): Promise<void>;
  find(organizationId: string, connectionId: string): Promise<Connection | undefined>;
  list(organizationId: string, filter: ConnectionFilter, page: PageRequest): Promise<Page<Connection>>;
  /** Lists the connections of one provider: all that are not DISABLED, then the newest of the others, each with its remote company. */
  ofProvider(organizationId: string, provider: ProviderCode): Promise<KnownConnections>;
  /** Counts the connections that are not DISABLED. */
  countLive(organizationId: string): Promise<number>;
  /** Those of these connections that are not DISABLED. */
  live(organizationId: string, connectionIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** @throws VersionConflict when another change came between, or a run began that the change does not allow */
  save(connection: Connection, change: ConnectionChange, events: readonly Announcement[]): Promise<Connection>;
  /**
   * Commits the deletion: the credential is gone, a running run can write nothing more, the remote company may be connected again.
   * {@link finishDeletion} follows.
   * @throws VersionConflict
   */
  markDeleted(connection: Connection, events: readonly Announcement[]): Promise<void>;
  finishDeletion(connectionId: string): Promise<void>;
  /** Deletions that are not finished, committed before. */
  unfinishedDeletions(before: Date): Promise<readonly { readonly id: string; readonly organizationId: string }[]>;
  countUnfinishedDeletions(): Promise<number>;
}
