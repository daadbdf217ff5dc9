import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import type { KsefRefusal } from './ksef-refusal.js';
import { BLOCK_MS, backoffMs, LOOK_AGAIN_MS, pollAfterMs } from './submission-waits.js';
import { currentSession, isFinal, UNDECIDED, wasSent } from './submission.js';
import type { Progress, SubmissionSession, SubmittedDocument } from './submission.js';

// Computes the next state of a KSeF submission from the stored state and a KSeF response (KSeF reference, sections 5
// and 8). The functions are pure, so that a process killed between two steps only causes a pause.

/**
 * Maximum number of KSeF sessions in which a submission is attempted before it fails because KSeF closed all of them.
 * The count begins again when the submission is resumed.
 */
export const SESSIONS_MAX = 20;
/** Maximum number of new KSeF sessions after a 405 status. */
const SESSION_RESTARTS_MAX = 2;
/** Maximum number of new KSeF sessions after a 435 status. */
const KEY_RESTARTS_MAX = 1;
/**
 * Maximum number of consecutive failures of a KSeF submission before anything is sent. The wait after most failures is
 * five minutes, so reaching the limit takes at least five days.
 */
export const UNSENT_FAILURES_MAX = 2_000;
/**
 * Maximum number of consecutive inconclusive responses to requests for the invoice list of a KSeF session. With the
 * pauses in between, they take about an hour. After that, the list counts as unreadable.
 */
export const LIST_FAILURES_MAX = 20;
/** Minimum remaining validity of a KSeF session that is used for sending. */
const SESSION_MARGIN_MS = 5 * 60_000;
/** Maximum time to wait for a confirmation from KSeF before it is abandoned. */
const CONFIRMATION_MS_MAX = 7 * 24 * 3_600_000;

/** The values on which the waiting times of KSeF submissions depend: the current time and settings. */
export interface Timing {
  readonly now: Date;
  /** Value of the setting KSEF_WAIT_FACTOR, by which the waiting times of KSeF submissions are multiplied. */
  readonly waitFactor: number;
  /** Time limit of one call to KSeF in milliseconds. */
  readonly requestMs: number;
  /** Random number from 0 to 1, by which the waiting times of KSeF submissions vary. */
  readonly random: number;
}

/** Call to KSeF that an invoice submission makes next, or NOTHING if no call is left. */
export type Step =
  | { readonly kind: 'OPEN' }
  | { readonly kind: 'SEND'; readonly session: SubmissionSession }
  | { readonly kind: 'LOOK'; readonly session: SubmissionSession }
  | { readonly kind: 'FOLLOW'; readonly session: SubmissionSession; readonly invoiceReferenceNumber: string }
  | { readonly kind: 'CLOSE'; readonly session: SubmissionSession }
  | { readonly kind: 'CONFIRM'; readonly session: SubmissionSession; readonly invoiceReferenceNumber: string }
  | { readonly kind: 'NOTHING' };

/** Status of an invoice in KSeF, with the fields that decisions need. */
export interface InvoiceAnswer {
  readonly ksefNumber: string | undefined;
  readonly status: { readonly code: number; readonly description: string; readonly details: readonly string[] };
  readonly originalKsefNumber: string | undefined;
  readonly originalSessionReferenceNumber: string | undefined;
}

/** Derives the next KSeF submission step from the stored submission alone. */
export function stepOf(progress: Progress, now: Date): Step {
  if (!isFinal(progress.status)) {
    const session = currentSession(progress);
    if (session === undefined) return { kind: 'OPEN' };
    const { invoiceReferenceNumber, sentAt } = session;
    if (invoiceReferenceNumber !== undefined) return { kind: 'FOLLOW', session, invoiceReferenceNumber };
    if (sentAt !== undefined) return { kind: 'LOOK', session };
    return isUsable(session, now) ? { kind: 'SEND', session } : { kind: 'OPEN' };
  }
  const open = progress.sessions.find(({ isClosed }) => !isClosed);
  if (open !== undefined) return { kind: 'CLOSE', session: open };
  const confirming = confirmableSession(progress);
  if (confirming?.invoiceReferenceNumber === undefined) return { kind: 'NOTHING' };
  return { kind: 'CONFIRM', session: confirming, invoiceReferenceNumber: confirming.invoiceReferenceNumber };
}

/** Checks whether the KSeF session is valid for long enough to send the document in it. */
function isUsable({ validUntil }: Pick<SubmissionSession, 'validUntil'>, now: Date): boolean {
  return validUntil.getTime() - now.getTime() > SESSION_MARGIN_MS;
}

