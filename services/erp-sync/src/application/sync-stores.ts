import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { ConnectionError, ConnectionStatus } from '../domain/connection.js';
import type { StreamName } from '../domain/streams.js';
import type { Run, RunError, RunMode, RunOutcome, RunTrigger, StreamCounts } from '../domain/run.js';
import type { ProviderCode } from '../providers/provider.js';
import type { CallableConnection } from './open-erp.js';

// Operations for import runs on the collections.

/** A window of a stream that is read from its beginning, or continues after the last stored page. */
export interface OpenWindow {
  /** RFC 3339 time. Only rows that changed since then are read; absent for all rows. */
  readonly from?: string;
  /** Only documents from this day on are read (`YYYY-MM-DD`). */
  readonly dateFrom?: string;
  /** Cursor after the last page of the window. Absent until its first page is stored. */
  readonly next?: string;
  /** `Page.position` of the last stored page. */
  readonly after?: string;
}

/** Progress of reading a stream. */
export interface StreamState {
  /** RFC 3339 time of the clock of the ERP at which the next window begins. */
  readonly cursor?: string | undefined;
  readonly window?: OpenWindow | undefined;
}

/** The list of all ids of a stream, which must be compared with the imported records. */
export interface IdList {
  /** Time of the request for the first page. Absent before it. */
  readonly begunAt?: Date;
  /** `IdPage.position` of the last stored page. */
  readonly after?: string;
  /** Number of stored ids. */
  readonly count: number;
  /** True if deletions were reported that the list may miss. Another list then follows. */
  readonly isFollowed?: boolean;
}

export type OfStreams<T> = Partial<Readonly<Record<StreamName, T>>>;

/** A pass over all streams that takes several runs, because their budgets are used up. */
export interface Pass {
  /** Point at which the next run continues: a stream, or the lists of ids. */
  readonly at: StreamName | 'ids';
  /** Streams that the runs of the pass have read completely. */
  readonly read: readonly StreamName[];
}

/** A connection that a worker has claimed for a run. */
export interface ClaimedConnection extends CallableConnection {
  readonly companyId: string;
  readonly status: ConnectionStatus;
  readonly isPaused: boolean;
  readonly importFrom: string | undefined;
  readonly streams: Partial<Readonly<Record<StreamName, StreamState>>>;
  /** Time when the last comparison of all ids began. */
  readonly reconciledAt: Date | undefined;
  /** Lists that were not compared yet. */
  readonly lists: Partial<Readonly<Record<StreamName, IdList>>>;
  readonly pass: Pass | undefined;
  /** Start of the first run whose records `CompleteImport` has not processed. */
  readonly incompleteSince: Date | undefined;
  /** Number of consecutive abandoned runs. */
  readonly abandonedRuns: number;
}

/** The claim of a run on its connection. Every write requires that the claim is still valid. */
export interface ConnectionClaim {
  readonly connection: ClaimedConnection;
  readonly runId: string;
  keepAlive(onLost: () => void): { stop(): void };
  /**
   * Confirms the claim before data is stored elsewhere.
   * @throws ClaimEnded
   */
  confirm(): Promise<void>;
  /**
   * Stores the window after a page was stored, or at its beginning.
   * @throws ClaimEnded
   */
  saveWindow(stream: StreamName, window: OpenWindow): Promise<void>;
  /**
   * Stores that the window was read completely.
   * @throws ClaimEnded
   */
  saveCursor(stream: StreamName, cursor: string, succeededAt: Date): Promise<void>;
  /**
   * Stores that a comparison of all ids begins, with the lists that must be read.
   * @throws ClaimEnded
   */
  saveReconciled(at: Date, lists: OfStreams<IdList>): Promise<void>;
  /**
   * Like {@link saveReconciled}, and the streams of these windows are read from the beginning.
   * @throws ClaimEnded
   */
  startOver(at: Date, lists: OfStreams<IdList>, windows: OfStreams<OpenWindow>): Promise<void>;
  /**
   * Stores the list after a page, or removes it after the comparison.
   * @throws ClaimEnded
   */
  saveList(stream: StreamName, list: IdList | undefined): Promise<void>;
  /**
   * Stores the point at which the next run continues, or undefined for the first stream.
   * @throws ClaimEnded
   */
  savePass(pass: Pass | undefined): Promise<void>;
  /**
   * Stores since when records wait for `CompleteImport`, or undefined if none wait.
   * @throws ClaimEnded
   */
  saveIncomplete(since: Date | undefined): Promise<void>;
  /**
   * Continues as another run, after the previous run was abandoned.
   * @throws ClaimEnded
   */
  continueAs(runId: string, abandonedRuns: number): Promise<ConnectionClaim>;
  /** Ends the run: stores its result and the next due time, and releases the claim, in one write. */
  release(end: RunEnd): Promise<void>;
  /** Releases the claim without a run. The connection is due at the given time. */
  giveBack(nextSyncAt: Date): Promise<void>;
}

/** Owner of a list of all ids, whose pages are stored separately. */
export interface ListOwner {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly stream: StreamName;
  readonly begunAt: Date;
}

