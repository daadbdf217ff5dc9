import { Outage } from './faults.js';
import type { ErpFault, FaultCode } from './faults.js';
import type { StreamName } from './streams.js';

export type RunTrigger = 'INITIAL' | 'SCHEDULED' | 'MANUAL' | 'RETRY';
export type RunMode = 'INCREMENTAL' | 'FULL';
export type RunStatus = 'RUNNING' | 'SUCCEEDED' | 'PARTIAL' | 'FAILED' | 'CANCELED';

/** Results of an import run for the rows of one ERP stream. */
export interface StreamCounts {
  readonly fetched: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly failed: number;
  /** Start of the time window that the import run read. Absent if the ERP stream was read from its beginning. */
  readonly cursorFrom?: string;
  /** Start of the next time window of an ERP stream. Absent if the stream was not read completely. */
  readonly cursorTo?: string;
}

const NO_ROWS: StreamCounts = { fetched: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };

/** A fault that occurred in an ERP import run. Its message contains no text from the ERP. */
export interface RunError {
  readonly stream?: StreamName;
  readonly code: FaultCode;
  readonly message: string;
  readonly externalId?: string;
  /** True if the next import run may succeed without any action. */
  readonly retryable: boolean;
}

/** Maximum number of errors that an import run stores. The first errors are kept. */
export const RUN_ERRORS_MAX = 20;
/** Percentage of invalid rows in a stream above which the import run is PARTIAL. */
const INVALID_PERCENT_MAX = 5;

/** Import run of an ERP connection. */
export interface Run {
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly trigger: RunTrigger;
  readonly mode: RunMode;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly finishedAt: Date | undefined;
  /** Results of the import run by stream. A stream that was not reached is absent. */
  readonly streams: Partial<Readonly<Record<StreamName, StreamCounts>>>;
  readonly errors: readonly RunError[];
  readonly httpCalls: number;
  readonly throttledMs: number;
}

/**
 * Change of an ERP connection that a completed import run causes. The change is stored with the run, so that any
 * replica can apply it.
 */
export type RunOutcome = FaultlessOutcome | FaultyOutcome;

interface FaultlessOutcome {
  readonly status: 'SUCCEEDED' | 'CANCELED';
  readonly error?: undefined;
  readonly needsAPerson: false;
  readonly notBefore?: undefined;
  readonly isInterrupted: false;
}

interface FaultyOutcome {
  readonly status: 'PARTIAL' | 'FAILED';
  readonly error: { readonly code: FaultCode; readonly message: string };
  /** True if a person must remove the cause of the error. The ERP connection then changes to ERROR. */
  readonly needsAPerson: boolean;
  /** Time before which the ERP must not be called after an import run. */
  readonly notBefore?: Date;
  /** True if the service interrupted the import run. The next run is due immediately. */
  readonly isInterrupted: boolean;
}

/** Reason why an import run was interrupted, if the ERP had no fault. */
type Break = 'TAKEN' | 'PAUSED' | 'DISCONNECTED' | 'STOPPING' | 'OUTAGE' | 'DEFECT';

/**
 * Describes how an import run ended, in addition to its log: with a fault of the ERP, or interrupted by the service.
 * Both fields are absent if the run ended normally.
 */
export type EndOfRun =
  { readonly fault?: ErpFault; readonly broken?: undefined } | { readonly fault?: undefined; readonly broken: Break };

const temporary: ReadonlySet<FaultCode> = new Set(['RATE_LIMITED', 'TIMEOUT', 'UPSTREAM_ERROR', 'RUN_ABANDONED']);

function isRetryable(code: FaultCode): boolean {
  return temporary.has(code);
}

export function toRunError(fault: Pick<ErpFault, 'code' | 'message'>, stream?: StreamName): RunError {
  const { code, message } = fault;
  const retryable = isRetryable(code) || fault instanceof Outage;
  return { ...(stream === undefined ? {} : { stream }), code, message, retryable };
}

/** Results of an import run that its worker collects in memory. */
export interface RunLog {
  readonly streams: Partial<Readonly<Record<StreamName, StreamCounts>>>;
  readonly errors: readonly RunError[];
  /** Starts or continues counting the rows of an ERP stream in this import run. */
  begin(stream: StreamName, cursorFrom: string | undefined): void;
  count(stream: StreamName, rows: Partial<StreamCounts>): void;
  /** Records that the import run has read the stream completely. */
  complete(stream: StreamName, cursorTo: string): void;
  /** Leaves an ERP stream out of the import run. */
  drop(stream: StreamName): void;
  /** Records that a row of the ERP was not stored. The import run continues. */
  rowFailed(stream: StreamName, message: string, externalId: string | undefined): void;
  /** Records that an ERP stream, or the whole import run if no stream is given, could not continue. */
  failed(error: RunError): void;
  /** Records that a position in an ERP stream has moved, so that a later run need not read earlier rows again. */
  advance(): void;
  /**
   * Checks whether the import run has made progress: a page of ERP records was stored, an ERP stream was read
   * completely, or a position moved.
   */
  hasResult(): boolean;
}

