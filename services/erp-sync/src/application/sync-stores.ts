import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { ConnectionError, ConnectionStatus } from '../domain/connection.js';
import type { StreamName } from '../domain/streams.js';
import type { Run, RunError, RunMode, RunOutcome, RunTrigger, StreamCounts } from '../domain/run.js';
import type { ProviderCode } from '../providers/provider.js';
import type { CallableConnection } from './open-erp.js';

// The operations of synchronising on the collections.

/** A window of a stream that is read from its beginning, or goes on after the last page that was stored. */
export interface OpenWindow {
  /** RFC 3339 time since which rows changed; absent for all rows. */
  readonly from?: string;
  /** `YYYY-MM-DD`: documents from this day on. */
  readonly dateFrom?: string;
  /** The cursor after its last page; absent until its first page is stored. */
  readonly next?: string;
  /** `Page.position` of the last page that was stored. */
  readonly after?: string;
}

/** Progress of reading a stream. */
export interface StreamState {
  /** RFC 3339, the clock of the ERP: the next window begins there. */
  readonly cursor?: string | undefined;
  readonly window?: OpenWindow | undefined;
}

/** The list of all ids of a stream that has to be compared with what was imported. */
export interface IdList {
  /** Time of the request for its first page; absent before it. */
  readonly begunAt?: Date;
  /** `IdPage.position` of the last page that was stored. */
  readonly after?: string;
  /** Ids that were stored. */
  readonly count: number;
  /** Deletions that it may miss were heard of since it was begun: another one follows. */
  readonly isFollowed?: boolean;
}

export type OfStreams<T> = Partial<Readonly<Record<StreamName, T>>>;

/** A pass over all streams that takes several runs because their budgets are spent. */
export interface Pass {
  /** Place at which the next run goes on: a stream, or the lists of ids. */
  readonly at: StreamName | 'ids';
  /** Streams that the runs of the pass have read to their end. */
  readonly read: readonly StreamName[];
}

/** A connection that a worker has claimed for a run. */
export interface ClaimedConnection extends CallableConnection {
  readonly companyId: string;
  readonly status: ConnectionStatus;
  readonly isPaused: boolean;
  readonly importFrom: string | undefined;
  readonly streams: Partial<Readonly<Record<StreamName, StreamState>>>;
  /** Time when the last comparison of all ids was begun. */
  readonly reconciledAt: Date | undefined;
  /** Lists that are not compared yet. */
  readonly lists: Partial<Readonly<Record<StreamName, IdList>>>;
  readonly pass: Pass | undefined;
  /** The first run whose records `CompleteImport` has not seen began then. */
  readonly incompleteSince: Date | undefined;
  /** Runs in a row that were abandoned. */
  readonly abandonedRuns: number;
}

/** The claim of a run on its connection. Whatever it writes is written only while the claim holds. */
export interface ConnectionClaim {
  readonly connection: ClaimedConnection;
  readonly runId: string;
  keepAlive(onLost: () => void): { stop(): void };
  /** Confirms the claim before something is stored elsewhere. @throws ClaimEnded */
  confirm(): Promise<void>;
  /** A page of the window was stored, or the window begins. @throws ClaimEnded */
  saveWindow(stream: StreamName, window: OpenWindow): Promise<void>;
  /** The window was read to its end. @throws ClaimEnded */
  saveCursor(stream: StreamName, cursor: string, succeededAt: Date): Promise<void>;
  /** A comparison of all ids is begun: these lists have to be read. @throws ClaimEnded */
  saveReconciled(at: Date, lists: OfStreams<IdList>): Promise<void>;
  /** Same as {@link saveReconciled}, and the streams of these windows are read from their beginning. @throws ClaimEnded */
  startOver(at: Date, lists: OfStreams<IdList>, windows: OfStreams<OpenWindow>): Promise<void>;
  /** Stores the list after a page; undefined after the list was compared. @throws ClaimEnded */
  saveList(stream: StreamName, list: IdList | undefined): Promise<void>;
  /** Stores the place at which the next run goes on; undefined for the first stream. @throws ClaimEnded */
  savePass(pass: Pass | undefined): Promise<void>;
  /** Notes since when records wait for `CompleteImport`; undefined when none wait. @throws ClaimEnded */
  saveIncomplete(since: Date | undefined): Promise<void>;
  /** Goes on as another run, after the one before was found abandoned. @throws ClaimEnded */
  continueAs(runId: string, abandonedRuns: number): Promise<ConnectionClaim>;
  /** The end of the run: its outcome, the next due time, and the release of the claim, in one write. */
  release(end: RunEnd): Promise<void>;
  /** Gives the claim back without a run; the connection is due then. */
  giveBack(nextSyncAt: Date): Promise<void>;
}

