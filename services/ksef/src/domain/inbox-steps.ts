import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { BUYER, markOf, polishMidnight, REFUSED_MAX, UNCOUNTED_MAX } from './inbox.js';
import type { Inbox, InboxRun, RoleInbox, RunningExport, RunStatus, RunUnderWay, StoringPeriod } from './inbox.js';
import { compareInstants, earlierOf, laterOf } from './instants.js';
import { keepRefusals, refusalsMessage, refusalsToRequest, REFUSALS_FULL, withoutPassed } from './kept-refusals.js';
import type { Reception } from './kept-refusals.js';
import { backoffMs, pollAfterMs } from './submission-waits.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Minimum interval between the KSeF inbox runs of the buyer role. Four runs an hour use four of the twenty exports that
 * all of the company's software shares.
 */
export const BUYER_EACH_MS = 15 * MINUTE;
/** Maximum time for which a KSeF export may be in progress before it is abandoned. */
export const EXPORT_MS_MAX = 2 * HOUR;
/** Period whose invoices the nightly run of a KSeF inbox receives again. */
const REPEATED_MS = 48 * HOUR;
/**
 * Maximum length of the time window of a KSeF export. KSeF refuses longer windows and documents a limit of three
 * months.
 */
export const WINDOW_MS_MAX = 89 * DAY;
/** Maximum time that an inbox run waits for the rate limits of KSeF before it requests a refused invoice again. */
export const REPAIR_WAIT_MS_MAX = 2 * MINUTE;
/** Maximum number of KSeF exports that one inbox run abandons. */
export const RESTARTS_MAX = 5;
/** Maximum number of consecutive failed steps in a KSeF inbox run. */
export const FAILURES_MAX = 10;
/** Time to wait before the next attempt for a KSeF inbox role whose runs are at night. */
const RETRY_MS = HOUR;
/** Time to wait before retrying a KSeF inbox run that requires a person to act. */
export const PAUSE_MS = 6 * HOUR;
/**
 * Start of the night, 01:00 UTC, when KSeF has little traffic. The nightly runs of all inboxes are spread over three
 * hours.
 */
const NIGHT_MS = HOUR;
const NIGHT_SPREAD_MS = 3 * HOUR;

export interface InboxTiming {
  readonly now: Date;
  readonly waitFactor: number;
  /** Random number from 0 to 1, by which the waiting times of KSeF inboxes vary. */
  readonly random: number;
}

/** Properties of a KSeF export package that determine the time window of the next export. */
export interface ExportedWindow {
  readonly isTruncated: boolean;
  /** Time at which KSeF stored the last invoice of a truncated export package. */
  readonly lastStoredAt?: string | undefined;
  readonly highWaterMark?: string | undefined;
}

/** A changed KSeF inbox and the inbox runs that the change completed. */
export interface InboxChange {
  readonly inbox: Inbox;
  readonly ended?: readonly InboxRun[];
  /** True if the completed inbox run has received all purchase invoices up to a later time than earlier runs. */
  readonly hasNews?: boolean;
}

/** Returns the next step of a KSeF inbox. The step is for the role that has been due the longest. */
export function nextStep({ roles }: Inbox): {
  readonly kind: 'BEGIN' | 'REPAIR' | 'EXPORT' | 'FOLLOW';
  readonly role: RoleInbox;
} {
  const role = roles.reduce((first, other) => (other.dueAt < first.dueAt ? other : first));
  if (role.run === undefined) return { kind: 'BEGIN', role };
  if (role.run.again !== undefined) return { kind: 'REPAIR', role };
  return { kind: role.run.export?.referenceNumber === undefined ? 'EXPORT' : 'FOLLOW', role };
}

/** Makes all idle roles of a KSeF inbox due now, because a person requested inbox runs. */
export function requested(inbox: Inbox, now: Date): Inbox {
  const roles = inbox.roles.map((role) => (role.run === undefined ? { ...role, dueAt: now, isRequested: true } : role));
  return { ...inbox, roles, requestedAt: undefined };
}

