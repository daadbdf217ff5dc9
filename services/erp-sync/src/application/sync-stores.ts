import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { ConnectionError, ConnectionStatus } from '../domain/connection.js';
import type { StreamName } from '../domain/streams.js';
import type { Run, RunError, RunMode, RunOutcome, RunTrigger, StreamCounts } from '../domain/run.js';
import type { ProviderCode } from '../providers/provider.js';
import type { CallableConnection } from './open-erp.js';

// Operations on the database collections that ERP import runs need.

/**
 * A time window in which an ERP stream is being read. Reading begins at the start of the window, or continues after the
 * last stored page of ERP records.
 */
export interface OpenWindow {
  /**
   * Start time of a window of an ERP stream in RFC 3339 format. Only rows that have changed since then are read. Absent
   * if all rows are read.
   */
  readonly from?: string;
  /** First day (`YYYY-MM-DD`) from which documents of the ERP are read. */
  readonly dateFrom?: string;
  /**
   * Cursor of an ERP stream that replaces the current one after the last page of the time window. Absent until the
   * first page of the window is stored.
   */
  readonly next?: string;
  /** Position (`Page.position`) of the last page of ERP records that was stored in this time window. */
  readonly after?: string;
}

/** Progress of reading one stream of an ERP. */
export interface StreamState {
  /** Time on the ERP clock, in RFC 3339 format, at which the next time window of an import begins. */
  readonly cursor?: string | undefined;
  readonly window?: OpenWindow | undefined;
}

/** A list of all record ids of an ERP stream. The list is compared with the imported records. */
export interface IdList {
  /** Time when the first page of the list of all ERP record ids was requested. Absent before this request. */
  readonly begunAt?: Date;
  /** Position of the last page of ERP record ids that was stored (`IdPage.position`). */
  readonly after?: string;
  /** Number of record ids from the ERP that this list contains so far. */
  readonly count: number;
  /** True if the ERP reported deletions that may be missing from its id list. The ids are then listed a second time. */
  readonly isFollowed?: boolean;
}

export type OfStreams<T> = Partial<Readonly<Record<StreamName, T>>>;

/**
 * Progress of reading all ERP streams if this takes several import runs, because each run used up its budget of calls.
 */
export interface Pass {
  /** Point at which the next import run continues: a stream, or the id lists. */
  readonly at: StreamName | 'ids';
  /**
   * ERP streams that have been read completely since the reading of all streams began, in this or an earlier import
   * run.
   */
  readonly read: readonly StreamName[];
}

/** An ERP connection that a worker has claimed for an import run. */
export interface ClaimedConnection extends CallableConnection {
  readonly companyId: string;
  readonly status: ConnectionStatus;
  readonly isPaused: boolean;
  readonly importFrom: string | undefined;
  readonly streams: Partial<Readonly<Record<StreamName, StreamState>>>;
  /** Time when the last comparison of all imported record ids with the ERP began. */
  readonly reconciledAt: Date | undefined;
  /** Lists of all ERP record ids that have not been compared with the stored records yet. */
  readonly lists: Partial<Readonly<Record<StreamName, IdList>>>;
  readonly pass: Pass | undefined;
  /** Start of the first import run whose records have not been examined yet (`CompleteImport`). */
  readonly incompleteSince: Date | undefined;
  /** Number of consecutive import runs of the ERP connection that were abandoned. */
  readonly abandonedRuns: number;
}

/** The claim of an import run on its ERP connection. Every write of the run requires that the claim is still valid. */
export interface ConnectionClaim {
  readonly connection: ClaimedConnection;
  readonly runId: string;
  keepAlive(onLost: () => void): { stop(): void };
  /**
   * Confirms the claim on the ERP connection before data is stored in another service.
   * @throws ClaimEnded
   */
  confirm(): Promise<void>;
  /**
   * Stores the progress in a time window: at the beginning of the window, and after each page of ERP records was
   * stored.
   * @throws ClaimEnded
   */
  saveWindow(stream: StreamName, window: OpenWindow): Promise<void>;
  /**
   * Stores that the time window of the ERP stream was read completely.
   * @throws ClaimEnded
   */
  saveCursor(stream: StreamName, cursor: string, succeededAt: Date): Promise<void>;
  /**
   * Stores that a comparison of all ERP record ids begins, with the id lists that must be read.
   * @throws ClaimEnded
   */
  saveReconciled(at: Date, lists: OfStreams<IdList>): Promise<void>;
  /**
   * Stores the same as {@link saveReconciled} and, in addition, that the given ERP streams are read from the beginning.
   * @throws ClaimEnded
   */
  startOver(at: Date, lists: OfStreams<IdList>, windows: OfStreams<OpenWindow>): Promise<void>;
  /**
   * Stores the progress of a list of ERP record ids after each page, or removes the list after the comparison.
   * @throws ClaimEnded
   */
  saveList(stream: StreamName, list: IdList | undefined): Promise<void>;
  /**
   * Stores the point at which the next import run continues, or undefined for the first ERP stream.
   * @throws ClaimEnded
   */
  savePass(pass: Pass | undefined): Promise<void>;
  /**
   * Stores the time since which imported ERP records have been waiting to be examined (`CompleteImport`), or undefined
   * if no records are waiting.
   * @throws ClaimEnded
   */
  saveIncomplete(since: Date | undefined): Promise<void>;
  /**
   * Transfers the claim on an ERP connection to a new import run that continues an abandoned run.
   * @throws ClaimEnded
   */
  continueAs(runId: string, abandonedRuns: number): Promise<ConnectionClaim>;
  /**
   * Completes the import run of an ERP connection: stores its result and the next due time, and releases the claim, in
   * one write.
   */
  release(end: RunEnd): Promise<void>;
  /** Releases the claim without an import run. The ERP connection becomes due again at the given time. */
  giveBack(nextSyncAt: Date): Promise<void>;
}