export function runLog(): RunLog {
  const streams: Partial<Record<StreamName, StreamCounts>> = {};
  const errors: RunError[] = [];
  const faults: RunError[] = [];
  let hasAdvanced = false;
  const note = (error: RunError): void => {
    if (errors.length < RUN_ERRORS_MAX) errors.push(error);
  };
  return {
    streams,
    get errors() {
      // A fault that ended an ERP stream is reported even after many invalid rows.
      const missing = faults.filter((fault) => !errors.includes(fault));
      return [...errors.slice(0, RUN_ERRORS_MAX - missing.length), ...missing];
    },
    begin(stream, cursorFrom) {
      streams[stream] ??= { ...NO_ROWS, ...(cursorFrom === undefined ? {} : { cursorFrom }) };
    },
    count(stream, rows) {
      const before = streams[stream] ?? NO_ROWS;
      streams[stream] = {
        ...before,
        fetched: before.fetched + (rows.fetched ?? 0),
        created: before.created + (rows.created ?? 0),
        updated: before.updated + (rows.updated ?? 0),
        unchanged: before.unchanged + (rows.unchanged ?? 0),
        deleted: before.deleted + (rows.deleted ?? 0),
        failed: before.failed + (rows.failed ?? 0),
      };
    },
    complete(stream, cursorTo) {
      streams[stream] = { ...(streams[stream] ?? NO_ROWS), cursorTo };
    },
    drop(stream) {
      delete streams[stream];
    },
    rowFailed(stream, message, externalId) {
      const row = externalId === undefined ? {} : { externalId };
      note({ stream, code: 'RECORD_INVALID', message, ...row, retryable: false });
    },
    failed(error) {
      if (faults.length < RUN_ERRORS_MAX) faults.push(error);
      note(error);
    },
    advance() {
      hasAdvanced = true;
    },
    hasResult() {
      const isRead = Object.values(streams).some(
        ({ cursorTo, created, updated, unchanged, deleted }) =>
          cursorTo !== undefined || created + updated + unchanged + deleted > 0,
      );
      return hasAdvanced || isRead;
    },
  };
}

/**
 * Returns the status of a completed import run (ERP reference, section 14): FAILED if a person must act or nothing was
 * read, and PARTIAL if a part is missing or more than 5 % of the rows in a stream are invalid.
 */
export function statusOf(
  log: Pick<RunLog, 'streams' | 'errors' | 'hasResult'>,
  needsAPerson: boolean,
): 'SUCCEEDED' | 'PARTIAL' | 'FAILED' {
  if (needsAPerson) return 'FAILED';
  if (log.errors.some(({ code }) => code !== 'RECORD_INVALID')) return log.hasResult() ? 'PARTIAL' : 'FAILED';
  return hasTooManyInvalid(log.streams) ? 'PARTIAL' : 'SUCCEEDED';
}

/** Returns the change of an ERP connection that the completion of an import run causes. */
export function outcomeOf(
  log: Pick<RunLog, 'streams' | 'errors' | 'hasResult'>,
  { fault, broken }: EndOfRun,
  now: Date,
): RunOutcome {
  const faultless = { needsAPerson: false, isInterrupted: false } as const;
  if (broken === 'PAUSED' || broken === 'DISCONNECTED') return { status: 'CANCELED', ...faultless };
  const needsAPerson = fault?.needsAPerson === true;
  const status = statusOf(log, needsAPerson);
  if (status === 'SUCCEEDED') return { status, ...faultless };
  const waitMs = fault?.retryAfterMs;
  return {
    status,
    error: needsAPerson ? { code: fault.code, message: fault.message } : errorOf(log.errors),
    needsAPerson,
    ...(waitMs === undefined ? {} : { notBefore: new Date(now.getTime() + waitMs) }),
    isInterrupted: broken === 'STOPPING',
  };
}

/**
 * Returns the error that an ERP connection shows after an import run. A fault that ended a stream takes precedence over
 * an invalid row.
 */
function errorOf(errors: readonly RunError[]): FaultyOutcome['error'] {
  const error = errors.find(({ code }) => code !== 'RECORD_INVALID');
  if (error !== undefined) return { code: error.code, message: error.message };
  return {
    code: 'RECORD_INVALID',
    message: 'More than 5% of the ERP records cannot be read. The runs of the connection list the first of them.',
  };
}

function hasTooManyInvalid(streams: RunLog['streams']): boolean {
  return Object.values(streams).some(({ fetched, failed }) => failed * 100 > fetched * INVALID_PERCENT_MAX);
}