/** Returns the KSeF session in which an invoice was registered: the last session that has an invoice reference. */
function confirmableSession({ status, upoReferenceNumber, sessions }: Progress): SubmissionSession | undefined {
  if (status !== 'ACCEPTED' || upoReferenceNumber !== undefined) return undefined;
  return sessions.findLast(({ invoiceReferenceNumber }) => invoiceReferenceNumber !== undefined);
}

/** Returns the progress that is stored before a KSeF session for a submission is opened. */
export function opening(progress: Progress): Progress {
  return { ...progress, ...UNDECIDED, status: 'SENDING', sessions: progress.sessions.map(abandon) };
}

export function opened(
  progress: Progress,
  session: { readonly referenceNumber: string; readonly validUntil: Date; readonly key: SealedValue },
  timing: Timing,
): Progress {
  const fresh = {
    ...session,
    sentAt: undefined,
    sends: 0,
    looks: 0,
    invoiceReferenceNumber: undefined,
    isAbandoned: false,
    isClosed: false,
  };
  const inFresh = { ...progress, sessions: [...progress.sessions, fresh], failures: 0, dueAt: timing.now };
  // An expiring KSeF session counts as a broken session. Otherwise new KSeF sessions could be opened without end.
  return isUsable(fresh, timing.now) ? inFresh : inNewSession(inFresh, timing);
}

/**
 * Returns the progress that is stored before each request that sends the document of a KSeF submission. A request that
 * is repeated after a 401 response does not count as another sending.
 */
export function sending(progress: Progress, { now }: Timing): Progress {
  return inCurrent(progress, (session) => {
    const sends = session.sentAt === undefined ? session.sends + 1 : session.sends;
    return { ...session, sentAt: now, sends, looks: 0 };
  });
}

/** Returns the progress of a submission after KSeF has received its document. */
export function sent(progress: Progress, invoiceReferenceNumber: string, { now, waitFactor }: Timing): Progress {
  return {
    ...inCurrent(progress, (session) => ({ ...session, invoiceReferenceNumber, key: undefined })),
    ...UNDECIDED,
    status: 'PROCESSING',
    submittedAt: progress.submittedAt ?? now,
    failures: 0,
    polls: 0,
    listFailures: undefined,
    dueAt: after(now, pollAfterMs(0, 0) * waitFactor),
  };
}

/**
 * Returns the progress of a KSeF submission after its document was not found in its session. The document may still
 * arrive, so KSeF is queried three times before the document is sent again.
 * @param sessionCode status code of the session itself, needed at the third check
 */
export function notFound(progress: Progress, sessionCode: number | undefined, timing: Timing): Progress {
  const session = currentSession(progress);
  const looks = (session?.looks ?? 0) + 1;
  const again = LOOK_AGAIN_MS[looks - 1];
  if (again !== undefined) {
    const looked = inCurrent(progress, (one) => ({ ...one, looks }));
    return { ...looked, failures: 0, listFailures: undefined, dueAt: after(timing.now, again * timing.waitFactor) };
  }
  if (sessionCode !== SESSION_OPEN) return inNewSession(progress, timing);
  return { ...inCurrent(progress, (one) => ({ ...one, sentAt: undefined, looks: 0 })), failures: 0, dueAt: timing.now };
}

const SESSION_OPEN = 100;

/**
 * Computes the progress of a submission from the status of its invoice in KSeF. If KSeF reports a duplicate,
 * {@link resolvedDuplicate} computes the progress.
 */
export function followed(progress: Progress, answer: InvoiceAnswer, timing: Timing): Progress | 'COMPARE' {
  const { code } = answer.status;
  if (code >= 200 && code < 300 && answer.ksefNumber !== undefined)
    return accepted(progress, answer.ksefNumber, timing);
  if (code < 300) return polled(progress, timing);
  const { session: sessionRestarts, key: keyRestarts } = progress.restarts;
  switch (code) {
    case 405:
      if (sessionRestarts >= SESSION_RESTARTS_MAX) return failed(progress, refusalOf(answer), timing);
      return inNewSession({ ...progress, restarts: { ...progress.restarts, session: sessionRestarts + 1 } }, timing);
    case 435:
      if (keyRestarts >= KEY_RESTARTS_MAX) return failed(progress, refusalOf(answer), timing);
      return inNewSession({ ...progress, restarts: { ...progress.restarts, key: keyRestarts + 1 } }, timing);
    case 500:
    case 550:
      return inNewSession(progress, timing);
    case 410:
    case 415:
    case 430:
    case 450:
      return rejected(progress, refusalOf(answer), timing);
    case 440:
      // If KSeF reports a duplicate, it names a registered document, which may or may not be the submitted one. Only an
      // equal hash proves that both are the same document, even if the ksef service opened the KSeF session.
      return 'COMPARE';
    default:
      return failed(progress, refusalOf(answer), timing);
  }
}

