import { DomainError } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import type { Logger } from '@invoicecontrol/runtime/logger';
import { VersionConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { SealedField } from '@invoicecontrol/secretbox/sealed-field';
import type { SealedValue } from '@invoicecontrol/secretbox/sealed-value';
import { isRepeat, noteStep } from '../../domain/attempts.js';
import type { Attempt, AttemptStep } from '../../domain/attempts.js';
import type { Connection } from '../../domain/connection.js';
import {
  createSessionKey,
  decodeSessionKey,
  encodeSessionKey,
  encryptDocument,
  sha256,
} from '../../domain/encryption.js';
import type { SessionKey } from '../../domain/encryption.js';
import { KsefRefusal, UNREADABLE_ANSWER } from '../../domain/ksef-refusal.js';
import { lackOf } from '../../domain/permissions.js';
import {
  closed,
  confirmationLater,
  confirmed,
  followed,
  givenUp,
  notFound,
  opened,
  opening,
  putOffUntil,
  refused,
  resolvedDuplicate,
  sending,
  sent,
  stepOf,
  unread,
} from '../../domain/submission-steps.js';
import type { Original, Step, Timing } from '../../domain/submission-steps.js';
import type { Progress, Submission } from '../../domain/submission.js';
import { confirmationChecked, duplicatePrevented, stepEnded, submissionEnded } from '../../telemetry.js';
import type { FailConnection } from '../connections/fail-connection.js';
import type { ConnectionStore } from '../connections/stores.js';
import { credentialsOf } from '../ksef-calls.js';
import type { InvoiceStatus, Ksef, KsefCalls } from '../ksef-calls.js';
import type {
  ConfirmationStore,
  Documents,
  Invoices,
  Organizations,
  SubmissionClaim,
  SubmissionQueue,
} from './stores.js';
import { submissionChanged } from './submission-events.js';

/**
 * Maximum number of submissions that a replica processes at once, in total and for one KSeF connection. The second
 * limit leaves room for other connections.
 */
const AT_ONCE_MAX = 32;
const AT_ONCE_OF_CONNECTION_MAX = 8;
/**
 * Time to wait while the KSeF connection is not CONNECTED. A change of the connection wakes the submissions that are
 * waiting. The submissions wait no longer than this time, in case a crash prevented the wake-up.
 */
const CONNECTION_WAIT_MS = 5 * 60_000;
/** Maximum time that an unsent KSeF submission waits for another KSeF token or certificate. */
const REFUSED_MS_MAX = 7 * 24 * 3_600_000;
/** Time that a KSeF submission waits while the organization is deleted, because it may be restored. */
const ORGANIZATION_WAIT_MS = 5 * 60_000;
/**
 * Time in milliseconds that a KSeF submission waits after an error of the ksef service or of a service that it needs.
 */
const FAULT_WAIT_MS = 5_000;
/**
 * Minimum time before a KSeF submission is processed again, even if KSEF_WAIT_FACTOR is very small, so that other
 * submissions are processed in between.
 */
const POSTPONED_MS_MIN = 50;

interface Deps {
  readonly queue: SubmissionQueue;
  /** Makes the worker look for due KSeF submissions at the given time. */
  readonly onDue: (dueAt: Date) => void;
  readonly connections: Pick<ConnectionStore, 'find'>;
  readonly failConnection: FailConnection;
  readonly confirmations: ConfirmationStore;
  readonly organizations: Organizations;
  readonly invoices: Invoices;
  readonly documents: Documents;
  readonly ksef: Ksef;
  readonly secrets: Pick<SealedField, 'open'>;
  readonly sessionKeys: Pick<SealedField, 'seal' | 'open'>;
  readonly waitFactor: number;
  readonly requestMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface SubmissionWorker {
  /** Claims due KSeF submissions while slots are free, and processes them. */
  poll(): Promise<void>;
  /** Stops the worker of KSeF submissions. Resolves when its calls in progress have completed. */
  stop(): Promise<void>;
}

/** Result of a KSeF submission step: the progress to store and the KSeF calls to record. */
interface Outcome {
  readonly progress: Progress;
  readonly steps?: readonly { readonly session: string | undefined; readonly step: AttemptStep }[];
  /** Refusal by KSeF of the call that failed in a step of the submission. */
  readonly refusal?: KsefRefusal;
}

/** The stored result of a KSeF submission step. */
interface Stored {
  readonly claim: SubmissionClaim;
  readonly refusal: KsefRefusal | undefined;
}

/** Sends invoices to KSeF. Every replica runs one worker, and there is no leader. */
export function submissionWorker(deps: Deps): SubmissionWorker {
  const { queue, connections, clock, logger, waitFactor, requestMs } = deps;
  const own = new Map<string, { readonly connectionId: string; readonly ended: Promise<void> }>();
  let isStopped = false;
  /** True if the last poll may have left due KSeF submissions, because slots were occupied. */
  let isShort = false;
  const timing = (): Timing => ({ now: clock.now(), waitFactor, requestMs, random: Math.random() });
  const context = systemContext('ksef submission');

  function begin(claim: SubmissionClaim): void {
    const { id, connectionId } = claim.submission;
    let isLost = false;
    const lease = claim.keepAlive(() => (isLost = true));
    const ended = (async () => {
      let now: SubmissionClaim | undefined = claim;
      try {
        try {
          while (now !== undefined && !isStopped && !isLost && isDue(now.submission, clock)) now = await advance(now);
        } finally {
          // The claim on a KSeF submission is also released after a failure, so that the next worker does not have to
          // wait for the lease to expire. The release has no effect if another worker holds the claim.
          if (!isLost) await now?.release();
        }
      } catch (error) {
        if (!(error instanceof VersionConflict)) {
          logger.warn(
            { error, submissionId: id, connectionId },
            'a submission could not continue; the submission is retried',
          );
        }
      } finally {
        lease.stop();
        own.delete(id);
        if (isShort) deps.onDue(clock.now());
      }
    })();
    own.set(id, { connectionId, ended });
  }

  /**
   * Performs one KSeF submission step. The intent and the outcome of a step are stored in one write each.
   * @returns undefined if the claim was released because the submission has to wait
   */
  async function advance(claim: SubmissionClaim): Promise<SubmissionClaim | undefined> {
    const { submission } = claim;
    const step = stepOf(submission, clock.now());
    const connection = await connections.find(submission.organizationId, submission.connectionId);
    const secret = connection?.secret;
    const sends = step.kind === 'OPEN' || step.kind === 'SEND';
    if (connection === undefined || secret === undefined || (sends && connection.status === 'DISABLED')) {
      const progress = withoutConnection(submission, step, timing());
      return progress === submission ? wait(claim, CONNECTION_WAIT_MS) : (await store(claim, { progress })).claim;
    }
    // A submission that was sent to KSeF is tracked even if the connection has lost the permission to issue invoices.
    // If KSeF refuses the calls that track it, tracking ends when the session expires or the confirmation is abandoned.
    if (sends && (connection.status !== 'CONNECTED' || connection.readOnlySince !== undefined)) {
      const hopeless = refusedForTooLong(connection, timing());
      if (hopeless === undefined) return waitForConnection(claim, connection);
      return (await store(claim, { progress: givenUp(submission, hopeless, timing()) })).claim;
    }
    try {
      // Sent submissions of a deleted organization are still tracked, because KSeF registers them and the organization
      // may be restored.
      if (sends && !(await deps.organizations.exists(submission.organizationId))) {
        return await wait(claim, ORGANIZATION_WAIT_MS);
      }
      const calls = deps.ksef.callsOf(credentialsOf(connection, secret, deps.secrets));
      const { claim: next, refusal } = await perform(claim, step, calls);
      if (refusal?.isAboutConnection === true) {
        await deps.failConnection(connection, refusal);
      }
      return next;
    } catch (error) {
      if (error instanceof VersionConflict) throw error;
      // The request to KSeF was not sent, so only the time of the next attempt is stored.
      if (error instanceof KsefRefusal && error.isPutOff) return waitUntil(claim, putOffUntil(error, timing()));
      logger.warn(
        { error, submissionId: submission.id, step: step.kind },
        'a step of a submission failed; the step is retried',
      );
      // A KSeF confirmation that cannot be checked is abandoned after a while, like a confirmation that KSeF does not
      // send.
      if (step.kind !== 'CONFIRM') return wait(claim, FAULT_WAIT_MS);
      return (await store(claim, { progress: confirmationLater(submission, undefined, timing()) })).claim;
    }
  }

  async function waitForConnection(claim: SubmissionClaim, seen: Connection): Promise<undefined> {
    const { organizationId, connectionId } = claim.submission;
    await wait(claim, CONNECTION_WAIT_MS, { isForConnection: true });
    // The KSeF connection may have changed after it was checked and before the wait was stored. That change did not
    // wake the submission, so the submission is made due now.
    const now = await connections.find(organizationId, connectionId);
    if (now?.version !== seen.version) await queue.wake(organizationId, connectionId);
  }

  async function perform(claim: SubmissionClaim, step: Step, calls: KsefCalls): Promise<Stored> {
    switch (step.kind) {
      case 'OPEN':
        return open(claim, step, calls);
      case 'SEND':
        return send(claim, step, calls);
      case 'LOOK':
        return store(claim, await look(claim.submission, step, calls));
      case 'FOLLOW':
        return store(claim, await follow(claim.submission, step, calls));
      case 'CLOSE':
        return store(claim, await close(claim.submission, step, calls));
      case 'CONFIRM':
        return store(claim, await confirm(claim.submission, step, calls));
      case 'NOTHING':
        return store(claim, { progress: { ...claim.submission, dueAt: undefined } });
    }
  }

  /**
   * Returns the reason why the invoice document may not be sent to KSeF. The reason is checked immediately before the
   * document is sent.
   */
  async function refusalBeforeSending({ organizationId, invoiceId, grant }: Submission) {
    try {
      const { isPass } = await deps.invoices.find(organizationId, invoiceId, { ...context, grant });
      return isPass ? undefined : DECISION_CHANGED;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.kind === 'not_found') return DECISION_CHANGED;
      if (error.kind === 'forbidden') return PROOF_OUTDATED;
      throw error;
    }
  }

  async function open(claim: SubmissionClaim, step: Step, calls: KsefCalls): Promise<Stored> {
    const refusal = await refusalBeforeSending(claim.submission);
    if (refusal !== undefined) return store(claim, { progress: givenUp(claim.submission, refusal, timing()) });
    let begun = claim;
    const beforeRequest = async (): Promise<void> => {
      if (begun === claim) ({ claim: begun } = await store(claim, { progress: opening(claim.submission) }));
    };
    const key = createSessionKey();
    const at = clock.now();
    try {
      const { session: broken, key: undecrypted } = claim.submission.restarts;
      const session = await calls.openSession(key, { hasFreshKeys: broken + undecrypted > 0, beforeRequest });
      const progress = opened(
        begun.submission,
        { ...session, key: deps.sessionKeys.seal(begun.submission, encodeSessionKey(key)) },
        timing(),
      );
      return await store(begun, { progress, steps: [noted('open', session.referenceNumber, at, 201)] });
    } catch (error) {
      return store(begun, refusedOutcome(begun.submission, step, error, 'open', undefined, at));
    }
  }

  async function send(claim: SubmissionClaim, step: Step & { kind: 'SEND' }, calls: KsefCalls): Promise<Stored> {
    const { submission } = claim;
    const { document } = submission;
    const { referenceNumber, key } = step.session;
    const opensKey = key === undefined ? undefined : openSessionKey(submission, key);
    // The key that encrypted the KSeF session key has been removed, so a new session with a new key is opened.
    if (opensKey === undefined) return store(claim, { progress: { ...opening(submission), dueAt: clock.now() } });
    const bytes = await readDocument(submission);
    if (bytes === undefined || sha256(bytes) !== document.hash)
      return store(claim, { progress: givenUp(submission, DOCUMENT_CHANGED, timing()) });
    const encrypted = encryptDocument(opensKey, bytes);
    const refusal = await refusalBeforeSending(submission);
    if (refusal !== undefined) return store(claim, { progress: givenUp(submission, refusal, timing()) });
    let begun = claim;
    const beforeRequest = async (): Promise<void> => {
      ({ claim: begun } = await store(begun, { progress: sending(begun.submission, timing()) }));
    };
    const at = clock.now();
    try {
      const invoice = await calls.sendInvoice(referenceNumber, encrypted, { beforeRequest });
      const progress = sent(begun.submission, invoice.referenceNumber, timing());
      return await store(begun, { progress, steps: [noted('send', referenceNumber, at, 202)] });
    } catch (error) {
      // The submission is stored as sending, but KSeF refused the document with the status 401, and a rate limit
      // postponed the repeated request. The stored progress is therefore corrected.
      if (begun !== claim && error instanceof KsefRefusal && error.isPutOff)
        return store(begun, { progress: refused(begun.submission, step, error, timing()) });
      return store(begun, refusedOutcome(begun.submission, step, error, 'send', referenceNumber, at));
    }
  }

  /**
   * Reads the document that is submitted to KSeF.
   * @returns undefined if the document no longer exists, or is larger than the submission states
   */
  async function readDocument({ organizationId, document, grant }: Submission): Promise<Buffer | undefined> {
    try {
      return await deps.documents.read(organizationId, document.uploadId, { ...context, grant });
    } catch (error) {
      const isGone = error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'wrong_state');
      if (!isGone) throw error;
      return undefined;
    }
  }

  async function look(submission: Submission, step: Step & { kind: 'LOOK' }, calls: KsefCalls): Promise<Outcome> {
    const { referenceNumber, looks, sentAt } = step.session;
    const at = clock.now();
    const mayStillArriveUntil = new Date((sentAt ?? at).getTime() + requestMs);
    if (looks === 0 && at < mayStillArriveUntil) return { progress: { ...submission, dueAt: mayStillArriveUntil } };
    try {
      const found = (await calls.sessionInvoices(referenceNumber)).find(
        ({ invoiceHash }) => invoiceHash === submission.document.hash,
      );
      const steps = [noted('status', referenceNumber, at, 200)];
      if (found !== undefined) {
        duplicatePrevented('FOUND_IN_SESSION');
        return { progress: sent(submission, found.referenceNumber, timing()), steps };
      }
      const session = looks >= 2 ? await calls.sessionStatus(referenceNumber) : undefined;
      return { progress: notFound(submission, session?.status.code, timing()), steps };
    } catch (error) {
      return refusedOutcome(submission, step, error, 'status', referenceNumber, at);
    }
  }

  async function follow(submission: Submission, step: Step & { kind: 'FOLLOW' }, calls: KsefCalls): Promise<Outcome> {
    const { referenceNumber } = step.session;
    const at = clock.now();
    try {
      const answer = await calls.invoiceStatus(referenceNumber, step.invoiceReferenceNumber);
      if (answer.invoiceHash !== submission.document.hash) throw OTHER_INVOICE;
      const steps = [noted('status', referenceNumber, at, answer.status.code)];
      const next = followed(submission, answer, timing());
      return next === 'COMPARE' ? { ...(await compare(submission, answer, calls)), steps } : { progress: next, steps };
    } catch (error) {
      return refusedOutcome(submission, step, error, 'status', referenceNumber, at);
    }
  }

  /**
   * Compares the document with the registered document after KSeF reported a duplicate. If both are the same file, the
   * submission has succeeded.
   */
  async function compare(submission: Submission, answer: InvoiceStatus, calls: KsefCalls): Promise<Outcome> {
    const resolved = (original: Original | undefined): Progress =>
      resolvedDuplicate(submission, answer, original, timing());
    try {
      const progress = resolved(await findOriginal(submission, answer, calls));
      if (progress.status === 'ACCEPTED') duplicatePrevented('SAME_FILE');
      return { progress };
    } catch (error) {
      if (!(error instanceof KsefRefusal) || error.isPutOff) throw error;
      return { progress: unread(submission, error, timing(), () => resolved(undefined)), refusal: error };
    }
  }

  /**
   * Finds the registered document of which KSeF calls the submitted document a duplicate. The document is searched for
   * in the session that KSeF names, and then by the KSeF number that KSeF names.
   * @returns undefined if KSeF does not show the document to this connection
   * @throws KsefRefusal for a failure that may be temporary
   */
  async function findOriginal(
    { sessions }: Submission,
    { originalKsefNumber, originalSessionReferenceNumber: named }: InvoiceStatus,
    calls: KsefCalls,
  ): Promise<Original | undefined> {
    if (originalKsefNumber === undefined) return undefined;
    const isOurs = sessions.some(({ referenceNumber }) => referenceNumber === named);
    let failure: KsefRefusal | undefined;
    if (named !== undefined) {
      try {
        const listed = await unlessRefused(() => calls.sessionInvoices(named));
        const found = listed?.find(({ ksefNumber }) => ksefNumber === originalKsefNumber);
        if (found !== undefined) {
          const entry = { sessionReferenceNumber: named, invoiceReferenceNumber: found.referenceNumber };
          return { invoiceHash: found.invoiceHash, entry };
        }
      } catch (error) {
        if (!(error instanceof KsefRefusal)) throw error;
        // If the session that KSeF names is a session of this submission, its invoice list is also needed to fetch the
        // confirmation. After a temporary failure to list it, the worker therefore tries again later.
        if (error.isAboutConnection || (isOurs && !error.decidesNothing)) throw error;
        failure = error;
      }
    }
    const registered = await unlessRefused(() => calls.findInvoice(originalKsefNumber));
    if (registered !== undefined) return { invoiceHash: registered.invoiceHash };
    // A 404 response for a KSeF session of another party is not a failure, because KSeF has responded to the query by
    // KSeF number.
    if (failure !== undefined && (isOurs || failure.httpStatus !== 404)) throw failure;
    return undefined;
  }

  async function close(submission: Submission, step: Step & { kind: 'CLOSE' }, calls: KsefCalls): Promise<Outcome> {
    const { session } = step;
    const at = clock.now();
    try {
      await calls.closeSession(session.referenceNumber);
      return {
        progress: closed(submission, session, timing()),
        steps: [noted('close', session.referenceNumber, at, 204)],
      };
    } catch (error) {
      const outcome = refusedOutcome(submission, step, error, 'close', session.referenceNumber, at);
      if (!(error instanceof KsefRefusal) || error.kind !== 'SESSION') return outcome;
      try {
        const { status } = await calls.sessionStatus(session.referenceNumber);
        return status.code > 100 ? { ...outcome, progress: closed(submission, session, timing()) } : outcome;
      } catch (unreadStatus) {
        // If the status of the KSeF session cannot be read either, closing the session is retried until the session
        // expires.
        return refusedOutcome(submission, step, unreadStatus, 'close', session.referenceNumber, at);
      }
    }
  }

  /**
   * Fetches the collective confirmation of the KSeF session. If there is none, fetches the confirmation of the invoice.
   */
  async function confirm(submission: Submission, step: Step & { kind: 'CONFIRM' }, calls: KsefCalls): Promise<Outcome> {
    if (submission.status !== 'ACCEPTED')
      throw new TypeError('A KSeF confirmation was requested for an invoice that is not registered.');
    const { referenceNumber } = step.session;
    const { organizationId, environment, id, document, ksefNumber } = submission;
    const at = clock.now();
    try {
      const { status, upoReferenceNumbers } = await calls.sessionStatus(referenceNumber);
      const [upoReference] = upoReferenceNumbers;
      const isComing = status.code < 300 && upoReference === undefined;
      const steps = [noted('confirmation', referenceNumber, at, status.code)];
      if (isComing) return { progress: confirmationLater(submission, undefined, timing()), steps };
      const { xml } =
        upoReference === undefined
          ? await calls.invoiceUpo(referenceNumber, step.invoiceReferenceNumber)
          : await calls.upo(referenceNumber, upoReference);
      const checked = await deps.documents.checkConfirmation(
        { organizationId, environment, xml, ksefNumber, hash: document.hash },
        context,
      );
      if ('fault' in checked) {
        confirmationChecked(environment, 'REFUSED');
        logger.warn(
          { submissionId: id, fault: checked.fault },
          'a KSeF confirmation is not valid; the confirmation is fetched again',
        );
        return { progress: confirmationLater(submission, undefined, timing()), steps };
      }
      const { seal } = checked;
      confirmationChecked(environment, seal.isHolderKnown ? 'TRUSTED' : 'UNKNOWN_HOLDER');
      if (!seal.isHolderKnown) {
        logger.info(
          { submissionId: id, seal: seal.fingerprint },
          'the seal of a KSeF confirmation is valid, but the holder of its certificate is unknown',
        );
      }
      await deps.confirmations.keep({ submissionId: id, organizationId, ksefNumber, xml, seal, storedAt: clock.now() });
      return { progress: confirmed(submission, upoReference ?? step.invoiceReferenceNumber), steps };
    } catch (error) {
      return refusedOutcome(submission, step, error, 'confirmation', referenceNumber, at);
    }
  }

  function refusedOutcome(
    submission: Submission,
    step: Step,
    error: unknown,
    name: AttemptStep['name'],
    session: string | undefined,
    at: Date,
  ): Outcome {
    if (!(error instanceof KsefRefusal) || error.isPutOff) throw error;
    return {
      progress: refused(submission, step, error, timing()),
      steps: [noted(name, session, at, error.httpStatus)],
      refusal: error,
    };
  }

  async function store(claim: SubmissionClaim, { progress, steps = [], refusal }: Outcome): Promise<Stored> {
    const attempts = steps.reduce<readonly Attempt[]>(
      (all, { session, step: noting }) => noteStep(all, session, noting),
      claim.attempts,
    );
    for (const { session, step } of steps) {
      if (isRepeat(claim.attempts, session, step)) continue;
      stepEnded(logger, { submission: claim.submission, step, status: progress.status, now: clock.now() });
    }
    const isForConnection = refusal?.isAboutConnection === true && progress.dueAt !== undefined;
    const events = submissionChanged(claim.submission, progress);
    const saved = await claim.save(progress, attempts, events, { isForConnection });
    const { completedAt, status } = progress;
    if (completedAt !== undefined && claim.submission.completedAt === undefined) {
      submissionEnded(status, (completedAt.getTime() - claim.submission.createdAt.getTime()) / 1_000);
    }
    return { claim: saved, refusal };
  }

  /**
   * Releases the claim on a KSeF submission until a later time. The submission does not change otherwise, so no event
   * is needed.
   */
  async function wait(
    claim: SubmissionClaim,
    waitMs: number,
    { isForConnection } = { isForConnection: false },
  ): Promise<undefined> {
    await waitUntil(claim, new Date(clock.now().getTime() + waitMs * waitFactor), { isForConnection });
  }

  async function waitUntil(
    claim: SubmissionClaim,
    dueAt: Date,
    { isForConnection } = { isForConnection: false },
  ): Promise<undefined> {
    const soonest = new Date(clock.now().getTime() + POSTPONED_MS_MIN);
    await claim.wait(dueAt > soonest ? dueAt : soonest, { isForConnection });
  }

  function openSessionKey(submission: Submission, key: SealedValue): SessionKey | undefined {
    try {
      return decodeSessionKey(deps.sessionKeys.open(submission, key));
    } catch (error) {
      logger.warn(
        { error, submissionId: submission.id },
        'the key of a session cannot be decrypted; a new session is opened',
      );
      return undefined;
    }
  }

  return {
    async poll() {
      isShort = own.size >= AT_ONCE_MAX;
      if (isStopped || isShort) return;
      const counts = new Map<string, number>();
      const count = (connectionId: string): number => (counts.get(connectionId) ?? 0) + 1;
      for (const { connectionId } of own.values()) counts.set(connectionId, count(connectionId));
      const busy = [...counts].filter(([, number]) => number >= AT_ONCE_OF_CONNECTION_MAX).map(([id]) => id);
      const room = AT_ONCE_MAX - own.size;
      const found = await queue.due(room, busy);
      isShort = busy.length > 0 || found.length >= room;
      for (const due of found) {
        if (isStopped) return;
        if (own.has(due.id)) continue;
        if (count(due.connectionId) > AT_ONCE_OF_CONNECTION_MAX) {
          isShort = true;
          continue;
        }
        const claim = await queue.claim(due);
        if (claim === undefined) continue;
        counts.set(due.connectionId, count(due.connectionId));
        begin(claim);
      }
    },
    async stop() {
      isStopped = true;
      await Promise.all([...own.values()].map(({ ended }) => ended));
    },
  };
}

