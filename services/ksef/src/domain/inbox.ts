import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { v5 as uuidV5 } from 'uuid';
import type { Environment } from './connection.js';
import { laterOf } from './instants.js';
import { polishDayOf } from './preconditions.js';

/**
 * Roles in which a company receives invoices from KSeF. Each role requires a separate request to KSeF. Invoices that
 * the company issued are never received.
 */
export const inboxRoles = ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED'] as const;
export type InboxRole = (typeof inboxRoles)[number];

/**
 * The KSeF inbox role in which a company is the buyer. The time that is stored for this role is the time up to which
 * all purchase invoices were received.
 */
export const BUYER: InboxRole = 'SUBJECT2';
/** First day on which suppliers issue invoices through KSeF. */
const INBOX_FROM_MIN = '2026-02-01';
/** Maximum number of runs that a KSeF inbox keeps. Older runs are removed. */
export const INBOX_RUNS_MAX = 100;
/** Maximum number of refused invoices that an inbox run lists. A metric counts all refused invoices of KSeF inboxes. */
export const REFUSED_MAX = 100;
/**
 * Maximum number of refused invoices that a KSeF inbox keeps. If a time window has further refused invoices, the inbox
 * does not continue with the next window, so that no invoice is lost.
 */
export const REFUSALS_KEPT_MAX = 100;

export type RunTrigger = 'SCHEDULE' | 'MANUAL';
/**
 * Status of a KSeF inbox run. PARTIAL means that some invoices were not received: the next run continues with them, or
 * they were refused. FAILED means that nothing was received.
 */
export type RunStatus = 'RUNNING' | 'SUCCEEDED' | 'PARTIAL' | 'FAILED';

/** A KSeF invoice that was not stored. */
export interface RefusedInvoice {
  /** KSeF number of the invoice, or the name of the invoice file in the package if that is not a KSeF number. */
  readonly ksefNumber: string;
  /** Reason for refusing an invoice from KSeF, as a sentence. */
  readonly reason: string;
}

/** A refused KSeF invoice with the hash that KSeF states about it. */
export interface RefusedFile extends RefusedInvoice {
  /** SHA-256 hash of the invoice file in base64. Undefined if KSeF stated none. */
  readonly invoiceHash?: string | undefined;
  /**
   * True if the document of the invoice was stored, but its analysis has not been requested yet. Until then, the
   * invoice does not count as received.
   */
  readonly isUncounted?: boolean | undefined;
}

/** A refused invoice that a KSeF inbox keeps until it is stored. */
export interface KeptRefusal extends RefusedFile {
  /** Role of the company in which the inbox first refused the invoice. */
  readonly role: InboxRole;
  readonly firstAttemptAt: Date;
  readonly lastAttemptAt: Date;
  /**
   * Time at which the refused invoice was stored after all, or a person dismissed it. After that, the invoice is
   * neither shown nor requested again.
   */
  readonly closedAt?: Date | undefined;
}

export interface ReceivedCounts {
  /** Number of invoices that a KSeF inbox run received for the first time. */
  readonly received: number;
  /** Number of invoices in a KSeF inbox run that had been received before. */
  readonly repeated: number;
  /** Invoices of a KSeF inbox run that were not stored, at most the first {@link REFUSED_MAX}. */
  readonly refused: readonly RefusedInvoice[];
}

/** The fields of a KSeF inbox run that users see. Times from KSeF are kept as text, exactly as KSeF sent them. */
export interface InboxRun extends ReceivedCounts {
  readonly id: string;
  readonly role: InboxRole;
  readonly trigger: RunTrigger;
  readonly status: RunStatus;
  readonly from: string;
  readonly through?: string | undefined;
  readonly errorMessage?: string | undefined;
  readonly startedAt: Date;
  readonly finishedAt?: Date | undefined;
}

/** An export that KSeF is preparing, or that will be requested next. */
export interface RunningExport {
  /**
   * Encrypted form of the key with which KSeF encrypts the export package. The key is stored before the export is
   * requested.
   */
  readonly key: SealedValue;
  readonly startedAt: Date;
  /** End of the time window of a KSeF export. Absent if the window ends at the KSeF high water mark. */
  readonly to?: string | undefined;
  /** Reference number of a KSeF export. Absent until KSeF has responded. */
  readonly referenceNumber?: string | undefined;
  readonly polls: number;
  /** True if the invoice package is ready and has waited for a free slot for receiving packages. */
  readonly isReady?: boolean | undefined;
}