/**
 * Starts an inbox run that receives the invoices in which the company has the given role, such as buyer. The run begins
 * at the time up to which these invoices have been received. Once a night it begins 48 hours earlier, because KSeF has
 * stated before that its invoices were complete up to a time although some were missing. At night, or if a person
 * requested the run, refused invoices are requested again first.
 */
export function begun(inbox: Inbox, role: RoleInbox, id: string, timing: InboxTiming): Inbox {
  const { now } = timing;
  const isNight = now >= role.nightAt;
  const mark = markOf(inbox, role);
  const repeated = new Date(now.getTime() - REPEATED_MS).toISOString();
  const from = isNight ? laterOf(earlierOf(mark, repeated), polishMidnight(inbox.from)) : mark;
  const again = isNight || role.isRequested ? refusalsToRequest(inbox, role.role) : [];
  const run: RunUnderWay = {
    id,
    ...(again.length === 0 ? {} : { again }),
    trigger: role.isRequested ? 'MANUAL' : 'SCHEDULE',
    startedAt: now,
    from,
    cursor: from,
    hasMoved: false,
    received: 0,
    repeated: 0,
    refused: [],
    restarts: 0,
    failures: 0,
  };
  const nightAt = isNight ? nextNight(inbox, timing) : role.nightAt;
  return withRole(inbox, { ...role, dueAt: now, nightAt, since: role.since ?? now, isRequested: false, run });
}

/**
 * Stores the result of requesting the first of the refused invoices again.
 * @param isLast true if the inbox run requests no further refused invoices
 */
export function repaired(
  inbox: Inbox,
  role: RoleInbox,
  reception: Reception,
  isLast: boolean,
  timing: InboxTiming,
): InboxChange {
  const received = withReception(inbox, role, reception, timing);
  const [, ...again] = runOf(role).again ?? [];
  const run = { ...runOf(received.role), again: isLast || again.length === 0 ? undefined : again };
  return { inbox: withRole(received.inbox, { ...received.role, dueAt: timing.now, run }) };
}

/** Returns the KSeF inbox after the next request for a refused invoice was postponed. */
export function repairPostponed(inbox: Inbox, role: RoleInbox, waitMs: number, { now }: InboxTiming): InboxChange {
  return { inbox: withRole(inbox, { ...role, dueAt: new Date(now.getTime() + waitMs) }) };
}

/** Stores the encryption key of an export before the export is requested from KSeF. */
export function exporting(inbox: Inbox, role: RoleInbox, key: SealedValue, { now }: InboxTiming): Inbox {
  const run = runOf(role);
  const ends = Date.parse(run.cursor) + WINDOW_MS_MAX;
  const to = ends < now.getTime() ? new Date(ends).toISOString() : undefined;
  const started: RunningExport = { key, startedAt: now, polls: 0, ...(to === undefined ? {} : { to }) };
  return withRole(inbox, { ...role, dueAt: now, run: { ...run, export: started } });
}

export function exportStarted(inbox: Inbox, role: RoleInbox, referenceNumber: string, timing: InboxTiming): Inbox {
  const run = runOf(role);
  const dueAt = after(pollAfterMs(0, 0), timing);
  return withRole(inbox, {
    ...role,
    dueAt,
    run: { ...run, failures: 0, export: { ...exportOf(run), referenceNumber } },
  });
}

/**
 * Returns the KSeF inbox change that follows from an export status.
 * @returns RECEIVE if the package is ready, otherwise the change
 */
