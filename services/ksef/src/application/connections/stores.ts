import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { Connection, ConnectionStatus, Environment } from '../../domain/connection.js';

// What the use cases about connections need of the stores.

export interface ConnectionFilter {
  readonly companyId: string | undefined;
  readonly environment: Environment | undefined;
  readonly status: ConnectionStatus | undefined;
}

/** What a change sets; what is absent stays, what is undefined goes. */
export interface ConnectionChange {
  readonly status?: ConnectionStatus;
  readonly contextNip?: string;
  readonly token?: SealedValue | undefined;
  readonly tokenSavedAt?: Date;
  readonly refusalToldAt?: Date | undefined;
  readonly lastTestedAt?: Date | undefined;
  readonly lastErrorMessage?: string | undefined;
}

export interface ConnectionStore {
  /** False when the company has a connection of this environment already. */
  insert(connection: Connection, events: readonly Announcement[]): Promise<boolean>;
  find(organizationId: string, connectionId: string): Promise<Connection | undefined>;
  list(organizationId: string, filter: ConnectionFilter, page: PageRequest): Promise<Page<Connection>>;
  /** @throws VersionConflict when another change came between */
  save(connection: Connection, change: ConnectionChange, events: readonly Announcement[]): Promise<Connection>;
  /** Disabled connections that still have a token. */
  disabledWithToken(): Promise<readonly Connection[]>;
}

/** What submissions tell of their connection. */
export interface OpenSubmissions {
  /** Whether one is not final. */
  hasOpenSubmissions(organizationId: string, connectionId: string): Promise<boolean>;
  /** Whether something is left to do for one: a session to close or a confirmation to fetch, too. */
  hasUnfinishedWork(organizationId: string, connectionId: string): Promise<boolean>;
  /** Makes those due of which nothing was sent, whatever they wait for. */
  wakeUnsent(organizationId: string, connectionId: string): Promise<void>;
  /** Makes those due that wait for their connection, or for another token of it. */
  wake(organizationId: string, connectionId: string): Promise<void>;
}
