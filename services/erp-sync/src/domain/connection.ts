import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { FaultCode } from './faults.js';
import type { ProviderCode } from './provider-code.js';

export const connectionStatuses = ['PENDING', 'CONNECTED', 'ERROR', 'DISABLED'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** A customer's ERP company, kept in step with one company of the organization. */
export interface Connection {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly provider: ProviderCode;
  readonly status: ConnectionStatus;
  /** Configuration as responses show it: camelCase, without secrets. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Derived from organization, provider and remote company: the same when it is connected again. */
  readonly remoteCompanyId: string;
  readonly isPaused: boolean;
  /** `YYYY-MM-DD`: bills from this day on; absent for the last `ERP_INITIAL_MONTHS`. */
  readonly importFrom: string | undefined;
  /** The end of the last run. */
  readonly lastSyncAt: Date | undefined;
  /** The end of the last run that was SUCCEEDED or PARTIAL. */
  readonly lastSuccessAt: Date | undefined;
  readonly lastError: ConnectionError | undefined;
  /** Time when the next synchronisation run is due; absent while it is not scheduled. */
  readonly nextSyncAt: Date | undefined;
  /** Id of the current run; absent between runs. */
  readonly runningRunId: string | undefined;
  /** Ids of the ten newest runs, the oldest first. */
  readonly recentRunIds: readonly string[];
  /** Time when each stream was last read without a fault. */
  readonly streamSuccesses: Readonly<Record<string, Date>>;
  /** Client secret or API key; absent for providers with consent and after a deletion. */
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

/** A connection that was never read; its first run is due at once. */
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

/** The error of a connection, described without data of the ERP. */
export interface ConnectionError {
  readonly code: FaultCode;
  readonly message: string;
}

/**
 * Tells whether the next run is scheduled when one has ended. On ERROR someone must act first; a run that somebody starts is allowed then.
 */
export function isScheduled({ status, isPaused }: Pick<Connection, 'status' | 'isPaused'>): boolean {
  return (status === 'PENDING' || status === 'CONNECTED') && !isPaused;
}
