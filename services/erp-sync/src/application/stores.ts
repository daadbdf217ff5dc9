import { DomainError } from '@invoicecontrol/errors';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Connection, ConnectionStatus } from '../domain/connection.js';
import type { ProviderCode } from '../domain/provider-code.js';

// Operations on the database collections that the use cases for ERP connections need.

/** Fields that a change to an ERP connection sets. Fields that are absent are not changed. */
export interface ConnectionChange {
  readonly credential?: SealedValue;
  readonly isPaused?: boolean;
  readonly importFrom?: string;
  /** Time of the next import run. Undefined if no run is scheduled any more. */
  readonly nextSyncAt?: Date | undefined;
  /** True if bills, credit notes and payments must be read from the beginning again. */
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
    'This company of the ERP is already connected to the organization. Change the existing ERP connection, or delete it first.',
  );
}

/** The ERP connections with which a new connection is compared. */
export interface KnownConnections {
  readonly connections: readonly Connection[];
  /** Number for the next ERP connection of a provider. Only one connection can get each number. */
  readonly next: number;
}

export interface ConnectionStore {
  /**
   * Stores a new ERP connection.
   * @param remoteKey identifies the company within its provider
   * @param more the sealed tokens if the provider uses OAuth consent; otherwise the connection number that
   *   {@link KnownConnections.next} returned
   * @throws DomainError already_exists if the organization has already connected the company
   * @throws VersionConflict if another connection was stored with the same number
   */
  insert(
    connection: Connection,
    remoteKey: string,
    events: readonly Announcement[],
    more: { readonly tokens: SealedValue } | { readonly ordinal: number },
  ): Promise<void>;
  find(organizationId: string, connectionId: string): Promise<Connection | undefined>;
  list(organizationId: string, filter: ConnectionFilter, page: PageRequest): Promise<Page<Connection>>;
  /**
   * Returns the ERP connections to one provider: all connections that are not DISABLED, then the newest DISABLED
   * connections, each with its company.
   */
  ofProvider(organizationId: string, provider: ProviderCode): Promise<KnownConnections>;
  /** Counts the ERP connections that are not DISABLED. */
  countLive(organizationId: string): Promise<number>;
  /** Returns the ids of the ERP connections that are not DISABLED. */
  live(organizationId: string, connectionIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Stores a change to an ERP connection.
   * @throws VersionConflict if another change was made in the meantime, or if an import run began that does not allow
   * the change
   */
  save(connection: Connection, change: ConnectionChange, events: readonly Announcement[]): Promise<Connection>;
  /**
   * Commits the deletion of an ERP connection: the credential is removed, a current import run can no longer write, and
   * the company can be connected again. {@link finishDeletion} does the rest.
   * @throws VersionConflict
   */
  markDeleted(connection: Connection, events: readonly Announcement[]): Promise<void>;
  finishDeletion(connectionId: string): Promise<void>;
  /** Returns unfinished deletions of ERP connections that were committed before the given time. */
  unfinishedDeletions(before: Date): Promise<readonly { readonly id: string; readonly organizationId: string }[]>;
  countUnfinishedDeletions(): Promise<number>;
}