/** Refusal for a KSeF response that is about another document than the submitted document. */
const OTHER_INVOICE = new KsefRefusal('TRANSIENT', 'The response of KSeF is about a different invoice.', {
  code: UNREADABLE_ANSWER,
});
const DECISION_CHANGED = {
  code: 'DECISION_CHANGED',
  message: 'The decision about the invoice is no longer PASS.',
} as const;
const DOCUMENT_CHANGED = {
  code: 'DOCUMENT_CHANGED',
  message: 'The stored document is not the document that was analyzed for the decision.',
} as const;
/** The stored grant is that of a certificate authority which the installation no longer trusts (ADR 0170). */
const PROOF_OUTDATED = {
  code: 'REQUEST_OUTDATED',
  message: 'The proof of who requested the submission is no longer accepted. Submit the invoice again.',
} as const;
const CONNECTION_DISABLED = {
  code: 'CONNECTION_DISABLED',
  message: 'The KSeF connection was disabled before KSeF registered the invoice.',
} as const;

/**
 * Returns the reason why a submission stops waiting for a KSeF connection that KSeF refuses. Undefined while it may
 * continue to wait.
 */
function refusedForTooLong(
  { status, authentication, refusal, readOnlySince, lastErrorMessage = '' }: Connection,
  { now, waitFactor }: Timing,
): { readonly code: string; readonly message: string } | undefined {
  const isInError = status === 'ERROR';
  const since = isInError ? refusal?.at : readOnlySince;
  if (since === undefined || now.getTime() - since.getTime() < REFUSED_MS_MAX * waitFactor) return undefined;
  return {
    code: isInError && refusal !== undefined ? refusal.code : 'KSEF_HTTP_403',
    message: isInError ? lastErrorMessage : `${lackOf('InvoiceWrite', authentication)}.`,
  };
}

/**
 * Returns the next progress of a KSeF submission whose connection can no longer be used. The progress is unchanged if
 * the submission must wait for a new token.
 */
function withoutConnection(submission: Submission, step: Step, timing: Timing): Progress {
  if (step.kind === 'CLOSE') return closed(submission, step.session, timing);
  if (step.kind === 'CONFIRM') return { ...submission, dueAt: undefined };
  return givenUp(submission, CONNECTION_DISABLED, timing);
}

/**
 * Makes a call that KSeF may refuse.
 * @returns undefined if KSeF refuses it permanently; a refusal that may be temporary, or that would not occur with
 *   another token, is thrown
 */
async function unlessRefused<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof KsefRefusal) || error.isAboutConnection) throw error;
    if (error.kind === 'PERMANENT' || error.kind === 'SESSION') return undefined;
    throw error;
  }
}

function noted(name: AttemptStep['name'], session: string | undefined, at: Date, code: number | undefined) {
  return { session, step: { name, at, code } };
}

function isDue({ dueAt }: Submission, clock: Clock): boolean {
  return dueAt !== undefined && dueAt <= clock.now();
}