/** Stores the ids of lists that were not compared yet. An id that is stored twice counts once. */
export interface ListedIdStore {
  /** @param kind LISTED by the ERP, or IMPORTED since the list was started */
  add(owner: ListOwner, kind: 'LISTED' | 'IMPORTED', ids: readonly string[]): Promise<void>;
  read(owner: ListOwner): Promise<{ readonly listed: ReadonlySet<string>; readonly imported: ReadonlySet<string> }>;
  /** Removes the lists of a stream, or of the whole connection if no stream is given. */
  remove(connectionId: string, stream?: StreamName): Promise<void>;
}

/** Effect of a completed run on its connection. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly finishedAt: Date;
  /** Next regular time of the connection. */
  readonly nextSlot: Date;
  readonly abandonedRuns: number;
}

/** The claim is no longer valid: another worker has it, or the connection was paused or disconnected. */
export class ClaimEnded extends Error {
  readonly reason: 'TAKEN' | 'PAUSED' | 'DISCONNECTED';

  constructor(reason: 'TAKEN' | 'PAUSED' | 'DISCONNECTED') {
    super(reason === 'TAKEN' ? 'another worker has the connection' : 'the connection was paused or disconnected');
    this.name = 'ClaimEnded';
    this.reason = reason;
  }
}

/** A connection that may need a run. */
export interface DueConnection {
  readonly id: string;
  readonly organizationId: string;
  readonly provider: ProviderCode;
  readonly nextSyncAt: Date | undefined;
  /** Id of a run that its worker abandoned. */
  readonly runningRunId: string | undefined;
  /** True if no run of the connection has ended or was abandoned. */
  readonly isFirst: boolean;
  /** True if a window or a pass was not read completely. */
  readonly isContinued: boolean;
}

export interface SyncedConnections {
  /** Returns due connections, and connections whose worker stopped responding, longest due first. */
  due(limit: number): Promise<readonly DueConnection[]>;
  find(organizationId: string, connectionId: string): Promise<FoundConnection | undefined>;
  /** Claims a connection without a current run, if its due time has not changed. */
  claimDue(due: DueConnection, runId: string): Promise<ConnectionClaim | undefined>;
  /** Claims a connection without a current run, whether it is due or not. */
  claimNow(organizationId: string, connectionId: string, runId: string): Promise<ConnectionClaim | undefined>;
  /** Takes over a connection whose worker stopped responding. The claim continues its run. */
  takeOver(organizationId: string, connectionId: string, runId: string): Promise<ConnectionClaim | undefined>;
  /** Changes the due time without a run, if the due time has not changed. */
  postpone(due: DueConnection, nextSyncAt: Date): Promise<void>;
  /** Returns how long the connection that waits longest has been due, in seconds for each provider. */
  lagSeconds(): Promise<readonly { readonly provider: ProviderCode; readonly seconds: number }[]>;
  /** Returns connections that have been due since before this time. */
  dueBefore(before: Date, limit: number): Promise<readonly StuckConnection[]>;
}

/** The fields of a connection that decide whether a caller may start a run. */
export interface FoundConnection {
  readonly status: ConnectionStatus;
  readonly runningRunId: string | undefined;
  /** True if its worker no longer renews its lease. */
  readonly isSilent: boolean;
}

export interface StuckConnection {
  readonly id: string;
  readonly organizationId: string;
  readonly dueSince: Date;
  readonly lastError: ConnectionError | undefined;
}

/** A run as it begins. */
export interface NewRun {
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly provider: ProviderCode;
  readonly trigger: RunTrigger;
  readonly mode: RunMode;
  readonly startedAt: Date;
}

/** Progress of a run. */
export interface RunProgress {
  readonly streams: Partial<Readonly<Record<StreamName, StreamCounts>>>;
  readonly errors: readonly RunError[];
  readonly httpCalls: number;
  readonly throttledMs: number;
}

export interface RunStore {
  /** Returns false if a run with this id exists. */
  insert(run: NewRun): Promise<boolean>;
  find(organizationId: string, runId: string): Promise<Run | undefined>;
  /** Stores the progress of a current run. */
  saveProgress(organizationId: string, runId: string, progress: RunProgress): Promise<void>;
  /**
   * Ends a current run and publishes the event.
   * @param progress absent if the last stored progress is used
   * @returns the outcome of the run, where an earlier end stays; undefined if there is no such run
   */
  finish(
    organizationId: string,
    runId: string,
    end: {
      readonly outcome: RunOutcome;
      readonly finishedAt: Date;
      readonly progress?: RunProgress;
      readonly error?: RunError;
    },
  ): Promise<RunOutcome | undefined>;
  /** Ends the current runs of a connection. */
  cancel(organizationId: string, connectionId: string): Promise<void>;
  list(organizationId: string, connectionId: string, page: PageRequest): Promise<Page<Run>>;
  /** Reads runs by id. */
  many(organizationId: string, runIds: readonly string[]): Promise<readonly Run[]>;
  deleteFinishedBefore(before: Date): Promise<number>;
}