export function followed(
  inbox: Inbox,
  role: RoleInbox,
  { code, said }: { readonly code: number; readonly said: string },
  timing: InboxTiming,
): InboxChange | 'RECEIVE' {
  const run = runOf(role);
  const running = exportOf(run);
  if (code < 200) {
    const ageMs = timing.now.getTime() - running.startedAt.getTime();
    if (ageMs >= EXPORT_MS_MAX * timing.waitFactor) {
      return restarted(inbox, role, 'KSeF did not finish the export within two hours.', timing);
    }
    const polls = running.polls + 1;
    const dueAt = after(pollAfterMs(polls, ageMs), timing);
    return {
      inbox: withRole(inbox, { ...role, dueAt, run: { ...run, failures: 0, export: { ...running, polls } } }),
    };
  }
  switch (code) {
    case 200:
      return 'RECEIVE';
    case 420:
      // KSeF states that its invoices are complete only up to a time before the time window of the export, so there are
      // no new invoices to receive.
      return ended(inbox, withRun(role, { ...run, through: run.through ?? run.cursor }), undefined, timing);
    case 210:
      return restarted(inbox, role, 'The package of the KSeF export has expired.', timing);
    case 415:
      return restarted(inbox, role, 'KSeF could not decrypt the key of the export.', timing);
    default:
      return restarted(inbox, role, `KSeF could not create the export (${code}). ${said}`.trim(), timing);
  }
}

/** Notes that the package of a KSeF export is ready and waits for a free slot. */
export function packageReady(inbox: Inbox, role: RoleInbox): InboxChange {
  const run = runOf(role);
  return { inbox: withRole(inbox, withRun(role, { ...run, export: { ...exportOf(run), isReady: true } })) };
}

/**
 * Records that the role stores documents of a KSeF invoice package from now on. The function is called before the first
 * document is stored. If the process is killed before it has counted the documents, the recorded period shows which
 * documents must still be counted.
 */
export function receiving(inbox: Inbox, role: RoleInbox, { now }: InboxTiming): InboxChange {
  const roles = inbox.roles.map((one): RoleInbox => {
    const { uncounted = [] } = one;
    const isOpen = uncounted.some(({ until }) => until === undefined);
    if (one.role === role.role) {
      return isOpen ? one : { ...one, uncounted: [...uncounted, { from: now }].slice(-UNCOUNTED_MAX) };
    }
    return isOpen ? { ...one, uncounted: uncounted.map(({ from, until = now }) => ({ from, until })) } : one;
  });
  return { inbox: { ...inbox, roles } };
}

/**
 * Checks whether a document received from KSeF has not been counted yet.
 * @param role role whose package contains the document
 * @param storedAt time at which this inbox run or an earlier one stored the document
 */
export function isUncounted(inbox: Inbox, role: RoleInbox, storedAt: Date): boolean {
  const isWithin = ({ from, until }: StoringPeriod): boolean =>
    from <= storedAt && (until === undefined || storedAt < until);
  if (role.uncounted?.some(isWithin) === true) return true;
  // An invoice from KSeF may be received in several roles, for example as buyer and as third party, and is counted only
  // in the role that stored its document. At any time, only one role stores documents.
  const others = inbox.roles.filter((other) => other.role !== role.role).flatMap(({ uncounted = [] }) => uncounted);
  if (others.some((period) => period.until !== undefined && isWithin(period))) return false;
  return role.since === undefined || storedAt >= role.since;
}

/** Gives up a KSeF export and requests another one for the same window after an increasing pause. */
export function restarted(inbox: Inbox, role: RoleInbox, message: string, timing: InboxTiming): InboxChange {
  const run = runOf(role);
  const restarts = run.restarts + 1;
  if (restarts > RESTARTS_MAX) return ended(inbox, role, { message, hasSpentExports: true }, timing);
  const dueAt = after(backoffMs(restarts, timing.random), timing);
  return { inbox: withRole(inbox, { ...role, dueAt, run: { ...run, restarts, export: undefined } }) };
}

/**
 * Counts the invoices that an interrupted KSeF package has delivered. When the time window is received again, these
 * invoices count as received in this inbox run, and not as received before.
 */
