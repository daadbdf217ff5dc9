import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import type { DecimalAmount } from '@invoicecontrol/values/decimal-amount';
import type { Verdict } from './verdict.js';

/** Number of payment lines with a verdict, and the sum of their amounts in each currency. */
export interface VerdictCount {
  readonly count: number;
  readonly sums: readonly { readonly currency: string; readonly amount: DecimalAmount }[];
}

/**
 * One check of all lines of a payment run. The newest check of a payment run applies, and the earlier checks are kept.
 */
export interface RunCheck {
  readonly checkId: string;
  readonly trigger: 'CREATED' | 'RECHECK' | 'DOWNLOAD';
  readonly at: Date;
  readonly by: string;
  /**
   * Version of the rules by which the lines of a payment run were checked. Lines that a download had already given out
   * keep their earlier result, which an earlier version of the rules may have produced.
   */
  readonly rulesVersion: string;
  readonly counts: Readonly<Record<Verdict, VerdictCount>>;
}

/** Lines of a payment run that one download gave out. No later download gives them out again. */
export interface GivenLines {
  /** Number of a download within its payment run, from 1. */
  readonly number: number;
  /** The check of the payment run that joined the downloaded lines to their invoices. */
  readonly checkId: string;
  readonly at: Date;
  readonly by: string;
  readonly count: number;
  /** Positions of the downloaded payment lines as a set of bits. */
  readonly lines: Uint8Array;
}

export interface RunReport {
  readonly sha256: string;
  readonly at: Date;
  readonly by: string;
  readonly count: number;
}

/** A payment run: the payments of one file or request, and what has happened to them. */
export interface PaymentRun {
  readonly runId: string;
  readonly organizationId: string;
  readonly version: number;
  readonly companyId: string;
  readonly source: 'PAIN_001' | 'JSON';
  readonly messageId: string | undefined;
  readonly lineCount: number;
  readonly executionDate: CalendarDate | undefined;
  readonly fingerprint: string;
  readonly createdAt: Date;
  readonly counts: Readonly<Record<Verdict, VerdictCount>>;
  readonly checks: readonly RunCheck[];
  readonly downloads: readonly GivenLines[];
  readonly reports: readonly RunReport[];
}

/** Maximum number of checks, of downloads and of bank reports that one payment run can have. */
export const CHECKS_MAX = 100;
export const DOWNLOADS_MAX = 100;
export const REPORTS_MAX = 100;

/** The release of a held or unknown payment line by a person. */
export interface Release {
  readonly version: number;
  readonly by: string;
  readonly at: Date;
  readonly note: string;
  /** Reasons that held the payment line when it was released. If a new reason arises, the line is held again. */
  readonly reasons: readonly string[];
  /** Invoices that the payment line pays, as named by the person who released it. */
  readonly invoiceIds: readonly string[];
  /**
   * The second person, who confirmed the release of the payment line. Undefined before the confirmation, and if none is
   * needed.
   */
  readonly confirmedBy: string | undefined;
  readonly confirmedAt: Date | undefined;
  readonly needsConfirmation: boolean;
}

/** Status that the bank reported for a line of the payment run. */
export interface Outcome {
  readonly status: string;
  readonly reasonCodes: readonly string[];
  readonly payeeCheck:
    { readonly result: 'MATCH' | 'CLOSE_MATCH' | 'NO_MATCH' | 'NOT_POSSIBLE'; readonly name?: string } | undefined;
  readonly reportedAt: Date;
}

/** Statuses in a bank's report that state that a payment was not made. */
const NOT_PAID: ReadonlySet<string> = new Set(['RJCT', 'CANC']);

export function isRejected(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && NOT_PAID.has(outcome.status);
}

/** Statuses in a bank's report that state that a payment was accepted or made. */
const PAID: ReadonlySet<string> = new Set(['ACCP', 'ACSP', 'ACSC', 'ACWC', 'ACCC']);

export function isPaid(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && PAID.has(outcome.status);
}

export function isReleased(release: Release | undefined): boolean {
  return release !== undefined && (!release.needsConfirmation || release.confirmedBy !== undefined);
}

/** Returns the check of a payment run that applies, which is always the newest one. */
export function currentCheck({ checks }: Pick<PaymentRun, 'checks'>): RunCheck {
  const last = checks.at(-1);
  if (last === undefined) throw new Error('The stored payment run has no check of its payments.');
  return last;
}

/** Stores the positions of payment lines (from 1) as a set of bits. */
export function bitsOf(positions: Iterable<number>, lineCount: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(lineCount / 8));
  for (const position of positions) {
    const index = position - 1;
    bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return bits;
}

export function hasBit(bits: Uint8Array, position: number): boolean {
  const index = position - 1;
  return ((bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}

/** Checks whether a download has given out the line of the payment run. */
export function isGiven({ downloads }: Pick<PaymentRun, 'downloads'>, position: number): boolean {
  return downloads.some(({ lines }) => hasBit(lines, position));
}
