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

// The operations of the use cases about connections on the stores.

export interface ConnectionFilter {
  readonly companyId: string | undefined;
  readonly environment: Environment | undefined;
  readonly status: ConnectionStatus | undefined;
}

/** Fields that a change sets; absent ones stay, undefined ones are removed. */
export interface ConnectionChange {
  readonly status?: ConnectionStatus;
  readonly contextNip?: string;
  readonly authentication?: Authentication;
  readonly certificate?: ShownCertificate | undefined;
  readonly secret?: SealedValue | undefined;
  readonly secretSavedAt?: Date;
  readonly refusal?: LoginRefusal | undefined;
  readonly refusalToldAt?: Date | undefined;
  readonly lastTestedAt?: Date | undefined;
  readonly lastErrorMessage?: string | undefined;
  readonly warnings?: readonly ConnectionWarning[] | undefined;
  readonly endTold?: EndNotice;
}

export interface ConnectionStore {
  /** False when the company has a connection of this environment already. */
  insert(connection: Connection, events: readonly Announcement[]): Promise<boolean>;
  find(organizationId: string, connectionId: string): Promise<Connection | undefined>;
  list(organizationId: string, filter: ConnectionFilter, page: PageRequest): Promise<Page<Connection>>;
  /** @throws VersionConflict when another change came between */
  save(connection: Connection, change: ConnectionChange, events: readonly Announcement[]): Promise<Connection>;
  /** Disabled connections that still have a secret. */
  disabledWithSecret(): Promise<readonly Connection[]>;
  /** A page of the connections whose secret may end soon, in the order of their ids; empty behind the last one. */
  ending(ends: EndsSoon, afterId?: string): Promise<readonly Connection[]>;
}

/** Queries about the submissions of a connection. */
export interface OpenSubmissions {
  /** Tells whether any submission is not final. */
  hasOpenSubmissions(organizationId: string, connectionId: string): Promise<boolean>;
  /** Tells whether any submission has unfinished work, also a session to close or a confirmation to fetch. */
  hasUnfinishedWork(organizationId: string, connectionId: string): Promise<boolean>;
  /** Makes those due of which nothing was sent, whatever they wait for. */
  wakeUnsent(organizationId: string, connectionId: string): Promise<void>;
  /** Makes those due that wait for their connection, or for another token of it. */
  wake(organizationId: string, connectionId: string): Promise<void>;
}