/** The invoice document that KSeF has registered with the same seller, kind and number. */
export interface Original {
  /** SHA-256 hash of the submitted document in base64. */
  readonly invoiceHash: string;
  /** Entry for the submitted document in the invoice list of its KSeF session. */
  readonly entry?: { readonly sessionReferenceNumber: string; readonly invoiceReferenceNumber: string };
}

const OTHER_FILE =
  ' The registered document is a different file. Compare the two files in KSeF; if this document is correct, its issuer must give it a new number.';
const UNKNOWN_FILE =
  ' It is not known whether the registered document is the same file. Compare the two files in KSeF; if they are the same, the invoice is already registered.';

/**
 * Returns the progress of a submission after KSeF refused its document, because a document with the same seller, kind
 * and number is already registered. The registered document is the submitted one only if it has the same hash. Its
 * confirmation can be fetched only if the ksef service opened the session in which it was registered.
 * @param original registered document; undefined if KSeF does not show it to this token, in which case the submission
 *   is refused
 */
export function resolvedDuplicate(
  progress: Progress & { readonly document: Pick<SubmittedDocument, 'hash'> },
  answer: InvoiceAnswer,
  original: Original | undefined,
  timing: Timing,
): Progress {
  const { originalKsefNumber } = answer;
  if (original?.invoiceHash === progress.document.hash && originalKsefNumber !== undefined) {
    return registeredAs(accepted(progress, originalKsefNumber, timing), original);
  }
  const { code, message } = refusalOf(answer);
  const number =
    originalKsefNumber === undefined || message.includes(originalKsefNumber)
      ? ''
      : ` The registered document has the KSeF number ${originalKsefNumber}.`;
  const added = `${number}${original === undefined ? UNKNOWN_FILE : OTHER_FILE}`;
  return rejected(progress, { code, message: message.slice(0, REFUSAL_TEXT_MAX - added.length) + added }, timing);
}

/**
 * Keeps the invoice reference only on the KSeF session in which the document was registered, because only that session
 * has the confirmation of the document.
 */
function registeredAs(progress: Progress, { entry }: Original): Progress {
  const sessions = progress.sessions.map((session) => ({
    ...session,
    invoiceReferenceNumber:
      session.referenceNumber === entry?.sessionReferenceNumber ? entry.invoiceReferenceNumber : undefined,
  }));
  return { ...progress, sessions };
}

/**
 * Computes the progress of a submission after the invoice list of a KSeF session could not be read. During an outage,
 * the submission waits. The number of inconclusive responses is limited, because they may never end.
 */
export function unread(
  progress: Progress,
  refusal: KsefRefusal,
  timing: Timing,
  whenUnreadable: () => Progress,
): Progress {
  const { listFailures = 0 } = progress;
  if (!refusal.decidesNothing) return waiting(progress, refusal, timing);
  if (listFailures + 1 >= LIST_FAILURES_MAX) return whenUnreadable();
  return waiting({ ...progress, listFailures: listFailures + 1 }, refusal, timing);
}

/** Returns the progress of a KSeF submission after the call of a step was refused or failed. */
export function refused(progress: Progress, step: Step, refusal: KsefRefusal, timing: Timing): Progress {
  switch (step.kind) {
    case 'SEND':
      if (refusal.kind === 'UNKNOWN') return unknown(progress, step.session, timing);
      if (refusal.kind === 'SESSION') return inNewSession(unsent(progress), timing);
      return refusedUnsent(unsent(progress), refusal, timing);
    case 'LOOK':
    case 'FOLLOW':
      if (refusal.kind === 'SESSION') return inNewSession(progress, timing);
      // KSeF may have received the document, so the status of the submission is polled with the next token.
      if (refusal.isAboutConnection) return waiting(progress, refusal, timing);
      if (step.kind === 'LOOK' && refusal.decidesNothing) {
        // If the invoice list of a KSeF session stays unreadable, the document is sent again in another session. KSeF
        // then either accepts the document as new or refuses it as a duplicate, which shows whether the first document
        // was registered.
        return unread(progress, refusal, timing, () => inNewSession(progress, timing));
      }
      return refusedOtherwise(progress, refusal, timing);
    case 'CLOSE':
      return closeRefused(progress, step.session, refusal, timing);
    case 'CONFIRM':
      return confirmationLater(progress, refusal.retryAfterMs, timing);
    case 'OPEN':
    case 'NOTHING':
      return refusedUnsent(progress, refusal, timing);
  }
}