export function interrupted(inbox: Inbox, role: RoleInbox, reception: Reception, timing: InboxTiming): InboxChange {
  const { refused, repeated, interrupted: before = 0 } = runOf(role);
  const counted = withReception(inbox, role, reception, timing);
  // When the time window of a KSeF export is repeated, the invoices that were received before or refused are delivered
  // and counted again.
  const run = { ...runOf(counted.role), refused, repeated, interrupted: before + reception.received };
  return { inbox: withRole(counted.inbox, withRun(counted.role, run)) };
}

/**
 * Records that all invoices of a time window have been received: each was stored or is kept as refused. After a
 * truncated package, the next time window follows at once. If the KSeF inbox cannot keep all refused invoices, nothing
 * is recorded, and the inbox waits for a person.
 */
export function windowReceived(
  inbox: Inbox,
  role: RoleInbox,
  window: ExportedWindow,
  reception: Reception,
  timing: InboxTiming,
): InboxChange {
  const grown = withReception(inbox, role, reception, timing, true);
  if (!grown.areAllKept) return ended(inbox, role, { message: REFUSALS_FULL, isPaused: true, reception }, timing);
  const run = runOf(grown.role);
  const { to } = exportOf(run);
  const stated = (window.isTruncated ? window.lastStoredAt : window.highWaterMark) ?? to ?? run.cursor;
  // If the time up to which invoices are received were after the time window of the KSeF export, or in the future,
  // invoices would be skipped.
  const next = earlierOf(stated, to ?? timing.now.toISOString());
  const hasProgress = compareInstants(next, run.cursor) > 0;
  const mark = markOf(inbox, role);
  const moved = laterOf(mark, next);
  const received = {
    ...run,
    cursor: hasProgress ? next : run.cursor,
    through: hasProgress ? next : run.cursor,
    hasMoved: run.hasMoved || compareInstants(moved, mark) > 0 || role.mark === undefined,
    failures: 0,
    restarts: 0,
    interrupted: undefined,
    export: undefined,
  };
  const { refused } = grown.inbox;
  const passed = { ...grown.inbox, refused: hasProgress ? withoutPassed(refused, role.role, timing.now) : refused };
  const nextRole = withRun({ ...grown.role, mark: moved }, received);
  if (window.isTruncated && !hasProgress && reception.received === 0) {
    const message = `KSeF stored more invoices at ${next} than fit in one package, and does not return the remaining ones. Ask the KSeF helpdesk.`;
    return ended(passed, nextRole, { message }, timing);
  }
  if (window.isTruncated || (to !== undefined && hasProgress)) {
    return { inbox: withRole(passed, { ...nextRole, dueAt: timing.now }) };
  }
  return ended(passed, nextRole, undefined, timing);
}

/**
 * Counts a failed step of a KSeF inbox run, which is repeated after an increasing pause. Too many consecutive failures
 * end the inbox run as failed.
 */
export function stepFailed(
  inbox: Inbox,
  role: RoleInbox,
  {
    message,
    retryAfterMs,
    isAboutLimits,
  }: {
    readonly message: string;
    readonly retryAfterMs?: number | undefined;
    readonly isAboutLimits: boolean;
  },
  timing: InboxTiming,
): InboxChange {
  const run = runOf(role);
  // A step that only waits for the rate limits of KSeF does not count as failed.
  const failures = isAboutLimits ? run.failures : run.failures + 1;
  if (failures > FAILURES_MAX) return ended(inbox, role, { message }, timing);
  const pauseMs = isAboutLimits ? 0 : backoffMs(failures, timing.random) * timing.waitFactor;
  const dueAt = new Date(timing.now.getTime() + Math.max(pauseMs, retryAfterMs ?? 0));
  return { inbox: withRole(inbox, { ...role, dueAt, run: { ...run, failures } }) };
}

