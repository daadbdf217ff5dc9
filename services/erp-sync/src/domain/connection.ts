import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { FaultCode } from './faults.js';
import type { ProviderCode } from './provider-code.js';

export const connectionStatuses = ['PENDING', 'CONNECTED', 'ERROR', 'DISABLED'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** A connection between a company in a customer's ERP and a company of the organization. */
export interface Connection {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly provider: ProviderCode;
  readonly status: ConnectionStatus;
  /** Configuration as responses show it, with camelCase names and without secrets. */
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * Derived from organization, provider and company in the ERP. It stays the same if the company is connected again.
   */
  readonly remoteCompanyId: string;
  readonly isPaused: boolean;
  /** First date of bills to import (`YYYY-MM-DD`). Absent for the last `ERP_INITIAL_MONTHS`. */
  readonly importFrom: string | undefined;
  /** Time when the last run ended. */
  readonly lastSyncAt: Date | undefined;
  /** Time when the last run with the status SUCCEEDED or PARTIAL ended. */
  readonly lastSuccessAt: Date | undefined;
  readonly lastError: ConnectionError | undefined;
  /** Time when the next import run is due. Absent while no run is scheduled. */
  readonly nextSyncAt: Date | undefined;
  /** Id of the current run. Absent if no run is in progress. */
  readonly runningRunId: string | undefined;
  /** Ids of the ten newest runs, oldest first. */
  readonly recentRunIds: readonly string[];
  /** Time when each stream was last read without a fault. */
  readonly streamSuccesses: Readonly<Record<string, Date>>;
  /** Client secret or API key. Absent for providers with consent, and after a deletion. */
  readonly credential: SealedValue | undefined;
  readonly createdAt: Date;
}

type ChosenAtCreation =
  | 'id'
  | 'organizationId'
  | 'companyId'
  | 'provider'
  | 'config'
  | 'remoteCompanyId'
  | 'importFrom'
  | 'credential'
  | 'createdAt';

/** Creates a connection that was never read. Its first run is due at once. */
export function newConnection(chosen: Pick<Connection, ChosenAtCreation>): Connection {
  return {
    ...chosen,
    version: 1,
    status: 'PENDING',
    isPaused: false,
    lastSyncAt: undefined,
    lastSuccessAt: undefined,
    lastError: undefined,
    nextSyncAt: chosen.createdAt,
    runningRunId: undefined,
    recentRunIds: [],
    streamSuccesses: {},
  };
}

/** The error of a connection, described without data from the ERP. */
export interface ConnectionError {
  readonly code: FaultCode;
  readonly message: string;
}

/**
 * Tells whether the next run is scheduled after a run has ended. In the status ERROR someone must act first, but a run
 * can be started on request.
 */
export function isScheduled({ status, isPaused }: Pick<Connection, 'status' | 'isPaused'>): boolean {
  return (status === 'PENDING' || status === 'CONNECTED') && !isPaused;
}
