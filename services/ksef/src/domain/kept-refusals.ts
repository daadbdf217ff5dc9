import { isKsefNumber } from '@invoicecontrol/values/ksef-number';
import { INVOICES_MAX } from './export-package.js';
import { REFUSALS_KEPT_MAX } from './inbox.js';
import type { Inbox, InboxRole, KeptRefusal, ReceivedCounts, RefusedFile } from './inbox.js';

/**
 * Maximum number of refused invoices that one KSeF inbox run requests again. KSeF allows 64 such calls an hour to all
 * software.
 */
export const REPAIRS_MAX = 16;
/**
 * Minimum time for which the refusal of a KSeF invoice is kept after it was closed, so that the invoice is not reported
 * again. This time is longer than the period whose invoices nightly runs receive again.
 */
const CLOSED_KEPT_MS = 3 * 24 * 3_600_000;
/**
 * Maximum number of closed refusals that a KSeF inbox keeps. One invoice package cannot cause more refusals, even if no
 * file in it is in its list and no invoice in the list has a file. The inbox can therefore always go on to the next
 * time window once all refusals of a window are closed.
 */
export const CLOSED_KEPT_MAX = 2 * INVOICES_MAX;
/** Maximum number of refused KSeF invoices that a message names. */
const NAMED_MAX = 3;

/** Result of receiving all or some of the invoices in the time window of a KSeF export. */
export interface Reception extends ReceivedCounts {
  /** Invoices of a KSeF export window that were refused. An invoice with two files can be both refused and stored. */
  readonly refused: readonly RefusedFile[];
  /** KSeF numbers of received invoices that are stored and whose analysis is requested. */
  readonly stored: ReadonlySet<string>;
  /**
   * Latest time at which the documents service stored one of the received KSeF invoices, during this inbox run or
   * during an earlier one.
   */
  readonly lastStoredAt?: Date | undefined;
}

/** Returns the refused invoices of a KSeF inbox that are neither stored nor dismissed. */
export function waitingRefusals({ refused }: Pick<Inbox, 'refused'>): readonly KeptRefusal[] {
  return refused.filter(({ closedAt }) => closedAt === undefined);
}

/**
 * Updates the refused invoices of a KSeF inbox: closes the refusals of invoices that are now stored, and adds new
 * refusals.
 * @returns the refused invoices, and whether all of them could be kept
 */
export function keepRefusals(
  kept: readonly KeptRefusal[],
  { refused, stored }: Pick<Reception, 'refused' | 'stored'>,
  role: InboxRole,
  now: Date,
): { readonly refused: readonly KeptRefusal[]; readonly areAllKept: boolean } {
  const left = closing(kept, (one) => stored.has(one.ksefNumber), now);
  const next = new Map(left.map((one) => [one.ksefNumber, one]));
  let room = REFUSALS_KEPT_MAX - waitingRefusals({ refused: left }).length;
  let areAllKept = true;
  for (const { ksefNumber, reason, invoiceHash, isUncounted } of refused) {
    if (stored.has(ksefNumber)) continue;
    const known = next.get(ksefNumber);
    if (known?.closedAt !== undefined) continue;
    if (known === undefined && room === 0) {
      areAllKept = false;
      continue;
    }
    if (known === undefined) room--;
    const first = known ?? { ksefNumber, role, firstAttemptAt: now };
    const hash = invoiceHash ?? known?.invoiceHash;
    next.set(ksefNumber, {
      ...first,
      reason,
      lastAttemptAt: now,
      ...(hash === undefined ? {} : { invoiceHash: hash }),
      ...(isUncounted === true ? { isUncounted } : {}),
    });
  }
  return { refused: [...next.values()], areAllKept };
}

/**
 * Dismisses a refused invoice of a KSeF inbox. If nightly runs deliver the invoice again, it is not reported again.
 * @returns undefined if the inbox does not keep the invoice
 */
export function dismissed(inbox: Inbox, ksefNumber: string, now: Date): Inbox | undefined {
  if (!waitingRefusals(inbox).some((one) => one.ksefNumber === ksefNumber)) return undefined;
  return { ...inbox, refused: closing(inbox.refused, (one) => one.ksefNumber === ksefNumber, now) };
}

