import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { FaultCode } from './faults.js';
import type { ProviderCode } from './provider-code.js';

export const connectionStatuses = ['PENDING', 'CONNECTED', 'ERROR', 'DISABLED'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** An ERP connection between a company in a customer's ERP and a company of the organization. */
export interface Connection {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly provider: ProviderCode;
  readonly status: ConnectionStatus;
  /** Configuration of the ERP connection as shown in responses, with camelCase names and without secrets. */
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * Id of an ERP connection, derived from organization, provider and company in the ERP. It stays the same if the
   * company is connected again.
   */
  readonly remoteCompanyId: string;
  readonly isPaused: boolean;
  /**
   * First date (`YYYY-MM-DD`) from which bills are imported. If absent, the last `ERP_INITIAL_MONTHS` months are
   * imported.
   */
  readonly importFrom: string | undefined;
  /** Time when the last import run of the ERP connection was completed. */
  readonly lastSyncAt: Date | undefined;
  /** Time when the last import run with the status SUCCEEDED or PARTIAL was completed for the ERP connection. */
  readonly lastSuccessAt: Date | undefined;
  readonly lastError: ConnectionError | undefined;
  /** Time when the next import run is due. Absent while no run is scheduled. */
  readonly nextSyncAt: Date | undefined;
  /** Id of the current import run. Absent if no run is in progress. */
  readonly runningRunId: string | undefined;
  /** Ids of the ten newest import runs of the ERP connection, oldest first. */
  readonly recentRunIds: readonly string[];
  /** Time when each stream of an ERP connection was last read without a fault. */
  readonly streamSuccesses: Readonly<Record<string, Date>>;
  /**
   * Client secret or API key of an ERP connection. Absent for providers that use OAuth consent, and after a deletion.
   */
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

/** Creates an ERP connection that has never been read. Its first import run is due immediately. */
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

/** The error of an ERP connection, described without data from the ERP. */
export interface ConnectionError {
  readonly code: FaultCode;
  readonly message: string;
}

/**
 * Checks whether import runs of an ERP connection are scheduled. A paused connection has no scheduled runs. In the
 * status ERROR a person must act first, but a run can be started on request.
 */
export function isScheduled({ status, isPaused }: Pick<Connection, 'status' | 'isPaused'>): boolean {
  return (status === 'PENDING' || status === 'CONNECTED') && !isPaused;
}