export interface RunFault {
  /** Fault of a KSeF inbox run, as a sentence for users. */
  readonly message: string;
  readonly isPaused?: boolean;
  /**
   * True if the KSeF inbox run has abandoned the maximum number of exports. The run then starts no further export,
   * because all software of the company shares the exports that KSeF allows.
   */
  readonly hasSpentExports?: boolean;
  /** Invoices of the time window of a KSeF export that were received before the fault. */
  readonly reception?: Reception;
}

/**
 * Completes the KSeF inbox run of a role.
 * @param fault undefined if everything was received
 */
export function ended(inbox: Inbox, role: RoleInbox, fault: RunFault | undefined, timing: InboxTiming): InboxChange {
  const { now } = timing;
  const received =
    fault?.reception === undefined ? { inbox, role } : withReception(inbox, role, fault.reception, timing);
  const run = runOf(received.role);
  const isPaused = fault?.isPaused === true;
  const error = fault?.message ?? refusalsMessage(received.inbox, run);
  const over: InboxRun = {
    ...shownRun(role, run),
    status: fault === undefined && error !== undefined ? 'PARTIAL' : statusOf(run, fault),
    ...(error === undefined ? {} : { errorMessage: error }),
    finishedAt: now,
  };
  const idle: RoleInbox = {
    ...received.role,
    isPaused,
    error,
    run: undefined,
    dueAt: nextRunAt(inbox, role, run, fault, timing),
  };
  return {
    inbox: { ...withRole(received.inbox, idle), lastRunAt: now },
    ended: [over],
    hasNews: role.role === BUYER && run.hasMoved,
  };
}

/** Returns a KSeF inbox run in progress in the form that users see. */
export function shownRun({ role }: RoleInbox, run: RunUnderWay): InboxRun {
  const { id, trigger, from, through, received, repeated, refused, startedAt } = run;
  return { id, role, trigger, status: 'RUNNING', from, through, received, repeated, refused, startedAt };
}

/** Returns the KSeF inbox runs in progress with the status that they get when their inbox is disabled. */
export function stoppedRuns({ roles }: Inbox, message: string, now: Date): readonly InboxRun[] {
  return roles.flatMap((role) => {
    if (role.run === undefined) return [];
    const status = statusOf(role.run, { message });
    return [{ ...shownRun(role, role.run), status, errorMessage: message, finishedAt: now }];
  });
}

/**
 * Returns the start of the next night for a KSeF inbox after a given time. A wait factor below 1 also shortens the
 * interval between two nights.
 */
export function nextNight(
  { id }: Pick<Inbox, 'id'>,
  { now, waitFactor }: Pick<InboxTiming, 'now' | 'waitFactor'>,
): Date {
  const periodMs = Math.max(1, DAY * waitFactor);
  const spread = (Number.parseInt(id.replaceAll('-', '').slice(0, 8), 16) || 0) / 0x1_0000_0000;
  const offsetMs = Math.floor((NIGHT_MS + spread * NIGHT_SPREAD_MS) * waitFactor);
  const nights = Math.floor((now.getTime() - offsetMs) / periodMs) + 1;
  return new Date(Math.ceil(nights * periodMs + offsetMs));
}

function nextRunAt(
  inbox: Inbox,
  { role }: RoleInbox,
  { startedAt }: RunUnderWay,
  fault: RunFault | undefined,
  timing: InboxTiming,
): Date {
  if (fault?.isPaused === true) return after(PAUSE_MS, timing);
  if (fault?.hasSpentExports === true) return after(RETRY_MS, timing);
  if (role !== BUYER) return fault === undefined ? nextNight(inbox, timing) : after(RETRY_MS, timing);
  const next = startedAt.getTime() + BUYER_EACH_MS * timing.waitFactor;
  return new Date(Math.max(next, timing.now.getTime()));
}

function statusOf(run: RunUnderWay, fault: RunFault | undefined): RunStatus {
  if (fault === undefined) return 'SUCCEEDED';
  return run.hasMoved || run.received > 0 || fault.reception !== undefined ? 'PARTIAL' : 'FAILED';
}