/**
 * Computes the progress of a submission if it is unknown whether its document arrived in KSeF. KSeF is polled only
 * after the time limit of the request, because the document may arrive until then.
 */
function unknown(progress: Progress, session: SubmissionSession, { now, requestMs }: Timing): Progress {
  const sentAt = currentSession(progress)?.sentAt ?? session.sentAt ?? now;
  return { ...progress, dueAt: later(now, after(sentAt, requestMs)) };
}

/**
 * Removes an attempt to send the document from the count, because KSeF refused the document or the request was never
 * sent.
 */
function unsent(progress: Progress): Progress {
  return inCurrent(progress, (session) =>
    session.sentAt === undefined ? session : { ...session, sentAt: undefined, sends: session.sends - 1 },
  );
}

/**
 * Returns the progress of a submission after a failure before anything was sent. Repeated failures end the KSeF
 * submission. Waiting for rate limits does not count as a failure, however long the queue is.
 */
function refusedUnsent(progress: Progress, refusal: KsefRefusal, timing: Timing): Progress {
  // The KSeF submission can continue with another token or certificate. If no new secret is stored in time, the worker
  // stops waiting.
  if (refusal.isOfLogin && refusal.isAboutConnection) return waiting(progress, refusal, timing);
  if (progress.failures < UNSENT_FAILURES_MAX || refusal.isAboutLimits) {
    return refusedOtherwise(progress, refusal, timing);
  }
  const message = `Calls to KSeF failed ${UNSENT_FAILURES_MAX} times in a row. ${refusal.message}`;
  return failed(progress, { code: refusal.code, message }, timing);
}

function refusedOtherwise(progress: Progress, refusal: KsefRefusal, timing: Timing): Progress {
  if (refusal.kind === 'PERMANENT') return failed(progress, refusal, timing);
  return waiting(progress, refusal, timing);
}

function waiting(progress: Progress, { kind, retryAfterMs, isAboutLimits }: KsefRefusal, timing: Timing): Progress {
  const { now, waitFactor, random } = timing;
  const failures = isAboutLimits ? progress.failures : progress.failures + 1;
  const chosen = (kind === 'BLOCKED' ? BLOCK_MS : backoffMs(Math.max(1, failures), random)) * waitFactor;
  return { ...progress, failures, dueAt: after(now, Math.max(chosen, retryAfterMs ?? 0)) };
}

/**
 * Returns the time at which to repeat a KSeF call that the ksef service postponed because of its own count of the call
 * limits.
 */
export function putOffUntil({ retryAfterMs }: KsefRefusal, { now, waitFactor, random }: Timing): Date {
  return after(now, Math.max(backoffMs(1, random) * waitFactor, retryAfterMs ?? 0));
}

/**
 * Returns the progress of a submission after KSeF refused to close a session. KSeF also ends sessions that are never
 * closed, so no further action is needed.
 */
function closeRefused(progress: Progress, session: SubmissionSession, refusal: KsefRefusal, timing: Timing): Progress {
  const isOver = (refusal.kind === 'PERMANENT' && !refusal.isAboutConnection) || session.validUntil <= timing.now;
  return isOver ? closed(progress, session, timing) : waiting(progress, refusal, timing);
}

export function closed(progress: Progress, { referenceNumber }: SubmissionSession, timing: Timing): Progress {
  const sessions = progress.sessions.map((session) =>
    session.referenceNumber === referenceNumber ? { ...session, isClosed: true, key: undefined } : session,
  );
  return rest({ ...progress, sessions, failures: 0, polls: 0 }, timing);
}

/**
 * Returns the progress of a submission if KSeF has no confirmation yet, or an invalid one. The confirmation is
 * abandoned after several days. The invoice remains registered.
 */
export function confirmationLater(progress: Progress, retryAfterMs: number | undefined, timing: Timing): Progress {
  const { now, waitFactor } = timing;
  const waitedMs = now.getTime() - (progress.completedAt ?? now).getTime();
  if (waitedMs > CONFIRMATION_MS_MAX) return { ...progress, dueAt: undefined };
  const chosen = pollAfterMs(progress.polls, waitedMs) * waitFactor;
  return { ...progress, polls: progress.polls + 1, dueAt: after(now, Math.max(chosen, retryAfterMs ?? 0)) };
}