/** A list of all ids, as its pages are stored. */
export interface ListOwner {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly stream: StreamName;
  readonly begunAt: Date;
}

/** Ids of lists that are not compared yet. What is stored twice counts once. */
export interface ListedIdStore {
  /** @param kind listed by the ERP, or imported since the list was begun */
  add(owner: ListOwner, kind: 'LISTED' | 'IMPORTED', ids: readonly string[]): Promise<void>;
  read(owner: ListOwner): Promise<{ readonly listed: ReadonlySet<string>; readonly imported: ReadonlySet<string> }>;
  /** Removes all lists of a stream, or of the connection when no stream is given. */
  remove(connectionId: string, stream?: StreamName): Promise<void>;
}

/** Effect of a completed run on its connection. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly finishedAt: Date;
  /** The next regular slot. */
  readonly nextSlot: Date;
  readonly abandonedRuns: number;
}

/** The claim holds no longer: another worker has it, or the connection was paused or disconnected. */
export class ClaimEnded extends Error {
  readonly reason: 'TAKEN' | 'PAUSED' | 'DISCONNECTED';

  constructor(reason: 'TAKEN' | 'PAUSED' | 'DISCONNECTED') {
    super(reason === 'TAKEN' ? 'another worker has the connection' : 'the connection was paused or disconnected');
    this.name = 'ClaimEnded';
    this.reason = reason;
  }
}

/** A connection that may have to be run. */
export interface DueConnection {
  readonly id: string;
  readonly organizationId: string;
  readonly provider: ProviderCode;
  readonly nextSyncAt: Date | undefined;
  /** A run that its worker left. */
  readonly runningRunId: string | undefined;
  /** No run of it has ended or was abandoned yet. */
  readonly isFirst: boolean;
  /** A window or a pass was not read to its end. */
  readonly isContinued: boolean;
}

export interface SyncedConnections {
  /** Due ones, and those whose worker fell silent; the longest due first. */
  due(limit: number): Promise<readonly DueConnection[]>;
  find(organizationId: string, connectionId: string): Promise<FoundConnection | undefined>;
  /** Claims a connection on which no run is on, at the due time that was seen. */
  claimDue(due: DueConnection, runId: string): Promise<ConnectionClaim | undefined>;
  /** Claims a connection on which no run is on, due or not. */
  claimNow(organizationId: string, connectionId: string, runId: string): Promise<ConnectionClaim | undefined>;
  /** Takes over from a silent worker. The claim is that of its run. */
  takeOver(organizationId: string, connectionId: string, runId: string): Promise<ConnectionClaim | undefined>;
  /** Moves the due time that was seen, without a run. */
  postpone(due: DueConnection, nextSyncAt: Date): Promise<void>;
  /** Returns for how long the longest waiting connection of each provider has been due, in seconds. */
  lagSeconds(): Promise<readonly { readonly provider: ProviderCode; readonly seconds: number }[]>;
  /** Due since before this time. */
  dueBefore(before: Date, limit: number): Promise<readonly StuckConnection[]>;
}

/** Facts of a connection that decide whether a caller may start a run. */
export interface FoundConnection {
  readonly status: ConnectionStatus;
  readonly runningRunId: string | undefined;
  /** True when its worker no longer renews its lease. */
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
  /** False when there is a run with this id. */
  insert(run: NewRun): Promise<boolean>;
  find(organizationId: string, runId: string): Promise<Run | undefined>;
  /** Stores the progress of a running run. */
  saveProgress(organizationId: string, runId: string, progress: RunProgress): Promise<void>;
  /**
   * Ends a run that runs, and announces that.
   * @param progress absent: as it was stored last
   * @returns the outcome that it has now: an earlier end stays; undefined when there is no such run
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
  /** Ends the runs of a connection that run. */
  cancel(organizationId: string, connectionId: string): Promise<void>;
  list(organizationId: string, connectionId: string, page: PageRequest): Promise<Page<Run>>;
  /** Reads runs by id. */
  many(organizationId: string, runIds: readonly string[]): Promise<readonly Run[]>;
  deleteFinishedBefore(before: Date): Promise<number>;
}