/** A run of a KSeF inbox that is in progress. */
export interface RunUnderWay extends ReceivedCounts {
  readonly id: string;
  readonly trigger: RunTrigger;
  readonly startedAt: Date;
  /** Start of the first time window of the KSeF inbox run. */
  readonly from: string;
  /**
   * Number of invoices of the current KSeF export window that were counted as received when an invoice package was
   * interrupted.
   */
  readonly interrupted?: number | undefined;
  /** Start of the time window whose KSeF invoices are being received. */
  readonly cursor: string;
  /** End of the last time window that the KSeF inbox run received completely. */
  readonly through?: string | undefined;
  /** True if the KSeF inbox run has received the invoices of its role up to a later time than earlier runs. */
  readonly hasMoved: boolean;
  readonly export?: RunningExport | undefined;
  /** KSeF numbers of refused invoices that a KSeF inbox run still has to request, before its first export. */
  readonly again?: readonly string[] | undefined;
  /** Number of KSeF exports that the inbox run has abandoned. */
  readonly restarts: number;
  /** Number of consecutive steps of the KSeF inbox run that failed. */
  readonly failures: number;
}

/**
 * Period in which the documents of an interrupted KSeF package were stored. The period has no end until a package of
 * another role begins.
 */
export interface StoringPeriod {
  readonly from: Date;
  readonly until?: Date | undefined;
}

/**
 * Maximum number of interrupted packages whose storage periods a KSeF inbox role keeps. The documents of older packages
 * cannot be distinguished from the documents of other roles.
 */
export const UNCOUNTED_MAX = 10;

/** Progress and next step of one KSeF inbox role. */
export interface RoleInbox {
  readonly role: InboxRole;
  /**
   * Time from which the next KSeF inbox run receives invoices, in the format of KSeF. Absent until the first time
   * window was received.
   */
  readonly mark?: string | undefined;
  readonly dueAt: Date;
  /**
   * Earliest start of the next nightly run of a KSeF inbox role, which receives the invoices of the last 48 hours
   * again.
   */
  readonly nightAt: Date;
  /**
   * Time from which the stored documents of a KSeF inbox have not been counted yet. Absent before the first inbox run.
   */
  readonly since?: Date | undefined;
  /**
   * Periods in which documents from KSeF packages were stored, but not counted, because the processing of the package
   * was interrupted, for example by a crash. The inbox role counts these documents when it receives the time window
   * again, even if other roles have counted later documents in between. Oldest first, at most {@link UNCOUNTED_MAX}.
   */
  readonly uncounted?: readonly StoringPeriod[] | undefined;
  /** True if a person has requested the next run of a KSeF inbox role. */
  readonly isRequested: boolean;
  /** True if the runs of a KSeF inbox cannot continue until a person removes the cause. */
  readonly isPaused: boolean;
  /** Reason why the last KSeF inbox run of a role failed. */
  readonly error?: string | undefined;
  readonly run?: RunUnderWay | undefined;
}

/** Inbox of a KSeF connection, which receives the company's purchase invoices from KSeF. */
export interface Inbox {
  /** Connection id, which is also the id of its KSeF inbox. */
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly environment: Environment;
  /** Tax id (NIP) of the taxpayer whose invoices the KSeF inbox has received. */
  readonly contextNip: string;
  readonly isEnabled: boolean;
  /**
   * First day whose invoices a KSeF inbox receives, as `YYYY-MM-DD` in Polish time. An invoice belongs to the day on
   * which KSeF stored it.
   */
  readonly from: string;
  readonly roles: readonly RoleInbox[];
  readonly invoicesReceived: number;
  /** Refused invoices of a KSeF inbox, oldest first: at most {@link REFUSALS_KEPT_MAX} that are not closed. */
  readonly refused: readonly KeptRefusal[];
  readonly lastRunAt?: Date | undefined;
  /** Time at which a person requested runs of all roles of a KSeF inbox. Absent if no request is pending. */
  readonly requestedAt?: Date | undefined;
}

/**
 * Returns the upload id for an invoice that a company receives under a KSeF number. The upload id is always the same
 * for the same invoice, so that repeated deliveries find the stored document.
 */
export function uploadIdOf(companyId: string, ksefNumber: string): string {
  return uuidV5(JSON.stringify([companyId, ksefNumber]), UPLOAD_NAMESPACE);
}

