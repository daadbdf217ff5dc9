import { Outage } from './faults.js';
import type { ErpFault, FaultCode } from './faults.js';
import type { StreamName } from './streams.js';

export type RunTrigger = 'INITIAL' | 'SCHEDULED' | 'MANUAL' | 'RETRY';
export type RunMode = 'INCREMENTAL' | 'FULL';
export type RunStatus = 'RUNNING' | 'SUCCEEDED' | 'PARTIAL' | 'FAILED' | 'CANCELED';

/** Outcome of the rows of one stream. */
export interface StreamCounts {
  readonly fetched: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly failed: number;
  /** The window of the stream began here; absent for the beginning. */
  readonly cursorFrom?: string;
  /** The next window begins here; absent when the stream was not read to its end. */
  readonly cursorTo?: string;
}

const NO_ROWS: StreamCounts = { fetched: 0, created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };

/** One fault of a run, in our words. */
export interface RunError {
  readonly stream?: StreamName;
  readonly code: FaultCode;
  readonly message: string;
  readonly externalId?: string;
  /** True when the next run may succeed without anybody's help. */
  readonly retryable: boolean;
}

/** Errors that a run keeps: the first ones. */
export const RUN_ERRORS_MAX = 20;
/** More invalid rows of a stream than this make the run PARTIAL. */
const INVALID_PERCENT_MAX = 5;

/** One synchronisation run. */
export interface Run {
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly trigger: RunTrigger;
  readonly mode: RunMode;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly finishedAt: Date | undefined;
  /** A stream that was not reached is absent. */
  readonly streams: Partial<Readonly<Record<StreamName, StreamCounts>>>;
  readonly errors: readonly RunError[];
  readonly httpCalls: number;
  readonly throttledMs: number;
}

/** Effect of a finished run on its connection; stored with the run, so that any replica can apply it. */
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
  /** True when someone must act: the connection turns to ERROR. */
  readonly needsAPerson: boolean;
  /** The ERP does not want to be called before. */
  readonly notBefore?: Date;
  /** Interrupted by us: the next run is due at once. */
  readonly isInterrupted: boolean;
}

/** The reason why a run was broken off, where it was no fault of its ERP. */
type Break = 'TAKEN' | 'PAUSED' | 'DISCONNECTED' | 'STOPPING' | 'OUTAGE' | 'DEFECT';

/** The end of a run, besides the contents of its log. */
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

/** Collects what a run does. One for each run, in the memory of its worker. */
export interface RunLog {
  readonly streams: Partial<Readonly<Record<StreamName, StreamCounts>>>;
  readonly errors: readonly RunError[];
  /** Begins or continues the counts of a stream. */
  begin(stream: StreamName, cursorFrom: string | undefined): void;
  count(stream: StreamName, rows: Partial<StreamCounts>): void;
  /** The stream was read to its end. */
  complete(stream: StreamName, cursorTo: string): void;
  /** The stream is left out of the run. */
  drop(stream: StreamName): void;
  /** A row was not stored; the run goes on. */
  rowFailed(stream: StreamName, message: string, externalId: string | undefined): void;
  /** The stream, or without one the run, could not go on. */
  failed(error: RunError): void;
  /** A position was moved: a later run need not ask for what lies before it. */
  advance(): void;
  /** Tells whether a page was stored, a stream read to its end, or a position moved. */
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
      // A fault that ended a stream is told even after many invalid rows.
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
 * Returns the status of a completed run (ERP reference, section 14): FAILED when someone must act or nothing was read, PARTIAL when
 * something is missing or more than 5 % of the rows of a stream are invalid.
 */
export function statusOf(
  log: Pick<RunLog, 'streams' | 'errors' | 'hasResult'>,
  needsAPerson: boolean,
): 'SUCCEEDED' | 'PARTIAL' | 'FAILED' {
  if (needsAPerson) return 'FAILED';
  if (log.errors.some(({ code }) => code !== 'RECORD_INVALID')) return log.hasResult() ? 'PARTIAL' : 'FAILED';
  return hasTooManyInvalid(log.streams) ? 'PARTIAL' : 'SUCCEEDED';
}

/** Says what the end of a run means for its connection. */
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

/** The error that a connection shows after a run: what ended a stream rather than an invalid row. */
function errorOf(errors: readonly RunError[]): FaultyOutcome['error'] {
  const error = errors.find(({ code }) => code !== 'RECORD_INVALID');
  if (error !== undefined) return { code: error.code, message: error.message };
  return {
    code: 'RECORD_INVALID',
    message:
      'More than 5 % of the records of the ERP cannot be read. The runs of the connection list the first of them.',
  };
}

function hasTooManyInvalid(streams: RunLog['streams']): boolean {
  return Object.values(streams).some(({ fetched, failed }) => failed * 100 > fetched * INVALID_PERCENT_MAX);
}