/**
 * Identifies the stored list of ERP record ids to which a page of ids belongs. The pages are stored separately from the
 * list.
 */
export interface ListOwner {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly stream: StreamName;
  readonly begunAt: Date;
}

/** Stores the ERP record ids of lists that have not been compared yet. An id that is stored twice counts once. */
export interface ListedIdStore {
  /**
   * Adds a page of ERP record ids to a stored list.
   * @param kind kind of the ids: LISTED by the ERP, or IMPORTED since the list was started
   */
  add(owner: ListOwner, kind: 'LISTED' | 'IMPORTED', ids: readonly string[]): Promise<void>;
  read(owner: ListOwner): Promise<{ readonly listed: ReadonlySet<string>; readonly imported: ReadonlySet<string> }>;
  /** Removes the lists of ERP record ids of a stream, or of the whole connection if no stream is given. */
  remove(connectionId: string, stream?: StreamName): Promise<void>;
}

/** Change of an ERP connection that a completed import run causes. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly finishedAt: Date;
  /** Next regular time of an import run of the ERP connection. */
  readonly nextSlot: Date;
  readonly abandonedRuns: number;
}

/**
 * Error that is thrown if the claim of an import run is no longer valid, because another worker has it or the ERP
 * connection was paused or disconnected.
 */
export class ClaimEnded extends Error {
  readonly reason: 'TAKEN' | 'PAUSED' | 'DISCONNECTED';

  constructor(reason: 'TAKEN' | 'PAUSED' | 'DISCONNECTED') {
    super(reason === 'TAKEN' ? 'another worker has the connection' : 'the connection was paused or disconnected');
    this.name = 'ClaimEnded';
    this.reason = reason;
  }
}

export interface DueConnection {
  readonly id: string;
  readonly organizationId: string;
  readonly provider: ProviderCode;
  readonly nextSyncAt: Date | undefined;
  /** Id of the import run that its worker abandoned. */
  readonly runningRunId: string | undefined;
  /** True if the ERP connection has neither a completed nor an abandoned import run. */
  readonly isFirst: boolean;
  /** True if the last import run did not read a time window to its end or did not reach all streams. */
  readonly isContinued: boolean;
}

export interface SyncedConnections {
  /**
   * Returns due ERP connections, and connections whose worker stopped responding, starting with the one that has been
   * due the longest.
   */
  due(limit: number): Promise<readonly DueConnection[]>;
  find(organizationId: string, connectionId: string): Promise<FoundConnection | undefined>;
  /** Claims an ERP connection that has no current import run, if its due time has not changed. */
  claimDue(due: DueConnection, runId: string): Promise<ConnectionClaim | undefined>;
  /** Claims an ERP connection that has no current import run, regardless of its due time. */
  claimNow(organizationId: string, connectionId: string, runId: string): Promise<ConnectionClaim | undefined>;
  /** Takes over an ERP connection whose worker stopped responding. The claim continues its import run. */
  takeOver(organizationId: string, connectionId: string, runId: string): Promise<ConnectionClaim | undefined>;
  /**
   * Changes the due time of an ERP connection without an import run, if the due time has not changed in the meantime.
   */
  postpone(due: DueConnection, nextSyncAt: Date): Promise<void>;
  /** Returns for each provider the longest time in seconds for which an ERP connection has been due. */
  lagSeconds(): Promise<readonly { readonly provider: ProviderCode; readonly seconds: number }[]>;
  /** Returns ERP connections that have been due for an import run since before the given time. */
  dueBefore(before: Date, limit: number): Promise<readonly StuckConnection[]>;
}

/** Fields of an ERP connection that determine whether a caller may start an import run. */
export interface FoundConnection {
  readonly status: ConnectionStatus;
  readonly runningRunId: string | undefined;
  /** True if the worker of the current ERP import run no longer renews its lease. */
  readonly isSilent: boolean;
}

export interface StuckConnection {
  readonly id: string;
  readonly organizationId: string;
  readonly dueSince: Date;
  readonly lastError: ConnectionError | undefined;
}

/** An import run as it is stored when it begins. */
export interface NewRun {
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly provider: ProviderCode;
  readonly trigger: RunTrigger;
  readonly mode: RunMode;
  readonly startedAt: Date;
}

/** Progress of an import run that is stored while it runs. */
export interface RunProgress {
  readonly streams: Partial<Readonly<Record<StreamName, StreamCounts>>>;
  readonly errors: readonly RunError[];
  readonly httpCalls: number;
  readonly throttledMs: number;
}

export interface RunStore {
  /** Stores a new import run of an ERP connection. Returns false if a run with this id exists. */
  insert(run: NewRun): Promise<boolean>;
  find(organizationId: string, runId: string): Promise<Run | undefined>;
  /** Stores the progress of a current import run. */
  saveProgress(organizationId: string, runId: string, progress: RunProgress): Promise<void>;
  /**
   * Completes an ERP import run in progress and publishes the event about the run.
   * @param end outcome of the run; if it has no `progress`, the progress that was stored last is kept
   * @returns the stored outcome of the run, which is the earlier outcome if the run was already completed; undefined if
   *   there is no such run
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
  /** Cancels the current import runs of an ERP connection. */
  cancel(organizationId: string, connectionId: string): Promise<void>;
  list(organizationId: string, connectionId: string, page: PageRequest): Promise<Page<Run>>;
  /** Returns the ERP import runs with the given ids. */
  many(organizationId: string, runIds: readonly string[]): Promise<readonly Run[]>;
  deleteFinishedBefore(before: Date): Promise<number>;
}
