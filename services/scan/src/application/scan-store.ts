import type { CountedTime } from '@invoicecontrol/metering/usage-reconciliation';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import type { NextTry } from '../domain/next-try.js';
import type { ScanResult, Skip, SkippedRow } from '../domain/scan.js';

/** One scan of one tenant. */
export interface ScanReference {
  readonly organizationId: string;
  readonly scanId: string;
}

export interface NewScan extends ScanReference {
  /** Every row belongs to it. */
  readonly companyId: string;
  /** ISO 4217, as it is when the scan is accepted. */
  readonly baseCurrency: string;
  readonly createdAt: Date;
  /** See packed-rows.ts. */
  readonly packedRows: Buffer;
  /** SHA-256 of the request under an idempotency key. */
  readonly fingerprint?: string;
  readonly usage: CountedRows;
}

/** Number of rows that a scan counts, and the month of the quota. */
export interface CountedRows {
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly rows: number;
}

/**
 * A running scan in the hands of its one worker, and with its organization's turn. Writes fail with VersionConflict once another one has
 * taken over.
 */
export interface HeldScan extends ScanReference {
  readonly version: number;
  /** Proves that it is in our hands, whatever its version is by now. */
  readonly claimId: string;
  /** True when it came with an idempotency key. */
  readonly isKeyed: boolean;
  readonly companyId: string;
  readonly baseCurrency: string;
  readonly createdAt: Date;
  readonly packedRows: Buffer;
  readonly usage: CountedRows;
  /** Absent until it is known that and which rows are skipped. */
  readonly skips?: readonly Skip[];
  /** Tries in a row that ended in a fault; see next-try.ts. */
  readonly faults: number;
  /** Prolongs the lease; false when another worker has taken over. */
  renew(): Promise<boolean>;
  /** Prolongs the lease again and again until stopped, or until it is lost to another worker or has lapsed. */
  keepAlive(onLost: () => void): { stop(): void };
}

export interface CompleteScan extends ScanReference {
  readonly status: 'COMPLETE';
  readonly companyId: string;
  readonly createdAt: Date;
  readonly result: ScanResult;
  /** Absent in lists. */
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
  /** Absent while a worker has it, or until its lease runs out. */
  readonly nextTryAt?: Date;
}

/** A scan that the operator ended without a result. */
export interface FailedScan extends ScanReference {
  readonly status: 'FAILED';
  readonly failure: Failure;
  readonly fingerprint?: string;
}

export interface Failure {
  /** The operator's words. */
  readonly reason: string;
  readonly at: Date;
  /** Rows that counted until then. */
  readonly rows: number;
}

/** A scan that has been running for long, as the operator is told about it. */
export interface StuckScan extends ScanReference {
  readonly createdAt: Date;
  readonly faults: number;
  /** Error of the last failed attempt. */
  readonly lastError?: string;
  /** Time of its next attempt; absent while a worker has it. */
  readonly nextTryAt?: Date;
  /** When its worker gives it up, unless it prolongs that. */
  readonly leaseUntil: Date;
}

export interface ScanQuery extends PageRequest {
  readonly companyId: string | undefined;
}

/** The operations of use cases on the scans collection. */
export interface ScanStore {
  /** Stores a scan as running and held by us; undefined when its id is taken or another scan of the tenant runs. */
  insert(scan: NewScan): Promise<HeldScan | undefined>;
  find(organizationId: string, scanId: string): Promise<CompleteScan | RunningScan | FailedScan | undefined>;
  /** Finished scans, newest first. */
  list(organizationId: string, query: ScanQuery): Promise<Page<CompleteScan>>;
  /** The scan that has the tenant's turn, and whether its worker fell silent. */
  running(organizationId: string): Promise<{ scanId: string; isAbandoned: boolean } | undefined>;
  /**
   * Takes a running scan whose worker fell silent or whose pause is over, and the turn where it has none.
   * @returns undefined when there is nothing to take; also when another scan has the turn, and then the pause goes on
   */
  takeOver(reference: ScanReference): Promise<HeldScan | undefined>;
  /** Notes the skipped rows, and that they do not count. */
  noteSkips(scan: HeldScan, skips: readonly Skip[], usage: CountedRows): Promise<HeldScan>;
  /** The commit point: the result and its event in one write. */
  complete(scan: HeldScan, result: ScanResult, skippedRows: readonly SkippedRow[]): Promise<CompleteScan>;
  /** Leaves the scan to the next worker, after a pause; false when another worker has taken over. */
  leave(scan: HeldScan, next: Omit<NextTry, 'reason'> & { readonly lastError: string }): Promise<boolean>;
  /**
   * Ends the scan without a result, regardless of its holder: every later write of its worker fails. Its rows stop counting with this
   * write, which also carries the event and the line of the audit trail.
   * @throws VersionConflict when the scan was changed after it was read
   */
  abandon(scan: RunningScan, reason: string, context: RequestContext): Promise<FailedScan>;
  /** Those of the scans that were abandoned. */
  failedAmong(organizationId: string, scanIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Scans of any tenant that were accepted before and still run, oldest first, a bounded number. */
  runningSince(createdBefore: Date): Promise<readonly StuckScan[]>;
  /** Removes a running scan as if it had never been; false when another worker has taken over. */
  remove(scan: HeldScan): Promise<boolean>;
  /**
   * Lists the scans for the sweep: scans of any tenant that have the turn and whose worker fell silent, then some of those that were set
   * aside and are due. Those that wait longest come first.
   */
  abandoned(): Promise<ScanReference[]>;
  /** The rows that scans of a month count. */
  countedRows(organizationId: string, month: string, time: CountedTime): Promise<number>;
}