const UPLOAD_NAMESPACE = '0c3b4f0e-3f6e-4d53-9b1c-7a4d8a1f5e62';

/** Returns a KSeF inbox that has never been enabled. */
export function newInbox(
  connection: Pick<Inbox, 'id' | 'organizationId' | 'companyId' | 'environment' | 'contextNip'>,
  from: string,
  now: Date,
): Inbox {
  const { id, organizationId, companyId, environment, contextNip } = connection;
  return {
    id,
    organizationId,
    version: 0,
    companyId,
    environment,
    contextNip,
    isEnabled: false,
    from,
    roles: inboxRoles.map((role) => ({ role, dueAt: now, nightAt: now, isRequested: false, isPaused: false })),
    invoicesReceived: 0,
    refused: [],
  };
}

/**
 * Returns the reason why a day cannot be the first day of a KSeF inbox, or undefined if the day is valid.
 * @param today day in Poland
 */
export function faultOfFrom(from: string, today: string): string | undefined {
  if (!isCalendarDate(from)) return 'must be a date in the format YYYY-MM-DD.';
  if (from < INBOX_FROM_MIN)
    return `must be ${INBOX_FROM_MIN} or later, because suppliers have issued invoices through KSeF since that day.`;
  return from > today ? `must not be after today, which is ${today} in Poland.` : undefined;
}

/**
 * Returns midnight of a day in Poland, at which a period of a KSeF inbox begins. Daylight saving time never changes at
 * midnight there.
 */
export function polishMidnight(day: string): string {
  const summer = new Date(`${day}T00:00:00+02:00`);
  const midnight = polishDayOf(summer) === day ? summer : new Date(`${day}T00:00:00+01:00`);
  return midnight.toISOString();
}

/** Returns the time from which the next KSeF inbox run of a role receives invoices. */
export function markOf({ from }: Pick<Inbox, 'from'>, { mark }: Pick<RoleInbox, 'mark'>): string {
  const start = polishMidnight(from);
  return mark === undefined ? start : laterOf(mark, start);
}

/** Returns the time before which every purchase in KSeF has been received. Undefined before the first inbox run. */
export function receivedThrough({ roles }: Inbox): Date | undefined {
  const mark = roles.find(({ role }) => role === BUYER)?.mark;
  return mark === undefined ? undefined : new Date(mark);
}

/** Returns the reason why the last KSeF inbox run of a role failed. The buyer's reason takes precedence. */
export function errorOf({ roles }: Inbox): string | undefined {
  return roles.find(({ error }) => error !== undefined)?.error;
}

/** Returns the time of the next KSeF inbox step, or undefined if there is none. */
export function dueAtOf({ isEnabled, roles }: Pick<Inbox, 'isEnabled' | 'roles'>): Date | undefined {
  if (!isEnabled) return undefined;
  return new Date(Math.min(...roles.map(({ dueAt }) => dueAt.getTime())));
}

/**
 * Enables a KSeF inbox or changes its first day. The times up to which invoices were received are kept, unless
 * receiving begins earlier or the taxpayer changes. Refused invoices of another taxpayer are removed, because KSeF no
 * longer delivers them.
 * @returns the same inbox if nothing changes, otherwise an inbox without runs in progress
 */
export function enabled(inbox: Inbox, { from, contextNip }: Pick<Inbox, 'from' | 'contextNip'>, now: Date): Inbox {
  if (inbox.isEnabled && from === inbox.from && contextNip === inbox.contextNip) return inbox;
  const isSameTaxpayer = contextNip === inbox.contextNip;
  const beginsAgain = from < inbox.from || !isSameTaxpayer;
  const roles = withoutRuns(inbox).map((role): RoleInbox => ({
    ...role,
    mark: beginsAgain ? undefined : role.mark,
    dueAt: now,
  }));
  return { ...inbox, isEnabled: true, from, contextNip, roles, refused: isSameTaxpayer ? inbox.refused : [] };
}

/** Disables a KSeF inbox and removes its runs in progress. The times up to which invoices were received are kept. */
export function disabled(inbox: Inbox): Inbox {
  return { ...inbox, isEnabled: false, roles: withoutRuns(inbox), requestedAt: undefined };
}

function withoutRuns({ roles }: Inbox): readonly RoleInbox[] {
  return roles.map((role) => ({ ...role, isRequested: false, isPaused: false, error: undefined, run: undefined }));
}