/**
 * Returns the progress of a KSeF submission whose confirmation was stored.
 * @throws TypeError if the submission is not ACCEPTED
 */
export function confirmed(progress: Progress, upoReferenceNumber: string): Progress {
  if (progress.status !== 'ACCEPTED')
    throw new TypeError(`A KSeF submission with the status ${progress.status} has no confirmation of receipt.`);
  return { ...progress, upoReferenceNumber, failures: 0, dueAt: undefined };
}

/**
 * Fails a KSeF submission for a reason that the ksef service found. If its document was sent in the current session and
 * may have arrived, the submission does not fail and is still tracked. The failure message states whether the document
 * was sent in an earlier session.
 */
export function givenUp(
  progress: Progress,
  { code, message }: { readonly code: string; readonly message: string },
  timing: Timing,
): Progress {
  if (wasSent(progress) && currentSession(progress)?.sentAt !== undefined) return progress;
  const wasEverSent = progress.sessions.some(({ sends }) => sends > 0);
  return failed(
    progress,
    { code, message: `${message} ${wasEverSent ? SENT_BEFORE : 'The invoice was not sent.'}` },
    timing,
  );
}

/** Sentence about an earlier KSeF session or attempt whose outcome may be unknown. */
const SENT_BEFORE =
  'The invoice had been sent before. Do not issue the invoice in another way. Submit it again to find out whether KSeF has it.';

function polled(progress: Progress, { now, waitFactor }: Timing): Progress {
  const waitedMs = now.getTime() - (progress.submittedAt ?? now).getTime();
  const polls = progress.polls + 1;
  return { ...progress, polls, failures: 0, dueAt: after(now, pollAfterMs(polls, waitedMs) * waitFactor) };
}

function inNewSession(progress: Progress, timing: Timing): Progress {
  const used = progress.sessions.filter(({ isEarlier }) => isEarlier !== true).length;
  if (used >= SESSIONS_MAX) {
    const message = `KSeF closed ${SESSIONS_MAX} sessions before it accepted the invoice. Submit the invoice again later.`;
    return failed(progress, { code: 'KSEF_SESSIONS', message }, timing);
  }
  const { now, waitFactor, random } = timing;
  return {
    ...opening(progress),
    failures: 0,
    polls: 0,
    listFailures: undefined,
    dueAt: after(now, backoffMs(Math.max(1, used), random) * waitFactor),
  };
}

function accepted(progress: Progress, ksefNumber: string, { now }: Timing): Progress {
  return {
    ...progress,
    status: 'ACCEPTED',
    ksefNumber,
    errorCode: undefined,
    errorMessage: undefined,
    submittedAt: progress.submittedAt ?? now,
    completedAt: now,
    failures: 0,
    polls: 0,
    dueAt: now,
  };
}

/** Maximum length of the error message of a KSeF submission in characters. Longer messages are truncated. */
const REFUSAL_TEXT_MAX = 1_000;

interface Refused {
  readonly code: string;
  readonly message: string;
}

function rejected(progress: Progress, error: Refused, timing: Timing): Progress {
  return ended(progress, 'REJECTED', error, timing);
}

function failed(progress: Progress, error: Refused, timing: Timing): Progress {
  return ended(progress, 'FAILED', error, timing);
}

function ended(
  progress: Progress,
  status: 'REJECTED' | 'FAILED',
  { code: errorCode, message }: Refused,
  timing: Timing,
): Progress {
  const decision = { ...UNDECIDED, status, errorCode, errorMessage: message.slice(0, REFUSAL_TEXT_MAX) };
  return rest({ ...progress, ...decision, completedAt: timing.now, failures: 0, polls: 0 }, timing);
}

/** Makes the KSeF submission due at once if work remains. A submission without remaining work is never due. */
function rest(progress: Progress, { now }: Timing): Progress {
  return { ...progress, dueAt: stepOf(progress, now).kind === 'NOTHING' ? undefined : now };
}

function refusalOf({ status: { code, description, details } }: InvoiceAnswer): Refused {
  return { code: `KSEF_${code}`, message: [description, ...details].filter((part) => part !== '').join('; ') };
}

function inCurrent(progress: Progress, change: (session: SubmissionSession) => SubmissionSession): Progress {
  const { sessions } = progress;
  const last = sessions.length - 1;
  return { ...progress, sessions: sessions.map((session, index) => (index === last ? change(session) : session)) };
}

function abandon(session: SubmissionSession): SubmissionSession {
  return { ...session, isAbandoned: true, key: undefined };
}

function after(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

function later(left: Date, right: Date): Date {
  return left > right ? left : right;
}
