import type { CountedTime } from '@invoicecontrol/metering/usage-reconciliation';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { NextTry } from '../domain/next-try.js';
import type { ScanResult, Skip, SkippedRow } from '../domain/scan.js';

/** A history scan of an organization. */
export interface ScanReference {
  readonly organizationId: string;
  readonly scanId: string;
}

export interface NewScan extends ScanReference {
  /** Id of the company to which all rows of the history scan belong. */
  readonly companyId: string;
  /** Base currency as ISO 4217 code at the time when the history scan was accepted. */
  readonly baseCurrency: string;
  readonly createdAt: Date;
  /** Rows of the history scan in the format of packed-rows.ts. */
  readonly packedRows: Buffer;
  /**
   * Grant of the caller who sent the rows. With it, the worker that completes the history scan proves, even much later,
   * that the organization has requested the analysis. Absent if an earlier release stored the scan.
   */
  readonly grant?: Buffer;
  /** SHA-256 hash of the request for a history scan. Present if the request had an idempotency key. */
  readonly fingerprint?: string;
  readonly usage: CountedRows;
}

/** Number of rows of a history scan that count towards the quota of a month, and that month. */
export interface CountedRows {
  /** UTC month in whose quota the rows of a history scan are counted, as `YYYY-MM`. */
  readonly month: string;
  readonly rows: number;
}

/**
 * A running history scan that this worker has claimed. If another worker takes over the history scan, writes of this
 * worker fail with VersionConflict.
 */
export interface HeldScan extends ScanReference {
  readonly version: number;
  /** Id of the claim of this worker on the history scan. */
  readonly claimId: string;
  /** True if the request of the history scan had an idempotency key. */
  readonly isKeyed: boolean;
  readonly companyId: string;
  readonly baseCurrency: string;
  readonly createdAt: Date;
  readonly packedRows: Buffer;
  /**
   * Grant of the caller who sent the rows. With it, the worker that completes the history scan proves, even much later,
   * that the organization has requested the analysis. Absent if an earlier release stored the scan.
   */
  readonly grant?: Buffer;
  readonly usage: CountedRows;
  /** Rows that the history scan skips. Absent until they are known. */
  readonly skips?: readonly Skip[];
  /** Number of consecutive attempts to complete the history scan that failed because of a bug (see next-try.ts). */
  readonly faults: number;
  /** Extends the lease on the history scan. Returns false if another worker has taken over. */
  renew(): Promise<boolean>;
  /**
   * Extends the lease on a history scan repeatedly until stopped, or until the lease has expired or another worker has
   * taken over.
   */
  keepAlive(onLost: () => void): { stop(): void };
}

export interface CompleteScan extends ScanReference {
  readonly status: 'COMPLETE';
  readonly companyId: string;
  readonly createdAt: Date;
  readonly result: ScanResult;
  /** Rows that the history scan skipped. Absent in lists of scans. */
  readonly skippedRows?: readonly SkippedRow[];
  readonly fingerprint?: string;
}

export interface RunningScan extends ScanReference {
  readonly status: 'RUNNING';
  readonly version: number;
  readonly companyId: string;
  readonly createdAt: Date;
  readonly usage: CountedRows;
  readonly fingerprint?: string;
  /** Time of the next attempt to complete a history scan. Absent while a worker has claimed the history scan. */
  readonly nextTryAt?: Date;
}

/** A history scan that the operator ended without a result. */
export interface FailedScan extends ScanReference {
  readonly status: 'FAILED';
  readonly failure: Failure;
  readonly fingerprint?: string;
}

export interface Failure {
  /** Reason why the operator ended the history scan. */
  readonly reason: string;
  readonly at: Date;
  /** Number of rows that counted towards the quota until the history scan was ended. */
  readonly rows: number;
}

/** A history scan that has been running for a long time, as it is reported to the operator. */
export interface StuckScan extends ScanReference {
  readonly createdAt: Date;
  readonly faults: number;
  /** Error of the last failed attempt to complete the history scan. */
  readonly lastError?: string;
  /** Time of the next attempt to complete a history scan. Absent while a worker has claimed the history scan. */
  readonly nextTryAt?: Date;
  /** Time when the lease of the worker of a history scan expires, unless the worker extends the lease. */
  readonly leaseUntil: Date;
}

export interface ScanQuery extends PageRequest {
  readonly companyId: string | undefined;
}

/** Database operations that the use cases of history scans need. */
export interface ScanStore {
  /**
   * Stores a history scan as running and claimed by this worker. Returns undefined if its id exists or another history
   * scan of the organization is running.
   */
  insert(scan: NewScan): Promise<HeldScan | undefined>;
  find(organizationId: string, scanId: string): Promise<CompleteScan | RunningScan | FailedScan | undefined>;
  /** Lists completed history scans, newest first. */
  list(organizationId: string, query: ScanQuery): Promise<Page<CompleteScan>>;
  /** Returns the running history scan of the organization, and whether its worker stopped responding. */
  running(organizationId: string): Promise<{ scanId: string; isAbandoned: boolean } | undefined>;
  /**
   * Takes over a running history scan whose worker stopped responding or whose pause is over.
   * @returns undefined if there is nothing to take over, or if another history scan of the organization is running; in
   *   the second case, the pause of this scan continues
   */
  takeOver(reference: ScanReference): Promise<HeldScan | undefined>;
  /** Stores which rows the history scan skips. Skipped rows no longer count towards the quota. */
  noteSkips(scan: HeldScan, skips: readonly Skip[], usage: CountedRows): Promise<HeldScan>;
  /** Stores the result of a history scan and its event in one write, after which the history scan is complete. */
  complete(scan: HeldScan, result: ScanResult, skippedRows: readonly SkippedRow[]): Promise<CompleteScan>;
  /** Leaves the history scan to the next worker after a pause. Returns false if another worker has taken over. */
  leave(scan: HeldScan, next: Omit<NextTry, 'reason'> & { readonly lastError: string }): Promise<boolean>;
  /**
   * Ends the history scan without a result, even while a worker has claimed it. Every later write of that worker fails.
   * The same database write removes the rows from the usage of the quota and stores the event and the audit event.
   * @throws VersionConflict if the history scan was changed after it was read
   */
  abandon(scan: RunningScan, reason: string, context: RequestContext): Promise<FailedScan>;
  /** Returns the ids of the abandoned history scans among the given history scans. */
  failedAmong(organizationId: string, scanIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Returns running history scans of all organizations that were accepted before the given time, oldest first, up to a
   * maximum number.
   */
  runningSince(createdBefore: Date): Promise<readonly StuckScan[]>;
  /** Removes a running history scan completely. Returns false if another worker has taken over. */
  remove(scan: HeldScan): Promise<boolean>;
  /**
   * Lists history scans of all organizations for the sweep. First come the scans whose worker stopped responding. Then
   * come some of the scans that were set aside and are due, longest waiting first.
   */
  abandoned(): Promise<ScanReference[]>;
  /** Returns how many history scans of all organizations are running, except those that were set aside. */
  countRunning(): Promise<number>;
  /** Returns the number of rows of history scans that count towards the quota of a month. */
  countedRows(organizationId: string, month: string, time: CountedTime): Promise<number>;
}
