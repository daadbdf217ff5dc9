import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { v5 as uuidV5 } from 'uuid';
import type { Environment } from './connection.js';
import { laterOf } from './instants.js';
import { polishDayOf } from './preconditions.js';

/** The parts that a company has in invoices which it receives. KSeF is asked about each alone; sales of its own are never received. */
export const inboxRoles = ['SUBJECT2', 'SUBJECT3', 'SUBJECT_AUTHORIZED'] as const;
export type InboxRole = (typeof inboxRoles)[number];

/** The role whose mark says how far purchases were received: the buyer. */
export const BUYER: InboxRole = 'SUBJECT2';
/** The day from which suppliers issue through KSeF. */
const INBOX_FROM_MIN = '2026-02-01';
/** Runs that an inbox keeps, the newest. */
export const INBOX_RUNS_MAX = 100;
/** Refused invoices that a run names; the metric counts all. */
export const REFUSED_MAX = 100;

export type RunTrigger = 'SCHEDULE' | 'MANUAL';
/** PARTIAL: a part was received, and the next run goes on from there. FAILED: nothing was received. */
export type RunStatus = 'RUNNING' | 'SUCCEEDED' | 'PARTIAL' | 'FAILED';

/** An invoice of KSeF that is not stored. */
export interface RefusedInvoice {
  /** The name in the package where it is no number. */
  readonly ksefNumber: string;
  /** A sentence. */
  readonly reason: string;
}

export interface ReceivedCounts {
  /** Invoices that were new. */
  readonly received: number;
  /** Invoices that had been received before. */
  readonly repeated: number;
  /** The first {@link REFUSED_MAX} invoices that were not stored. */
  readonly refused: readonly RefusedInvoice[];
}

/** A run as people see it. Times of KSeF are its own text. */
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

/** An export that KSeF makes, or is about to be asked for. */
export interface RunningExport {
  /** The sealed key of its package, stored before KSeF is asked. */
  readonly key: SealedValue;
  readonly startedAt: Date;
  /** End of the window; absent where it ends at the high water mark. */
  readonly to?: string | undefined;
  /** Absent until KSeF has answered. */
  readonly referenceNumber?: string | undefined;
  readonly polls: number;
}

/** A run that is under way. */
export interface RunUnderWay extends ReceivedCounts {
  readonly id: string;
  readonly trigger: RunTrigger;
  readonly startedAt: Date;
  /** Start of the first window of the run. */
  readonly from: string;
  /** Start of the window that is received now. */
  readonly cursor: string;
  /** End of the last window that was received whole. */
  readonly through?: string | undefined;
  /** True when the mark of the role has moved. */
  readonly hasMoved: boolean;
  readonly export?: RunningExport | undefined;
  /** Exports that were given up. */
  readonly restarts: number;
  /** Failed steps in a row. */
  readonly failures: number;
}

/** Progress of one role, and its next step. */
export interface RoleInbox {
  readonly role: InboxRole;
  /** Start of the next run, in the text of KSeF; absent before the first window was received. */
  readonly mark?: string | undefined;
  readonly dueAt: Date;
  /** From this time on, a run repeats the last 48 hours. */
  readonly nightAt: Date;
  /** True when a person asked for the next run. */
  readonly isRequested: boolean;
  /** True since a run could not go on before a person acts. */
  readonly isPaused: boolean;
  /** Reason why the last run failed. */
  readonly error?: string | undefined;
  readonly run?: RunUnderWay | undefined;
}

/** The purchases that a connection receives from KSeF. */
export interface Inbox {
  /** That of its connection. */
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly environment: Environment;
  /** The taxpayer whose invoices the marks are about. */
  readonly contextNip: string;
  readonly isEnabled: boolean;
  /** YYYY-MM-DD, the day in Poland on which KSeF stored the first invoices to receive. */
  readonly from: string;
  readonly roles: readonly RoleInbox[];
  readonly invoicesReceived: number;
  readonly lastRunAt?: Date | undefined;
  /** Time since when a person waits for all roles to run. */
  readonly requestedAt?: Date | undefined;
}

/** The same for each company and KSeF number, so that repeats meet. */
export function uploadIdOf(companyId: string, ksefNumber: string): string {
  return uuidV5(JSON.stringify([companyId, ksefNumber]), UPLOAD_NAMESPACE);
}

const UPLOAD_NAMESPACE = '0c3b4f0e-3f6e-4d53-9b1c-7a4d8a1f5e62';

/** An inbox that was never enabled. */
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
  };
}

/** Says what is wrong with a first day; undefined when nothing is. @param today in Poland */
export function faultOfFrom(from: string, today: string): string | undefined {
  if (!isCalendarDate(from)) return 'must be a day written YYYY-MM-DD.';
  if (from < INBOX_FROM_MIN) return `must be ${INBOX_FROM_MIN} or later: suppliers issue through KSeF since that day.`;
  return from > today ? `must not be after today, which is ${today} in Poland.` : undefined;
}

/** Midnight of a day in Poland. Its clocks change later in the night. */
export function polishMidnight(day: string): string {
  const summer = new Date(`${day}T00:00:00+02:00`);
  const midnight = polishDayOf(summer) === day ? summer : new Date(`${day}T00:00:00+01:00`);
  return midnight.toISOString();
}

/** Returns the start of the next run of a role. */
export function markOf({ from }: Pick<Inbox, 'from'>, { mark }: Pick<RoleInbox, 'mark'>): string {
  const start = polishMidnight(from);
  return mark === undefined ? start : laterOf(mark, start);
}

/** Every purchase that KSeF stored before this time was received; undefined before the first run. */
export function receivedThrough({ roles }: Inbox): Date | undefined {
  const mark = roles.find(({ role }) => role === BUYER)?.mark;
  return mark === undefined ? undefined : new Date(mark);
}

/** Returns the reason why the last run of a role failed, the buyer's first. */
export function errorOf({ roles }: Inbox): string | undefined {
  return roles.find(({ error }) => error !== undefined)?.error;
}

/** Time of the next step; undefined where nothing is to be done. */
export function dueAtOf({ isEnabled, roles }: Pick<Inbox, 'isEnabled' | 'roles'>): Date | undefined {
  if (!isEnabled) return undefined;
  return new Date(Math.min(...roles.map(({ dueAt }) => dueAt.getTime())));
}

/**
 * Enabled, or with another first day. Marks stay unless receiving begins earlier, or for another taxpayer.
 * @returns the same inbox when nothing changes; else one without runs under way
 */
export function enabled(inbox: Inbox, { from, contextNip }: Pick<Inbox, 'from' | 'contextNip'>, now: Date): Inbox {
  if (inbox.isEnabled && from === inbox.from && contextNip === inbox.contextNip) return inbox;
  const beginsAgain = from < inbox.from || contextNip !== inbox.contextNip;
  const roles = withoutRuns(inbox).map((role): RoleInbox => ({
    ...role,
    mark: beginsAgain ? undefined : role.mark,
    dueAt: now,
  }));
  return { ...inbox, isEnabled: true, from, contextNip, roles };
}

/** Disabled, without runs under way; marks stay. */
export function disabled(inbox: Inbox): Inbox {
  return { ...inbox, isEnabled: false, roles: withoutRuns(inbox), requestedAt: undefined };
}

function withoutRuns({ roles }: Inbox): readonly RoleInbox[] {
  return roles.map((role) => ({ ...role, isRequested: false, isPaused: false, error: undefined, run: undefined }));
}
