import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { ConnectionWarning } from '../../domain/connection-warnings.js';
import type {
  Authentication,
  Connection,
  ConnectionStatus,
  EndNotice,
  Environment,
  LoginRefusal,
  ShownCertificate,
} from '../../domain/connection.js';
import type { EndsSoon } from '../../domain/credential-end.js';

// Store operations that the KSeF connection use cases need.

export interface ConnectionFilter {
  readonly companyId: string | undefined;
  readonly environment: Environment | undefined;
  readonly status: ConnectionStatus | undefined;
}

/**
 * Fields that a change of a KSeF connection sets. A field that is absent is not changed, and an undefined field is
 * removed.
 */
export interface ConnectionChange {
  readonly status?: ConnectionStatus;
  readonly contextNip?: string;
  readonly authentication?: Authentication;
  readonly certificate?: ShownCertificate | undefined;
  readonly secret?: SealedValue | undefined;
  readonly secretSavedAt?: Date;
  readonly refusal?: LoginRefusal | undefined;
  readonly refusalToldAt?: Date | undefined;
  readonly readOnlySince?: Date | undefined;
  readonly lastTestedAt?: Date | undefined;
  readonly lastErrorMessage?: string | undefined;
  readonly warnings?: readonly ConnectionWarning[] | undefined;
  readonly endTold?: EndNotice;
}

export interface ConnectionStore {
  /** Stores a KSeF connection. Returns false if the company already has a connection to this environment. */
  insert(connection: Connection, events: readonly Announcement[]): Promise<boolean>;
  find(organizationId: string, connectionId: string): Promise<Connection | undefined>;
  list(organizationId: string, filter: ConnectionFilter, page: PageRequest): Promise<Page<Connection>>;
  /**
   * Stores a change to a KSeF connection.
   * @throws VersionConflict if the connection has changed since it was read
   */
  save(connection: Connection, change: ConnectionChange, events: readonly Announcement[]): Promise<Connection>;
  /** Returns disabled KSeF connections that still have a secret. */
  disabledWithSecret(): Promise<readonly Connection[]>;
  /** Returns a page of KSeF connections whose secret may expire soon, ordered by id. Empty after the last page. */
  ending(ends: EndsSoon, afterId?: string): Promise<readonly Connection[]>;
}

/** Queries about the submissions of a KSeF connection. */
export interface OpenSubmissions {
  /** Checks whether the KSeF connection has a submission that is not final. */
  hasOpenSubmissions(organizationId: string, connectionId: string): Promise<boolean>;
  /**
   * Checks whether any KSeF submission has unfinished work, including a session to close or a confirmation to fetch.
   */
  hasUnfinishedWork(organizationId: string, connectionId: string): Promise<boolean>;
  /** Makes all unsent submissions to KSeF due now, regardless of what they are waiting for. */
  wakeUnsent(organizationId: string, connectionId: string): Promise<void>;
  /** Makes submissions to KSeF due now that are waiting for a change of their connection or for another KSeF token. */
  wake(organizationId: string, connectionId: string): Promise<void>;
}