/**
 * Adds received and refused invoices to a KSeF inbox run and its inbox. Each document counts as received only once, in
 * one run of one role.
 */
function withReception(
  inbox: Inbox,
  role: RoleInbox,
  reception: Reception,
  { now }: InboxTiming,
  isWhole = false,
): { readonly inbox: Inbox; readonly role: RoleInbox; readonly areAllKept: boolean } {
  const run = runOf(role);
  const { received, lastStoredAt } = reception;
  const refused = reception.refused.map(({ ksefNumber, reason }) => ({ ksefNumber, reason }));
  // An inbox run without a KSeF export has requested the invoice by its KSeF number, so the invoice belongs to no
  // package.
  const uncounted = run.export === undefined ? role.uncounted : periodsAfter(role, lastStoredAt, isWhole);
  const next = withRun(
    { ...countedTo(role, lastStoredAt), uncounted },
    {
      ...run,
      received: run.received + received,
      repeated: run.repeated + Math.max(0, reception.repeated - (run.interrupted ?? 0)),
      refused: [...run.refused, ...refused].slice(0, REFUSED_MAX),
    },
  );
  const kept = keepRefusals(inbox.refused, reception, role.role, now);
  const roles = inbox.roles.map((one) => countedTo(one, lastStoredAt));
  const grown = { ...inbox, roles, invoicesReceived: inbox.invoicesReceived + received, refused: kept.refused };
  return { inbox: withRole(grown, next), role: next, areAllKept: kept.areAllKept };
}

/**
 * Returns the periods in which documents were stored for a role and not counted yet, after a package or a part of one
 * was received. The documents of a package always have the same order, so every document that was stored before the
 * last counted one has been counted too.
 */
function periodsAfter(
  { uncounted = [] }: RoleInbox,
  lastStoredAt: Date | undefined,
  isWhole: boolean,
): RoleInbox['uncounted'] {
  const left = uncounted.flatMap(({ from, until }) => {
    // If only a part of the KSeF invoice package was received, its period stays open: one more document may have been
    // stored, whose analysis could not be requested.
    if (until === undefined && isWhole) return [];
    const next = lastStoredAt === undefined || lastStoredAt < from ? from : new Date(lastStoredAt.getTime() + 1);
    return until === undefined || next < until ? [{ from: next, until }] : [];
  });
  return left.length === 0 ? undefined : left;
}

/** Notes that all documents that a KSeF inbox role stored up to a time are counted. */
function countedTo(role: RoleInbox, storedAt: Date | undefined): RoleInbox {
  if (storedAt === undefined || (role.since !== undefined && storedAt < role.since)) return role;
  return { ...role, since: new Date(storedAt.getTime() + 1) };
}

function after(waitMs: number, { now, waitFactor }: InboxTiming): Date {
  return new Date(now.getTime() + waitMs * waitFactor);
}

function withRun(role: RoleInbox, run: RunUnderWay): RoleInbox {
  return { ...role, run };
}

function withRole(inbox: Inbox, changed: RoleInbox): Inbox {
  return { ...inbox, roles: inbox.roles.map((role) => (role.role === changed.role ? changed : role)) };
}

/**
 * Returns the current KSeF inbox run of a role.
 * @throws TypeError if the role has no run
 */
export function runOf({ role, run }: RoleInbox): RunUnderWay {
  if (run === undefined) throw new TypeError(`The KSeF inbox has no run for the role ${role} of the company.`);
  return run;
}

/**
 * Returns the current KSeF export of an inbox run.
 * @throws TypeError if the run has no export
 */
export function exportOf({ id, export: running }: RunUnderWay): RunningExport {
  if (running === undefined)
    throw new TypeError(`The run ${id} of the KSeF inbox has requested no export of invoices from KSeF.`);
  return running;
}
