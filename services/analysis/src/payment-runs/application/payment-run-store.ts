import type { CountedTime } from '@invoicecontrol/metering/usage-reconciliation';
import type { Announcement } from '@invoicecontrol/runtime/mongo/event-envelope';
import type { Page, PageRequest } from '@invoicecontrol/runtime/page';
import type { LineFacts } from '../domain/join.js';
import type { PaymentLine } from '../domain/payment-line.js';
import type { GivenLines, Outcome, PaymentRun, Release } from '../domain/run.js';
import type { LineResult, RunFacts, Verdict } from '../domain/verdict.js';

/** A payment run to store, with everything that its first check found. */
export interface NewPaymentRun extends PaymentRun {
  readonly bytes: Uint8Array | undefined;
}

/** The lines of a payment run with the results of one check, in the order of the file. */
export interface CheckedLines {
  readonly organizationId: string;
  readonly runId: string;
  readonly checkId: string;
  readonly facts: readonly LineFacts[];
  readonly run: RunFacts;
  readonly results: readonly LineResult[];
}

/**
 * A line of a payment run with the verdict of the newest check, without its release and without the report of the bank.
 */
export interface CheckedLine {
  readonly line: PaymentLine;
  readonly result: LineResult;
}

/** A line of a payment run that may have been given to the bank, with the amount that it pays for one invoice. */
export interface LineOfInvoice {
  readonly runId: string;
  readonly checkId: string;
  readonly position: number;
  readonly lineId: string;
  readonly invoiceId: string;
  readonly amountMinor: string;
  readonly currency: string;
}

/** Report of the bank about a payment, which is stored with the account of the payment line. */
export interface ReportedOutcome extends Outcome {
  readonly accountKey: string | undefined;
}

export interface RunQuery extends PageRequest {
  readonly companyId: string | undefined;
}

export interface LineQuery {
  readonly size: number;
  /** Position of the last payment line on the previous page, or 0. */
  readonly after: number;
  readonly verdict: Verdict | undefined;
}

/** Stores payment runs. The stored document of a run is the commit point of every change. */
export interface PaymentRunStore {
  /**
   * Stores the lines and the facts of a check of a payment run. They take effect when the payment run names the check.
   * The call can be repeated.
   */
  insertCheck(checked: CheckedLines): Promise<void>;
  /** Removes the lines and the facts of a check that no payment run names. */
  removeCheck(organizationId: string, check: { readonly runId: string; readonly checkId: string }): Promise<void>;
  /**
   * Stores a new payment run with its file and its events.
   * @returns false if the run exists
   */
  insert(run: NewPaymentRun, events: readonly Announcement[]): Promise<boolean>;
  find(organizationId: string, runId: string): Promise<PaymentRun | undefined>;
  list(organizationId: string, query: RunQuery): Promise<Page<PaymentRun>>;
  /** Returns another payment run of the company with the message id of a file. */
  hasMessageId(
    organizationId: string,
    of: { readonly companyId: string; readonly messageId: string; readonly exceptRunId: string },
  ): Promise<boolean>;
  /**
   * Changes a payment run in one write with its events.
   * @throws VersionConflict if the run has changed since it was read
   */
  change(
    run: PaymentRun,
    change: Partial<Pick<PaymentRun, 'checks' | 'downloads' | 'reports' | 'counts'>>,
    events: readonly Announcement[],
  ): Promise<PaymentRun>;
  /** Returns the bytes of the file of a payment run, or undefined for a run that was sent as JSON. */
  bytesOf(organizationId: string, runId: string): Promise<Uint8Array | undefined>;
  /** Returns the lines of a payment run with the results of a check, in the order of the file. */
  lines(
    organizationId: string,
    of: { readonly runId: string; readonly checkId: string },
    query: LineQuery,
  ): Promise<readonly CheckedLine[]>;
  line(
    organizationId: string,
    of: { readonly runId: string; readonly checkId: string },
    lineId: string,
  ): Promise<CheckedLine | undefined>;
  /**
   * Returns all lines of a payment run with the results of a check. The caller writes a file, or makes another check,
   * from these lines.
   */
  allLines(
    organizationId: string,
    of: { readonly runId: string; readonly checkId: string },
  ): Promise<readonly CheckedLine[]>;
  /** Returns the facts of a check of a payment run for a replay of the check. */
  factsOf(
    organizationId: string,
    of: { readonly runId: string; readonly checkId: string },
  ): Promise<{ readonly run: RunFacts; readonly facts: readonly LineFacts[] } | undefined>;
  releases(organizationId: string, runId: string, lineIds?: readonly string[]): Promise<ReadonlyMap<string, Release>>;
  /**
   * Stores the release of a payment line as the version that follows `version` (0 for a new release), with its events.
   * @returns false if another request has stored a release first
   */
  writeRelease(
    organizationId: string,
    of: { readonly runId: string; readonly lineId: string; readonly version: number },
    release: Omit<Release, 'version'>,
    events: readonly Announcement[],
  ): Promise<boolean>;
  outcomes(organizationId: string, runId: string, positions?: readonly number[]): Promise<ReadonlyMap<number, Outcome>>;
  writeOutcomes(organizationId: string, runId: string, outcomes: ReadonlyMap<number, ReportedOutcome>): Promise<void>;
  /**
   * Returns the lines of payment runs that pay one of the invoices, with the check of each line. Only three kinds of
   * checks are read: checks in which lines were given out, checks about which a bank has reported, and the check
   * `ofCheck`.
   */
  linesOfInvoices(
    organizationId: string,
    invoiceIds: readonly string[],
    ofCheck?: string,
  ): Promise<readonly LineOfInvoice[]>;
  /** Returns the downloads of the given payment runs, each with the lines that were given to the bank. */
  givenLines(organizationId: string, runIds: readonly string[]): Promise<ReadonlyMap<string, readonly GivenLines[]>>;
  /** Adds up the lines of payment runs that were created in a month, `YYYY-MM`. */
  linesCreated(organizationId: string, month: string, time: CountedTime): Promise<number>;
  /** Returns the newest verifications of the payee by banks for the given accounts, by account key. */
  payeeChecks(
    organizationId: string,
    accountKeys: readonly string[],
  ): Promise<ReadonlyMap<string, NonNullable<LineFacts['payeeCheck']>>>;
}