/**
 * Closes refusals of invoices in a KSeF inbox. If there are too many closed refusals, the refusals that were closed
 * first are removed.
 */
function closing(
  kept: readonly KeptRefusal[],
  isOver: (one: KeptRefusal) => boolean,
  now: Date,
): readonly KeptRefusal[] {
  const next = kept.map((one): KeptRefusal => {
    if (one.closedAt !== undefined || !isOver(one)) return one;
    const { ksefNumber, role, firstAttemptAt, lastAttemptAt } = one;
    // A closed refusal of a KSeF invoice no longer needs its reason and its hash. One inbox document may contain
    // thousands of closed refusals.
    return { ksefNumber, role, reason: '', firstAttemptAt, lastAttemptAt, closedAt: now };
  });
  const closed = next.filter(({ closedAt }) => closedAt !== undefined);
  if (closed.length <= CLOSED_KEPT_MAX) return next;
  const newest = closed
    .toSorted((one, other) => Number(other.closedAt) - Number(one.closedAt))
    .slice(0, CLOSED_KEPT_MAX);
  const isKept = new Set(newest.map(({ ksefNumber }) => ksefNumber));
  return next.filter(({ closedAt, ksefNumber }) => closedAt === undefined || isKept.has(ksefNumber));
}

/**
 * Removes closed refusals of invoices that a KSeF inbox received in one role (such as buyer), except recent refusals,
 * whose invoices nightly runs may deliver again. The function is called only after a time window was received
 * completely: the next run delivers an incomplete window again, and would report an invoice without its refusal a
 * second time.
 */
export function withoutPassed(kept: readonly KeptRefusal[], role: InboxRole, now: Date): readonly KeptRefusal[] {
  const isPassed = ({ closedAt, role: own }: KeptRefusal): boolean =>
    own === role && closedAt !== undefined && now.getTime() - closedAt.getTime() >= CLOSED_KEPT_MS;
  return kept.filter((one) => !isPassed(one));
}

/**
 * Returns the KSeF numbers of the refused invoices that a KSeF inbox run requests again: the invoices that have waited
 * longest.
 */
export function refusalsToRequest(inbox: Pick<Inbox, 'refused'>, role: InboxRole): readonly string[] {
  return waitingRefusals(inbox)
    .filter((one) => one.role === role && isKsefNumber(one.ksefNumber))
    .toSorted((one, other) => one.lastAttemptAt.getTime() - other.lastAttemptAt.getTime())
    .slice(0, REPAIRS_MAX)
    .map(({ ksefNumber }) => ksefNumber);
}

/**
 * Returns the message of a KSeF inbox run in which invoices were refused.
 * @returns undefined if all of them are stored or dismissed
 */
export function refusalsMessage(inbox: Pick<Inbox, 'refused'>, { refused }: ReceivedCounts): string | undefined {
  const waiting = new Set(waitingRefusals(inbox).map(({ ksefNumber }) => ksefNumber));
  const numbers = [...new Set(refused.map(({ ksefNumber }) => ksefNumber))].filter((one) => waiting.has(one));
  if (numbers.length === 0) return undefined;
  const named = numbers.slice(0, NAMED_MAX).join(', ');
  const more = numbers.length > NAMED_MAX ? ` and ${numbers.length - NAMED_MAX} more` : '';
  const what = numbers.length === 1 ? '1 invoice was' : `${numbers.length} invoices were`;
  return `${what} refused and not stored: ${named}${more}. \`inbox.refused\` of the connection states the reasons. Each refused invoice is requested again every night until it is stored. If you need it earlier, download it in the KSeF application and upload it, then dismiss it with DELETE /v1/ksef-connections/{connectionId}/inbox/refused/{ksefNumber}.`;
}

/** Message of a run that stops because the KSeF inbox has no room for further refused invoices. */
export const REFUSALS_FULL = `Receiving invoices is paused; no invoice is lost. The inbox keeps ${REFUSALS_KEPT_MAX} refused invoices, and KSeF delivered more that cannot be stored. Check \`inbox.refused\` of the connection, dismiss what you have handled with DELETE /v1/ksef-connections/{connectionId}/inbox/refused/{ksefNumber}, then start the runs.`;
